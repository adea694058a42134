//! Contact patch of a round body that rests on a face of a polytope with a base or a line that lies
//! entirely above the face.

use glam::DVec3;

use super::round_body::{Search, Touch};
use super::{NO_EDGE, Polytope, report_limit};
use crate::contact::half_space::resting_features::{LINE, Part, Rest};
use crate::contact::smooth::flat_face::TILT;
use crate::{ContactPoint, Manifold};

/// Adds the points of the patch and returns `true` if a part of the body is nearly parallel to a
/// face and entirely above it. Otherwise it adds nothing.
pub(super) fn rest_on_face<S: Polytope>(search: &Search<S>, touch: &Touch, manifold: &mut Manifold) -> bool {
    let Some(rest) = Rest::along(search.pair.b, search.back * -touch.n) else {
        return false;
    };
    let face = search.polytope.face_along(search.polytope.farthest(touch.n), touch.n);
    let (normal, offset) = search.polytope.plane(face);
    if normal.dot(touch.n) < 1.0 - 0.5 * TILT * TILT {
        return false;
    }
    let in_polytope = |point: DVec3| search.offset + search.turn * point;
    // Distance from the face along the contact normal.
    let gap = |point: DVec3| (normal.dot(point) - offset) / normal.dot(touch.n);
    let inset = |point: DVec3| search.polytope.inset(face, point - gap(point) * touch.n, NO_EDGE).0;
    let deepest = search.point(touch);
    let size = search.polytope.radius() + search.round.bounding_radius();
    let limit = report_limit(search.pair.margin, touch.gap, size);
    let mut push_point = |feature: u32, on_b: DVec3| {
        let gap = gap(on_b);
        if gap <= limit {
            let arm = search.pair.orientation_a * (on_b - 0.5 * gap * touch.n);
            manifold.push(ContactPoint { arm, gap, feature, ..deepest });
        }
    };
    let central = |middle: DVec3| middle + rest.share * (touch.on_b - middle);
    match rest.part {
        Part::Base { z, radius, rim } => {
            let middle = in_polytope(DVec3::Z * z);
            // A base that extends beyond the face has no complete patch and touches at single
            // points.
            if inset(middle) < radius {
                return false;
            }
            push_point(0, central(middle));
            Rest::rim_points(z, radius, rim)
                .into_iter()
                .for_each(|(feature, point)| push_point(feature, in_polytope(point)));
        }
        Part::Line(ends) => {
            let ends = ends.map(in_polytope);
            if ends.into_iter().any(|end| inset(end) < 0.0) {
                return false;
            }
            push_point(0, central(0.5 * (ends[0] + ends[1])));
            (LINE..).zip(ends).for_each(|(feature, point)| push_point(feature, point));
        }
    }
    // The central point is not the nearest one. The gap of the pair is still that of the nearest
    // points.
    if rest.share < 1.0 {
        manifold.set_nearest(deepest);
    }
    true
}
