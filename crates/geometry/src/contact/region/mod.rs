//! The overlap region of two bodies, and the measures of overlap that derive from it.
//!
//! The overlap region is the intersection of two bodies. This module computes its volume, its
//! centroid and the gradient of the volume with respect to the poses ([`OverlapRegion`]), or the
//! length D, which follows from the second moments of the region ([`SmoothOverlap`]). `contact`
//! makes contact points of both. The equations are in the README of this folder.
//!
//! | file | content |
//! | --- | --- |
//! | `frame` | two cylinders in the frame of their common perpendicular |
//! | `breakpoints` | ends of the region, and positions at which the integrands are not smooth |
//! | `cross_section` | slices: edges clipped by the other body, four slices at a time |
//! | `two_rectangles`, `half_plane` | cross-sections of two cylinders; of a cylinder and a half-space |
//! | `simd` | four `f64` values in one register |
//! | `integrals` | volume, first and second moments, and surface integrals over slices |
//! | `slices` | quadrature over slices |
//! | `bounds` | bounding dimensions of the region of two cylinders |
//! | `volume` | its volume and centroid without gradients, for comparison |
//! | `cut_polytope` | a polyhedron that is cut by planes |
//! | `polytopes`, `polygons` | regions of polytopes and of polygons, by clipping |
//! | `axis_overlap`, `capsules` | mean depth along the axis of a capsule; its contacts |
//! | `polytope_overlap` | smooth overlap of two boxes or polyhedra |
//! | `polyhedron_moments` | smooth overlap of a region with flat facets |
//! | `rim_on_side_wall` | a rim of a cylinder and the side wall of a hollow cylinder |
//! | `cut_by_plane`, `body_on_plane` | smooth overlap of a half-space and any body; the bodies that have it |
//! | `polytope_on_plane`, `revolution_on_plane` | integrals below a plane; capsules and truncated cones by segments of discs (`circular_segment`) |
//! | `meridian_on_plane` | a tablet or a barrel on a plane, by the mean depth along its meridian |
//! | `quadric_wall` | the curved wall of a hollow sphere, ellipsoid or cylinder |
//! | `rim_in_container`, `corners_in_container` | rims and corners beyond this wall |
//! | `contact`, `walls` | contact points of two bodies, and of a body and a wall |

mod axis_overlap;
mod body_on_plane;
mod bounds;
mod breakpoints;
pub(super) mod capsules;
mod circular_segment;
pub(super) mod contact;
mod corners_in_container;
mod cross_section;
#[cfg(test)]
mod cross_section_reference;
mod cut_by_plane;
pub(super) mod cut_polytope;
mod frame;
mod half_plane;
mod integrals;
pub(super) mod meridian_on_plane;
mod polygons;
mod polyhedron_moments;
mod polytope_on_plane;
mod polytope_overlap;
mod polytopes;
mod quadric_wall;
mod revolution_on_plane;
mod rim_in_container;
mod rim_on_side_wall;
mod simd;
mod slices;
mod two_rectangles;
mod volume;
pub(super) mod walls;

use glam::{DQuat, DVec3};

use crate::contact::polytope::Cuboid;
use crate::contact::table::RegionMethod;
use crate::{ContactPatch, Pair, Shape};

pub use slices::{CylinderRegion, DEFAULT_SLICES, MAX_SLICES, SliceCount, cylinder_region, smooth_overlap};
pub use volume::{CylinderVolume, cylinder_volume};

/// The overlap region of two bodies. Vectors in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapRegion {
    /// Volume V, m³; for planar bodies the area, m² (that is, m³ per metre of thickness).
    pub volume: f64,
    /// Centroid, from the centre of a, m.
    pub centroid: DVec3,
    /// Gradient of V with respect to the poses. Its `translation` is `S`, the integral of the
    /// outward normal of a over the part of a's surface that lies in b, m²; its `rotation` is the
    /// integral of `(x - centre of a) x n` over the same part, m³.
    pub gradient: MeasureGradient,
}

/// Gradient of a measure of the overlap region with respect to the poses. World axes.
///
/// The unit of `translation` is that of the measure per metre, that of `rotation` the unit of the
/// measure per radian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureGradient {
    /// The measure grows by `translation . dx` if a moves by dx, and by `-translation . dx` if b
    /// does.
    pub translation: DVec3,
    /// The measure grows by `rotation . dr` if a rotates by the vector dr about its centre.
    pub rotation: DVec3,
}

impl MeasureGradient {
    /// Returns the unit normal from a to b: the translation of b along it decreases the measure
    /// fastest.
    pub fn normal(&self) -> DVec3 {
        self.translation.normalize_or(DVec3::Z)
    }

