//! A ball.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{Convex, InvalidShape, check_length};
use crate::{Aabb, MassProperties, Pose};

/// A ball about the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius, m.
    pub radius: f64,
}

impl Convex for Sphere {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.radius * direction.normalize_or(DVec3::X)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        point.length_squared() - self.radius * self.radius
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_length("radius", self.radius)
    }

    fn bounding_radius(&self) -> f64 {
        self.radius
    }

    fn aabb(&self, pose: &Pose) -> Aabb {
        Aabb::EMPTY.including(pose.position, self.radius)
    }

    fn mass_properties(&self) -> MassProperties {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3);
        MassProperties::principal(volume, DVec3::splat(0.4 * volume * self.radius * self.radius))
    }

    fn curvature(&self, _normal: DVec3) -> f64 {
        1.0 / self.radius
    }

    fn is_ball(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BALL: Sphere = Sphere { radius: 0.7 };

    #[test]
    fn mass_properties_agree_with_quadrature() {
        let (exact, numeric) = (BALL.mass_properties(), MassProperties::by_quadrature(&BALL, 16));
        assert!((exact.volume - numeric.volume).abs() < 1e-14);
        assert!(numeric.centre.length() < 1e-15);
        let moments = exact.principal_moments().expect("a ball has principal axes everywhere");
        let numeric = numeric.principal_moments().expect("a ball has principal axes everywhere");
        assert!((moments - numeric).length() < 1e-14);
    }

    #[test]
    fn support_lies_on_the_surface_for_a_direction_of_any_length() {
        for direction in [DVec3::X, DVec3::new(1e-9, -2e-9, 3e-9), DVec3::new(1e6, 2e6, -5e6)] {
            let point = BALL.support(direction);
            assert!(BALL.inside_outside(point).abs() < 1e-15);
            assert!((point.normalize() - direction.normalize()).length() < 1e-15);
        }
        assert!(BALL.inside_outside(DVec3::ZERO) < 0.0 && BALL.inside_outside(DVec3::ONE) > 0.0);
    }

    #[test]
    fn bounds_hold_the_ball_tightly() {
        let bounds = BALL.aabb(&Pose::at(DVec3::new(1.0, 2.0, 3.0)));
        assert_eq!(bounds.min, DVec3::new(1.0, 2.0, 3.0) - 0.7);
        assert_eq!(bounds.max, DVec3::new(1.0, 2.0, 3.0) + 0.7);
        assert_eq!(BALL.bounding_radius(), 0.7);
    }

    #[test]
    fn only_a_positive_radius_is_valid() {
        assert!(BALL.validate().is_ok());
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Sphere { radius }.validate().expect_err("not a ball");
            assert_eq!(error.field, "radius");
        }
    }

    #[test]
    fn the_default_curvature_agrees() {
        struct Plain(Sphere);
        impl Convex for Plain {
            fn support(&self, direction: DVec3) -> DVec3 {
                self.0.support(direction)
            }
            fn inside_outside(&self, point: DVec3) -> f64 {
                self.0.inside_outside(point)
            }
            fn validate(&self) -> Result<(), InvalidShape> {
                self.0.validate()
            }
        }
        let normal = DVec3::new(0.48, -0.6, 0.64);
        assert!((Plain(BALL).curvature(normal) - BALL.curvature(normal)).abs() < 1e-9);
    }
}
