//! The contact of two cylinders from their overlap region \[Feng2017\], by two representations of
//! the region: `layers`, accurate, and `edges`, fast.
//!
//! The contact point is the centroid of the region, the overlap is [Feng2017, eq. 21], and the
//! normal is that of the contact normal theorem [Feng2017, theorem 1].

use glam::{DQuat, DVec3};
use granum_geometry::contact::point::GAP_NOT_COMPUTED;
use granum_geometry::contact::region::{CylinderRegion, DEFAULT_SLICES, SliceCount, cylinder_region};
use granum_geometry::{ContactPatch, ContactPoint, GapJacobian, GeneralisedOverlap, Pair, Shape};

use super::{Detail, Method, Outcome};
use crate::axisymmetric::{
    Axis, FourParameters, contact_normal_if_sharp, contact_point, overlap_measure, radial_overlap_measure,
};
use crate::region_edges::region_and_gradient_by_edges;

/// Smallest sine of the angle between the planes of the contact normal theorem at which the error
/// of the centroid leaves an error of the normal of about a degree: the centroid has an error of
/// 1e-9 of the region by layers, and of 1e-4 by edges.
const LAYERS_SINE: f64 = 1e-6;
const EDGES_SINE: f64 = 1e-2;

/// The region by slices across the common perpendicular. \[Feng2017\] has layers across the first
/// axis.
pub const LAYERS: Method = Method {
    name: "layers",
    about: "overlap region by slices across the common perpendicular: volume, overlap, contact theorems",
    pairs: "two cylinders",
    serves,
    solve: |pair| {
        let region = cylinder_region(pair, SliceCount::PerInterval(DEFAULT_SLICES));
        solve(pair, region, LAYERS_SINE)
    },
};

/// The region by points on its edges.
pub const EDGES: Method = Method {
    name: "edges",
    about: "the same by four points on each edge of the region: faster, less accurate",
    pairs: "two cylinders",
    serves,
    solve: |pair| solve(pair, region_and_gradient_by_edges(pair), EDGES_SINE),
};

fn serves(pair: &Pair) -> bool {
    matches!((pair.a, pair.b), (Shape::Cylinder(_), Shape::Cylinder(_)))
}

/// Returns the contact of two cylinders with a region; without one they are separated. The theorem
/// is used if the sine of the angle between its two planes is above `least_sine`.
fn solve(pair: &Pair, region: Option<CylinderRegion>, least_sine: f64) -> Outcome {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return Outcome::default() };
    let axis = |centre: DVec3, orientation: DQuat| Axis { centre, direction: orientation * DVec3::Z };
    let axes = [axis(DVec3::ZERO, pair.orientation_a), axis(pair.offset, pair.orientation_b)];
    let mut details = parameters(FourParameters::of(axes[0], axes[1]));
    let Some(CylinderRegion { region, extent, radial, slices }) = region else {
        return Outcome { details, ..Outcome::default() };
    };
    // The theorem leaves the sign of the normal open, and does not determine the normal if the axes
    // and the centroid are coplanar. The gradient of the volume does both.
    let towards = region.gradient.translation;
    let normal = contact_normal_if_sharp(region.centroid, axes[0], axes[1], towards, least_sine)
        .unwrap_or(region.gradient.normal());
    let point = contact_point(region.centroid, normal, axes[0], axes[1]).unwrap_or(region.centroid);
    let value = overlap_measure(extent);
    details.extend([
        ("volume", Detail::Number(region.volume)),
        ("centroid", Detail::Points(vec![region.centroid])),
        ("contact_point", Detail::Points(vec![point])),
        ("overlap_21", Detail::Number(value)),
        ("overlap_22", Detail::Number(radial_overlap_measure(radial, extent.z))),
    ]);
    let overlap = GeneralisedOverlap { value, jacobian: GapJacobian::PLAIN, patch: ContactPatch::default() };
    let contact = ContactPoint {
        arm: region.centroid,
        normal,
        gap: GAP_NOT_COMPUTED,
        curvature: 1.0 / a.radius + 1.0 / b.radius,
        feature: 0,
        overlap: Some(overlap),
    };
    Outcome {
        touching: true,
        normal: Some(normal),
        contacts: vec![contact],
        details,
        iterations: slices as u32,
        ..Outcome::default()
    }
}

/// Returns the four parameters as details.
fn parameters(found: FourParameters) -> Vec<(&'static str, Detail)> {
    let mut details = vec![("d", Detail::Number(found.d)), ("alpha_deg", Detail::Number(found.alpha.to_degrees()))];
    if let Some([s1, s2]) = found.s {
        details.extend([("s1", Detail::Number(s1)), ("s2", Detail::Number(s2))]);
    }
    details
}
