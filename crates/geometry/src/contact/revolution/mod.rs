//! Contact of bodies of revolution with straight sides: cylinders, capsules and truncated cones.
//! Each is the convex hull of two round ends, discs or balls, on one axis.

pub(super) mod capsule_capsule;
pub(super) mod capsule_revolution;
mod nearest_point;
mod patch;
mod segments;
pub(super) mod smooth_revolution;
pub(super) mod sphere_revolution;

use glam::{DVec2, DVec3};

use crate::Shape;
pub(crate) use nearest_point::Foot;
pub(crate) use patch::{Resting, report};
pub(crate) use segments::Segments;

/// The convex hull of two round ends, relative to the centre of the body.
pub(crate) struct Hull {
    /// Unit vector along the axis, world axes.
    pub axis: DVec3,
    /// Heights of the ends on the axis, the lower one first, m.
    pub heights: [f64; 2],
    /// Radii of the ends, m.
    pub radii: [f64; 2],
    /// True if the ends are balls, false if they are discs.
    pub has_balls: bool,
    /// Outward normal of the side: its radial and its axial component.
    pub side: [f64; 2],
}

impl Hull {
    /// Creates the hull of a cylinder, a capsule or a truncated cone whose axis is `axis`.
    pub fn of(shape: &Shape, axis: DVec3) -> Self {
        let (heights, radii, has_balls) = match shape {
            Shape::Cylinder(body) => ([-body.half_height, body.half_height], [body.radius; 2], false),
            Shape::Capsule(body) => ([-body.half_height, body.half_height], [body.radius; 2], true),
            Shape::TruncatedCone(body) => (body.heights(), body.radii, false),
            _ => unreachable!("the pair table asks for bodies of revolution"),
        };
        let (across, along) = (radii[1] - radii[0], heights[1] - heights[0]);
        let side = DVec2::new(along, -across).normalize().to_array();
        Self { axis, heights, radii, has_balls, side }
    }

    /// Returns the larger radius or half the height, whichever is less, m.
    pub fn size(&self) -> f64 {
        let half_height = 0.5 * (self.heights[1] - self.heights[0]);
        self.radii[0].max(self.radii[1]).min(half_height)
    }

    /// Returns the centre of an end, m.
    pub fn centre(&self, end: usize) -> DVec3 {
        self.heights[end] * self.axis
    }

    /// Returns the support functions of the two ends, relative to the centre of the body, m.
    pub fn support_values(&self, m: DVec3) -> [f64; 2] {
        let along = m.dot(self.axis);
        let across = if self.has_balls { 1.0 } else { (m - along * self.axis).length() };
        [0, 1].map(|end| self.heights[end] * along + self.radii[end] * across)
    }
}
