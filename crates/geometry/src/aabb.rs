//! Axis-aligned bounding boxes.

use glam::DVec3;

/// An axis-aligned box. Unbounded shapes have infinite sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates, m.
    pub min: DVec3,
    /// Largest coordinates, m.
    pub max: DVec3,
}

impl Aabb {
    /// The empty box, which is the start of a fold with [`Aabb::including`].
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// Returns the smallest box around this one and a ball.
    pub fn including(self, centre: DVec3, radius: f64) -> Self {
        Self { min: self.min.min(centre - radius), max: self.max.max(centre + radius) }
    }

    /// Returns whether the two boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Returns whether `point` lies in the box or on its boundary.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }
}
