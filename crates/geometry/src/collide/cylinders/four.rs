//! Four numbers at once: what is done to one of them is done to all, two by two in the processor's registers.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// Four numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Four([f64; 4]);

impl Four {
    /// How many they are.
    pub const COUNT: usize = 4;

    #[inline(always)]
    pub fn new(numbers: [f64; 4]) -> Self {
        Self(numbers)
    }

    /// Four times the same.
    #[inline(always)]
    pub fn all(number: f64) -> Self {
        Self([number; 4])
    }

    /// One of them.
    #[inline(always)]
    pub fn at(self, k: usize) -> f64 {
        self.0[k]
    }

    /// Four times one of them.
    #[inline(always)]
    pub fn every(self, k: usize) -> Self {
        Self::all(self.0[k])
    }

    /// Without their signs.
    #[inline(always)]
    pub fn size(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a.abs(), b.abs(), c.abs(), d.abs()])
    }

    /// Which of them exceed the other four: a bit for each.
    #[inline(always)]
    pub fn exceeds(self, other: Self) -> u8 {
        let bit = |k: usize| u8::from(self.0[k] > other.0[k]) << k;
        bit(0) | bit(1) | bit(2) | bit(3)
    }

    /// Their sum, in an order of its own.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + b) + (c + d)
    }

    /// Roots; of a negative number zero.
    #[inline(always)]
    pub fn root(self) -> Self {
        let [a, b, c, d] = self.or_larger(Self::default()).0;
        Self([a.sqrt(), b.sqrt(), c.sqrt(), d.sqrt()])
    }

    // The library's own functions look for what is not a number, which takes longer than all else here.

    /// The larger of each two numbers; the other's where one of these is none.
    #[inline(always)]
    pub fn or_larger(self, other: Self) -> Self {
        self.with(other, |a, b| if a > b { a } else { b })
    }

    /// The smaller of each two numbers; the other's where one of these is none.
    #[inline(always)]
    pub fn or_smaller(self, other: Self) -> Self {
        self.with(other, |a, b| if a < b { a } else { b })
    }

    /// These where `above` exceeds `below`, the others elsewhere.
    #[inline(always)]
    pub fn where_above(self, above: Self, below: Self, other: Self) -> Self {
        let ([a, b, c, d], [p, q, r, s], [e, f, g, h], [i, j, k, l]) = (above.0, below.0, self.0, other.0);
        Self([
            if a > p { e } else { i },
            if b > q { f } else { j },
            if c > r { g } else { k },
            if d > s { h } else { l },
        ])
    }

    /// The largest of the four.
    pub fn largest(self) -> f64 {
        self.0.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The smallest of the four.
    pub fn smallest(self) -> f64 {
        self.0.into_iter().fold(f64::INFINITY, f64::min)
    }

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [p, q, r, s]) = (self.0, other.0);
        Self([f(a, p), f(b, q), f(c, r), f(d, s)])
    }
}

impl Add for Four {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
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
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Four {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
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
        self.with(other, |a, b| a / b)
    }
}
