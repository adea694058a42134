//! Brent's method for a minimum in an interval: golden sections, and parabolas where they behave.
//!
//! It is exact for functions with one minimum. For others it ends in one of the minima, or at an end of the interval,
//! and does not know which: what the thesis runs into.

/// Where a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// The argument.
    pub at: f64,
    /// The value there.
    pub value: f64,
    /// Evaluations of the function.
    pub evaluations: u32,
}

/// Part of an interval that a golden section cuts off.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// Relative distance of two arguments whose values cannot be told apart near a minimum: the root of the rounding.
const RESOLUTION: f64 = 1.490_116_119_384_765_6e-8;

/// The interval shrinks by a golden section at least every other time; this many suffice for any.
const MOST_EVALUATIONS: u32 = 1000;

/// A minimum of `f` between `low` and `high`, to about `tolerance`.
pub fn brent(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64, tolerance: f64) -> Minimum {
    // The best argument so far, the second best, and the second best before that.
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
        // Never nearer than what can be told apart.
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

/// The step to the vertex of the parabola through three points (A.3, with its second denominator put right), if it stays
/// in the interval and is less than half the step before the last.
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

    /// The thesis's examples A.1 to A.3: function, interval, and the printed argument and value.
    #[test]
    fn examples_of_the_thesis() {
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
            // The printed digits: six, the last one rounded.
            assert!((found.at - at).abs() <= 2e-5 * at.abs().max(1.0), "{found:?} for {at}");
            assert!((found.value - value).abs() <= 1e-5 * value.abs(), "{found:?} for {value}");
        }
    }
}
