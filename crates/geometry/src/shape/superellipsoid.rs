//! The superellipsoid, whose form ranges from a box over an ellipsoid to an octahedron.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use wide::f64x2;

use super::ellipsoid::check_semi_axes;
use super::{Convex, InvalidShape};
use crate::MassProperties;
use crate::numeric::norm::{Exponent, Nested, Norm};
use crate::numeric::special::beta;
use crate::numeric::two_vectors::TwoVectors;

/// Bounds of the mean radius of curvature that a contact law uses, relative to the smallest and the
/// largest semi-axis. The stiffness of a Hertz law is proportional to the square root of this
/// radius, which would vanish on an edge and be infinite on a face.
const LEAST_RADIUS: f64 = 1e-2;
const LARGEST_RADIUS: f64 = 1e2;

/// Barr's superellipsoid about the origin, its axes along the body axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Superellipsoid {
    /// Semi-axes along x, y and z, m.
    pub semi_axes: DVec3,
    /// Exponents in (0, 2): the first acts in the x-y plane, the second along z. Small exponents
    /// make boxes; 1 makes an ellipsoid.
    pub eps: [f64; 2],
}

impl Superellipsoid {
    /// Returns the gauge function, which is 1 on the surface, and its gradient, which is normal to
    /// the surface, at a point (body axes, m).
    #[inline]
    pub(crate) fn gauge(&self, point: DVec3) -> (f64, DVec3) {
        let exponents = self.eps.map(|eps| Exponent { q: f64x2::splat(2.0 / eps), inverse: f64x2::splat(0.5 * eps) });
        let over = TwoVectors::both(point / self.semi_axes);
        let nested = Nested::new(over.abs(), exponents);
        let [gradient, _] = nested.gradient().with_signs(over).split();
        (nested.whole.value.to_array()[0], gradient / self.semi_axes)
    }

    /// Returns the radius of a ball about the centre inside the body, m. It is the largest one for
    /// eps <= 1 and a lower bound otherwise.
    pub(crate) fn inscribed_radius(&self) -> f64 {
        let is_boxy = self.eps.into_iter().all(|eps| eps <= 1.0);
        // The inscribed ball of the octahedron with unit semi-axes has this radius.
        let fraction = if is_boxy { 1.0 } else { 1.0 / 3f64.sqrt() };
        fraction * self.semi_axes.min_element()
    }

    /// Converts the sum of the principal radii, m, to a mean curvature, 1/m, within the bounds that
    /// a law can use.
    pub(crate) fn bounded_curvature(&self, mean_radius: f64) -> f64 {
        let (least, largest) = (self.semi_axes.min_element(), self.semi_axes.max_element());
        1.0 / mean_radius.clamp(LEAST_RADIUS * least, LARGEST_RADIUS * largest)
    }
}

/// Returns the exponents of the support functions of two bodies, in the x-y plane and along z.
#[inline(always)]
pub(crate) fn support_exponents(bodies: [&Superellipsoid; 2]) -> [Exponent; 2] {
    [0, 1].map(|k| {
        let inverse = f64x2::new(bodies.map(|body| 0.5 * (2.0 - body.eps[k])));
        Exponent { q: f64x2::ONE / inverse, inverse }
    })
}

/// Returns the maximum of `x f + y g` subject to `f, g >= 0` and `f^(1/eps) + g^(1/eps) = 1`.
fn largest_sum(x: f64, y: f64, eps: f64) -> f64 {
    let all = f64x2::splat;
    let exponent = Exponent { q: all(1.0 / (1.0 - eps)), inverse: all(1.0 - eps) };
    if eps < 1.0 { Norm::new(all(x), all(y), exponent).value.to_array()[0] } else { x.max(y) }
}

