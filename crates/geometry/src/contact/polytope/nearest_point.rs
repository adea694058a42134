//! The point of the surface of a polytope nearest to a given point.

use glam::DVec3;

use super::Polytope;

/// Distance, relative to the size of the polytope, up to which a point lies on the surface. The
/// direction to it is lost to rounding, and the normal of the face is used instead.
const ON_SURFACE: f64 = 1e-12;

/// The nearest point of the surface, the outward normal there, and the signed distance (negative
/// inside).
pub(crate) struct Nearest {
    pub normal: DVec3,
    pub distance: f64,
}

/// Returns the nearest point of the surface. It tests every face below the point, because one of
/// them is nearest.
pub(crate) fn nearest(polytope: &impl Polytope, point: DVec3) -> Nearest {
    let (mut highest, mut top) = (0, f64::NEG_INFINITY);
    for face in 0..polytope.face_count() {
        let (normal, offset) = polytope.plane(face);
        let height = normal.dot(point) - offset;
        if height > top {
            (highest, top) = (face, height);
        }
    }
    let by_face = Nearest { normal: polytope.plane(highest).0, distance: top };
    if top <= ON_SURFACE * polytope.radius() {
        return by_face;
    }
    let mut best = DVec3::INFINITY;
    for face in 0..polytope.face_count() {
        let (normal, offset) = polytope.plane(face);
        let height = normal.dot(point) - offset;
        if height <= 0.0 {
            continue;
        }
        match rim(polytope, face, normal, point) {
            // The projection lies inside the face, so that nothing else can be nearer.
            None => return Nearest { normal, distance: height },
            Some(away) if away.length_squared() < best.length_squared() => best = away,
            Some(_) => {}
        }
    }
    let distance = best.length();
    if distance.is_finite() { Nearest { normal: best / distance, distance } } else { by_face }
}

/// Returns the vector from the nearest point of the outline of a face to a point, if the projection
/// of the point lies outside the face.
fn rim(polytope: &impl Polytope, face: usize, normal: DVec3, point: DVec3) -> Option<DVec3> {
    let ring = polytope.ring(face);
    let mut nearest: Option<DVec3> = None;
    for (k, &from) in ring.iter().enumerate() {
        let from = polytope.corner(from as usize);
        let along = polytope.corner(ring[(k + 1) % ring.len()] as usize) - from;
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
