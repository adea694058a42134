//! Contact of a body with a plane and in a container, by generalised overlaps: functions of the
//! pose whose gradient is the elastic force, so that it conserves energy whatever features touch.
//!
//! - A plane, and an end of a hollow cylinder: the second moments of the part of the body below it.
//! - A curved wall: the features that reach it first, each with its own overlap and feature number.
//!   These are the rims of cylinders and truncated cones, and the corners of boxes and polyhedra.
//!   The round ends of a capsule have their depth, which is smooth.

use glam::DVec3;

use super::SmoothOverlap;
use super::body_on_plane::body_on_plane;
use super::contact::{point_of, with_patch};
use super::corners_in_container::{CornerGroup, corner_groups};
use super::half_plane::smooth_overlap_on_plane;
use super::meridian_on_plane::{barrel_on_plane, is_barrel, tablet_on_plane};
use super::quadric_wall::QuadricWall;
use super::rim_in_container::RimInContainer;
use crate::contact::container::capsule_ends;
use crate::contact::container::cylinder_rims::RimView;
use crate::contact::container::inside_convex::CAPS;
use crate::contact::half_space::{self, half_space_round};
use crate::contact::manifold::MAX_POINTS;
use crate::contact::polytope::{Cuboid, report_limit};
use crate::{ContactPatch, ContactPoint, Manifold, Pair, Shape, Status};

/// A cylinder, capsule, truncated cone, tablet, box or polyhedron on a plane, or a superellipsoid:
/// a barrel by moments, others by the depth.
pub(in crate::contact) fn moments_on_plane(pair: &Pair, manifold: &mut Manifold) {
    let Shape::HalfSpace(plane) = pair.a else { unreachable!("the pair table puts the half-space first") };
    if let Shape::Superellipsoid(grain) = pair.b
        && !is_barrel(grain)
    {
        return half_space_round::collide(pair, manifold);
    }
    let up = pair.orientation_a * plane.normal();
    on_plane(up, up.dot(pair.offset), 0, pair, manifold);
}

/// A cylinder in a hollow one. The ends of the container are planes; its side is reached by rims
/// alone.
pub(in crate::contact) fn moments_in_cylinder(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::InsideCylinder(room), Shape::Cylinder(grain)) = (pair.a, pair.b) else {
        unreachable!("the pair table puts the container first")
    };
    on_ends(pair, manifold);
    let Some(view) = RimView::new(room, grain, pair.orientation_a * DVec3::Z, pair) else { return };
    for rim in 0..2 {
        let Some(nearest) = view.nearest(rim) else { continue };
        let nearest = nearest.between(rim as u32, pair);
        if let Some(overlap) = view.smooth_overlap(rim, pair) {
            // The gradient of the overlap, and not the nearest point, gives the line of action.
            let normal = overlap.gradient.normal();
            push_overlap(overlap, normal, DVec3::ZERO, &nearest, pair, manifold);
        } else if nearest.gap <= pair.margin {
            push_apart(nearest, manifold);
        }
    }
}

/// A cylinder or truncated cone in a hollow sphere or ellipsoid, or a truncated cone in a hollow
/// cylinder. Only the rims reach the curved wall; the ends of a hollow cylinder are planes.
pub(in crate::contact) fn overlap_of_rims(pair: &Pair, manifold: &mut Manifold) {
    let Some(wall) = QuadricWall::of(pair.a) else { unreachable!("the pair table puts a container first") };
    on_ends(pair, manifold);
    let (radii, heights) = match pair.b {
        Shape::Cylinder(grain) => ([grain.radius; 2], [-grain.half_height, grain.half_height]),
        Shape::TruncatedCone(grain) => (grain.radii, grain.heights()),
        _ => unreachable!("the pair table puts a body with rims second"),
    };
    // The wall is a quadric in its own axes, so that each rim is computed there.
    let to_wall = pair.orientation_a.inverse();
    for (feature, (radius, z)) in (0..).zip(radii.into_iter().zip(heights)) {
        let centre = pair.offset + pair.orientation_b * (z * DVec3::Z);
        let across = [DVec3::X, DVec3::Y].map(|axis| to_wall * (pair.orientation_b * (radius * axis)));
        let rim = RimInContainer::new(wall, to_wall * centre, across);
        let nearest = pair.orientation_a * rim.nearest() - pair.offset;
        let overlap = rim.smooth_overlap().map(|overlap| overlap.rotated(pair.orientation_a));
        push_on_wall(&wall, nearest, overlap, feature, pair, manifold);
    }
}

/// A capsule in a container: its round ends are balls for the curved wall, and the ends of a hollow
/// cylinder are planes.
pub(in crate::contact) fn ends_in_container(pair: &Pair, manifold: &mut Manifold) {
    on_ends(pair, manifold);
    capsule_ends::on_curved_wall(pair, manifold);
}

/// A box or polyhedron in a container. Only corners reach the curved wall.
pub(in crate::contact) fn overlap_of_corners(pair: &Pair, manifold: &mut Manifold) {
    let Some(wall) = QuadricWall::of(pair.a) else { unreachable!("the pair table puts a container first") };
    on_ends(pair, manifold);
    let groups = match pair.b {
        Shape::Box(shape) => corner_groups(&Cuboid(shape.half_sizes), &wall, pair),
        Shape::Polyhedron(shape) => corner_groups(shape.hull(), &wall, pair),
        _ => unreachable!("the pair table puts a polytope second"),
    };
    let farthest = groups.iter().flatten().map(|group| group.beyond).fold(f64::NEG_INFINITY, f64::max);
    let limit = report_limit(pair.margin, -farthest, pair.b.as_convex().bounding_radius());
    for (feature, group) in (0..).zip(groups) {
        if let Some(CornerGroup { nearest, overlap, .. }) = group.filter(|group| -group.beyond <= limit) {
            push_on_wall(&wall, nearest, overlap, feature, pair, manifold);
        }
    }
}

