//! Random numbers that are the same everywhere and for ever: a scene with a seed is one scene.

/// SplitMix64 (Steele, Lea and Flood, 2014): small, and good enough to place grains.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed; each stream of it is another sequence.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Self(seed);
        let offset = mixed.next().wrapping_add(stream);
        Self(Self(offset).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.next() >> 11) as f64 * STEP
    }

    /// Uniform in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_and_never_change() {
        let mut random = Random::new(1, 0);
        let mean = (0..100_000).map(|_| random.unit()).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 3e-3, "{mean}");
        // The published first number of SplitMix64 from state 0.
        assert_eq!(Random(0).next(), 0xe220_a839_7b1d_cdaf);
        assert_ne!(Random::new(1, 0).next(), Random::new(1, 1).next());
        assert_ne!(Random::new(1, 0).next(), Random::new(2, 0).next());
    }
}
