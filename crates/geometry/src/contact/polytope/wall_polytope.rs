//! Contact of boxes, polyhedra and polygons with a half-space and in containers. The wall is body
//! a.

use glam::DVec3;

use crate::contact::container;
use crate::contact::polytope::{Cuboid, against_walls};
use crate::contact::smooth::{Ball, OrientedEllipsoid};
use crate::shape::Ellipsoid;
use crate::{Manifold, Pair, Shape};

/// Finds the contacts of the corners of b with walls.
fn corners(pair: &Pair, manifold: &mut Manifold, walls: u16, wall: impl Fn(u16, DVec3) -> (DVec3, f64)) {
    match pair.b {
        Shape::Box(shape) => against_walls(&Cuboid(shape.half_sizes), walls, wall, pair, manifold),
        Shape::Polyhedron(shape) => against_walls(shape.hull(), walls, wall, pair, manifold),
        Shape::Polygon(shape) => against_walls(shape, walls, wall, pair, manifold),
        _ => unreachable!("the pair table puts a body with corners second"),
    }
}

/// Finds the corners that penetrate a half-space.
pub(in crate::contact) fn half_space(pair: &Pair, manifold: &mut Manifold) {
    let Shape::HalfSpace(shape) = pair.a else { unreachable!("the pair table puts the half-space first") };
    let normal = pair.orientation_a * shape.normal();
    corners(pair, manifold, 1, |_, at| (normal, normal.dot(at)));
}

/// Finds the contacts in a hollow sphere.
pub(in crate::contact) fn inside_sphere(pair: &Pair, manifold: &mut Manifold) {
    let Shape::InsideSphere(shape) = pair.a else { unreachable!("the pair table puts the container first") };
    corners(pair, manifold, 1, |_, at| (-at.normalize_or(DVec3::X), shape.radius - at.length()));
}

/// Finds the contacts in a hollow circle.
pub(in crate::contact) fn inside_circle(pair: &Pair, manifold: &mut Manifold) {
    let Shape::InsideCircle(shape) = pair.a else { unreachable!("the pair table puts the container first") };
    corners(pair, manifold, 1, |_, at| (-at.normalize_or(DVec3::X), shape.radius - at.length()));
}

/// Finds the contacts in a hollow cylinder, with its side wall and its two ends.
pub(in crate::contact) fn inside_cylinder(pair: &Pair, manifold: &mut Manifold) {
    let Shape::InsideCylinder(shape) = pair.a else { unreachable!("the pair table puts the container first") };
    let (axis, across) = (pair.orientation_a * DVec3::Z, pair.orientation_a * DVec3::X);
    corners(pair, manifold, 3, |wall, at| match wall {
        0 => {
            let out = at - axis.dot(at) * axis;
            (-out.normalize_or(across), shape.radius - out.length())
        }
        1 => (-axis, shape.half_height - axis.dot(at)),
        _ => (axis, shape.half_height + axis.dot(at)),
    });
}

/// Finds the contacts in a hollow ellipsoid. Each corner is a ball of radius zero.
pub(in crate::contact) fn inside_ellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let Shape::InsideEllipsoid(shape) = pair.a else { unreachable!("the pair table puts the container first") };
    let wall = OrientedEllipsoid::new(&Ellipsoid { semi_axes: shape.semi_axes }, pair.orientation_a);
    let to_wall = pair.orientation_a.inverse();
    let squares = shape.semi_axes * shape.semi_axes;
    // `corners` calls a shared closure, so that the counters need interior mutability.
    let failure = std::cell::Cell::new(None);
    let iterations = std::cell::Cell::new(0);
    corners(pair, manifold, 1, |_, at| {
        // The normal of the ellipsoid through the corner is a good start.
        let outward = (pair.orientation_a * ((to_wall * at) / squares)).normalize_or(DVec3::X);
        let mut count = 0;
        let found = container::minimise(&wall, &Ball(0.0), at, outward, &mut count);
        iterations.set(iterations.get() + count);
        match found {
            Ok(touch) => (-touch.n, touch.gap),
            Err(residual) => {
                failure.set(Some(residual));
                // An infinite gap leaves this corner out. The status of the manifold reports the
                // failure.
                (-outward, f64::INFINITY)
            }
        }
    });
    manifold.iterations = iterations.get();
    if let Some(residual) = failure.get() {
        manifold.status = crate::Status::NotConverged { residual };
    }
}
