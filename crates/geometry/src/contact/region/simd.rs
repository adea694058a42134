//! Four numbers at once: what is done to one of them is done to all, in the processor's wide registers.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

use wide::f64x4;

/// Four numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Four(f64x4);

impl Four {
    /// How many they are.
    pub const COUNT: usize = 4;

    #[inline(always)]
    pub fn new(numbers: [f64; 4]) -> Self {
        Self(f64x4::new(numbers))
    }

    /// Four times the same.
    #[inline(always)]
    pub fn all(number: f64) -> Self {
        Self(f64x4::splat(number))
    }

    /// One of them.
    #[inline(always)]
    pub fn at(self, k: usize) -> f64 {
        self.0.to_array()[k]
    }

    /// Four times one of them.
    #[inline(always)]
    pub fn every(self, k: usize) -> Self {
        Self::all(self.at(k))
    }

    /// Without their signs.
    #[inline(always)]
    pub fn size(self) -> Self {
        Self(self.0.abs())
    }

    /// Which of them exceed the other four: a bit for each.
    #[inline(always)]
    pub fn exceeds(self, other: Self) -> u8 {
        self.0.simd_gt(other.0).to_bitmask() as u8
    }

    /// Their sum, in an order of its own.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        let [a, b, c, d] = self.0.to_array();
        (a + b) + (c + d)
    }

    /// Roots; of a negative number zero.
    #[inline(always)]
    pub fn root(self) -> Self {
        Self(self.or_larger(Self::default()).0.sqrt())
    }

    /// The larger of each two numbers, of which each must be one.
    #[inline(always)]
    pub fn or_larger(self, other: Self) -> Self {
        Self(self.0.fast_max(other.0))
    }

    /// The smaller of each two numbers, of which each must be one.
    #[inline(always)]
    pub fn or_smaller(self, other: Self) -> Self {
        Self(self.0.fast_min(other.0))
    }

    /// These where `above` exceeds `below`, the others elsewhere.
    #[inline(always)]
    pub fn where_above(self, above: Self, below: Self, other: Self) -> Self {
        Self(above.0.simd_gt(below.0).select(self.0, other.0))
    }

    /// The smaller of each two numbers; the other's where one of these is no number.
    #[inline(always)]
    pub fn smaller_or(self, other: Self) -> Self {
        let (a, b) = (self.0.to_array(), other.0.to_array());
        Self::new(std::array::from_fn(|k| if a[k] < b[k] { a[k] } else { b[k] }))
    }

    /// The larger of each two numbers; the other's where one of these is no number.
    #[inline(always)]
    pub fn larger_or(self, other: Self) -> Self {
        let (a, b) = (self.0.to_array(), other.0.to_array());
        Self::new(std::array::from_fn(|k| if a[k] > b[k] { a[k] } else { b[k] }))
    }

    /// The largest of the four.
    pub fn largest(self) -> f64 {
        self.0.to_array().into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The smallest of the four.
    pub fn smallest(self) -> f64 {
        self.0.to_array().into_iter().fold(f64::INFINITY, f64::min)
    }
}

impl Add for Four {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Four {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Four {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul for Four {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl Mul<f64> for Four {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        self * Self::all(factor)
    }
}

impl Div for Four {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }
}
