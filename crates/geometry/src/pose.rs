//! Position and orientation of a body.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// A rigid transform from body axes to world axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Centre of the body, m.
    pub position: DVec3,
    /// Unit quaternion that rotates body axes to world axes.
    pub orientation: DQuat,
}

impl Pose {
    /// The identity transform.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, orientation: DQuat::IDENTITY };

    /// Creates a pose at `position` without rotation.
    pub fn at(position: DVec3) -> Self {
        Self { position, ..Self::IDENTITY }
    }

    /// Transforms a point from body axes to world axes.
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.orientation * local
    }

    /// Returns the inverse transform.
    pub fn inverse(&self) -> Self {
        let orientation = self.orientation.inverse();
        Self { position: -(orientation * self.position), orientation }
    }

    /// Returns the pose that applies `self` first and then `outer`.
    ///
    /// ```
    /// use glam::{DQuat, DVec3};
    /// use granum_geometry::Pose;
    ///
    /// let orientation = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    /// let quarter_turn = Pose { position: DVec3::Z, orientation };
    /// let moved = Pose::at(DVec3::X).moved_by(&quarter_turn);
    /// assert!((moved.position - DVec3::new(0.0, 1.0, 1.0)).length() < 1e-15);
    /// assert!((quarter_turn.inverse().point(moved.position) - DVec3::X).length() < 1e-15);
    /// ```
    pub fn moved_by(&self, outer: &Pose) -> Self {
        Self { position: outer.point(self.position), orientation: outer.orientation * self.orientation }
    }
}
