//! The q-norm of two numbers with its derivatives, the building block of superellipsoids.
//!
//! Both the gauge function and the support function of a superellipsoid are nested q-norms of two
//! numbers each (`docs/theory/smooth_shapes.md`). Every function works on two arguments at once,
//! such as one direction in the axes of two bodies. A power is a chain of dependent operations, so
//! that the processor computes a second, independent power at no extra time.

use wide::f64x2;

use crate::numeric::power::{exp, ln};
use crate::numeric::two_vectors::TwoVectors;

/// Smallest ratio of the two numbers that is distinguished from zero. Every power of a larger ratio
/// is a normal number.
const LEAST_RATIO: f64 = 1e-300;

/// Lower bound of a component, relative to the largest, in second derivatives. These are infinite
/// or zero on a face or an edge, but the Newton iteration needs a finite number.
const LEAST_COMPONENT: f64 = 1e-12;

/// `|x, y|_q` for `x, y >= 0` and `q > 1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm {
    /// Value of the norm.
    pub value: f64x2,
    /// Derivative by x.
    pub by_x: f64x2,
    /// Derivative by y.
    pub by_y: f64x2,
    /// Ratio of the smaller to the larger number, its q-th power, and `S^(1/q)` with `S = 1 +
    /// power`.
    ratio: f64x2,
    power: f64x2,
    root: f64x2,
}

/// Exponents of a norm, and their inverses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exponent {
    pub q: f64x2,
    pub inverse: f64x2,
}

impl Norm {
    /// Computes the norm and its first derivatives.
    pub fn new(x: f64x2, y: f64x2, Exponent { q, inverse }: Exponent) -> Self {
        let power = exp(ln(ratio(x.fast_min(y), x.fast_max(y))) * q);
        Self::with_powers(x, y, power, exp(ln(power + 1.0) * inverse))
    }

    #[inline(always)]
    fn with_powers(x: f64x2, y: f64x2, power: f64x2, root: f64x2) -> Self {
        let (low, high) = (x.fast_min(y), x.fast_max(y));
        let ratio = ratio(low, high);
        let by_high = root / (power + 1.0);
        // The derivative is zero for a zero argument: on the axis of a face the support point is
        // the middle of the face.
        let by_low = low.simd_gt(f64x2::ZERO) & (power / ratio * by_high);
        let is_upright = y.simd_gt(x);
        let (by_x, by_y) = (is_upright.select(by_low, by_high), is_upright.select(by_high, by_low));
        Self { value: high * root, by_x, by_y, ratio, power, root }
    }

    /// Returns the factor `w` of the second derivative `w [y', -x'] [y', -x']ᵀ`, where `(x', y')`
    /// is the argument divided by the norm.
    ///
    /// The result is not a number if x or y is zero; the caller avoids the axes.
    #[inline(always)]
    fn second_derivative(&self, q: f64x2) -> f64x2 {
        // (x' y')^(q - 2), from the powers that are already known.
        let over = self.root * self.root / ((self.power + 1.0) * self.ratio);
        (q - 1.0) / self.value * self.power * over * over
    }
}

/// The nested norms `||x, y|, z|` at a point or a direction in body axes, scaled by the semi-axes.
/// All components are positive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nested {
    /// The inner norm, of x and y.
    ring: Norm,
    /// The outer norm, of the inner norm and z.
    pub whole: Norm,
}

impl Nested {
    /// The outer norm starts from the logarithm of the inner norm, which is available before the
    /// inner norm itself. This shortens the chain of dependent operations.
    #[inline(always)]
    pub fn new(v: TwoVectors, [level, upright]: [Exponent; 2]) -> Self {
        let TwoVectors { x, y, z } = v;
        let high = x.fast_max(y);
        let ring_power = exp(ln(ratio(x.fast_min(y), high)) * level.q);
        let ln_root = ln(ring_power + 1.0) * level.inverse;
        let ln_ratio = ln(ratio(z, high)) - ln_root;
        let power = exp(-(ln_ratio.abs() * upright.q));
        let root = exp(ln(power + 1.0) * upright.inverse);
        let ring = Norm::with_powers(x, y, ring_power, exp(ln_root));
        Self { ring, whole: Norm::with_powers(ring.value, z, power, root) }
    }

    /// Returns the gradient.
    #[inline(always)]
    pub fn gradient(&self) -> TwoVectors {
        let Self { ring, whole } = self;
        TwoVectors { x: whole.by_x * ring.by_x, y: whole.by_x * ring.by_y, z: whole.by_y }
    }

