//! The point of a solid's surface that is nearest to a point.

use glam::DVec3;

use super::Solid;

/// Distance, in sizes of the solid, up to which a point lies on the surface: the direction to it is lost, and the normal of
/// the face stands for it.
const ON_SURFACE: f64 = 1e-12;

/// The nearest point of the surface, the outward normal there, and the signed distance: negative inside.
pub(crate) struct Nearest {
    pub normal: DVec3,
    pub distance: f64,
}

/// Looks at every face the point is above: one of them is nearest.
pub(crate) fn nearest(solid: &impl Solid, point: DVec3) -> Nearest {
    let (mut highest, mut top) = (0, f64::NEG_INFINITY);
    for face in 0..solid.face_count() {
        let (normal, offset) = solid.plane(face);
        let height = normal.dot(point) - offset;
        if height > top {
            (highest, top) = (face, height);
        }
    }
    let by_face = Nearest { normal: solid.plane(highest).0, distance: top };
    if top <= ON_SURFACE * solid.radius() {
        return by_face;
    }
    let mut best = DVec3::INFINITY;
    for face in 0..solid.face_count() {
        let (normal, offset) = solid.plane(face);
        let height = normal.dot(point) - offset;
        if height <= 0.0 {
            continue;
        }
        match rim(solid, face, normal, point) {
            // Over a face: the plane is as near as anything.
            None => return Nearest { normal, distance: height },
            Some(away) if away.length_squared() < best.length_squared() => best = away,
            Some(_) => {}
        }
    }
    let distance = best.length();
    if distance.is_finite() { Nearest { normal: best / distance, distance } } else { by_face }
}

/// From the nearest point of a face's rim to a point, if the point's foot lies outside the face.
fn rim(solid: &impl Solid, face: usize, normal: DVec3, point: DVec3) -> Option<DVec3> {
    let ring = solid.ring(face);
    let mut nearest: Option<DVec3> = None;
    for (k, &from) in ring.iter().enumerate() {
        let from = solid.corner(from as usize);
        let along = solid.corner(ring[(k + 1) % ring.len()] as usize) - from;
        let away = point - from;
        if along.cross(normal).dot(away) <= 0.0 {
            continue;
        }
        let part = (along.dot(away) / along.length_squared()).clamp(0.0, 1.0);
        let away = away - part * along;
        if nearest.is_none_or(|other| away.length_squared() < other.length_squared()) {
            nearest = Some(away);
        }
    }
    nearest
}
