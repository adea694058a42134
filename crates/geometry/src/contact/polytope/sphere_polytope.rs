//! Contact of a ball with a box or a polyhedron, from the surface point nearest to the centre of
//! the ball.

use crate::contact::polytope::{Cuboid, Nearest, nearest};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Finds the contact. Body `a` is the ball.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Sphere(ball) = pair.a else { unreachable!("the pair table puts the ball first") };
    let cutoff = ball.radius + pair.b.as_convex().bounding_radius() + pair.margin;
    if pair.offset.length_squared() > cutoff * cutoff {
        return;
    }
    let centre = pair.orientation_b.inverse() * -pair.offset;
    let Nearest { normal, distance } = match pair.b {
        Shape::Box(shape) => nearest(&Cuboid(shape.half_sizes), centre),
        Shape::Polyhedron(shape) => nearest(shape.hull(), centre),
        _ => unreachable!("the pair table puts a polytope second"),
    };
    let gap = distance - ball.radius;
    if gap > pair.margin {
        return;
    }
    let normal = -(pair.orientation_b * normal);
    manifold.push(ContactPoint {
        arm: (ball.radius + 0.5 * gap) * normal,
        normal,
        gap,
        curvature: 1.0 / ball.radius + pair.b.as_convex().curvature(normal),
        feature: 0,
        overlap: None,
    });
}
