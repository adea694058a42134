//! Pair routines of balls, ellipsoids and superellipsoids in any combination, by the routine
//! `support`.

use crate::contact::smooth::flat_face;
use crate::contact::smooth::{
    Ball, EllipsoidPair, OrientedEllipsoid, OrientedSuperellipsoid, SuperellipsoidPair, support, support_of,
};
use crate::{Manifold, Pair, Shape};

/// Finds the contact of a ball and an ellipsoid.
pub(in crate::contact) fn sphere_ellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Sphere(a), Shape::Ellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs a sphere with an ellipsoid")
    };
    support(&Ball(a.radius), &OrientedEllipsoid::new(b, pair.orientation_b), pair, manifold);
}

/// Finds the contact of a ball and a superellipsoid.
pub(in crate::contact) fn sphere_superellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Sphere(a), Shape::Superellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs a sphere with a superellipsoid")
    };
    support(&Ball(a.radius), &OrientedSuperellipsoid::new(b, pair.orientation_b), pair, manifold);
}

/// Finds the contact of two ellipsoids.
pub(in crate::contact) fn ellipsoid_ellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Ellipsoid(a), Shape::Ellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs ellipsoids with ellipsoids")
    };
    support_of(&EllipsoidPair::new([a, b], [pair.orientation_a, pair.orientation_b]), pair, manifold);
}

/// Finds the contact of an ellipsoid and a superellipsoid.
pub(in crate::contact) fn ellipsoid_superellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Ellipsoid(a), Shape::Superellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs an ellipsoid with a superellipsoid")
    };
    let (a, b) = (OrientedEllipsoid::new(a, pair.orientation_a), OrientedSuperellipsoid::new(b, pair.orientation_b));
    support(&a, &b, pair, manifold);
}

/// Finds the contact of two superellipsoids. Faces that meet give a contact patch.
pub(in crate::contact) fn superellipsoid_superellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Superellipsoid(a), Shape::Superellipsoid(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs superellipsoids with superellipsoids")
    };
    let placed = SuperellipsoidPair::new([a, b], [pair.orientation_a, pair.orientation_b]);
    support_of(&placed, pair, manifold);
    flat_face::widen(pair, [a, b], manifold);
}
