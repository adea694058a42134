//! Random numbers that are the same everywhere and for ever.

use glam::{DQuat, DVec3};

/// What the state grows by: 2⁶⁴ over the golden ratio.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 (Steele, Lea and Flood, 2014): small, seeded, and good enough to place grains.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of seed 0 from the `k`th on: any of them without those before.
    pub fn skipping(k: u64) -> Self {
        Self(k.wrapping_mul(STRIDE))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STRIDE);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below a bound that is small against 2⁶⁴.
    pub fn index(&mut self, below: usize) -> usize {
        (self.bits() % below as u64) as usize
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in the logarithm, between two positive numbers. Its last bits are the platform's: for tests, not for scenes.
    pub fn log_range(&mut self, low: f64, high: f64) -> f64 {
        self.range(low.ln(), high.ln()).exp()
    }

    /// Uniform in the cube [-1, 1)³.
    pub fn in_cube(&mut self) -> DVec3 {
        DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    /// Uniform in the ball of radius 1.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let v = self.in_cube();
            if v.length_squared() <= 1.0 {
                return v;
            }
        }
    }

    /// A unit vector, all equally likely.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.in_ball();
            if v.length_squared() > 1e-4 {
                return v.normalize();
            }
        }
    }

    /// A rotation, all equally likely.
    pub fn rotation(&mut self) -> DQuat {
        loop {
            let mut c = || self.range(-1.0, 1.0);
            let q = DQuat::from_xyzw(c(), c(), c(), c());
            if (1e-2..1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_and_never_change() {
        // The published first number of SplitMix64 from state 0.
        assert_eq!(Random::new(0).bits(), 0xe220_a839_7b1d_cdaf);
        let mut random = Random::new(1);
        let mean = (0..100_000).map(|_| random.unit()).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 3e-3, "{mean}");
    }

    #[test]
    fn numbers_can_be_skipped() {
        let mut random = Random::new(0);
        (0..5).for_each(|_| _ = random.bits());
        assert_eq!(random.bits(), Random::skipping(5).bits());
    }
}
