//! Volume and centroid of the overlap region of two cylinders, without the gradient of the volume.
//!
//! The integrals are a part of those of [`cylinder_region`](super::cylinder_region), which makes
//! them faster. No contact of a simulation needs them; they are public for comparison.

use glam::DVec3;

use super::cross_section::CrossSections;
use super::integrals::VolumeIntegral;
use super::slices::SliceCount;
use crate::contact::cylinder::CylinderPair;
use crate::{Pair, Shape};

/// Volume, centroid and bounding dimensions of the overlap region of two cylinders.
#[derive(Clone, Copy, Debug)]
pub struct CylinderVolume {
    /// Volume, m³.
    pub volume: f64,
    /// Centroid relative to the centre of a, world axes, m.
    pub centroid: DVec3,
    /// Bounding dimensions along the common perpendicular, across it, and along the axis of a, m.
    pub extent: DVec3,
    /// Extent away from the axis of a, m.
    pub radial: f64,
    /// Number of slices.
    pub slices: usize,
}

/// Returns the volume of the overlap region of two cylinders; `None` if they do not overlap, or if
/// a body is not a cylinder.
pub fn cylinder_volume(pair: &Pair, count: SliceCount) -> Option<CylinderVolume> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    let cylinders = CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]);
    cylinders.integrate(count, |quadrature| {
        let mut integral = VolumeIntegral::default();
        let slices = quadrature.integrate(&mut integral);
        let (volume, centroid) = integral.centroid(&quadrature.sections)?;
        let (extent, radial) = quadrature.extent();
        let centroid = quadrature.sections.frame().world(centroid);
        Some(CylinderVolume { volume, centroid, extent, radial, slices })
    })
}
