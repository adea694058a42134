//! Logarithm and exponential in a straight line of basic operations: the same bits everywhere, and no branch for a
//! processor to guess wrong. They serve norms only, so they need not know special cases.

/// ln 2 in two parts: the first has 32 bits, so that its products with exponents are exact.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Adding and subtracting it rounds a number below 2^51 to an integer, which its last bits then hold.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Below this argument the exponential is taken as if it were this one: about 1e-304, still a normal number.
const LEAST_EXPONENT: f64 = -700.0;

/// The natural logarithm of a positive normal number, to about a rounding.
#[inline]
pub(crate) fn ln(x: f64) -> f64 {
    // x = 2^k m with m between 1/sqrt 2 and sqrt 2.
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    let shifted = x.to_bits().wrapping_sub(HALF_ROOT);
    let k = (shifted as i64 >> 52) as f64;
    let m = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff).wrapping_add(HALF_ROOT));
    // ln m = 2 artanh s = 2 s + s z p(z), z = s^2 < 0.0295.
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let z2 = z * z;
    let z4 = z2 * z2;
    let p = (2.0 / 3.0 + 2.0 / 5.0 * z) + (2.0 / 7.0 + 2.0 / 9.0 * z) * z2;
    let p = p + ((2.0 / 11.0 + 2.0 / 13.0 * z) + (2.0 / 15.0 + 2.0 / 17.0 * z) * z2) * z4;
    let p = p + (2.0 / 19.0 + 2.0 / 21.0 * z) * (z4 * z4);
    // 2 s = f - f s: the leading term without the rounding of the quotient.
    k * LN2_HIGH + (f - (s * (f - z * p) - k * LN2_LOW))
}

/// The exponential of a number below 700, to about a rounding.
#[inline]
pub(crate) fn exp(x: f64) -> f64 {
    let x = x.max(LEAST_EXPONENT);
    let rounded = x * std::f64::consts::LOG2_E + ROUNDER;
    let k = rounded - ROUNDER;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    // Taylor's series, |r| < 0.347: the first term left out is below 5e-18.
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = (1.0 / 2.0 + 1.0 / 6.0 * r) + (1.0 / 24.0 + 1.0 / 120.0 * r) * r2;
    let middle = (1.0 / 720.0 + 1.0 / 5040.0 * r) + (1.0 / 40_320.0 + 1.0 / 362_880.0 * r) * r2;
    let high = (1.0 / 3_628_800.0 + 1.0 / 39_916_800.0 * r) + (1.0 / 479_001_600.0 + 1.0 / 6_227_020_800.0 * r) * r2;
    let tail = r2 * (low + r4 * (middle + r4 * high));
    let scale = f64::from_bits(((rounded.to_bits() << 52) as i64 + (1023i64 << 52)) as u64);
    scale + scale * (r + tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers spread over many decades.
    fn samples() -> impl Iterator<Item = f64> {
        (0..200_000).map(|k| libm::exp(-600.0 + 0.00643 * f64::from(k)))
    }

    #[test]
    fn ln_agrees_with_libm() {
        for x in samples().chain((0..100_000).map(|k| 0.5 + 1.5e-5 * f64::from(k))) {
            let exact = libm::log(x);
            assert!((ln(x) - exact).abs() <= 2.3e-16 * exact.abs(), "ln {x:e}: {} not {exact}", ln(x));
        }
    }

    #[test]
    fn exp_agrees_with_libm() {
        for k in 0..200_000 {
            let x = -690.0 + 0.00690 * f64::from(k);
            let exact = libm::exp(x);
            assert!((exp(x) / exact - 1.0).abs() <= 4.5e-16, "exp {x}: {} not {exact}", exp(x));
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e9) < 1e-300);
    }
}
