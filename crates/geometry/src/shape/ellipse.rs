//! The ellipse.

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, Realm, check_length};
use crate::MassProperties;
use crate::contact::planar::{Extreme, Profile, Seam, component_range};

/// The ellipse `(x/a)² + (y/b)² <= 1`, per metre of thickness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ellipse {
    /// a and b, m. Either may be the longer.
    pub semi_axes: DVec2,
}

impl Profile for Ellipse {
    #[inline]
    fn extreme(&self, n: DVec2) -> Extreme {
        let v = self.semi_axes * n;
        let inverse_h = 1.0 / v.length();
        let ab = self.semi_axes.x * self.semi_axes.y;
        let k = ab * inverse_h;
        Extreme { point: self.semi_axes * v * inverse_h, radius: k * k * inverse_h }
    }

    #[inline]
    fn radius_change(&self, n: DVec2, at: &Extreme) -> f64 {
        // The radius of curvature is proportional to h^-3. The derivative h' of the support
        // function is the distance of the support point from the foot of the perpendicular on its
        // tangent.
        -3.0 * at.radius * (n.perp_dot(at.point) / n.dot(at.point))
    }

    fn half_widths(&self) -> DVec2 {
        self.semi_axes
    }

    fn least_radius(&self) -> f64 {
        let (long, short) = (self.semi_axes.max_element(), self.semi_axes.min_element());
        short * (short / long)
    }

    fn radius_range(&self, from: DVec2, to: DVec2) -> (f64, f64) {
        let (low, high) = component_range(from.x, to.x, from.y, to.y);
        let DVec2 { x: a, y: b } = self.semi_axes;
        let radius = |nx: f64| {
            // Cancellation in 1 - nx² near 1 does no harm, because h is at least the shorter axis.
            let h_squared = (b * b * (1.0 - nx * nx) + a * a * nx * nx).max(0.0);
            let h = h_squared.sqrt();
            let k = a * b / h;
            k * k / h
        };
        let (one, other) = (radius(low), radius(high));
        (one.min(other), one.max(other))
    }

    fn part(&self, n: DVec2) -> u32 {
        let along_the_longer = if self.semi_axes.x >= self.semi_axes.y { n.x } else { n.y };
        u32::from(along_the_longer < 0.0)
    }

    fn seams(&self) -> impl Iterator<Item = Seam> {
        let across = if self.semi_axes.x >= self.semi_axes.y { DVec2::Y } else { DVec2::X };
        [across, -across].into_iter().map(|normal| Seam { normal, parts: [0, 1] })
    }
}

impl Convex for Ellipse {
    fn support(&self, direction: DVec3) -> DVec3 {
        let n = direction.truncate().normalize_or(DVec2::X);
        self.extreme(n).point.extend(0.0)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        (point.truncate() / self.semi_axes).length_squared() - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("semi_axes", self.semi_axes.x)?;
        check_length("semi_axes", self.semi_axes.y)
    }

    fn bounding_radius(&self) -> f64 {
        self.semi_axes.max_element()
    }

    fn mass_properties(&self) -> MassProperties {
        let DVec2 { x: a, y: b } = self.semi_axes;
        let area = std::f64::consts::PI * a * b;
        MassProperties::lamina(area, DVec2::new(0.25 * area * b * b, 0.25 * area * a * a))
    }

    fn curvature(&self, normal: DVec3) -> f64 {
        1.0 / self.extreme(normal.truncate()).radius
    }

    fn realm(&self) -> Realm {
        Realm::Plane
    }
}
