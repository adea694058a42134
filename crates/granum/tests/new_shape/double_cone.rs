//! A double cone: two cones base to base. This file and one registration add the shape to granum.

use std::f64::consts::PI;

use granum::glam::DVec3;
use granum::shape::UserShape;
use granum::{Convex, InvalidShape, MassProperties};

/// Two equal cones base to base, the common axis along z.
#[derive(Clone, Copy, Debug)]
pub struct DoubleCone {
    /// Radius of the common base, m.
    pub radius: f64,
    /// Height of each cone, m.
    pub half_height: f64,
}

impl Convex for DoubleCone {
    fn support(&self, direction: DVec3) -> DVec3 {
        let across = direction.truncate();
        // The support point is an apex or a point of the rim.
        if self.half_height * direction.z.abs() > self.radius * across.length() {
            DVec3::new(0.0, 0.0, self.half_height * direction.z.signum())
        } else {
            (self.radius * across.normalize_or_zero()).extend(0.0)
        }
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        point.truncate().length() / self.radius + point.z.abs() / self.half_height - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        for (field, length) in [("radius", self.radius), ("half_height", self.half_height)] {
            if !(length.is_finite() && length > 0.0) {
                return Err(InvalidShape { field, reason: format!("must be a positive length, not {length}") });
            }
        }
        Ok(())
    }

    // The methods below have defaults. These are exact, and faster.

    fn bounding_radius(&self) -> f64 {
        self.radius.max(self.half_height)
    }

    fn mass_properties(&self) -> MassProperties {
        let (r, h) = (self.radius, self.half_height);
        let volume = 2.0 / 3.0 * PI * r * r * h;
        let across = 0.15 * r * r + 0.1 * h * h;
        MassProperties::principal(volume, volume * DVec3::new(across, across, 0.3 * r * r))
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        // The sides are flat along their generators, and the rim is sharp: a ball of the same
        // radius.
        1.0 / self.radius
    }
}

impl UserShape for DoubleCone {
    const NAME: &'static str = "double_cone";

    fn sizes(&self) -> Vec<f64> {
        vec![self.radius, self.half_height]
    }

    fn from_sizes(sizes: &[f64]) -> Option<Self> {
        let &[radius, half_height] = sizes else { return None };
        Some(Self { radius, half_height })
    }
}
