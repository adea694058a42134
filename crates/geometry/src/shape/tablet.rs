//! A biconvex tablet: a cylindrical band between two equal spherical caps.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::cylinder::ring_support;
use super::revolution::{Piece, cap, straight, surface};
use super::{Convex, InvalidShape, check_length};
use crate::{MassProperties, Mesh};

/// A biconvex tablet about the origin, its axis along z. Its surface is smooth but for the two
/// edges between the band and the caps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tablet {
    /// Radius of the band, m: half the diameter of the tablet.
    pub radius: f64,
    /// Half the height of the band, m. It may be zero, which makes a lens.
    pub half_height: f64,
    /// Height of each cap above the band, m; at most the radius, which makes a capsule. The whole
    /// tablet is `2 (half_height + cap_height)` thick.
    pub cap_height: f64,
}

impl Tablet {
    /// Returns the radius of the spheres of the caps, m, by the theorem of intersecting chords.
    #[inline]
    pub fn cap_radius(&self) -> f64 {
        let Self { radius: r, cap_height: h, .. } = *self;
        (r * r + h * h) / (2.0 * h)
    }

    /// Returns the largest distance of the surface from the plane z = 0, m.
    #[inline]
    pub(crate) fn apex(&self) -> f64 {
        self.half_height + self.cap_height
    }
}

impl Convex for Tablet {
    fn support(&self, direction: DVec3) -> DVec3 {
        let n = (direction / direction.abs().max_element()).normalize();
        let (sine, cap_radius) = (n.truncate().length(), self.cap_radius());
        if n.z != 0.0 && sine * cap_radius < self.radius {
            // From the apex, because the centre of the sphere is far away for a flat cap.
            let below = cap_radius * sine * sine / (1.0 + n.z.abs());
            return (cap_radius * n).with_z((self.apex() - below).copysign(n.z));
        }
        let height = if n.z == 0.0 { 0.0 } else { self.half_height.copysign(n.z) };
        ring_support(self.radius, n).with_z(height)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        let (across, z) = (point.truncate().length(), point.z.abs());
        if z <= self.half_height {
            return across / self.radius - 1.0;
        }
        // The power of the point with respect to the sphere, divided by twice its radius.
        let below = self.apex() - z;
        ((across * across + below * below) / (2.0 * self.cap_radius()) - below) / self.radius
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)?;
        if self.half_height != 0.0 {
            check_length("half_height", self.half_height)?;
        }
        check_length("cap_height", self.cap_height)?;
        if self.cap_height <= self.radius {
            return Ok(());
        }
        let Self { radius, cap_height, .. } = *self;
        let reason = format!("must be at most the radius, {radius} m, not {cap_height} m");
        Err(InvalidShape { field: "cap_height", reason })
    }

    fn bounding_radius(&self) -> f64 {
        DVec2::new(self.radius, self.half_height).length().max(self.apex())
    }

    fn mass_properties(&self) -> MassProperties {
        let Self { radius: r, half_height: b, cap_height: h } = *self;
        let apex = self.apex();
        // With t the distance below the apex, the section of a cap has the squared radius
        // 2 R t - t². The product R h is of the size of r², also for a flat cap.
        let product = 0.5 * (r * r + h * h);
        let cap = PI * (product * h - h * h * h / 3.0);
        let fourth = PI * (4.0 / 3.0 * product * product * h - product * h * h * h + h.powi(5) / 5.0);
        let heights = apex * apex * cap - 2.0 * apex * PI * (2.0 / 3.0 * product * h * h - 0.25 * h.powi(4))
            + PI * (0.5 * product * h * h * h - h.powi(5) / 5.0);
        let band = 2.0 * PI * r * r * b;
        let along = 0.5 * band * r * r + fourth;
        let across = band * (r * r / 4.0 + b * b / 3.0) + 2.0 * (0.25 * fourth + heights);
        MassProperties::principal(band + 2.0 * cap, DVec3::new(across, across, along))
    }

    /// Returns the curvature of a ball with the radius of the band on every feature, for the same
    /// reason as for a cylinder.
    fn curvature(&self, _normal: DVec3) -> f64 {
        1.0 / self.radius
    }

    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        let Self { radius: r, half_height: b, cap_height } = *self;
        let cap = cap(r, cap_height, level);
        let place = |sign: f64| {
            let place = move |(point, normal): &(DVec2, DVec2)| {
                (DVec2::new(point.x, sign * (b + point.y)), DVec2::new(normal.x, sign * normal.y))
            };
            cap.iter().map(place)
        };
        let (lower, upper): (Piece, Piece) = (place(-1.0).rev().collect(), place(1.0).collect());
        let band = straight(DVec2::new(r, -b), DVec2::new(r, b));
        match b > 0.0 {
            true => surface(&[lower, band, upper], level),
            false => surface(&[lower, upper], level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Capsule;

    #[test]
    fn a_tablet_with_half_balls_is_a_capsule() {
        let tablet = Tablet { radius: 0.7, half_height: 0.4, cap_height: 0.7 };
        let capsule = Capsule { radius: 0.7, half_height: 0.4 };
        let (p, q) = (tablet.mass_properties(), capsule.mass_properties());
        assert!((p.volume / q.volume - 1.0).abs() < 1e-15);
        for (p, q) in p.inertia.to_cols_array().into_iter().zip(q.inertia.to_cols_array()) {
            assert!((p - q).abs() < 1e-15, "{p} {q}");
        }
        for n in [DVec3::X, DVec3::Z, DVec3::new(0.3, -0.2, 0.1), DVec3::new(-0.1, 0.2, -3.0)] {
            assert!((tablet.support(n) - capsule.support(n)).length() < 1e-15, "{n}");
        }
    }

    #[test]
    fn flat_caps_keep_all_digits() {
        // The centre of the sphere of the cap is 5e5 radii away.
        let coin = Tablet { radius: 1.0, half_height: 0.25, cap_height: 1e-6 };
        let volume = 2.0 * PI * 0.25 + 2.0 * PI * 1e-6 * (0.5 + 1e-12 / 6.0);
        assert!((coin.mass_properties().volume / volume - 1.0).abs() < 1e-15);
        let at_edge = coin.support(DVec3::new(2.0 * 1e-6 * (1.0 - 1e-9), 0.0, 1.0));
        assert!((at_edge - DVec3::new(1.0, 0.0, 0.25)).length() < 1e-8 && coin.inside_outside(at_edge).abs() < 1e-15);
    }

    #[test]
    fn the_error_of_a_high_cap_names_the_field() {
        let fault = Tablet { radius: 1.0, half_height: 0.0, cap_height: 1.5 }.validate().expect_err("no cap");
        assert_eq!(fault.field, "cap_height");
        assert!(fault.reason.contains("at most the radius"));
        assert!(Tablet { radius: 1.0, half_height: 0.0, cap_height: 1.0 }.validate().is_ok());
        assert!(Tablet { radius: 1.0, half_height: -1.0, cap_height: 1.0 }.validate().is_err());
    }
}
