//! A box.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::polyhedron::ball_curvature;
use super::{Convex, InvalidShape, check_length};
use crate::contact::polytope::Cuboid;
use crate::{Aabb, MassProperties, Mesh, Pose};

/// A box about the origin, its edges along the body axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Box {
    /// Half the edge lengths along x, y and z, m.
    pub half_sizes: DVec3,
}

impl Convex for Box {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.half_sizes.copysign(direction)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        (point.abs() - self.half_sizes).max_element()
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        self.half_sizes.to_array().into_iter().try_for_each(|length| check_length("half_sizes", length))
    }

    fn bounding_radius(&self) -> f64 {
        self.half_sizes.length()
    }

    fn aabb(&self, pose: &Pose) -> Aabb {
        let axes = glam::DMat3::from_quat(pose.orientation);
        let extent = axes.x_axis.abs() * self.half_sizes.x
            + axes.y_axis.abs() * self.half_sizes.y
            + axes.z_axis.abs() * self.half_sizes.z;
        Aabb { min: pose.position - extent, max: pose.position + extent }
    }

    fn mass_properties(&self) -> MassProperties {
        let volume = 8.0 * self.half_sizes.element_product();
        let squares = self.half_sizes * self.half_sizes;
        MassProperties::principal(volume, volume / 3.0 * (DVec3::splat(squares.element_sum()) - squares))
    }

    /// Returns the curvature of a ball of the same volume, because faces are flat and edges are
    /// sharp.
    fn curvature(&self, _normal: DVec3) -> f64 {
        ball_curvature(8.0 * self.half_sizes.element_product())
    }

    fn surface(&self, _level: u32, _extent: f64) -> Mesh {
        Mesh::of_faces(&Cuboid(self.half_sizes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRICK: Box = Box { half_sizes: DVec3::new(0.7, 1.1, 0.4) };

    #[test]
    fn mass_properties_are_those_of_a_brick() {
        let MassProperties { volume, centre, .. } = BRICK.mass_properties();
        assert!((volume - 1.4 * 2.2 * 0.8).abs() < 1e-14);
        assert_eq!(centre, DVec3::ZERO);
        let moments = BRICK.mass_properties().principal_moments().expect("its axes are principal");
        // The moment about x is m (y² + z²)/12 with the full edge lengths y and z.
        assert!((moments.x - volume * (2.2 * 2.2 + 0.8 * 0.8) / 12.0).abs() < 1e-14);
    }

    #[test]
    fn bounds_touch_the_support_points() {
        let orientation = glam::DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
        let bounds = BRICK.aabb(&Pose { position: DVec3::ZERO, orientation });
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let extent = axis.dot(orientation * BRICK.support(orientation.inverse() * axis));
            assert!((bounds.max.dot(axis) - extent).abs() < 1e-14);
        }
    }

    #[test]
    fn its_surface_is_twelve_triangles() {
        let mesh = BRICK.surface(0, 1.0);
        assert_eq!(mesh.triangles.len(), 12);
        assert!((mesh.volume() - BRICK.mass_properties().volume).abs() < 1e-14);
    }

    #[test]
    fn only_positive_lengths_are_valid() {
        assert!(BRICK.validate().is_ok());
        for half_sizes in [DVec3::ZERO, DVec3::new(1.0, -1.0, 1.0), DVec3::NAN, DVec3::INFINITY] {
            assert_eq!(Box { half_sizes }.validate().expect_err("not a box").field, "half_sizes");
        }
    }
}
