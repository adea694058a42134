//! Hollow containers: the solid is everything outside a sphere, an ellipsoid or a cylinder, and
//! grains move inside.
//!
//! Containers are walls: they are unbounded, and forces never move them. The gap is the distance
//! from the grain to the wall. If the grain penetrates the wall, the gap is minus the largest
//! penetration.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::ellipsoid::check_semi_axes;
use super::{Convex, Ellipsoid, InvalidShape, Sphere, check_length};
use crate::{Aabb, MassProperties, Mesh, Pose};

/// Angle, rad, below which an axis of rotation counts as the axis of symmetry. The surface then
/// moves by less than a rounding error while a neighbour list is valid.
const SAME_AXIS: f64 = 1e-9;

/// A hollow sphere about the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InsideSphere {
    /// Radius, m.
    pub radius: f64,
}

/// A hollow ellipsoid about the origin, its axes along the body axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InsideEllipsoid {
    /// Semi-axes along x, y and z, m.
    pub semi_axes: DVec3,
}

/// A hollow cylinder about the origin with both end caps, its axis along z. Scenes use it as a
/// drum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InsideCylinder {
    /// Radius, m.
    pub radius: f64,
    /// Half the length, m.
    pub half_height: f64,
}

/// The methods of [`Convex`] that are the same for every container.
macro_rules! unbounded {
    () => {
        /// Returns a point at infinity, because the solid is unbounded.
        fn support(&self, direction: DVec3) -> DVec3 {
            direction * f64::INFINITY
        }

        fn bounding_radius(&self) -> f64 {
            f64::INFINITY
        }

        fn aabb(&self, _pose: &Pose) -> Aabb {
            Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY }
        }

        fn mass_properties(&self) -> MassProperties {
            MassProperties::unbounded()
        }
    };
}

/// Returns whether `spin` has a component perpendicular to `axis`.
fn has_component_across(spin: DVec3, axis: DVec3) -> bool {
    spin.cross(axis).length() > SAME_AXIS * spin.length()
}

impl Convex for InsideSphere {
    unbounded!();

    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        Mesh::of(&Sphere { radius: self.radius }, level).inside_out()
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        self.radius - point.length()
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)
    }

    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        self.radius - centre.length() - radius
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        -1.0 / self.radius
    }

    fn is_swept_by(&self, _spin: DVec3) -> bool {
        false
    }
}

impl Convex for InsideEllipsoid {
    unbounded!();

    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        Mesh::of(&Ellipsoid { semi_axes: self.semi_axes }, level).inside_out()
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        1.0 - (point / self.semi_axes).length()
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_semi_axes(self.semi_axes)
    }

    /// Returns a lower bound. The ellipsoid scaled by `1 - gap/c`, with `c` the smallest semi-axis,
    /// keeps a distance of at least `gap` from the wall.
    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        let gauge = (centre / self.semi_axes).length();
        let distance = if gauge <= 1.0 {
            (1.0 - gauge) * self.semi_axes.min_element()
        } else {
            (1.0 / gauge - 1.0) * centre.length()
        };
        distance - radius
    }

    fn curvature(&self, normal: DVec3) -> f64 {
        -super::Ellipsoid { semi_axes: self.semi_axes }.curvature(normal)
    }

    fn is_swept_by(&self, spin: DVec3) -> bool {
        let DVec3 { x, y, z } = self.semi_axes;
        let round_about = [(y == z, DVec3::X), (z == x, DVec3::Y), (x == y, DVec3::Z)];
        let is_ball = x == y && y == z;
        !is_ball && round_about.into_iter().all(|(is_round, axis)| !is_round || has_component_across(spin, axis))
    }
}

impl Convex for InsideCylinder {
    unbounded!();

    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        let point = |normal: DVec3| {
            let rim = self.radius * normal.truncate().normalize_or_zero();
            rim.extend(self.half_height.copysign(normal.z))
        };
        Mesh::of_support(point, level).inside_out()
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        (self.radius - point.truncate().length()).min(self.half_height - point.z.abs())
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)?;
        check_length("half_height", self.half_height)
    }

    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        self.inside_outside(centre) - radius
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        -0.5 / self.radius
    }

    fn is_swept_by(&self, spin: DVec3) -> bool {
        has_component_across(spin, DVec3::Z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOWL: InsideEllipsoid = InsideEllipsoid { semi_axes: DVec3::new(2.0, 2.0, 5.0) };
    const DRUM: InsideCylinder = InsideCylinder { radius: 3.0, half_height: 1.0 };

    #[test]
    fn clearance_is_a_lower_bound_of_the_distance() {
        for k in 0..200 {
            let k = f64::from(k);
            let centre = DVec3::new(2.3 * (1.1 * k).sin(), 2.0 * (0.7 * k).cos(), 5.2 * (2.3 * k).sin());
            let mut nearest = f64::INFINITY;
            for i in 0..120 {
                for j in 0..60 {
                    let (s, c) = (f64::from(i) * 0.0524).sin_cos();
                    let z = -1.0 + f64::from(j) / 29.5;
                    let on_wall = BOWL.semi_axes * DVec3::new((1.0 - z * z).sqrt() * c, (1.0 - z * z).sqrt() * s, z);
                    nearest = nearest.min((on_wall - centre).length());
                }
            }
            let signed = nearest.copysign(BOWL.inside_outside(centre));
            assert!(BOWL.clearance(centre, 0.1) <= signed - 0.1 + 0.2 * f64::from(u8::from(signed < 0.0)), "{centre}");
        }
        assert_eq!(DRUM.clearance(DVec3::new(0.0, 2.0, -0.5), 0.25), 0.25);
    }

    #[test]
    fn a_drum_about_its_axis_sweeps_nothing() {
        assert!(!DRUM.is_swept_by(DVec3::new(0.0, 0.0, 3.0)) && DRUM.is_swept_by(DVec3::new(0.0, 1.0, 3.0)));
        assert!(!BOWL.is_swept_by(DVec3::new(0.0, 0.0, -1.0)) && BOWL.is_swept_by(DVec3::X));
        assert!(!InsideSphere { radius: 1.0 }.is_swept_by(DVec3::ONE));
    }

    #[test]
    fn only_lengths_are_valid() {
        assert!(DRUM.validate().is_ok() && BOWL.validate().is_ok());
        let fault = InsideCylinder { radius: 1.0, half_height: 0.0 }.validate().expect_err("no room in it");
        assert_eq!(fault.field, "half_height");
        assert!(InsideSphere { radius: -1.0 }.validate().is_err());
    }
}
