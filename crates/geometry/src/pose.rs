//! Where a body is and how it is turned.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// A rigid placement: body axes to world axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Centre of the body, m.
    pub position: DVec3,
    /// Unit quaternion that turns body axes into world axes.
    pub orientation: DQuat,
}

impl Pose {
    /// At the origin, unturned.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, orientation: DQuat::IDENTITY };

    /// At `position`, unturned.
    pub fn at(position: DVec3) -> Self {
        Self { position, ..Self::IDENTITY }
    }

    /// A body point in world axes.
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.orientation * local
    }

    /// The pose that undoes this one.
    pub fn inverse(&self) -> Self {
        let orientation = self.orientation.inverse();
        Self { position: -(orientation * self.position), orientation }
    }

    /// The pose that applies `self` first and then the rigid motion `outer`.
    pub fn moved_by(&self, outer: &Pose) -> Self {
        Self { position: outer.point(self.position), orientation: outer.orientation * self.orientation }
    }
}
