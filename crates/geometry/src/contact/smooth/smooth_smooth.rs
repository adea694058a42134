//! Balls, ellipsoids and superellipsoids in any combination: the routine `support` on the two bodies.

use crate::contact::smooth::face;
use crate::contact::smooth::{
    Ball, PlacedEllipsoid, PlacedSuperellipsoid, TwoEllipsoids, TwoSuperellipsoids, support, support_of,
};
use crate::{Manifold, Pair, Shape};

/// A ball and an ellipsoid.
pub(in crate::contact) fn sphere_ellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Sphere(a), Shape::Ellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs a sphere with an ellipsoid")
    };
    support(&Ball(a.radius), &PlacedEllipsoid::new(b, pair.orientation_b), pair, manifold);
}

/// A ball and a superellipsoid.
pub(in crate::contact) fn sphere_superellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Sphere(a), Shape::Superellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs a sphere with a superellipsoid")
    };
    support(&Ball(a.radius), &PlacedSuperellipsoid::new(b, pair.orientation_b), pair, manifold);
}

/// Two ellipsoids.
pub(in crate::contact) fn ellipsoid_ellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Ellipsoid(a), Shape::Ellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs ellipsoids with ellipsoids")
    };
    support_of(&TwoEllipsoids::new([a, b], [pair.orientation_a, pair.orientation_b]), pair, manifold);
}

/// An ellipsoid and a superellipsoid.
pub(in crate::contact) fn ellipsoid_superellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Ellipsoid(a), Shape::Superellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs an ellipsoid with a superellipsoid")
    };
    let (a, b) = (PlacedEllipsoid::new(a, pair.orientation_a), PlacedSuperellipsoid::new(b, pair.orientation_b));
    support(&a, &b, pair, manifold);
}

/// Two superellipsoids; where their faces meet, in a patch.
pub(in crate::contact) fn superellipsoid_superellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Superellipsoid(a), Shape::Superellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs superellipsoids with superellipsoids")
    };
    let placed = TwoSuperellipsoids::new([a, b], [pair.orientation_a, pair.orientation_b]);
    support_of(&placed, pair, manifold);
    face::widen(pair, [a, b], manifold);
}
