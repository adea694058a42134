//! Jacobi's elliptic functions and Legendre's integrals. They take the complementary parameter
//! `m1 = 1 - k²`, so that nothing cancels near k = 1.
//!
//! Integrals use Carlson's symmetric forms \[Carlson1995\], whose arguments approach each other by
//! a factor of four in each duplication; functions use the arithmetic-geometric mean \[DLMF,
//! 22.20\].

use std::f64::consts::PI;

/// Relative difference of the two means below which they are equal to rounding.
const MEAN_TOLERANCE: f64 = 1e-17;
/// `(3 eps)^(-1/6)` with eps = 1.1e-16: the series of R_F, whose first omitted term is of the sixth
/// order, is exact to rounding if the spread of the arguments is less than the mean by this factor.
const SPREAD_F: f64 = 390.0;
/// `(eps/4)^(-1/6)`: the same for R_J.
const SPREAD_J: f64 = 590.0;
/// Argument below which R_C is computed by its series: the closed forms cancel there, and the first
/// omitted term is 1e-20/21.
const SERIES_C: f64 = 1e-2;

/// Greatest number of steps of the arithmetic-geometric mean. Each step doubles the number of
/// digits.
const MEAN_STEPS: usize = 12;

/// Returns sn, cn and dn of `u`, and the amplitude, which is continuous in u.
pub fn jacobi(u: f64, m1: f64) -> (f64, f64, f64, f64) {
    // k = 1: the functions are hyperbolic.
    if m1 <= 0.0 {
        let (sn, cn) = (libm::tanh(u), 1.0 / libm::cosh(u));
        return (sn, cn, cn, libm::asin(sn.clamp(-1.0, 1.0)));
    }
    // Arithmetic-geometric means, and half their differences for the descent.
    let mut means = [(1.0, (1.0 - m1).max(0.0).sqrt()); MEAN_STEPS];
    let (mut a, mut b, mut last) = (1.0, m1.sqrt(), 0);
    while last + 1 < MEAN_STEPS && means[last].1.abs() > MEAN_TOLERANCE * a {
        let (mean, half) = (0.5 * (a + b), 0.5 * (a - b));
        b = (a * b).sqrt();
        a = mean;
        last += 1;
        means[last] = (a, half);
    }
    // Descending Landen transformation from the last mean to the amplitude.
    let mut phi = a * u * libm::ldexp(1.0, last as i32);
    for &(a, c) in means[1..=last].iter().rev() {
        phi = 0.5 * (phi + libm::asin((c * libm::sin(phi) / a).clamp(-1.0, 1.0)));
    }
    let (sn, cn) = libm::sincos(phi);
    (sn, cn, (cn * cn + m1 * sn * sn).sqrt(), phi)
}

/// Returns Legendre's integral of the first kind, F, at the amplitude `phi`.
pub fn first_kind(phi: f64, m1: f64) -> f64 {
    let (turns, s, c) = reduced(phi);
    // The integral over a quarter period is complete; half turns are added to the remainder.
    let whole = if turns == 0.0 { 0.0 } else { 2.0 * turns * carlson_f(0.0, m1, 1.0) };
    s * carlson_f(c * c, c * c + m1 * s * s, 1.0) + whole
}

/// Returns the integral of `1/((1 + nu sin²) sqrt(1 - k² sin²))` from 0 to `phi`, for nu >= 0: the
/// integral of the third kind.
pub fn third_kind(phi: f64, nu: f64, m1: f64) -> f64 {
    let (turns, s, c) = reduced(phi);
    let part =
        |x: f64, y: f64, p: f64, s: f64| s * carlson_f(x, y, 1.0) - nu / 3.0 * s * s * s * carlson_j(x, y, 1.0, p);
    let whole = if turns == 0.0 { 0.0 } else { 2.0 * turns * part(0.0, m1, 1.0 + nu, 1.0) };
    part(c * c, c * c + m1 * s * s, 1.0 + nu * s * s, s) + whole
}

/// Returns the number of half turns in an amplitude, and sine and cosine of the remainder.
fn reduced(phi: f64) -> (f64, f64, f64) {
    let turns = (phi / PI).round();
    let (s, c) = libm::sincos(phi - turns * PI);
    (turns, s, c)
}

