//! The region that two cylinders share and the contact in it as Feng, Han and Owen (2016) take it:
//! `layers`, accurate, and `edges`, fast. The contact is at the region's centroid, its overlap is
//! (21), its normal that of the normal theorem.

use glam::DVec3;

use super::{Detail, Method, Outcome};
use granum_geometry::axisymmetric::{Axis, contact_normal, contact_point, overlap_measure, radial_overlap_measure};
use granum_geometry::contact::region::{DEFAULT_SLICES, SliceCount, cylinder_region, edges};
use granum_geometry::{ContactPoint, Pair, Shape};

/// The accurate one.
pub const LAYERS: Method = Method {
    name: "layers",
    about: "Feng, Han and Owen's region by layers across the common perpendicular: volume, overlap (21), contact theorems",
    pairs: "two cylinders",
    serves,
    solve: |pair| {
        let Some(region) = cylinder_region(pair, SliceCount::PerInterval(DEFAULT_SLICES)) else {
            return Outcome::default();
        };
        let shared = region.region;
        let found =
            Found { volume: shared.volume, centroid: shared.centroid, extent: region.extent, radial: region.radial };
        found.outcome(pair, shared.gradient.translation, region.slices as u32)
    },
};

/// The fast one.
pub const EDGES: Method = Method {
    name: "edges",
    about: "the same by four points on each edge of the region: faster, less accurate",
    pairs: "two cylinders",
    serves,
    solve: |pair| {
        let Some(region) = edges(pair) else { return Outcome::default() };
        let (volume, centroid) = (region.volume, region.centroid);
        let found = Found { volume, centroid, extent: region.extent, radial: region.radial };
        found.outcome(pair, pair.offset, region.cuts as u32)
    },
};

fn serves(pair: &Pair) -> bool {
    matches!((pair.a, pair.b), (Shape::Cylinder(_), Shape::Cylinder(_)))
}

/// What either tells of a region.
struct Found {
    volume: f64,
    centroid: DVec3,
    extent: DVec3,
    radial: f64,
}

impl Found {
    /// The contact; `towards` tells the sign of its normal, which the theorem leaves open.
    fn outcome(&self, pair: &Pair, towards: DVec3, iterations: u32) -> Outcome {
        let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return Outcome::default() };
        let axis = |centre: DVec3, turn: glam::DQuat| Axis { centre, direction: turn * DVec3::Z };
        let axes = [axis(DVec3::ZERO, pair.orientation_a), axis(pair.offset, pair.orientation_b)];
        let gap = -overlap_measure(self.extent);
        // Where the axes and the centroid lie in one plane the theorem does not tell the normal.
        let normal = contact_normal(self.centroid, axes[0], axes[1], towards);
        let normal = normal.unwrap_or_else(|| towards.normalize_or(DVec3::X));
        let point = contact_point(self.centroid, normal, axes[0], axes[1]).unwrap_or(self.centroid);
        let curvature = 1.0 / a.radius + 1.0 / b.radius;
        let details = vec![
            ("volume", Detail::Number(self.volume)),
            ("centroid", Detail::Points(vec![self.centroid])),
            ("contact_point", Detail::Points(vec![point])),
            ("overlap_21", Detail::Number(-gap)),
            ("overlap_22", Detail::Number(radial_overlap_measure(self.radial, self.extent.z))),
        ];
        Outcome {
            touching: true,
            gap: Some(gap),
            normal: Some(normal),
            points: None,
            contacts: vec![ContactPoint { arm: self.centroid, normal, gap, curvature, feature: 0 }],
            details,
            iterations,
            ..Outcome::default()
        }
    }
}
