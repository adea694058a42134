//! Contact of any grain with a hollow sphere, ellipsoid or cylinder around it. The container is
//! body a.

use glam::DVec3;

use crate::contact::container::cylinder_side::SideWall;
use crate::contact::container::inside;
use crate::contact::half_space;
use crate::contact::smooth::{Ball, OrientedConvex, OrientedEllipsoid, OrientedSuperellipsoid};
use crate::shape::Ellipsoid;
use crate::{Manifold, Pair, Shape};

/// First feature numbers of the two end caps of a cylinder. They follow those of the side wall.
pub(in crate::contact) const CAPS: [u32; 2] = [32, 64];

/// Evaluates `$then` with `$grain` bound to body b as a body with a smooth support function.
macro_rules! with_grain {
    ($pair:expr, |$grain:ident| $then:expr) => {
        match $pair.b {
            Shape::Sphere(shape) => {
                let $grain = &Ball(shape.radius);
                $then
            }
            Shape::Ellipsoid(shape) => {
                let $grain = &OrientedEllipsoid::new(shape, $pair.orientation_b);
                $then
            }
            Shape::Superellipsoid(shape) => {
                let $grain = &OrientedSuperellipsoid::new(shape, $pair.orientation_b);
                $then
            }
            other => {
                let $grain = &OrientedConvex::new(other.as_convex(), $pair.orientation_b);
                $then
            }
        }
    };
}

/// Finds the contacts in a hollow sphere.
pub(in crate::contact) fn inside_sphere(pair: &Pair, manifold: &mut Manifold) {
    let Shape::InsideSphere(shape) = pair.a else { unreachable!("the pair table puts the container first") };
    // In the centre all directions are equivalent.
    let outward = pair.offset.normalize_or(DVec3::X);
    with_grain!(pair, |grain| inside(&Ball(shape.radius), grain, outward, pair, manifold));
}

/// Finds the contacts in a hollow ellipsoid.
pub(in crate::contact) fn inside_ellipsoid(pair: &Pair, manifold: &mut Manifold) {
    let Shape::InsideEllipsoid(shape) = pair.a else { unreachable!("the pair table puts the container first") };
    let room = OrientedEllipsoid::new(&Ellipsoid { semi_axes: shape.semi_axes }, pair.orientation_a);
    // The gradient of the inside-outside function points to the nearest part of the wall.
    let squares = shape.semi_axes * shape.semi_axes;
    let outward = pair.orientation_a * ((pair.orientation_a.inverse() * pair.offset) / squares);
    let outward = outward.try_normalize().unwrap_or_else(|| {
        // From the centre the wall is nearest along the shortest semi-axis.
        let least = shape.semi_axes.min_element();
        pair.orientation_a
            * if shape.semi_axes.x == least {
                DVec3::X
            } else if shape.semi_axes.y == least {
                DVec3::Y
            } else {
                DVec3::Z
            }
    });
    with_grain!(pair, |grain| inside(&room, grain, outward, pair, manifold));
}

/// Finds the contacts in a hollow cylinder, with its side wall and its two end caps.
pub(in crate::contact) fn inside_cylinder(pair: &Pair, manifold: &mut Manifold) {
    let Shape::InsideCylinder(shape) = pair.a else { unreachable!("the pair table puts the container first") };
    let side = SideWall { axis: pair.orientation_a * DVec3::Z, radius: shape.radius };
    with_grain!(pair, |grain| side.collide(grain, pair.orientation_a * DVec3::X, pair, manifold));
    for (first, n) in CAPS.into_iter().zip([side.axis, -side.axis]) {
        half_space::collide(n, shape.half_height - n.dot(pair.offset), first, pair, manifold);
    }
}
