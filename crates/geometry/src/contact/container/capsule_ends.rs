//! Contacts of a capsule with the curved wall of the container around it. The distance beyond the
//! wall is a convex function, so that the two round ends reach the wall first: each is a contact of
//! a ball. The contact of an end persists as long as this end touches, and the depth of a ball is
//! smooth. Therefore the elastic force conserves energy.

use glam::DVec3;

use super::cylinder_side::SideWall;
use super::inside_convex;
use super::push_point;
use crate::contact::smooth::Ball;
use crate::shape::Sphere;
use crate::{ContactPoint, Manifold, Pair, Shape, Status};

/// First feature numbers of the contacts of the two ends. A ball has up to nine.
const ENDS: [u32; 2] = [0, 16];

/// Finds the contacts of both ends with a hollow sphere, a hollow ellipsoid or the side of a hollow
/// cylinder, body a.
pub(in crate::contact) fn on_curved_wall(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Capsule(capsule) = pair.b else { unreachable!("the pair table puts the capsule second") };
    let ball = Sphere { radius: capsule.radius }.into();
    let axis = pair.orientation_b * DVec3::Z;
    for (first, z) in ENDS.into_iter().zip([capsule.half_height, -capsule.half_height]) {
        let end = Pair { b: &ball, offset: pair.offset + z * axis, ..*pair };
        let mut found = Manifold::default();
        match pair.a {
            Shape::InsideSphere(_) => inside_convex::inside_sphere(&end, &mut found),
            Shape::InsideEllipsoid(_) => inside_convex::inside_ellipsoid(&end, &mut found),
            Shape::InsideCylinder(room) => {
                let side = SideWall { axis: pair.orientation_a * DVec3::Z, radius: room.radius };
                side.collide(&Ball(capsule.radius), pair.orientation_a * DVec3::X, &end, &mut found);
            }
            _ => unreachable!("the pair table puts the container first"),
        }
        manifold.iterations += found.iterations;
        if found.status != Status::Converged {
            manifold.status = found.status;
        }
        for point in found.points() {
            push_point(ContactPoint { feature: first + point.feature, ..*point }, manifold);
        }
    }
}
