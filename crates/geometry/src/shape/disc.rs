//! The disc.

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, Realm, check_length};
use crate::MassProperties;
use crate::contact::planar::{Extreme, Profile, Seam};

/// A disc about the origin, per metre of thickness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Radius, m.
    pub radius: f64,
}

impl Profile for Disc {
    #[inline]
    fn extreme(&self, n: DVec2) -> Extreme {
        Extreme { point: self.radius * n, radius: self.radius }
    }

    #[inline]
    fn radius_change(&self, _n: DVec2, _at: &Extreme) -> f64 {
        0.0
    }

    fn half_widths(&self) -> DVec2 {
        DVec2::splat(self.radius)
    }

    fn least_radius(&self) -> f64 {
        self.radius
    }

    fn radius_range(&self, _from: DVec2, _to: DVec2) -> (f64, f64) {
        (self.radius, self.radius)
    }

    fn part(&self, _n: DVec2) -> u32 {
        0
    }

    fn seams(&self) -> impl Iterator<Item = Seam> {
        std::iter::empty()
    }
}

impl Convex for Disc {
    fn support(&self, direction: DVec3) -> DVec3 {
        (self.radius * direction.truncate().normalize_or(DVec2::X)).extend(0.0)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        point.truncate().length_squared() - self.radius * self.radius
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)
    }

    fn bounding_radius(&self) -> f64 {
        self.radius
    }

    fn mass_properties(&self) -> MassProperties {
        let area = std::f64::consts::PI * self.radius * self.radius;
        MassProperties::lamina(area, DVec2::splat(0.25 * area * self.radius * self.radius))
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        1.0 / self.radius
    }

    fn is_ball(&self) -> bool {
        true
    }

    fn realm(&self) -> Realm {
        Realm::Plane
    }
}
