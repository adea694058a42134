//! A half-space: the solid below a plane.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, Realm};
use crate::{Aabb, MassProperties, Mesh, Pose};

/// The solid half-space on the inner side of the plane through the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HalfSpace {
    /// Outward normal in body axes. Any length on input; unit once it has passed
    /// [`HalfSpace::new`].
    normal: DVec3,
}

impl HalfSpace {
    /// Creates the half-space with the outward normal `normal`, which may have any length.
    pub fn new(normal: DVec3) -> Self {
        // Scale first: the square of a very long or very short vector overflows or underflows.
        Self { normal: (normal / normal.abs().max_element()).normalize_or_zero() }
    }

    /// Returns the outward unit normal in body axes.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }
}

impl Convex for HalfSpace {
    /// Returns the origin if `direction` is the outward normal, and a point at infinity otherwise.
    fn support(&self, direction: DVec3) -> DVec3 {
        let along = self.normal.dot(direction);
        if along > 0.0 && direction.cross(self.normal) == DVec3::ZERO {
            DVec3::ZERO
        } else {
            (direction - along.max(0.0) * self.normal) * f64::INFINITY
        }
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        self.normal.dot(point)
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        if self.normal.is_finite() && self.normal != DVec3::ZERO {
            Ok(())
        } else {
            Err(InvalidShape { field: "normal", reason: format!("must be a direction, not {}", self.normal) })
        }
    }

    fn normalised(self) -> Self {
        Self::new(self.normal)
    }

    fn bounding_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        self.normal.dot(centre) - radius
    }

    fn aabb(&self, _pose: &Pose) -> Aabb {
        Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY }
    }

    fn mass_properties(&self) -> MassProperties {
        MassProperties::unbounded()
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        0.0
    }

    fn surface(&self, _level: u32, extent: f64) -> Mesh {
        Mesh::patch(self.normal, extent)
    }

    /// A half-space whose normal lies in the plane z = 0 serves as a half-plane, too.
    fn realm(&self) -> Realm {
        if self.normal.z == 0.0 { Realm::Both } else { Realm::Space }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_may_have_any_length() {
        let wall = HalfSpace::new(DVec3::new(0.0, 0.0, 5.0));
        assert_eq!(wall.normal(), DVec3::Z);
        assert!(wall.inside_outside(-DVec3::Z) < 0.0 && wall.inside_outside(DVec3::Z) > 0.0);
    }

    #[test]
    fn support_is_finite_along_the_normal_only() {
        let wall = HalfSpace::new(DVec3::Z);
        assert_eq!(wall.support(3.0 * DVec3::Z), DVec3::ZERO);
        assert!(!wall.support(DVec3::X).is_finite());
        assert!(!wall.support(-DVec3::Z).is_finite());
    }

    #[test]
    fn it_is_unbounded() {
        let wall = HalfSpace::new(DVec3::Y);
        assert!(wall.bounding_radius().is_infinite() && wall.mass_properties().volume.is_infinite());
        assert!(wall.aabb(&Pose::IDENTITY).contains(DVec3::splat(-1e300)));
        assert_eq!(wall.curvature(DVec3::Y), 0.0);
    }

    #[test]
    fn only_a_direction_is_valid() {
        assert!(HalfSpace { normal: DVec3::new(1.0, 2.0, 3.0) }.validate().is_ok());
        for normal in [DVec3::ZERO, DVec3::NAN, DVec3::new(f64::INFINITY, 0.0, 0.0)] {
            assert_eq!(HalfSpace { normal }.validate().expect_err("not a direction").field, "normal");
        }
    }
}
