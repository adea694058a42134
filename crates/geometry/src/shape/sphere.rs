//! A ball.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, check_length};
use crate::{Aabb, MassProperties, Pose};

/// A ball about the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius, m.
    pub radius: f64,
}

impl Convex for Sphere {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.radius * direction.normalize_or(DVec3::X)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        point.length_squared() - self.radius * self.radius
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)
    }

    fn bounding_radius(&self) -> f64 {
        self.radius
    }

    fn aabb(&self, pose: &Pose) -> Aabb {
        Aabb::EMPTY.including(pose.position, self.radius)
    }

    fn mass_properties(&self) -> MassProperties {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3);
        MassProperties::principal(volume, DVec3::splat(0.4 * volume * self.radius * self.radius))
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        1.0 / self.radius
    }

    fn is_ball(&self) -> bool {
        true
    }
}
