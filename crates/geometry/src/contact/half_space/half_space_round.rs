//! A half-space against bodies with flat or straight parts: superellipsoids, cylinders, truncated cones and capsules. The lowest
//! point, and a patch where such a part lies level.

use crate::contact::half_space;
use crate::{Manifold, Pair, Shape};

/// `a` is the half-space.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::HalfSpace(half_space) = pair.a else { unreachable!("the dispatch table puts the half-space first") };
    let normal = pair.orientation_a * half_space.normal();
    half_space::collide(-normal, normal.dot(pair.offset), 0, pair, manifold);
}