    /// Returns two vectors `b` whose products `b bᵀ` add up to the Hessian at `v`.
    #[inline(always)]
    pub fn hessian_factors(&self, v: TwoVectors, exponents: [Exponent; 2]) -> [TwoVectors; 2] {
        let least = v.x.fast_max(v.y).fast_max(v.z) * LEAST_COMPONENT;
        let smallest = v.x.fast_min(v.y).fast_min(v.z);
        if least.simd_gt(smallest).any() {
            return hessian_factors_near_axes(v, least, exponents);
        }
        self.hessian_factors_off_axes(v, exponents)
    }

    #[inline(always)]
    fn hessian_factors_off_axes(&self, v: TwoVectors, [level, upright]: [Exponent; 2]) -> [TwoVectors; 2] {
        let Self { ring, whole } = self;
        let (x, y) = (ring.value / whole.value, v.z / whole.value);
        let size = whole.second_derivative(upright.q).sqrt();
        let across = (whole.by_x * ring.second_derivative(level.q)).sqrt() / ring.value;
        [
            TwoVectors { x: y * ring.by_x, y: y * ring.by_y, z: -x } * size,
            TwoVectors { x: v.y, y: -v.x, z: f64x2::ZERO } * across,
        ]
    }
}

/// Raises every component to at least `least`.
#[cold]
fn hessian_factors_near_axes(v: TwoVectors, least: f64x2, exponents: [Exponent; 2]) -> [TwoVectors; 2] {
    let v = TwoVectors { x: v.x.fast_max(least), y: v.y.fast_max(least), z: v.z.fast_max(least) };
    Nested::new(v, exponents).hessian_factors_off_axes(v, exponents)
}

/// Divides one number by another and keeps the quotient positive and finite.
#[inline(always)]
fn ratio(x: f64x2, over: f64x2) -> f64x2 {
    (x / over.fast_max(f64x2::splat(f64::MIN_POSITIVE))).fast_max(f64x2::splat(LEAST_RATIO))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value, first derivatives and factor of the second derivative.
    fn norm(x: f64, y: f64, q: f64) -> [f64; 4] {
        let all = f64x2::splat;
        let norm = Norm::new(all(x), all(y), Exponent { q: all(q), inverse: all(1.0 / q) });
        [norm.value, norm.by_x, norm.by_y, norm.second_derivative(all(q))].map(|two| two.to_array()[0])
    }

    #[test]
    fn derivatives_agree_with_differences() {
        const STEP: f64 = 1e-6;
        for q in [1.05, 4.0 / 3.0, 2.0, 3.7, 20.0] {
            for (x, y) in [(1.0, 0.9), (0.3, 1.1), (2.0, 0.7)] {
                let [value, by_x, _, second_derivative] = norm(x, y, q);
                assert!((value - (x.powf(q) + y.powf(q)).powf(1.0 / q)).abs() < 4e-15);
                let (right, left) = (norm(x + STEP, y, q), norm(x - STEP, y, q));
                assert!(((right[0] - left[0]) / (2.0 * STEP) - by_x).abs() < 1e-9);
                let second = second_derivative * (y / value).powi(2);
                assert!(((right[1] - left[1]) / (2.0 * STEP) - second).abs() < 1e-8, "{q} {x} {y}");
                assert!(((right[2] - left[2]) / (2.0 * STEP) + second * x / y).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn a_zero_is_no_danger() {
        assert_eq!(norm(0.0, 2.0, 1.1)[..3], [2.0, 0.0, 1.0]);
        assert_eq!(norm(0.0, 0.0, 1.1)[0], 0.0);
    }

    #[test]
    fn nested_norms_are_norms_of_norms() {
        let (q, s) = (4.0 / 3.0, 3.0);
        let exponents = [q, s].map(|q| Exponent { q: f64x2::splat(q), inverse: f64x2::splat(1.0 / q) });
        for (x, y, z) in [(1.0, 0.9, 0.2), (0.3, 1.1, 5.0), (2.0, 1e-9, 2.0), (0.0, 0.0, 0.7), (1e-3, 0.0, 0.0)] {
            let v = TwoVectors::both(glam::DVec3::new(x, y, z));
            let nested = Nested::new(v, exponents);
            let ring = norm(x, y, q);
            let whole = norm(ring[0], z, s);
            let [found, _] = nested.gradient().split();
            let [wanted_x, wanted_y] = [ring[1], ring[2]].map(|slope| whole[1] * slope);
            assert!((nested.whole.value.to_array()[0] / whole[0] - 1.0).abs() < 1e-15);
            assert!((found - glam::DVec3::new(wanted_x, wanted_y, whole[2])).length() < 4e-15, "{x} {y} {z}");
        }
    }
}