    /// Returns the point on the line of action of the wrench (`translation`, `rotation`) that is
    /// nearest to `near`. Both are from the centre of a, m.
    ///
    /// A wrench is equivalent to a force on a line and a torque along it: the torque is
    /// [`Self::pitch`].
    pub fn line_of_action(&self, near: DVec3) -> DVec3 {
        let square = self.translation.length_squared();
        if square == 0.0 {
            return near;
        }
        let foot = self.translation.cross(self.rotation) / square;
        foot + (near - foot).dot(self.translation) / square * self.translation
    }

    /// Returns the pitch of the wrench, m: the torque along the line of action per unit force.
    pub fn pitch(&self) -> f64 {
        let square = self.translation.length_squared();
        if square == 0.0 { 0.0 } else { self.rotation.dot(self.translation) / square }
    }
}

/// A length that measures the overlap of two bodies as a smooth function of their poses. Vectors in
/// world axes.
#[derive(Clone, Copy, Debug)]
pub struct SmoothOverlap {
    /// The length D, m.
    pub length: f64,
    /// Centroid of the overlap region (for a rim: of its part in the wall), from the centre of a,
    /// m.
    pub centroid: DVec3,
    /// Gradient of D with respect to the poses.
    pub gradient: MeasureGradient,
    /// Second moments of the overlap region across the normal.
    pub patch: ContactPatch,
    /// Number of slices, or of points on a rim, at which the integrands were evaluated.
    pub evaluations: usize,
}

/// Extent of the contact patch of a generalised overlap at one point, relative to the size of the
/// body. The law recognises by a non-zero patch that it must correct the integration at the begin
/// and the end of the contact. A patch of this extent resists spinning and rocking by less than
/// rounding errors.
const POINT_EXTENT: f64 = 1e-9;

impl SmoothOverlap {
    /// Returns the overlap in other axes about the same origin.
    fn rotated(self, axes: DQuat) -> Self {
        let MeasureGradient { translation, rotation } = self.gradient;
        Self {
            centroid: axes * self.centroid,
            gradient: MeasureGradient { translation: axes * translation, rotation: axes * rotation },
            patch: ContactPatch(self.patch.0.map(|vector| axes * vector)),
            ..self
        }
    }
}

/// Returns the overlap region of two cylinders; `None` if they do not overlap.
pub(super) fn region_of_cylinders(pair: &Pair) -> Option<OverlapRegion> {
    cylinder_region(pair, SliceCount::PerInterval(DEFAULT_SLICES)).map(|cylinders| cylinders.region)
}

/// Returns the overlap region of two boxes or polyhedra; `None` if they do not overlap.
pub(super) fn region_of_polytopes(pair: &Pair) -> Option<OverlapRegion> {
    match (pair.a, pair.b) {
        (Shape::Box(a), Shape::Box(b)) => polytopes::region(&Cuboid(a.half_sizes), &Cuboid(b.half_sizes), pair),
        (Shape::Box(a), Shape::Polyhedron(b)) => polytopes::region(&Cuboid(a.half_sizes), b.hull(), pair),
        (Shape::Polyhedron(a), Shape::Box(b)) => polytopes::region(a.hull(), &Cuboid(b.half_sizes), pair),
        (Shape::Polyhedron(a), Shape::Polyhedron(b)) => polytopes::region(a.hull(), b.hull(), pair),
        _ => unreachable!("the pair table calls this for polytopes"),
    }
}

/// Returns the overlap region of two polygons; `None` if they do not overlap.
pub(super) fn region_of_polygons(pair: &Pair) -> Option<OverlapRegion> {
    let (Shape::Polygon(a), Shape::Polygon(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table calls this for polygons")
    };
    polygons::region(a, b, pair)
}

/// Methods for the volume of the region of two cylinders. The first one is the most accurate and
/// serves as the reference of the others.
pub(super) const CYLINDER_METHODS: [RegionMethod; 3] = [
    RegionMethod { name: "reference", volume: |pair| volume_by_slices(pair, SliceCount::PerInterval(MAX_SLICES)) },
    RegionMethod { name: "layers", volume: |pair| volume_by_slices(pair, SliceCount::PerInterval(DEFAULT_SLICES)) },
    RegionMethod { name: "contact", volume: |pair| volume_by_slices(pair, SliceCount::Adaptive) },
];

fn volume_by_slices(pair: &Pair, count: SliceCount) -> Option<f64> {
    cylinder_region(pair, count).map(|cylinders| cylinders.region.volume)
}
