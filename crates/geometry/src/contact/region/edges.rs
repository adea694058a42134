//! The region that two cylinders share, by its edges: the fast representation.
//!
//! An edge is where two surfaces of the region meet: a rim in the other body, or the curve in which
//! two sides cross. Every corner of a cut across the common perpendicular runs along one, and edges
//! meet where corners do. Feng, Han and Owen (2016, 3.4) keep the edges on at most two bases, and
//! take the convex hull of them; here all edges count, each by four points between its ends, and
//! the volume between them is that of Gauss's rule through these points.

use glam::DVec3;

use super::cross_section::CrossSections;
use super::integrals::VolumeIntegral;
use super::slices::SliceCount;
use crate::contact::cylinder::CylinderPair;
use crate::{Pair, Shape};

/// Points on an edge between its ends.
const POINTS: usize = 4;

/// A region by its edges.
#[derive(Clone, Copy, Debug)]
pub struct Edges {
    /// Volume, m³.
    pub volume: f64,
    /// Centroid, from the centre of the first, world axes, m.
    pub centroid: DVec3,
    /// Bounding dimensions along the common perpendicular, across it, and along the first axis, m.
    pub extent: DVec3,
    /// Extent away from the first axis, m.
    pub radial: f64,
    /// Cuts across the common perpendicular in which the points of the edges lie.
    pub cuts: usize,
}

/// The region of two cylinders by its edges; none if they are apart, or if they are not cylinders.
pub fn edges(pair: &Pair) -> Option<Edges> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]).edges()
}

impl CylinderPair {
    /// The same for a cylinders.
    pub(crate) fn edges(&self) -> Option<Edges> {
        self.integrate(SliceCount::PerInterval(POINTS), |quadrature| {
            let mut sums = VolumeIntegral::default();
            let cuts = quadrature.integrate(&mut sums);
            let (volume, centroid) = sums.centroid(&quadrature.sections)?;
            let (extent, radial) = quadrature.extent();
            Some(Edges { volume, centroid: quadrature.sections.frame().world(centroid), extent, radial, cuts })
        })
    }
}
