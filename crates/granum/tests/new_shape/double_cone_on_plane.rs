//! A pair routine for a half-space and a double cone. This file and one registration add it.

use granum::glam::DVec3;
use granum::{ContactPoint, Convex, Manifold, Pair, Shape};

use crate::double_cone::DoubleCone;

/// Writes up to three contact points: the two apexes, and the point of the rim nearest to the
/// plane.
///
/// A double cone that lies on its side touches along a line. The points at both ends of the line
/// support it, whereas the routine `general` reports one point.
pub fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::HalfSpace(plane), Shape::UserDefined(body)) = (pair.a, pair.b) else { return };
    let Some(cone) = body.downcast_ref::<DoubleCone>() else { return };
    let normal = pair.orientation_a * plane.normal();
    let towards_plane = pair.orientation_b.inverse() * -normal;
    let rim = cone.radius * towards_plane.with_z(0.0).normalize_or_zero();
    let apex = cone.half_height * DVec3::Z;
    for (feature, point) in (0..).zip([apex, -apex, rim]) {
        let on_cone = pair.offset + pair.orientation_b * point;
        let gap = normal.dot(on_cone);
        if gap <= pair.margin {
            // The contact point is in the middle of the two surface points.
            let arm = on_cone - 0.5 * gap * normal;
            manifold.push(ContactPoint {
                arm,
                normal,
                gap,
                curvature: cone.curvature(towards_plane),
                feature,
                overlap: None,
            });
        }
    }
}
