//! A half-space and any convex body. The contact is at the support point of the body towards the
//! plane.

use crate::{ContactPoint, Manifold, Pair, Shape};

/// Finds the contact. Body `a` is the half-space.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::HalfSpace(half_space) = pair.a else { unreachable!("the pair table puts the half-space first") };
    let normal = pair.orientation_a * half_space.normal();
    let body = pair.b.as_convex();
    let down_b = pair.orientation_b.inverse() * -normal;
    let lowest = pair.offset + pair.orientation_b * body.support(down_b);
    let gap = normal.dot(lowest);
    if gap > pair.margin {
        return;
    }
    manifold.push(ContactPoint {
        arm: lowest - 0.5 * gap * normal,
        normal,
        gap,
        curvature: body.curvature(down_b),
        feature: 0,
        overlap: None,
    });
}
