//! A straight wall of finite length in the plane.

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, LENGTHS, Realm, are_coordinates, check_length, out_of_range};
use crate::MassProperties;
use crate::contact::planar::{Extreme, Profile, Seam};

/// All points within `radius` of the line segment between two points. It is solid from both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// One end, body axes, m.
    pub from: DVec2,
    /// The other end, body axes, m.
    pub to: DVec2,
    /// Half the thickness, m. It may be zero.
    #[serde(default)]
    pub radius: f64,
}

impl Segment {
    /// Returns the midpoint, body axes, m.
    pub fn middle(&self) -> DVec2 {
        0.5 * (self.from + self.to)
    }

    /// Returns the same segment relative to its midpoint.
    pub fn bar(&self) -> Bar {
        Bar { half: 0.5 * (self.to - self.from), radius: self.radius }
    }
}

/// A segment whose midpoint is the origin, as the pair routines use it.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// Vector from the midpoint to one end, m.
    pub half: DVec2,
    /// Half the thickness, m.
    pub radius: f64,
}

impl Profile for Bar {
    fn extreme(&self, n: DVec2) -> Extreme {
        let side = 1f64.copysign(n.dot(self.half));
        Extreme { point: side * self.half + self.radius * n, radius: self.radius }
    }

    fn radius_change(&self, _n: DVec2, _at: &Extreme) -> f64 {
        0.0
    }

    fn half_widths(&self) -> DVec2 {
        self.half.abs() + self.radius
    }

    fn least_radius(&self) -> f64 {
        self.radius
    }

    /// The radius of curvature is infinite only for the normal of the face.
    fn radius_range(&self, from: DVec2, to: DVec2) -> (f64, f64) {
        let across = from.dot(self.half) * to.dot(self.half) <= 0.0;
        (self.radius, if across { f64::INFINITY } else { self.radius })
    }

    fn part(&self, n: DVec2) -> u32 {
        u32::from(n.dot(self.half) < 0.0)
    }

    fn seams(&self) -> impl Iterator<Item = Seam> {
        let across = self.half.perp().normalize();
        [across, -across].into_iter().map(|normal| Seam { normal, parts: [0, 1] })
    }
}

impl Convex for Segment {
    fn support(&self, direction: DVec3) -> DVec3 {
        let n = direction.truncate().normalize_or(DVec2::X);
        (self.middle() + self.bar().extreme(n).point).extend(0.0)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        let (p, along) = (point.truncate() - self.from, self.to - self.from);
        let nearest = along * (p.dot(along) / along.length_squared()).clamp(0.0, 1.0);
        (p - nearest).length() - self.radius
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        let finite = |field, point: DVec2| match are_coordinates(&point.to_array()) {
            true => Ok(()),
            false => {
                let reason = format!("must be a point with coordinates up to {:e} m, not {point}", LENGTHS.end());
                Err(InvalidShape { field, reason })
            }
        };
        finite("from", self.from)?;
        finite("to", self.to)?;
        if self.from == self.to {
            return Err(InvalidShape { field: "to", reason: "must be another point than `from`".into() });
        }
        check_length("to", self.from.distance(self.to))?;
        if self.radius == 0.0 || LENGTHS.contains(&self.radius) {
            return Ok(());
        }
        if self.radius.is_finite() && self.radius > 0.0 {
            return Err(InvalidShape { field: "radius", reason: out_of_range("0 or a length", self.radius) });
        }
        Err(InvalidShape { field: "radius", reason: format!("must not be negative, not {}", self.radius) })
    }

    fn bounding_radius(&self) -> f64 {
        self.from.length().max(self.to.length()) + self.radius
    }

    /// A segment is a wall: forces do not move it.
    fn mass_properties(&self) -> MassProperties {
        MassProperties::unbounded()
    }

    fn curvature(&self, normal: DVec3) -> f64 {
        // The face is flat. An end without thickness is a sharp corner.
        if normal.truncate().dot(self.to - self.from) == 0.0 { 0.0 } else { 1.0 / self.radius }
    }

    fn realm(&self) -> Realm {
        Realm::Plane
    }
}
