//! A half-space and a body with flat or straight parts: superellipsoids, cylinders, truncated cones
//! and capsules. The contact is the lowest point, or a patch if such a part is nearly parallel to
//! the plane.

use crate::contact::half_space;
use crate::{Manifold, Pair, Shape};

/// Finds the contacts. Body `a` is the half-space.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::HalfSpace(half_space) = pair.a else { unreachable!("the pair table puts the half-space first") };
    let normal = pair.orientation_a * half_space.normal();
    half_space::collide(-normal, normal.dot(pair.offset), 0, pair, manifold);
}