/// Finds the contacts with the planes that end a hollow cylinder, body a; other containers have
/// none.
fn on_ends(pair: &Pair, manifold: &mut Manifold) {
    let Shape::InsideCylinder(room) = pair.a else { return };
    let axis = pair.orientation_a * DVec3::Z;
    for (feature, up) in CAPS.into_iter().zip([-axis, axis]) {
        on_plane(up, room.half_height + up.dot(pair.offset), feature, pair, manifold);
    }
}

/// Finds the contact of body b with a half-space by moments. `up` is the outward normal of the
/// plane, and `height` is the height of the centre of the body above it, m.
fn on_plane(up: DVec3, height: f64, feature: u32, pair: &Pair, manifold: &mut Manifold) {
    let body = pair.b.as_convex();
    let down = pair.orientation_b.inverse() * -up;
    let gap = height - body.support_value(down);
    if gap > pair.margin {
        return;
    }
    let overlap = || match pair.b {
        Shape::Cylinder(grain) => smooth_overlap_on_plane(grain, up, height, pair.orientation_b),
        Shape::Superellipsoid(grain) => barrel_on_plane(grain, up, height, pair.orientation_b),
        Shape::Tablet(grain) => tablet_on_plane(grain, up, height, pair.orientation_b),
        other => body_on_plane(other, up, height, pair.orientation_b),
    };
    // Separated bodies, and overlaps as small as rounding errors, are reported with their distance.
    let Some(overlap) = (gap < 0.0).then(overlap).flatten() else {
        let mut apart = Manifold::default();
        half_space::collide(-up, height, feature, pair, &mut apart);
        if let Some(&point) = apart.deepest() {
            push_apart(ContactPoint { feature, ..point }, manifold);
        }
        return;
    };
    let nearest = ContactPoint { gap, curvature: body.curvature(down), feature, ..ContactPoint::default() };
    // The overlap is given from the foot of the body's centre on the plane.
    let foot = pair.offset - height * up;
    push_overlap(overlap, up, foot, &nearest, pair, manifold);
}

/// Adds the contact of a feature of body b with the curved wall of a container: its overlap, or its
/// distance. `nearest` is the point of the feature nearest to the wall, from the centre of b.
fn push_on_wall(
    wall: &QuadricWall,
    nearest: DVec3,
    overlap: Option<SmoothOverlap>,
    feature: u32,
    pair: &Pair,
    manifold: &mut Manifold,
) {
    // The curvature of these bodies does not depend on the direction.
    let curvature = pair.b.as_convex().curvature(DVec3::Z);
    let nearest = match wall.touch(nearest, curvature, pair) {
        Ok(touch) => touch.between(feature, pair),
        Err(residual) => {
            manifold.status = Status::NotConverged { residual };
            // An overlap acts even if its gap is known to first order only.
            let Some(overlap) = &overlap else { return };
            ContactPoint { gap: -overlap.length, curvature, feature, ..ContactPoint::default() }
        }
    };
    if manifold.points().len() >= MAX_POINTS {
        return;
    }
    match overlap {
        Some(overlap) => {
            let normal = overlap.gradient.normal();
            push_overlap(overlap, normal, DVec3::ZERO, &nearest, pair, manifold);
        }
        None if nearest.gap <= pair.margin => push_apart(nearest, manifold),
        None => {}
    }
}

/// Adds a generalised overlap of body b with a wall, from `origin`, a point relative to the centre
/// of a. `normal` points from the wall to the body. Gap, curvature and feature number are those of
/// `nearest`.
fn push_overlap(
    overlap: SmoothOverlap,
    normal: DVec3,
    origin: DVec3,
    nearest: &ContactPoint,
    pair: &Pair,
    manifold: &mut Manifold,
) {
    manifold.iterations += overlap.evaluations as u32;
    let point = point_of(overlap.length, overlap.gradient, overlap.centroid, nearest.curvature);
    let patch = match pair.b {
        Shape::Cylinder(_) | Shape::TruncatedCone(_) | Shape::Superellipsoid(_) => rolling(overlap.patch, normal, pair),
        _ => overlap.patch,
    };
    let point = ContactPoint { arm: point.arm + origin, gap: nearest.gap, feature: nearest.feature, ..point };
    manifold.push(with_patch(point, patch));
}

/// Reports separated bodies. The law needs their distance to find the time at which the contact
/// ended.
fn push_apart(point: ContactPoint, manifold: &mut Manifold) {
    manifold.push(ContactPoint { gap: point.gap.max(0.0), ..point });
}

/// The patch of a body of revolution, the second body, on a wall: a rotation about its own axis
/// does not rock the grain, which rolls freely.
fn rolling(patch: ContactPatch, normal: DVec3, pair: &Pair) -> ContactPatch {
    // The extent across the axis would resist rolling. Only that along the axis is kept.
    let aside = normal.cross(pair.orientation_b * DVec3::Z);
    ContactPatch(patch.0.map(|arm| arm - arm.dot(aside) * aside))
}
