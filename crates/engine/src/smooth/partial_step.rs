//! Weights for a force that is there for a part of a step only.
//!
//! The integrator gives every evaluation half a step of impulse before it and half a step after it: a trapezoidal rule.
//! A force that grew like `t^p` from an instant inside the step, a share s of it ago, needs another weight w in the kick
//! that ends the step, so that `w dt/2 F` is the impulse so far.

/// Weight for a force that is smooth once it is there: its impulse over the share, `2 s/(p + 1)`.
pub fn smooth(exponent: f64, share: f64) -> f64 {
    2.0 * share / (exponent + 1.0)
}

/// Weight for a force like `t^q` with q between 0 and 1.
///
/// Its slope is infinite at the start, so the trapezoidal steps that follow are wrong by more than second order; the
/// weight makes up for them as well. By the Euler-Maclaurin sum of `(s + j)^q` the error of the whole sum vanishes for
/// `w = 1 - 2 zeta(-q, s)/s^q`, with Hurwitz's zeta. For q = 0 this is `2 s`.
pub fn steep(exponent: f64, share: f64) -> f64 {
    // Below this share the force is next to nothing, and so is what any weight makes of it.
    const LEAST_SHARE: f64 = 1e-9;
    if exponent == 0.0 {
        return 2.0 * share;
    }
    let share = share.max(LEAST_SHARE);
    1.0 - 2.0 * hurwitz_zeta(exponent, share) / libm::pow(share, exponent)
}

/// What [`steep`] has more than [`smooth`], for a force like `t^p` that bends as it begins: `1/6s` for a spring.
pub fn bend(exponent: f64, share: f64) -> f64 {
    steep(exponent, share) - smooth(exponent, share)
}

/// `zeta(-q, s)` by Euler-Maclaurin summation: the first terms, and the rest in closed form.
fn hurwitz_zeta(q: f64, s: f64) -> f64 {
    // The first dropped term is below 1e-6.
    const TERMS: i32 = 6;
    let sum: f64 = (0..TERMS).map(|j| libm::pow(s + f64::from(j), q)).sum();
    let a = s + f64::from(TERMS);
    sum - libm::pow(a, q + 1.0) / (q + 1.0) + 0.5 * libm::pow(a, q) - q / 12.0 * libm::pow(a, q - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trapezoidal impulse of `t^q` from an onset a share `s` before the first evaluation, against the integral.
    fn error(q: f64, s: f64, weight: f64) -> f64 {
        let steps = 400;
        let f = |j: i32| (s + f64::from(j)).powf(q);
        let middle: f64 = (1..steps).map(f).sum();
        let sum = 0.5 * (weight + 1.0) * f(0) + middle + 0.5 * f(steps);
        let end = s + f64::from(steps);
        (sum - end.powf(q + 1.0) / (q + 1.0)).abs()
    }

    #[test]
    fn the_steep_weight_repairs_the_sum() {
        for s in [1e-3, 0.1, 0.37, 0.8, 1.0] {
            // What is left is the trapezoidal rule's own error at the far end.
            assert!(error(0.25, s, steep(0.25, s)) < 3e-4, "{s}");
            assert!(error(0.25, s, smooth(0.25, s)) > 10.0 * error(0.25, s, steep(0.25, s)), "{s}");
            assert_eq!(steep(0.0, s), smooth(0.0, s));
        }
    }

    #[test]
    fn the_bend_of_a_spring_is_known() {
        for s in [1e-6, 1e-3, 0.1, 0.37, 1.0, 4.0] {
            assert!((6.0 * s * bend(1.0, s) - 1.0).abs() < 1e-6, "{s}: {}", bend(1.0, s));
        }
    }
}
