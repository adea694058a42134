//! Pair routines of a box or a polyhedron with a round body. Each passes the radius of the balls
//! that fit into the round body.

use glam::{DQuat, DVec2, DVec3};

use crate::contact::polytope::{Cuboid, RoundContact, collide_round};
use crate::contact::smooth::{OrientedEllipsoid, OrientedSuperellipsoid, Smooth};
use crate::numeric::math::tangent_frame;
use crate::{Manifold, Pair, Shape};

/// Cosine of the angle to the axis from which a normal counts as that of a base.
const OF_BASE: f64 = 1.0 - 1e-12;

/// Distance from the height of a base, relative to the radius, within which a point lies on its
/// rim.
const RIM: f64 = 1e-12;

/// Fraction of the radius of curvature of a superellipsoid that is taken as the radius of a ball
/// that fits in. No strict bound is known. If the radius is less than the depth, several local
/// minima lie close together; this fraction keeps away from that.
const BLUNT: f64 = 0.01;

/// Finds the contacts. Body `a` is the polytope.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    match pair.b {
        Shape::Ellipsoid(body) => {
            let radius = OrientedEllipsoid::new(body, DQuat::IDENTITY).least_radius();
            with_polytope(pair, move |_| radius, manifold);
        }
        Shape::Superellipsoid(body) => {
            let body = OrientedSuperellipsoid::new(body, DQuat::IDENTITY);
            let at = |contact: &RoundContact| {
                let (t, u) = tangent_frame(contact.normal);
                let radii = body.radii(&body.evaluate(contact.normal), t, u);
                body.least_radius().max(BLUNT * radii.least_eigenvalue())
            };
            with_polytope(pair, at, manifold);
        }
        Shape::Capsule(body) => with_polytope(pair, |_| body.radius, manifold),
        Shape::Cylinder(body) => {
            let heights = [-body.half_height, body.half_height];
            with_polytope(pair, |contact| in_frustum(contact, [body.radius; 2], heights), manifold);
        }
        Shape::TruncatedCone(body) => {
            with_polytope(pair, |contact| in_frustum(contact, body.radii, body.heights()), manifold);
        }
        _ => unreachable!("the pair table puts a round body second"),
    }
}

fn with_polytope(pair: &Pair, inner_ball: impl Fn(&RoundContact) -> f64, manifold: &mut Manifold) {
    match pair.a {
        Shape::Box(shape) => collide_round(&Cuboid(shape.half_sizes), inner_ball, pair, manifold),
        Shape::Polyhedron(shape) => collide_round(shape.hull(), inner_ball, pair, manifold),
        _ => unreachable!("the pair table puts a polytope first"),
    }
}

/// Returns the radius of a ball that fits into a cylinder or truncated cone (radii `r` at the
/// heights `z`) at the contact.
///
/// The radius is zero at a rim. But the base swept along the touching edge is an oblique cylinder.
/// Its section normal to the edge is an ellipse with the semi-axes R and `R sin b`, where b is the
/// angle between edge and base. The sweep ends at the distance `e sin b`, with e the distance of
/// the contact from the end of the edge.
fn in_frustum(contact: &RoundContact, r: [f64; 2], z: [f64; 2]) -> f64 {
    let inside = ball_inside(contact.point, contact.normal, r, z);
    let swept = contact.edge.map_or(0.0, |(along, to_end)| {
        let radius = if contact.normal.z > 0.0 { r[1] } else { r[0] };
        let sine = along.z.abs();
        // The least radius of curvature of the ellipse is the square of its minor semi-axis over
        // the major one.
        (radius * sine * sine).min(0.5 * to_end * sine)
    });
    // A base is touched at its rim only.
    let is_rim = z.into_iter().any(|z| (contact.point.z - z).abs() <= RIM * r[0].max(r[1]));
    if is_rim { inside.max(swept) } else { inside }
}

/// Returns the radius of the largest inner ball that touches the surface at a point with this
/// outward normal.
fn ball_inside(point: DVec3, normal: DVec3, r: [f64; 2], z: [f64; 2]) -> f64 {
    let across = point.truncate().length();
    let radius = if normal.z.abs() >= OF_BASE {
        // The side inclines inward by `slope` towards the other base.
        let (own, other) = if normal.z > 0.0 { (r[1], r[0]) } else { (r[0], r[1]) };
        let slope = ((own - other) / (z[1] - z[0])).max(0.0);
        let cosine = (z[1] - z[0]) / DVec2::new(r[1] - r[0], z[1] - z[0]).length();
        ((own - across) * cosine / (1.0 + slope * cosine)).min(0.5 * (z[1] - z[0]))
    } else {
        // The centre must not pass the axis, nor be nearer to a base than the radius.
        let to_axis = across / normal.truncate().length();
        to_axis.min((z[1] - point.z) / (1.0 - normal.z)).min((point.z - z[0]) / (1.0 + normal.z))
    };
    radius.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_in_a_frustum_touches_from_inside() {
        let (r, z) = ([1.0, 0.6], [-0.5, 0.7]);
        let side = DVec2::new(1.2, 0.4).normalize();
        let inside = |centre: DVec3, radius: f64| {
            let across = centre.truncate().length();
            let from_side = side.dot(DVec2::new(r[0] - across, z[0] - centre.z));
            from_side.min(z[1] - centre.z).min(centre.z - z[0]) >= radius - 1e-12
        };
        for k in 0..=20 {
            let part = f64::from(k) / 20.0;
            let on_side = DVec3::new(r[0] + part * (r[1] - r[0]), 0.0, z[0] + part * (z[1] - z[0]));
            let on_base = DVec3::new(part * r[0], 0.0, z[0]);
            for (point, normal) in [(on_side, DVec3::new(side.x, 0.0, side.y)), (on_base, -DVec3::Z)] {
                let radius = ball_inside(point, normal, r, z);
                assert!(inside(point - radius * normal, radius), "{point} {radius}");
            }
        }
        assert_eq!(ball_inside(DVec3::new(r[0], 0.0, z[0]), -DVec3::Z, r, z), 0.0);
    }
}
