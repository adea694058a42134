//! A circular cylinder with sharp rims, from a coin to a needle.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::revolution::{straight, surface};
use super::{Convex, InvalidShape, check_length};
use crate::{MassProperties, Mesh};

/// A cylinder about the origin, its axis along z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius, m.
    pub radius: f64,
    /// Half the height, m.
    pub half_height: f64,
}

/// Returns the point of a circle about z that lies farthest along `direction`. It returns the
/// centre of the circle if `direction` is parallel to the axis.
#[inline]
pub(super) fn ring_support(radius: f64, direction: DVec3) -> DVec3 {
    let across = (direction / direction.abs().max_element()).truncate();
    (radius * across.normalize_or_zero()).extend(0.0)
}

impl Convex for Cylinder {
    fn support(&self, direction: DVec3) -> DVec3 {
        let height = if direction.z == 0.0 { 0.0 } else { self.half_height.copysign(direction.z) };
        ring_support(self.radius, direction).with_z(height)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        (point.truncate().length() / self.radius).max(point.z.abs() / self.half_height) - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)?;
        check_length("half_height", self.half_height)
    }

    fn bounding_radius(&self) -> f64 {
        DVec2::new(self.radius, self.half_height).length()
    }

    fn mass_properties(&self) -> MassProperties {
        let Self { radius: r, half_height: h } = *self;
        let volume = 2.0 * PI * r * r * h;
        let across = volume * (r * r / 4.0 + h * h / 3.0);
        MassProperties::principal(volume, DVec3::new(across, across, volume * r * r / 2.0))
    }

    /// Returns the curvature of a ball of the same radius on every feature. The true radius of
    /// curvature is zero on a rim and infinite on a face. A law whose stiffness changed from
    /// feature to feature would not conserve energy when the contact moves from one to the next.
    fn curvature(&self, _normal: DVec3) -> f64 {
        1.0 / self.radius
    }

    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        let corner = |r: f64, z: f64| DVec2::new(r * self.radius, z * self.half_height);
        let corners = [corner(0.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(0.0, 1.0)];
        surface(&[0, 1, 2].map(|k| straight(corners[k], corners[k + 1])), level)
    }
}
