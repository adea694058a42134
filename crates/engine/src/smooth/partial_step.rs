//! Quadrature of a force that acts during a part of a step only.
//!
//! The integrator gives every evaluation half a step of impulse before it and half a step after it:
//! the trapezoidal rule. A force that grew like `t^p` during the last share s of a step needs
//! another weight w in the half kick that ends the step, so that `w dt/2 F` is the impulse so far.
//! The derivation is in docs/theory/laws.md.

/// Smallest contact share of [`corrected_share_weight`]. Below it the force is negligible, and its
/// weight would divide by zero.
const MIN_SHARE: f64 = 1e-9;
/// Terms of the sum in [`hurwitz_zeta`] before the closed form: the first omitted term is below
/// 1e-6.
const ZETA_TERMS: i32 = 6;

/// Returns the weight of a force like `t^p` from its impulse over the share alone, `2 s/(p + 1)`.
pub fn share_weight(exponent: f64, share: f64) -> f64 {
    2.0 * share / (exponent + 1.0)
}

/// Returns the weight of a force like `t^q` that also corrects the steps which follow.
///
/// For q between 0 and 1 the slope at the start is infinite, and the trapezoidal rule is of an
/// order below two in the following steps. By the Euler-Maclaurin sum of `(s + j)^q` the error of
/// the whole sum vanishes for `w = 1 - 2 zeta(-q, s)/s^q`, with Hurwitz's zeta function [DLMF,
/// section 25.11]. For q = 0 this is `2 s`.
pub fn corrected_share_weight(exponent: f64, share: f64) -> f64 {
    if exponent == 0.0 {
        return 2.0 * share;
    }
    let share = share.max(MIN_SHARE);
    1.0 - 2.0 * hurwitz_zeta(exponent, share) / libm::pow(share, exponent)
}

/// Returns the difference of the two weights: the correction for the kink with which a force like
/// `t^p` begins. It is `1/(6 s)` for a linear spring.
pub fn kink_correction(exponent: f64, share: f64) -> f64 {
    corrected_share_weight(exponent, share) - share_weight(exponent, share)
}

/// Returns `zeta(-q, s)` by Euler-Maclaurin summation: the first terms, and the rest in closed
/// form.
fn hurwitz_zeta(q: f64, s: f64) -> f64 {
    let sum: f64 = (0..ZETA_TERMS).map(|j| libm::pow(s + f64::from(j), q)).sum();
    let a = s + f64::from(ZETA_TERMS);
    sum - libm::pow(a, q + 1.0) / (q + 1.0) + 0.5 * libm::pow(a, q) - q / 12.0 * libm::pow(a, q - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error of the trapezoidal impulse of `t^q`, which begins a share `s` before the first
    /// evaluation.
    fn error(q: f64, s: f64, weight: f64) -> f64 {
        let steps = 400;
        let f = |j: i32| (s + f64::from(j)).powf(q);
        let middle: f64 = (1..steps).map(f).sum();
        let sum = 0.5 * (weight + 1.0) * f(0) + middle + 0.5 * f(steps);
        let end = s + f64::from(steps);
        (sum - end.powf(q + 1.0) / (q + 1.0)).abs()
    }

    #[test]
    fn the_corrected_weight_makes_the_sum_exact() {
        for s in [1e-3, 0.1, 0.37, 0.8, 1.0] {
            // The rest is the error of the trapezoidal rule at the far end.
            assert!(error(0.25, s, corrected_share_weight(0.25, s)) < 3e-4, "{s}");
            assert!(
                error(0.25, s, share_weight(0.25, s)) > 10.0 * error(0.25, s, corrected_share_weight(0.25, s)),
                "{s}"
            );
            assert_eq!(corrected_share_weight(0.0, s), share_weight(0.0, s));
        }
    }

    #[test]
    fn the_kink_correction_of_a_linear_spring_is_known() {
        for s in [1e-6, 1e-3, 0.1, 0.37, 1.0, 4.0] {
            assert!((6.0 * s * kink_correction(1.0, s) - 1.0).abs() < 1e-6, "{s}: {}", kink_correction(1.0, s));
        }
    }
}
