//! A point of a superellipsoid as a function of its normal, with first and second derivatives, by
//! the two surface parameters of [Wellmann2008, eqs. 2 and 4].
//!
//! The parameters depend on the normal n by their tangents alone. With `delta_i = 1/(2 - eps_i)`,
//!
//! ```text
//! tan phi_1 = |r_2 n_2/(r_1 n_1)|^delta_1       d phi_1 = sin cos D1,   D1 = d ln tan phi_1
//! tan phi_2 = |r_3 n_3/w|^delta_2               d phi_2 = sin cos D2,   D2 = d ln tan phi_2
//! ```
//!
//! where ln w has the derivative `cos^2 phi_1 e_1/n_1 + sin^2 phi_1 e_2/n_2`. This form is that of
//! eq. 4 with >= in place of >, which is right at the poles too. In the second derivative of the
//! point, eq. 11, the second term begins with `dp/dphi_g`, and its bracket is
//! `d2 phi_g/dc_k dc_l c_k,i c_l,j + dphi_g/dc_k c_k,ij`; it is printed otherwise.

use glam::DVec3;
use granum_geometry::shape::Superellipsoid;

/// Component of a normal to which a smaller one is moved. The derivatives of the parameters are
/// indeterminate at zero, and [Wellmann2008] moves such points slightly. Rounding errors are the
/// inverse of this number times the machine epsilon.
const SMALLEST_COMPONENT: f64 = 1e-7;

/// A unit vector with its derivatives by two angles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jet {
    /// The vector.
    pub value: DVec3,
    /// Its derivatives by the first and the second angle.
    pub first: [DVec3; 2],
    /// Its second derivatives: by the first angle twice, by both, by the second twice.
    pub second: [DVec3; 3],
}

impl Jet {
    /// Returns the jet with a linear map applied.
    pub fn map(self, f: impl Fn(DVec3) -> DVec3) -> Self {
        Self { value: f(self.value), first: self.first.map(&f), second: self.second.map(&f) }
    }

    /// Returns the sum.
    pub fn plus(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            first: [0, 1].map(|i| self.first[i] + other.first[i]),
            second: [0, 1, 2].map(|i| self.second[i] + other.second[i]),
        }
    }
}

/// The angles by which the three second derivatives of a [`Jet`] are taken.
pub(super) const SECOND: [[usize; 2]; 3] = [[0, 0], [0, 1], [1, 1]];

/// Returns the surface point with the normal `n`, in body axes, with its derivatives.
pub(super) fn surface_point(body: &Superellipsoid, normal: Jet) -> Jet {
    // Each octant is the mirror image of the first one.
    let signs = normal.value.signum();
    let normal = normal.map(|v| signs * v);
    let [eps_1, eps_2] = body.eps;
    let [delta_1, delta_2] = body.eps.map(|eps| 1.0 / (2.0 - eps));
    let n = normal.value.max(DVec3::splat(SMALLEST_COMPONENT));
    let u = body.semi_axes * n;

    // Eq. 4, by the ratios of the larger to the smaller number, so that no power overflows.
    let (sin_1, cos_1) = angle(u.x, u.y, delta_1);
    let w = if u.x >= u.y { u.x / libm::pow(cos_1, 2.0 - eps_1) } else { u.y / libm::pow(sin_1, 2.0 - eps_1) };
    let (sin_2, cos_2) = angle(w, u.z, delta_2);

    // Eq. 2.
    let (power_1, power_2) = (|x: f64| libm::pow(x, eps_1), |x: f64| libm::pow(x, eps_2));
    let p =
        body.semi_axes * DVec3::new(power_1(cos_1) * power_2(cos_2), power_1(sin_1) * power_2(cos_2), power_2(sin_2));

    // Logarithmic derivatives of the components of p by phi_1 and phi_2: l_i = d ln p/dphi_i.
    let (tan_1, tan_2) = (sin_1 / cos_1, sin_2 / cos_2);
    let l_1 = eps_1 * DVec3::new(-tan_1, 1.0 / tan_1, 0.0);
    let l_2 = eps_2 * DVec3::new(-tan_2, -tan_2, 1.0 / tan_2);
    let by_phi = [p * l_1, p * l_2];
    let curved_1 = -eps_1 * DVec3::new(1.0 + tan_1 * tan_1, 1.0 + 1.0 / (tan_1 * tan_1), 0.0);
    let far = 1.0 + tan_2 * tan_2;
    let curved_2 = -eps_2 * DVec3::new(far, far, 1.0 + 1.0 / (tan_2 * tan_2));
    let by_phi_twice = [p * (l_1 * l_1 + curved_1), p * l_1 * l_2, p * (l_2 * l_2 + curved_2)];

    // Derivatives of ln n_k by the angles, and of the logarithms of the two tangents.
    let of_log = normal.first.map(|slope| slope / n);
    let d_1 = of_log.map(|l| delta_1 * (l.y - l.x));
    let mean = |l: DVec3| cos_1 * cos_1 * l.x + sin_1 * sin_1 * l.y;
    let d_2 = of_log.map(|l| delta_2 * (l.z - mean(l)));
    let (product_1, product_2) = (sin_1 * cos_1, sin_2 * cos_2);
    let (double_1, double_2) = (cos_1 * cos_1 - sin_1 * sin_1, cos_2 * cos_2 - sin_2 * sin_2);
    let phi = [0, 1].map(|i| [product_1 * d_1[i], product_2 * d_2[i]]);

    let second = [0, 1, 2].map(|m| {
        let [i, j] = SECOND[m];
        // Second derivatives of ln n_k, then of the two tangents, then of the parameters.
        let log = normal.second[m] / n - of_log[i] * of_log[j];
        let d_1_by_both = delta_1 * (log.y - log.x);
        let turn = 2.0 * product_1 * product_1 * d_1[i] * d_1[j] / delta_1;
        let d_2_by_both = delta_2 * (log.z - mean(log) - turn);
        let phi_1 = product_1 * (double_1 * d_1[i] * d_1[j] + d_1_by_both);
        let phi_2 = product_2 * (double_2 * d_2[i] * d_2[j] + d_2_by_both);
        // Eq. 11, corrected.
        by_phi_twice[0] * phi[i][0] * phi[j][0]
            + by_phi_twice[1] * (phi[i][0] * phi[j][1] + phi[i][1] * phi[j][0])
            + by_phi_twice[2] * phi[i][1] * phi[j][1]
            + by_phi[0] * phi_1
            + by_phi[1] * phi_2
    });
    let first = [0, 1].map(|i| by_phi[0] * phi[i][0] + by_phi[1] * phi[i][1]);
    Jet { value: p, first, second }.map(|v| signs * v)
}

