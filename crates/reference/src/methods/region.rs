//! The contact of two cylinders from their overlap region \[Feng2017\], by two representations of
//! the region: `layers`, accurate, and `edges`, fast.
//!
//! The contact point is the centroid of the region, the overlap is [Feng2017, eq. 21], and the
//! normal is that of the contact normal theorem [Feng2017, theorem 1].

use glam::{DQuat, DVec3};
use granum_geometry::contact::point::GAP_NOT_COMPUTED;
use granum_geometry::contact::region::{DEFAULT_SLICES, SliceCount, cylinder_region};
use granum_geometry::{ContactPatch, ContactPoint, GapJacobian, GeneralisedOverlap, Pair, Shape};

use super::{Detail, Method, Outcome};
use crate::axisymmetric::{Axis, contact_normal, contact_point, overlap_measure, radial_overlap_measure};
use crate::region_edges::region_by_edges;

/// The region by slices across the common perpendicular. \[Feng2017\] has layers across the first
/// axis.
pub const LAYERS: Method = Method {
    name: "layers",
    about: "overlap region by slices across the common perpendicular: volume, overlap, contact theorems",
    pairs: "two cylinders",
    serves,
    solve: |pair| {
        let Some(cylinders) = cylinder_region(pair, SliceCount::PerInterval(DEFAULT_SLICES)) else {
            return Outcome::default();
        };
        let region = cylinders.region;
        let found = Region {
            volume: region.volume,
            centroid: region.centroid,
            extent: cylinders.extent,
            radial: cylinders.radial,
        };
        found.outcome(pair, region.gradient.translation, cylinders.slices as u32)
    },
};

/// The region by points on its edges.
pub const EDGES: Method = Method {
    name: "edges",
    about: "the same by four points on each edge of the region: faster, less accurate",
    pairs: "two cylinders",
    serves,
    solve: |pair| {
        let Some(region) = region_by_edges(pair) else { return Outcome::default() };
        let (volume, centroid) = (region.volume, region.centroid);
        let found = Region { volume, centroid, extent: region.extent, radial: region.radial };
        found.outcome(pair, pair.offset, region.slices as u32)
    },
};

fn serves(pair: &Pair) -> bool {
    matches!((pair.a, pair.b), (Shape::Cylinder(_), Shape::Cylinder(_)))
}

/// The overlap region of two cylinders.
struct Region {
    /// Volume, m^3.
    volume: f64,
    /// Centroid relative to the centre of a, m.
    centroid: DVec3,
    /// Bounding dimensions, m.
    extent: DVec3,
    /// Extent away from the axis of a, m.
    radial: f64,
}

impl Region {
    /// Returns the contact. The theorem leaves the sign of the normal open: it is that of
    /// `towards`.
    fn outcome(&self, pair: &Pair, towards: DVec3, iterations: u32) -> Outcome {
        let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return Outcome::default() };
        let axis = |centre: DVec3, orientation: DQuat| Axis { centre, direction: orientation * DVec3::Z };
        let axes = [axis(DVec3::ZERO, pair.orientation_a), axis(pair.offset, pair.orientation_b)];
        let value = overlap_measure(self.extent);
        // If the axes and the centroid are coplanar, the theorem does not determine the normal.
        let normal = contact_normal(self.centroid, axes[0], axes[1], towards);
        let normal = normal.unwrap_or_else(|| towards.normalize_or(DVec3::X));
        let point = contact_point(self.centroid, normal, axes[0], axes[1]).unwrap_or(self.centroid);
        let curvature = 1.0 / a.radius + 1.0 / b.radius;
        let details = vec![
            ("volume", Detail::Number(self.volume)),
            ("centroid", Detail::Points(vec![self.centroid])),
            ("contact_point", Detail::Points(vec![point])),
            ("overlap_21", Detail::Number(value)),
            ("overlap_22", Detail::Number(radial_overlap_measure(self.radial, self.extent.z))),
        ];
        let overlap = GeneralisedOverlap { value, jacobian: GapJacobian::PLAIN, patch: ContactPatch::default() };
        let (arm, gap, overlap) = (self.centroid, GAP_NOT_COMPUTED, Some(overlap));
        Outcome {
            touching: true,
            normal: Some(normal),
            points: None,
            contacts: vec![ContactPoint { arm, normal, gap, curvature, feature: 0, overlap }],
            details,
            iterations,
            ..Outcome::default()
        }
    }
}
