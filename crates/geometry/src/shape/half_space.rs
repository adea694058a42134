//! Everything below a plane.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape};
use crate::{Aabb, MassProperties, Pose};

/// The solid half-space on the inner side of the plane through the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HalfSpace {
    /// Outward normal in body axes. Any length on input; unit once it has passed [`HalfSpace::new`].
    normal: DVec3,
}

impl HalfSpace {
    /// The half-space with the outward normal `normal`, of any length.
    pub fn new(normal: DVec3) -> Self {
        // Scaled first: the square of a very long or very short vector is not a number one can divide by.
        Self { normal: (normal / normal.abs().max_element()).normalize_or_zero() }
    }

    /// The outward unit normal in body axes.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }
}

impl Convex for HalfSpace {
    /// The origin along the normal; infinitely far anywhere else.
    fn support(&self, direction: DVec3) -> DVec3 {
        let along = self.normal.dot(direction);
        if along > 0.0 && direction.cross(self.normal) == DVec3::ZERO {
            DVec3::ZERO
        } else {
            (direction - along.max(0.0) * self.normal) * f64::INFINITY
        }
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        self.normal.dot(point)
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        if self.normal.is_finite() && self.normal != DVec3::ZERO {
            Ok(())
        } else {
            Err(InvalidShape { field: "normal", reason: format!("must be a direction, not {}", self.normal) })
        }
    }

    fn normalised(self) -> Self {
        Self::new(self.normal)
    }

    fn bounding_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        self.normal.dot(centre) - radius
    }

    fn aabb(&self, _pose: &Pose) -> Aabb {
        Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY }
    }

    fn mass_properties(&self) -> MassProperties {
        MassProperties::unbounded()
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        0.0
    }
}
