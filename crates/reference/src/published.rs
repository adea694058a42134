//! The published overlap measure of two cylinders [Feng2017, eqs. 21 and 23], for comparison.
//!
//! The overlap is [Feng2017, eq. 21] of the bounding dimensions of the overlap region, and the normal is that
//! of the contact normal theorem at the centroid of the region, with the sign that separates the
//! bodies. The measure is not a function of the poses from which force and torque derive: elastic
//! collisions do not conserve energy.

use glam::{DQuat, DVec3};
use granum_geometry::contact::point::GAP_NOT_COMPUTED;
use granum_geometry::contact::region::{DEFAULT_SLICES, SliceCount, cylinder_region};
use granum_geometry::{
    ContactPatch, ContactPoint, GapJacobian, GeneralisedOverlap, Manifold, Measure, Pair, Shape, collide,
};

use crate::axisymmetric::{Axis, contact_normal, overlap_measure};

/// The measure. A scene selects it by `contact_model = "paper"`.
pub const MEASURE: Measure = Measure::other("paper");

/// Name of the routine in the pair table.
pub(crate) const NAME: &str = "published";

/// Computes the contact of two cylinders by the published measure.
pub fn two_cylinders(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table calls this for cylinders")
    };
    let Some(cylinders) = cylinder_region(pair, SliceCount::PerInterval(DEFAULT_SLICES)) else {
        return separated(pair, manifold);
    };
    manifold.iterations = cylinders.slices as u32;
    let region = cylinders.region;
    let axis = |centre: DVec3, orientation: DQuat| Axis { centre, direction: orientation * DVec3::Z };
    let axes = [axis(DVec3::ZERO, pair.orientation_a), axis(pair.offset, pair.orientation_b)];
    // If the axes and the centroid are coplanar, the theorem does not determine the normal.
    let normal = contact_normal(region.centroid, axes[0], axes[1], region.gradient.translation)
        .unwrap_or(region.gradient.normal());
    let value = overlap_measure(cylinders.extent);
    // The published law has no gap Jacobian and no contact patch.
    let overlap = GeneralisedOverlap { value, jacobian: GapJacobian::PLAIN, patch: ContactPatch::default() };
    let curvature = 1.0 / a.radius + 1.0 / b.radius;
    let (arm, gap) = (region.centroid, GAP_NOT_COMPUTED);
    manifold.push(ContactPoint { arm, normal, gap, curvature, feature: 0, overlap: Some(overlap) });
}

/// Reports the distance of separated cylinders, from which a contact law finds when a contact ends.
fn separated(pair: &Pair, manifold: &mut Manifold) {
    let mut by_depth = Manifold::default();
    collide(Measure::Depth, pair, &mut by_depth);
    manifold.iterations = by_depth.iterations;
    manifold.apart = by_depth.apart;
    if let Some(&point) = by_depth.deepest() {
        // A region that is thinner than rounding counts as contact without overlap.
        manifold.push(ContactPoint { gap: point.gap.max(0.0), feature: 0, ..point });
    }
}
