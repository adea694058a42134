//! Planar rotations, stored as the unit vector of the x axis.

use glam::{DQuat, DVec2};

/// The x axis of a body in world axes: cosine and sine of its angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame(DVec2);

impl Frame {
    /// Creates the frame of a rotation about z.
    #[inline]
    pub fn of(orientation: DQuat) -> Self {
        let DQuat { z, w, .. } = orientation;
        Self(DVec2::new(w * w - z * z, 2.0 * w * z))
    }

    /// Transforms a vector from body axes to world axes.
    #[inline]
    pub fn to_world(self, v: DVec2) -> DVec2 {
        self.0.rotate(v)
    }

    /// Transforms a vector from world axes to body axes.
    #[inline]
    pub fn to_body(self, v: DVec2) -> DVec2 {
        DVec2::new(self.0.dot(v), self.0.perp_dot(v))
    }

    /// Returns this frame relative to `other`.
    #[inline]
    pub fn relative_to(self, other: Self) -> Self {
        Self(other.to_body(self.0))
    }
}
