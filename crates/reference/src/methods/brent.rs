//! Minimum of a function of one variable by Brent's method: golden sections, and parabolic
//! interpolation where it converges [Brent1973, Martinez2003, appendix A].
//!
//! The method finds the minimum of a function that has only one. For other functions it ends at one
//! of the minima or at an end of the interval. [Martinez2003, section 3.1] applies it to functions
//! with several minima (`docs/theory/plane.md`).

/// The result of a minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// Argument of the minimum.
    pub at: f64,
    /// Value of the function there.
    pub value: f64,
    /// Number of evaluations of the function.
    pub evaluations: u32,
}

/// Fraction of an interval that a golden section removes, (3 - sqrt 5)/2.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// Relative distance of two arguments whose values are equal up to rounding near a minimum, where
/// the function is quadratic: the square root of the machine epsilon.
const RESOLUTION: f64 = 1.490_116_119_384_765_6e-8;

/// Limit of the evaluations. The interval shrinks by a golden section at least every second time,
/// so that 150 evaluations suffice for any interval of numbers.
const MOST_EVALUATIONS: u32 = 1000;

/// Returns a minimum of `f` between `low` and `high`, with an error of the argument of about
/// `tolerance`.
pub fn brent(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64, tolerance: f64) -> Minimum {
    // The best argument so far, the second best, and the previous second best, with their values.
    let start = low + GOLDEN * (high - low);
    let (mut best, mut second, mut third) = ((start, f(start)), (start, f(start)), (start, f(start)));
    let (mut step, mut step_before) = (0f64, 0f64);
    let mut evaluations = 1;
    loop {
        let middle = 0.5 * (low + high);
        let near = RESOLUTION * best.0.abs() + tolerance / 3.0;
        let done = (best.0 - middle).abs() <= 2.0 * near - 0.5 * (high - low);
        if done || evaluations >= MOST_EVALUATIONS {
            return Minimum { at: best.0, value: best.1, evaluations };
        }
        match parabola(best, second, third, near, step_before, low, high) {
            Some(to_vertex) => {
                step_before = step;
                step = to_vertex;
                let there = best.0 + step;
                if there - low < 2.0 * near || high - there < 2.0 * near {
                    step = near.copysign(middle - best.0);
                }
            }
            None => {
                step_before = if best.0 >= middle { low - best.0 } else { high - best.0 };
                step = GOLDEN * step_before;
            }
        }
        // A shorter step would compare values that differ by rounding only.
        let at = best.0 + if step.abs() >= near { step } else { near.copysign(step) };
        let trial = (at, f(at));
        evaluations += 1;
        if trial.1 <= best.1 {
            if trial.0 >= best.0 {
                low = best.0;
            } else {
                high = best.0;
            }
            (third, second, best) = (second, best, trial);
        } else {
            if trial.0 < best.0 {
                low = trial.0;
            } else {
                high = trial.0;
            }
            if trial.1 <= second.1 || second.0 == best.0 {
                (third, second) = (second, trial);
            } else if trial.1 <= third.1 || third.0 == best.0 || third.0 == second.0 {
                third = trial;
            }
        }
    }
}

/// Returns the step to the vertex of the parabola through three points, if it stays in the interval
/// and is less than half the step before the last.
///
/// [Martinez2003, eq. A.3] with the second term of the denominator corrected to (b - c)[f(b) -
/// f(a)].
fn parabola(
    best: (f64, f64),
    second: (f64, f64),
    third: (f64, f64),
    near: f64,
    step_before: f64,
    low: f64,
    high: f64,
) -> Option<f64> {
    if step_before.abs() <= near {
        return None;
    }
    let r = (best.0 - second.0) * (best.1 - third.1);
    let q = (best.0 - third.0) * (best.1 - second.1);
    let p = (best.0 - third.0) * q - (best.0 - second.0) * r;
    let q = 2.0 * (q - r);
    let (p, q) = if q > 0.0 { (-p, q) } else { (p, -q) };
    let fits = p.abs() < (0.5 * q * step_before).abs() && p > q * (low - best.0) && p < q * (high - best.0);
    fits.then(|| p / q)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples A.1 to A.3 of \[Martinez2003\]: function, interval, printed argument and printed
    /// value.
    #[test]
    fn printed_examples_are_reproduced() {
        let cubic = |x: f64| x.powi(3) - 2.0 * x - 5.0;
        let quartic = |x: f64| x.powi(4) + x.powi(3) - x * x + 5.0;
        type Example<'a> = (&'a dyn Fn(f64) -> f64, f64, f64, f64, f64);
        let examples: [Example; 8] = [
            (&cubic, -1.7, 0.816497, 0.81649, -6.08866),
            (&cubic, 0.0, 1.0, 0.816497, -6.08866),
            (&cubic, -15.0, 15.0, -15.0, -3350.0),
            (&f64::sin, 1.0, 5.0, 4.71239, -1.0),
            (&f64::sin, -5.0, 5.0, -std::f64::consts::FRAC_PI_2, -1.0),
            (&quartic, -2.0, -0.75, -1.17539, 3.90327),
            (&quartic, 0.1, 1.0, 0.425391, 4.92877),
            (&quartic, -10.0, 10.0, -1.17539, 3.90327),
        ];
        for (f, low, high, at, value) in examples {
            let found = brent(f, low, high, 1e-5);
            // Six digits are printed, the last one is rounded.
            assert!((found.at - at).abs() <= 2e-5 * at.abs().max(1.0), "{found:?} for {at}");
            assert!((found.value - value).abs() <= 1e-5 * value.abs(), "{found:?} for {value}");
        }
    }
}
