//! A hollow circle (a planar drum).

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, Realm, check_length};
use crate::{Aabb, MassProperties, Mesh, Pose};

/// The region outside a circle about the origin: a wall around planar grains. The solid is not
/// convex, so that only pair routines written for it may use its support point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InsideCircle {
    /// Radius of the circle, m.
    pub radius: f64,
}

impl Convex for InsideCircle {
    /// Returns the point of the circle, because the unbounded solid has no farthest point.
    fn support(&self, direction: DVec3) -> DVec3 {
        (self.radius * direction.truncate().normalize_or(DVec2::X)).extend(0.0)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        self.radius * self.radius - point.truncate().length_squared()
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)
    }

    fn bounding_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        self.radius - centre.truncate().length() - radius
    }

    fn aabb(&self, _pose: &Pose) -> Aabb {
        Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY }
    }

    fn mass_properties(&self) -> MassProperties {
        MassProperties::unbounded()
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        -1.0 / self.radius
    }

    /// Returns the surface of the space inside: a plate seen from within.
    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        Mesh::plate(self, level).inside_out()
    }

    fn realm(&self) -> Realm {
        Realm::Plane
    }
}
