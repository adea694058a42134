//! An ellipsoid.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, check_length};
use crate::{MassProperties, Pose};

/// An ellipsoid about the origin, its axes along the body axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ellipsoid {
    /// Semi-axes along x, y and z, m.
    pub semi_axes: DVec3,
}

/// Checks that each semi-axis is a positive finite length.
pub(super) fn check_semi_axes(semi_axes: DVec3) -> Result<(), InvalidShape> {
    semi_axes.to_array().into_iter().try_for_each(|length| check_length("semi_axes", length))
}

impl Convex for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        // Scale first: the square of a very long or very short vector overflows or underflows.
        let scaled = self.semi_axes * (direction / direction.abs().max_element());
        self.semi_axes * scaled.normalize_or(DVec3::X)
    }

    fn support_value(&self, direction: DVec3) -> f64 {
        (self.semi_axes * direction).length()
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        (point / self.semi_axes).length_squared() - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_semi_axes(self.semi_axes)
    }

    fn bounding_radius(&self) -> f64 {
        self.semi_axes.max_element()
    }

    fn aabb(&self, pose: &Pose) -> crate::Aabb {
        let axes = glam::DMat3::from_quat(pose.orientation) * glam::DMat3::from_diagonal(self.semi_axes);
        let extent = DVec3::new(axes.row(0).length(), axes.row(1).length(), axes.row(2).length());
        crate::Aabb { min: pose.position - extent, max: pose.position + extent }
    }

    fn mass_properties(&self) -> MassProperties {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * self.semi_axes.element_product();
        let squares = self.semi_axes * self.semi_axes;
        MassProperties::principal(volume, 0.2 * volume * (DVec3::splat(squares.element_sum()) - squares))
    }

    /// Uses the trace of the matrix of radii of curvature, `(B B' - p p')/h`.
    fn curvature(&self, normal: DVec3) -> f64 {
        let squares = self.semi_axes * self.semi_axes;
        let h = (self.semi_axes * normal).length();
        let p = squares * normal / h;
        2.0 * h / (squares.element_sum() - p.length_squared())
    }

    fn is_ball(&self) -> bool {
        self.semi_axes.min_element() == self.semi_axes.max_element()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EGG: Ellipsoid = Ellipsoid { semi_axes: DVec3::new(0.7, 1.1, 0.4) };

    #[test]
    fn mass_properties_agree_with_quadrature() {
        let (exact, numeric) = (EGG.mass_properties(), MassProperties::by_quadrature(&EGG, 48));
        assert!((exact.volume / numeric.volume - 1.0).abs() < 1e-12);
        let moments = exact.principal_moments().expect("its axes are principal");
        assert!((moments - numeric.principal_moments().expect("its axes are principal")).length() < 1e-12);
    }

    #[test]
    fn support_lies_on_the_surface_and_farthest() {
        for direction in [DVec3::X, DVec3::new(1e-200, -2e-200, 3e-200), DVec3::new(1e200, 2e200, -5e200)] {
            let point = EGG.support(direction);
            assert!(EGG.inside_outside(point).abs() < 1e-15);
            let normal = point / (EGG.semi_axes * EGG.semi_axes);
            let unit = direction / direction.abs().max_element();
            assert!((normal.normalize() - unit.normalize()).length() < 1e-15);
            let unit = unit.normalize();
            assert!((EGG.support_value(unit) - unit.dot(point)).abs() < 1e-15);
        }
    }

    #[test]
    fn curvature_is_known_at_the_vertices() {
        // At the end of an axis of length a the principal radii are b²/a and c²/a.
        let radii = 0.5 * (0.7 * 0.7 + 0.4 * 0.4) / 1.1;
        assert!((EGG.curvature(DVec3::Y) * radii - 1.0).abs() < 1e-14);
    }

    #[test]
    fn bounds_touch_the_support_points() {
        let orientation = glam::DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
        let pose = Pose { position: DVec3::new(1.0, 2.0, 3.0), orientation };
        let bounds = EGG.aabb(&pose);
        for (axis, side) in [(DVec3::X, bounds.max.x - 1.0), (DVec3::Y, bounds.max.y - 2.0)] {
            let extent = axis.dot(orientation * EGG.support(orientation.inverse() * axis));
            assert!((extent - side).abs() < 1e-14);
        }
    }

    #[test]
    fn only_positive_lengths_are_valid() {
        assert!(EGG.validate().is_ok());
        for semi_axes in [DVec3::ZERO, DVec3::new(1.0, -1.0, 1.0), DVec3::NAN, DVec3::INFINITY] {
            assert_eq!(Ellipsoid { semi_axes }.validate().expect_err("not an ellipsoid").field, "semi_axes");
        }
    }
}
