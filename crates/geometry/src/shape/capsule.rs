//! A capsule: all points within its radius of a segment of its axis.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::revolution::{quarter, straight, surface};
use super::{Convex, InvalidShape, check_length};
use crate::{MassProperties, Mesh};

/// A capsule about the origin, its axis along z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Radius of the side and of the round ends, m.
    pub radius: f64,
    /// Half the length of the straight part, m: the whole capsule is `2 (half_height + radius)`
    /// long.
    pub half_height: f64,
}

impl Convex for Capsule {
    fn support(&self, direction: DVec3) -> DVec3 {
        let end = if direction.z == 0.0 { 0.0 } else { self.half_height.copysign(direction.z) };
        let unit = (direction / direction.abs().max_element()).normalize();
        self.radius * unit + DVec3::Z * end
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        let nearest = point.z.clamp(-self.half_height, self.half_height);
        (point - DVec3::Z * nearest).length() / self.radius - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)?;
        check_length("half_height", self.half_height)
    }

    fn bounding_radius(&self) -> f64 {
        self.radius + self.half_height
    }

    fn mass_properties(&self) -> MassProperties {
        let Self { radius: r, half_height: h } = *self;
        let (side, ends) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
        let along = side * r * r / 2.0 + ends * 0.4 * r * r;
        // The centre of mass of each half ball lies 3/8 r beyond the end of the segment.
        let across = side * (r * r / 4.0 + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
        MassProperties::principal(side + ends, DVec3::new(across, across, along))
    }

    /// Returns the curvature of a ball of the same radius, on the side as well. Otherwise the
    /// stiffness of a Hertz law would jump where the side meets an end.
    fn curvature(&self, _normal: DVec3) -> f64 {
        1.0 / self.radius
    }

    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        let Self { radius: r, half_height: h } = *self;
        let side = straight(DVec2::new(r, -h), DVec2::new(r, h));
        surface(&[quarter(-h, r, -1.0, level), side, quarter(h, r, 1.0, level)], level)
    }
}