impl Convex for Superellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        let scaled = TwoVectors::both(self.semi_axes * (direction / direction.abs().max_element()));
        let nested = Nested::new(scaled.abs(), support_exponents([self; 2]));
        self.semi_axes * nested.gradient().with_signs(scaled).split()[0]
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        self.gauge(point).0 - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        check_semi_axes(self.semi_axes)?;
        match self.eps.into_iter().find(|eps| !(*eps > 0.0 && *eps < 2.0)) {
            None => Ok(()),
            Some(eps) => Err(InvalidShape { field: "eps", reason: format!("must lie between 0 and 2, not be {eps}") }),
        }
    }

    fn bounding_radius(&self) -> f64 {
        let squares = self.semi_axes * self.semi_axes;
        largest_sum(largest_sum(squares.x, squares.y, self.eps[0]), squares.z, self.eps[1]).sqrt()
    }

    fn mass_properties(&self) -> MassProperties {
        let [e1, e2] = self.eps;
        let squares = self.semi_axes * self.semi_axes;
        let product = self.semi_axes.element_product() * e1 * e2;
        let volume = 2.0 * product * beta(0.5 * e2 + 1.0, e2) * beta(0.5 * e1, 0.5 * e1);
        let across = 0.5 * product * beta(1.5 * e1, 0.5 * e1) * beta(0.5 * e2, 2.0 * e2 + 1.0);
        let along = 2.0 * product * squares.z * beta(0.5 * e1, 0.5 * e1 + 1.0) * beta(1.5 * e2, e2 + 1.0);
        let moments =
            DVec3::new(across * squares.y + along, across * squares.x + along, across * (squares.x + squares.y));
        MassProperties::principal(volume, moments)
    }

    /// Uses the trace of the Hessian of the support function, within the bounds that a law can use.
    fn curvature(&self, normal: DVec3) -> f64 {
        let exponents = support_exponents([self; 2]);
        let v = TwoVectors::both(self.semi_axes * normal).abs();
        let factors = Nested::new(v, exponents).hessian_factors(v, exponents).map(|factor| factor.split()[0]);
        let trace = factors.into_iter().map(|factor| (self.semi_axes * factor).length_squared()).sum::<f64>();
        self.bounded_curvature(0.5 * trace)
    }

    fn is_ball(&self) -> bool {
        self.eps == [1.0; 2] && self.semi_axes.min_element() == self.semi_axes.max_element()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Ellipsoid;

    /// A box-like body, an octahedron-like one and mixtures.
    fn bodies() -> Vec<Superellipsoid> {
        let semi_axes = DVec3::new(1.0, 1.5, 2.0);
        [[0.3, 0.3], [1.7, 0.5], [0.7, 1.3], [1.0, 1.0], [0.1, 1.9], [1.6, 1.6]]
            .map(|eps| Superellipsoid { semi_axes, eps })
            .to_vec()
    }

    fn directions() -> Vec<DVec3> {
        let mut all = vec![DVec3::X, -DVec3::Y, DVec3::Z, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.0, -1e-9, 1.0)];
        for k in 0..60 {
            let k = f64::from(k);
            all.push(DVec3::new((1.7 * k).sin(), (2.9 * k).cos(), (0.6 * k + 0.2).sin()));
        }
        all.into_iter().map(DVec3::normalize).collect()
    }

    #[test]
    fn support_points_lie_on_the_surface_with_their_normal() {
        for body in bodies() {
            for n in directions() {
                let point = body.support(n);
                assert!(body.inside_outside(point).abs() < 1e-13, "{body:?} {n}");
                for other in directions() {
                    assert!(n.dot(body.support(other)) <= n.dot(point) + 1e-14);
                }
            }
        }
    }

    #[test]
    fn the_gauge_gives_back_the_direction() {
        for body in bodies().into_iter().filter(|body| body.eps.into_iter().all(|eps| eps < 1.8)) {
            for n in directions().into_iter().filter(|n| n.abs().min_element() > 0.05) {
                let (_, gradient) = body.gauge(body.support(n));
                assert!((gradient.normalize() - n).length() < 1e-10, "{body:?} {n} {gradient}");
            }
        }
    }

    #[test]
    fn mass_properties_agree_with_quadrature() {
        for body in bodies() {
            let (exact, numeric) = (body.mass_properties(), MassProperties::by_quadrature(&body, 160));
            assert!((exact.volume / numeric.volume - 1.0).abs() < 1e-3, "{body:?}");
            let moments = exact.principal_moments().expect("its axes are principal");
            let numeric = numeric.principal_moments().expect("its axes are principal");
            assert!(((moments - numeric) / moments).abs().max_element() < 1e-3, "{body:?}");
        }
    }

    #[test]
    fn eps_of_one_is_the_ellipsoid() {
        let body = Superellipsoid { semi_axes: DVec3::new(1.0, 1.5, 2.0), eps: [1.0, 1.0] };
        let egg = Ellipsoid { semi_axes: body.semi_axes };
        assert!((body.mass_properties().volume / egg.mass_properties().volume - 1.0).abs() < 1e-14);
        assert_eq!(body.bounding_radius(), egg.bounding_radius());
        for n in directions() {
            assert!((body.support(n) - egg.support(n)).length() < 1e-15 * 4.0);
            assert!((body.curvature(n) / egg.curvature(n) - 1.0).abs() < 1e-12, "{n}");
        }
    }

    #[test]
    fn the_bounding_radius_is_tight() {
        for body in bodies() {
            let radius = body.bounding_radius();
            let mut farthest = 0f64;
            for i in 0..400 {
                for k in 0..400 {
                    let (i, k) = (f64::from(i) / 400.0, f64::from(k) / 400.0);
                    let ray = DVec3::new(i, k, (1.0 - i * i - k * k).max(0.0).sqrt());
                    let gauge = body.gauge(ray).0;
                    farthest = farthest.max(ray.length() / gauge);
                }
            }
            assert!(farthest <= radius * (1.0 + 1e-14) && farthest > 0.999 * radius, "{body:?} {farthest} {radius}");
        }
    }

    #[test]
    fn the_inscribed_ball_fits() {
        for body in bodies() {
            for n in directions() {
                assert!(n.dot(body.support(n)) >= body.inscribed_radius() * (1.0 - 1e-14));
            }
        }
    }

    #[test]
    fn curvature_is_finite_on_faces_and_edges() {
        for body in bodies() {
            for n in directions() {
                let curvature = body.curvature(n);
                assert!(curvature > 0.0 && curvature.is_finite(), "{body:?} {n}");
            }
        }
    }

    #[test]
    fn only_exponents_between_0_and_2_are_valid() {
        let semi_axes = DVec3::ONE;
        assert!(Superellipsoid { semi_axes, eps: [0.1, 1.9] }.validate().is_ok());
        for eps in [[0.0, 1.0], [1.0, 2.0], [f64::NAN, 1.0], [1.0, -0.5]] {
            assert_eq!(Superellipsoid { semi_axes, eps }.validate().expect_err("not convex").field, "eps");
        }
        assert!(Superellipsoid { semi_axes: -semi_axes, eps: [1.0, 1.0] }.validate().is_err());
    }
}
