//! Planar directions: body axes as one unit vector.

use glam::{DQuat, DVec2};

/// The x axis of a body in world axes: its cosine and sine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame(DVec2);

impl Frame {
    /// The frame of a rotation about z.
    #[inline]
    pub fn of(orientation: DQuat) -> Self {
        let DQuat { z, w, .. } = orientation;
        Self(DVec2::new(w * w - z * z, 2.0 * w * z))
    }

    /// A body vector in world axes.
    #[inline]
    pub fn to_world(self, v: DVec2) -> DVec2 {
        self.0.rotate(v)
    }

    /// A world vector in body axes.
    #[inline]
    pub fn to_body(self, v: DVec2) -> DVec2 {
        DVec2::new(self.0.dot(v), self.0.perp_dot(v))
    }

    /// This frame as `other` sees it.
    #[inline]
    pub fn relative_to(self, other: Self) -> Self {
        Self(other.to_body(self.0))
    }
}