/// Returns Carlson's R_F(x, y, z).
fn carlson_f(x: f64, y: f64, z: f64) -> f64 {
    let first = (x + y + z) / 3.0;
    let spread = SPREAD_F * (first - x).abs().max((first - y).abs()).max((first - z).abs());
    let (mut mean, mut share) = (first, 1.0);
    let mut at = [x, y, z];
    while share * spread > mean.abs() {
        let [a, b, c] = at.map(f64::sqrt);
        let more = a * b + a * c + b * c;
        at = at.map(|value| 0.25 * (value + more));
        mean = 0.25 * (mean + more);
        share *= 0.25;
    }
    // Deviations from the mean, whose symmetric functions enter the series.
    let (dx, dy) = ((first - x) * share / mean, (first - y) * share / mean);
    let dz = -dx - dy;
    let (e2, e3) = (dx * dy - dz * dz, dx * dy * dz);
    (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / mean.sqrt()
}

/// Returns Carlson's R_C(1, 1 + e).
fn carlson_c(e: f64) -> f64 {
    // The series avoids the cancellation of the closed forms near e = 0.
    if e.abs() < SERIES_C {
        let mut sum = 0.0;
        for n in (0..10).rev() {
            sum = 1.0 / f64::from(2 * n + 1) - e * sum;
        }
        sum
    } else if e > 0.0 {
        let root = e.sqrt();
        libm::atan(root) / root
    } else {
        let root = (-e).sqrt();
        libm::atanh(root) / root
    }
}

/// Returns Carlson's R_J(x, y, z, p).
fn carlson_j(x: f64, y: f64, z: f64, p: f64) -> f64 {
    let first = (x + y + z + 2.0 * p) / 5.0;
    let product = (p - x) * (p - y) * (p - z);
    let far = (first - x).abs().max((first - y).abs()).max((first - z).abs()).max((first - p).abs());
    let spread = SPREAD_J * far;
    let (mut mean, mut share, mut sum) = (first, 1.0, 0.0);
    let mut at = [x, y, z, p];
    while share * spread > mean.abs() {
        let [a, b, c, d] = at.map(f64::sqrt);
        // Each duplication adds one term of R_C and brings the arguments closer to each other.
        let more = a * b + a * c + b * c;
        let denominator = (d + a) * (d + b) * (d + c);
        let e = share * share * share * product / (denominator * denominator);
        sum += share / denominator * carlson_c(e);
        at = at.map(|value| 0.25 * (value + more));
        mean = 0.25 * (mean + more);
        share *= 0.25;
    }
    let [dx, dy, dz] = [x, y, z].map(|value| (first - value) * share / mean);
    let dp = -0.5 * (dx + dy + dz);
    let xyz = dx * dy * dz;
    let e2 = dx * dy + dx * dz + dy * dz - 3.0 * dp * dp;
    let e3 = xyz + 2.0 * e2 * dp + 4.0 * dp * dp * dp;
    let e4 = (2.0 * xyz + e2 * dp + 3.0 * dp * dp * dp) * dp;
    let e5 = xyz * dp * dp;
    let series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 - 9.0 * e2 * e3 / 52.0
        + 3.0 * e5 / 26.0;
    share * series / (mean * mean.sqrt()) + 6.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simpson's rule, as the reference.
    fn integral(f: impl Fn(f64) -> f64, to: f64) -> f64 {
        let (steps, h) = (20_000, to / 20_000.0);
        let weight = |k: i32| {
            if k == 0 || k == steps {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        h / 3.0 * (0..=steps).map(|k| weight(k) * f(f64::from(k) * h)).sum::<f64>()
    }

    #[test]
    fn integrals_are_integrals() {
        for m1 in [0.9, 0.3, 0.02] {
            for phi in [0.4, 1.3, 2.9, 7.0] {
                let root = |x: f64| (1.0 - (1.0 - m1) * x.sin() * x.sin()).sqrt();
                let first = integral(|x| 1.0 / root(x), phi);
                assert!((first_kind(phi, m1) - first).abs() < 1e-11 * first, "F({phi}, {m1})");
                for nu in [0.0, 0.3, 5.0] {
                    let third = integral(|x| 1.0 / ((1.0 + nu * x.sin() * x.sin()) * root(x)), phi);
                    assert!((third_kind(phi, nu, m1) - third).abs() < 1e-10 * third, "Pi({phi}, {nu}, {m1})");
                }
            }
        }
    }

    #[test]
    fn functions_invert_the_integral() {
        for m1 in [1.0, 0.6, 0.04, 1e-9] {
            for u in [-3.0, 0.2, 1.0, 8.5] {
                let (sn, cn, dn, phi) = jacobi(u, m1);
                // The derivative of the integral is 1/dn, which is large near k = 1.
                let rounding = 1e-13 * u.abs().max(1.0) + 4.0 * f64::EPSILON / dn;
                assert!((first_kind(phi, m1) - u).abs() < rounding, "am({u}, {m1})");
                assert!((sn * sn + cn * cn - 1.0).abs() < 1e-15);
                assert!((dn * dn - (1.0 - (1.0 - m1) * sn * sn)).abs() < 1e-15);
            }
        }
    }
}
