//! Four `f64` values in one SIMD register.
//!
//! The slices of a region are independent of each other, so four of them are evaluated at once. All
//! operations act on each of the four values separately unless stated otherwise.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

use wide::f64x4;

/// Four `f64` values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct F64x4(f64x4);

impl F64x4 {
    /// Number of values.
    pub const COUNT: usize = 4;

    #[inline(always)]
    pub fn new(values: [f64; 4]) -> Self {
        Self(f64x4::new(values))
    }

    /// Returns four copies of a number.
    #[inline(always)]
    pub fn splat(number: f64) -> Self {
        Self(f64x4::splat(number))
    }

    /// Returns the k-th value.
    #[inline(always)]
    pub fn get(self, k: usize) -> f64 {
        self.0.to_array()[k]
    }

    /// Returns four copies of the k-th value.
    #[inline(always)]
    pub fn splat_of(self, k: usize) -> Self {
        Self::splat(self.get(k))
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// Returns a bit mask: bit k is set if the k-th value is greater than that of `other`.
    #[inline(always)]
    pub fn greater_mask(self, other: Self) -> u8 {
        self.0.simd_gt(other.0).to_bitmask() as u8
    }

    /// Returns the sum of the four values, in a fixed order, so that the result has the same bits
    /// everywhere.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        // The two inner sums are independent of each other and can run in parallel.
        let [a, b, c, d] = self.0.to_array();
        (a + b) + (c + d)
    }

    /// Returns the square roots; zero for negative values, which are roundings of zero.
    #[inline(always)]
    pub fn sqrt_or_zero(self) -> Self {
        Self(self.max(Self::default()).0.sqrt())
    }

    /// Returns the larger values. No value may be NaN: the fast instruction does not treat NaN
    /// consistently.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self(self.0.fast_max(other.0))
    }

    /// Returns the smaller values. No value may be NaN.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self(self.0.fast_min(other.0))
    }

    /// Returns the values of `self` where `left > right`, and those of `other` elsewhere.
    #[inline(always)]
    pub fn select_where_greater(self, left: Self, right: Self, other: Self) -> Self {
        Self(left.0.simd_gt(right.0).select(self.0, other.0))
    }

    /// Returns the smaller values; where a value of `self` is NaN, the value of `other`.
    #[inline(always)]
    pub fn min_ignoring_nan(self, other: Self) -> Self {
        // Every comparison with NaN is false.
        let (a, b) = (self.0.to_array(), other.0.to_array());
        Self::new(std::array::from_fn(|k| if a[k] < b[k] { a[k] } else { b[k] }))
    }

    /// Returns the larger values; where a value of `self` is NaN, the value of `other`.
    #[inline(always)]
    pub fn max_ignoring_nan(self, other: Self) -> Self {
        // As above, a comparison with NaN selects the other value.
        let (a, b) = (self.0.to_array(), other.0.to_array());
        Self::new(std::array::from_fn(|k| if a[k] > b[k] { a[k] } else { b[k] }))
    }

    /// Returns the largest of the four values.
    pub fn max_element(self) -> f64 {
        self.0.to_array().into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the smallest of the four values.
    pub fn min_element(self) -> f64 {
        self.0.to_array().into_iter().fold(f64::INFINITY, f64::min)
    }
}

impl Add for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for F64x4 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl Mul<f64> for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        self * Self::splat(factor)
    }
}

impl Div for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }
}
