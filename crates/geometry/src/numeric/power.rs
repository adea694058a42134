//! Logarithm and exponential as branch-free sequences of basic operations, with the same bits on
//! every platform. They handle no special cases, because only norms of positive numbers use them.
//!
//! Each function computes two values at once. One value is a chain of dependent operations, so that
//! the processor computes a second one at no extra time.

use wide::bytemuck::cast;
use wide::{f64x2, u64x2};

/// ln 2 in two parts. The first has 32 bits, so that its products with exponents are exact.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Adding and subtracting this constant rounds a number below 2^51 to an integer, which is then
/// stored in the last bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Lower bound of the argument of the exponential. The result, about 1e-304, is still a normal
/// number.
const LEAST_EXPONENT: f64 = -700.0;

/// Returns the natural logarithms of two positive normal numbers, with an error of about one
/// rounding.
#[inline(always)]
pub(crate) fn ln(x: f64x2) -> f64x2 {
    // x = 2^k m with m between 1/sqrt 2 and sqrt 2.
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    const FRACTION: u64 = 0x000f_ffff_ffff_ffff;
    /// Offset that keeps the exponent positive.
    const BIAS: u64 = 1024;
    /// 2^52, whose last bits then store the exponent.
    const INTEGERS: f64 = 4_503_599_627_370_496.0;
    let all = u64x2::splat;
    let shifted = cast::<_, u64x2>(x) + all((BIAS << 52).wrapping_sub(HALF_ROOT));
    let k = cast::<_, f64x2>(shifted >> 52 | all(INTEGERS.to_bits())) - f64x2::splat(INTEGERS + BIAS as f64);
    let m = cast::<_, f64x2>((shifted & all(FRACTION)) + all(HALF_ROOT));
    // ln m = 2 artanh s = 2 s + s z p(z), z = s^2 < 0.0295.
    let f = m - 1.0;
    let s = f / (f + 2.0);
    let z = s * s;
    let z2 = z * z;
    let z4 = z2 * z2;
    let two = |low: f64, high: f64| z * high + low;
    let p = two(2.0 / 3.0, 2.0 / 5.0) + two(2.0 / 7.0, 2.0 / 9.0) * z2;
    let p = p + (two(2.0 / 11.0, 2.0 / 13.0) + two(2.0 / 15.0, 2.0 / 17.0) * z2) * z4;
    let p = p + two(2.0 / 19.0, 2.0 / 21.0) * (z4 * z4);
    // 2 s = f - f s gives the leading term without the rounding error of the quotient.
    k * LN2_HIGH + (f - (s * (f - z * p) - k * LN2_LOW))
}

/// Returns the exponentials of two numbers below 700, with an error of about one rounding.
#[inline(always)]
pub(crate) fn exp(x: f64x2) -> f64x2 {
    let x = x.fast_max(f64x2::splat(LEAST_EXPONENT));
    let rounded = x * std::f64::consts::LOG2_E + ROUNDER;
    let k = rounded - ROUNDER;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    // Taylor series with |r| < 0.347. The first omitted term is below 5e-18.
    let r2 = r * r;
    let r4 = r2 * r2;
    let two = |low: f64, high: f64| r * high + low;
    let low = two(1.0 / 2.0, 1.0 / 6.0) + two(1.0 / 24.0, 1.0 / 120.0) * r2;
    let middle = two(1.0 / 720.0, 1.0 / 5040.0) + two(1.0 / 40_320.0, 1.0 / 362_880.0) * r2;
    let high = two(1.0 / 3_628_800.0, 1.0 / 39_916_800.0) + two(1.0 / 479_001_600.0, 1.0 / 6_227_020_800.0) * r2;
    let tail = r2 * (low + r4 * (middle + r4 * high));
    let scale = cast::<_, f64x2>((cast::<_, u64x2>(rounded) << 52) + u64x2::splat(1023 << 52));
    scale + scale * (r + tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A logarithm or an exponential of one number.
    fn one(of: fn(f64x2) -> f64x2, x: f64) -> f64 {
        let [first, second] = of(f64x2::new([x, x])).to_array();
        assert_eq!(first, second);
        first
    }

    /// Numbers spread over many decades.
    fn samples() -> impl Iterator<Item = f64> {
        (0..200_000).map(|k| libm::exp(-600.0 + 0.00643 * f64::from(k)))
    }

    #[test]
    fn ln_agrees_with_libm() {
        for x in samples().chain((0..100_000).map(|k| 0.5 + 1.5e-5 * f64::from(k))) {
            let exact = libm::log(x);
            assert!((one(ln, x) - exact).abs() <= 2.3e-16 * exact.abs(), "ln {x:e}: {} not {exact}", one(ln, x));
        }
    }

    #[test]
    fn exp_agrees_with_libm() {
        for k in 0..200_000 {
            let x = -690.0 + 0.00690 * f64::from(k);
            let exact = libm::exp(x);
            assert!((one(exp, x) / exact - 1.0).abs() <= 4.5e-16, "exp {x}: {} not {exact}", one(exp, x));
        }
        assert_eq!(one(exp, 0.0), 1.0);
        assert!(one(exp, -1e9) < 1e-300);
    }
}
