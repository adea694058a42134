//! The q-norm of two numbers with its derivatives: what superellipsoids are made of.
//!
//! Both the gauge and the support function of a superellipsoid are a norm of two numbers, of which the first is again
//! one. See `docs/theory/smooth_shapes.md`.

use crate::power::{exp, ln};

/// Smallest ratio of the two numbers that is told from zero.
const LEAST_RATIO: f64 = 1e-300;

/// `|x, y|_q` for `x, y >= 0` and `q > 1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm {
    /// The value.
    pub value: f64,
    /// Derivative by x.
    pub by_x: f64,
    /// Derivative by y.
    pub by_y: f64,
    /// Smaller over larger number, and its q-th power; `(S)^(1/q)` with `S = 1 + power`.
    ratio: f64,
    power: f64,
    root: f64,
}

impl Norm {
    /// The norm and its slopes; `inverse_q` is 1/q.
    #[inline]
    pub fn new(x: f64, y: f64, q: f64, inverse_q: f64) -> Self {
        let (low, high) = (x.min(y), x.max(y));
        if high == 0.0 {
            return Self { value: 0.0, by_x: 0.0, by_y: 0.0, ratio: 0.0, power: 0.0, root: 1.0 };
        }
        // A ratio that small has no effect; above it every power is a normal number.
        let ratio = (low / high).max(LEAST_RATIO);
        let (power, root) = if q == 2.0 {
            let power = ratio * ratio;
            (power, (1.0 + power).sqrt())
        } else {
            let power = exp(q * ln(ratio));
            (power, exp(inverse_q * ln(1.0 + power)))
        };
        let by_high = root / (1.0 + power);
        // Zero for a zero: on the axis of a face the support point is the middle of the face.
        let by_low = if low > 0.0 { power / ratio * by_high } else { 0.0 };
        let (by_x, by_y) = if x < y { (by_low, by_high) } else { (by_high, by_low) };
        Self { value: high * root, by_x, by_y, ratio, power, root }
    }

    /// The number `w` in the second derivative `w [y', -x'] [y', -x']ᵀ`, with `(x', y')` the point over the value.
    ///
    /// Not a number where x or y is zero: the caller keeps away from the axes.
    #[inline]
    pub fn bend(&self, q: f64) -> f64 {
        // (x' y')^(q - 2), from the powers at hand.
        let over = self.root * self.root / ((1.0 + self.power) * self.ratio);
        (q - 1.0) / self.value * self.power * over * over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        const STEP: f64 = 1e-6;
        for q in [1.05, 4.0 / 3.0, 2.0, 3.7, 20.0] {
            for (x, y) in [(1.0, 0.9), (0.3, 1.1), (2.0, 0.7)] {
                let at = |x: f64, y: f64| Norm::new(x, y, q, 1.0 / q);
                let n = at(x, y);
                assert!((n.value - (x.powf(q) + y.powf(q)).powf(1.0 / q)).abs() < 4e-15);
                let (right, left) = (at(x + STEP, y), at(x - STEP, y));
                assert!(((right.value - left.value) / (2.0 * STEP) - n.by_x).abs() < 1e-9);
                let second = n.bend(q) * (y / n.value).powi(2);
                assert!(((right.by_x - left.by_x) / (2.0 * STEP) - second).abs() < 1e-8, "{q} {x} {y}");
                assert!(((right.by_y - left.by_y) / (2.0 * STEP) + second * x / y).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn a_zero_is_no_danger() {
        let n = Norm::new(0.0, 2.0, 1.1, 1.0 / 1.1);
        assert_eq!((n.value, n.by_x, n.by_y), (2.0, 0.0, 1.0));
        assert_eq!(Norm::new(0.0, 0.0, 1.1, 1.0 / 1.1).value, 0.0);
    }
}