/// Returns sine and cosine of the angle with the tangent `(y/x)^delta`, for positive x and y.
fn angle(x: f64, y: f64, delta: f64) -> (f64, f64) {
    if x >= y {
        let tan = libm::pow(y / x, delta);
        let cos = 1.0 / (1.0 + tan * tan).sqrt();
        (tan * cos, cos)
    } else {
        let (cos, sin) = angle(y, x, delta);
        (sin, cos)
    }
}

/// Returns the inside-outside function [Wellmann2008, eq. 1] at a point in body axes, m: less than 1
/// inside.
pub(super) fn inside_outside(body: &Superellipsoid, point: DVec3) -> f64 {
    let [eps_1, eps_2] = body.eps;
    let x = (point / body.semi_axes).abs();
    let across = libm::pow(x.x, 2.0 / eps_1) + libm::pow(x.y, 2.0 / eps_1);
    libm::pow(across, eps_1 / eps_2) + libm::pow(x.z, 2.0 / eps_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use granum_geometry::contact::SuperellipsoidSurface;
    use granum_geometry::random::Random;

    /// The unit vector at two angles, and its derivatives.
    fn direction(a: f64, b: f64) -> Jet {
        let ((sin_a, cos_a), (sin_b, cos_b)) = (libm::sincos(a), libm::sincos(b));
        let value = DVec3::new(cos_a * cos_b, sin_a * cos_b, sin_b);
        Jet {
            value,
            first: [DVec3::new(-sin_a * cos_b, cos_a * cos_b, 0.0), DVec3::new(-cos_a * sin_b, -sin_a * sin_b, cos_b)],
            second: [
                DVec3::new(-cos_a * cos_b, -sin_a * cos_b, 0.0),
                DVec3::new(sin_a * sin_b, -cos_a * sin_b, 0.0),
                -value,
            ],
        }
    }

    #[test]
    fn the_point_has_the_support_function_and_the_derivatives_are_those_of_differences() {
        let mut random = Random::new(7);
        for _ in 0..2000 {
            let semi_axes = DVec3::new(random.range(0.5, 3.0), random.range(0.5, 3.0), random.range(0.5, 3.0));
            let body = Superellipsoid { semi_axes, eps: [random.range(0.3, 1.7), random.range(0.3, 1.7)] };
            let (a, b) = (random.range(-3.0, 3.0), random.range(-1.5, 1.5));
            if direction(a, b).value.abs().min_element() < 0.05 {
                continue;
            }
            let jet = surface_point(&body, direction(a, b));
            let exact = SuperellipsoidSurface::new(&body, glam::DQuat::IDENTITY).point(direction(a, b).value);
            assert!((jet.value - exact).length() < 1e-12, "{body:?} {a} {b}");
            let at = |a: f64, b: f64| surface_point(&body, direction(a, b));
            let step = 1e-5;
            for (i, (da, db)) in [(step, 0.0), (0.0, step)].into_iter().enumerate() {
                let (after, before) = (at(a + da, b + db), at(a - da, b - db));
                let first = (after.value - before.value) / (2.0 * step);
                let scale = 1.0 + jet.second.iter().map(|v| v.length()).fold(0.0, f64::max);
                assert!((jet.first[i] - first).length() < 1e-5 * scale, "{body:?} {a} {b}");
                for (m, angles) in SECOND.into_iter().enumerate() {
                    // Of the mixed derivative either order is compared.
                    if let Some(other) = (angles[1] == i).then_some(angles[0]) {
                        let second = (after.first[other] - before.first[other]) / (2.0 * step);
                        assert!((jet.second[m] - second).length() < 1e-4 * scale, "{body:?} {a} {b} {m}");
                    }
                }
            }
        }
    }

    #[test]
    fn poles_are_on_the_surface() {
        // With > in place of >= in eq. 4 the poles are wrong.
        let body = Superellipsoid { semi_axes: DVec3::new(1.0, 2.0, 3.0), eps: [1.2, 1.3] };
        let at = |b: f64| surface_point(&body, direction(0.0, b)).value;
        assert!((at(0.5 * std::f64::consts::PI) - 3.0 * DVec3::Z).length() < 1e-6);
        assert!((at(-0.5 * std::f64::consts::PI) + 3.0 * DVec3::Z).length() < 1e-6);
        assert!((at(0.0) - DVec3::X).length() < 1e-6);
    }
}
