//! A half-space and a ball. This most common wall contact gets a closed form without a support
//! point.

use crate::{ContactPoint, Manifold, Pair, Shape};

/// Finds the contact. Body `a` is the half-space.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::HalfSpace(half_space), Shape::Sphere(sphere)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs a half-space with a sphere")
    };
    let normal = pair.orientation_a * half_space.normal();
    let gap = normal.dot(pair.offset) - sphere.radius;
    if gap > pair.margin {
        return;
    }
    manifold.push(ContactPoint {
        arm: pair.offset - (sphere.radius + 0.5 * gap) * normal,
        normal,
        gap,
        curvature: 1.0 / sphere.radius,
        feature: 0,
        overlap: None,
    });
}
