//! Contacts of a capsule with another capsule, a cylinder, a truncated cone, a box or a polyhedron,
//! by the mean depth along its axis.

use glam::{DMat3, DVec3};

use super::SmoothOverlap;
use super::axis_overlap::{Axis, AxisSum, Neighbour, Placed, Segment, Solid};
use super::contact::{point_of, with_patch};
use crate::contact::polytope::Cuboid;
use crate::contact::revolution::Hull;
use crate::contact::table::PairTable;
use crate::shape::Capsule;
use crate::{ContactPoint, Manifold, Measure, Pair, Shape};

/// Finds the contact of a capsule, body a. The routine for the depth computes the distance of
/// separated bodies.
pub(in crate::contact) fn moments_of_capsule(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Capsule(capsule) = pair.a else { unreachable!("the pair table puts the capsule first") };
    let mut by_depth = Manifold::default();
    PairTable::standard().collide(Measure::Depth, pair, &mut by_depth);
    (manifold.iterations, manifold.status, manifold.apart) = (by_depth.iterations, by_depth.status, by_depth.apart);
    let Some(&nearest) = by_depth.deepest() else { return };
    let overlap = if nearest.gap < 0.0 { smooth_overlap(capsule, pair) } else { None };
    match overlap {
        Some(region) => {
            manifold.iterations += region.evaluations as u32;
            let point = point_of(region.length, region.gradient, region.centroid, nearest.curvature);
            manifold.push(with_patch(ContactPoint { gap: nearest.gap, ..point }, region.patch));
        }
        // The bodies are separated, or the axis intersects the other body.
        None => manifold.push(ContactPoint { feature: 0, ..nearest }),
    }
}

/// Returns the smooth overlap; `None` if the axis intersects the other body.
fn smooth_overlap(capsule: &Capsule, pair: &Pair) -> Option<SmoothOverlap> {
    let along = pair.orientation_a * DVec3::Z;
    let mut sum = AxisSum::ZERO;
    let radius = capsule.radius;
    // The axis in axes that are parallel to those of the world, from the centre of b.
    let axis = Axis { middle: -pair.offset, along, half: capsule.half_height };
    let placed = Placed { reach: radius, radius, axes: DMat3::IDENTITY, origin: pair.offset, is_of_a: true };
    match pair.b {
        Shape::Capsule(other) => {
            let reach = radius + other.radius;
            let own = Axis { middle: DVec3::ZERO, along: pair.orientation_b * DVec3::Z, half: other.half_height };
            sum.add(&axis, &Segment(own), &Placed { reach, ..placed })?;
            // The same with the bodies exchanged, from the centre of a.
            let axis = Axis { middle: DVec3::ZERO, ..axis };
            let own = Axis { middle: pair.offset, ..own };
            let placed = Placed { reach, radius: other.radius, origin: DVec3::ZERO, is_of_a: false, ..placed };
            sum.add(&own, &Segment(axis), &placed)?;
        }
        Shape::Cylinder(_) | Shape::TruncatedCone(_) => {
            sum.add(&axis, &Hull::of(pair.b, pair.orientation_b * DVec3::Z), &placed)?;
        }
        Shape::Box(other) => add_solid(&mut sum, &axis, &Solid(&Cuboid(other.half_sizes)), &placed, pair)?,
        Shape::Polyhedron(other) => add_solid(&mut sum, &axis, &Solid(other.hull()), &placed, pair)?,
        _ => unreachable!("the pair table has no such pair of a capsule"),
    }
    sum.smooth_overlap()
}

/// Adds the integrals over an axis in the axes of body b.
fn add_solid(sum: &mut AxisSum, axis: &Axis, body: &impl Neighbour, placed: &Placed, pair: &Pair) -> Option<()> {
    let axes = DMat3::from_quat(pair.orientation_b);
    let back = axes.transpose();
    let axis = Axis { middle: back * axis.middle, along: back * axis.along, ..*axis };
    sum.add(&axis, body, &Placed { axes, ..*placed })
}
