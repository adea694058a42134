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
    // Inside the polytope the nearest face is the one with the largest, least negative height.
    if top <= ON_SURFACE * polytope.radius() {
        return by_face;
    }
    let mut best = DVec3::INFINITY;
    for face in 0..polytope.face_count() {
        let (normal, offset) = polytope.plane(face);
        let height = normal.dot(point) - offset;
        // The point lies behind this face, so that the nearest point is on another one.
        if height <= 0.0 {
            continue;
        }
        match rim(polytope, face, normal, point) {
            // The projection lies inside the face, so that nothing else can be nearer.
            None => return Nearest { normal, distance: height },
            Some((away, _)) if away.length_squared() < best.length_squared() => best = away,
            Some(_) => {}
        }
    }
    let distance = best.length();
    if distance.is_finite() { Nearest { normal: best / distance, distance } } else { by_face }
}

/// The face, edge or corner of a polytope that is nearest to a point.
pub(crate) enum NearestFeature {
    /// The point lies in the polytope or on its surface.
    Inside,
    /// A face: its outward normal, and the distance of its plane from the centre, m.
    Face { normal: DVec3, offset: f64 },
    /// An edge: one of its points, and the unit vector along it.
    Edge { at: DVec3, along: DVec3 },
    /// A corner.
    Corner(DVec3),
}

/// Returns the feature of a polytope that is nearest to a point outside.
pub(crate) fn nearest_feature(polytope: &impl Polytope, point: DVec3) -> NearestFeature {
    let (mut best, mut least) = (NearestFeature::Inside, f64::INFINITY);
    for face in 0..polytope.face_count() {
        let (normal, offset) = polytope.plane(face);
        if normal.dot(point) <= offset {
            continue;
        }
        match rim(polytope, face, normal, point) {
            None => return NearestFeature::Face { normal, offset },
            Some((away, feature)) if away.length_squared() < least => (best, least) = (feature, away.length_squared()),
            Some(_) => {}
        }
    }
    best
}

/// Returns the vector from the nearest point of the outline of a face to a point, and the edge or
/// corner with this nearest point, if the projection of the point lies outside the face.
fn rim(polytope: &impl Polytope, face: usize, normal: DVec3, point: DVec3) -> Option<(DVec3, NearestFeature)> {
    let ring = polytope.ring(face);
    let mut nearest: Option<(DVec3, NearestFeature)> = None;
    for (k, &from) in ring.iter().enumerate() {
        let from = polytope.corner(from as usize);
        let to = polytope.corner(ring[(k + 1) % ring.len()] as usize);
        let along = to - from;
        let away = point - from;
        if along.cross(normal).dot(away) <= 0.0 {
            continue;
        }
        let part = along.dot(away) / along.length_squared();
        let away = away - part.clamp(0.0, 1.0) * along;
        if nearest.as_ref().is_none_or(|(other, _)| away.length_squared() < other.length_squared()) {
            let feature = match part {
                ..=0.0 => NearestFeature::Corner(from),
                1.0.. => NearestFeature::Corner(to),
                _ => NearestFeature::Edge { at: from, along: along.normalize() },
            };
            nearest = Some((away, feature));
        }
    }
    nearest
}
