//! A truncated cone (frustum) with sharp rims.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::cylinder::ring_support;
use super::revolution::{straight, surface};
use super::{Convex, InvalidShape, check_length};
use crate::{MassProperties, Mesh};

/// A truncated cone about its centre of mass, its axis along z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TruncatedCone {
    /// Radii of the lower and of the upper base, m. One may be zero, which makes a full cone.
    pub radii: [f64; 2],
    /// Half the height, m.
    pub half_height: f64,
}

impl TruncatedCone {
    /// Returns the heights of the two bases above the centre of mass, m.
    #[inline]
    pub(crate) fn heights(&self) -> [f64; 2] {
        let ([a, b], h) = (self.radii, self.half_height);
        // Height of the centre of mass above the middle of the axis: first moment divided by
        // volume.
        let centre = h * (b * b - a * a) / (2.0 * (a * a + a * b + b * b));
        [-h - centre, h - centre]
    }
}

impl Convex for TruncatedCone {
    fn support(&self, direction: DVec3) -> DVec3 {
        let heights = self.heights();
        let base = |k: usize| ring_support(self.radii[k], direction).with_z(heights[k]);
        let (low, high) = (base(0), base(1));
        if direction.dot(high) >= direction.dot(low) { high } else { low }
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        let ([low, high], [a, b]) = (self.heights(), self.radii);
        // Ratio of lengths along a ray from the centre of mass, which lies inside the body.
        let side = (b - a) / (high - low);
        let at_centre = a - side * low;
        let across = point.truncate().length() - side * point.z;
        (across / at_centre).max(point.z / high).max(point.z / low) - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("half_height", self.half_height)?;
        let [a, b] = self.radii;
        let sound = [a, b].iter().all(|r| r.is_finite() && *r >= 0.0) && a + b > 0.0;
        if sound {
            return [a, b].into_iter().filter(|r| *r > 0.0).try_for_each(|r| check_length("radii", r));
        }
        let reason = format!("must be two lengths of which one may be zero, not [{a}, {b}]");
        Err(InvalidShape { field: "radii", reason })
    }

    fn bounding_radius(&self) -> f64 {
        let corner = |k: usize| DVec2::new(self.radii[k], self.heights()[k]).length();
        corner(0).max(corner(1))
    }

    fn mass_properties(&self) -> MassProperties {
        let ([a, b], h) = (self.radii, self.half_height);
        let middle = 0.5 * (self.heights()[0] + self.heights()[1]);
        let volume = 2.0 / 3.0 * PI * h * (a * a + a * b + b * b);
        let fourth = a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b;
        let along = PI * h * fourth / 5.0;
        // Integrate z² about the middle, then shift to the centre of mass (parallel axes).
        let mean = 0.5 * (a + b);
        let slope = 0.5 * (b - a);
        let heights = 2.0 * PI * h * h * h * (mean * mean / 3.0 + slope * slope / 5.0) - volume * middle * middle;
        MassProperties::principal(volume, DVec3::new(along / 2.0 + heights, along / 2.0 + heights, along))
    }

    /// Returns the curvature of a ball of the mean radius on every feature. A stiffness that
    /// changed from feature to feature would not conserve energy.
    fn curvature(&self, _normal: DVec3) -> f64 {
        2.0 / (self.radii[0] + self.radii[1])
    }

    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        let ([low, high], [a, b]) = (self.heights(), self.radii);
        let corners = [DVec2::new(0.0, low), DVec2::new(a, low), DVec2::new(b, high), DVec2::new(0.0, high)];
        surface(&[0, 1, 2].map(|k| straight(corners[k], corners[k + 1])), level)
    }
}
