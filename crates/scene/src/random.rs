//! Random numbers that are the same everywhere and for ever: a scene with a seed is one scene.

use glam::DQuat;

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

    /// The numbers of a key: each key is another sequence. For grains that are drawn one by one over time.
    pub fn of(key: &[u64]) -> Self {
        Self(key.iter().fold(0, |state, &part| Self(state.wrapping_add(part)).next()))
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

    /// Gauss's distribution with mean 0 and deviation 1 (Box and Muller, 1958).
    pub fn gauss(&mut self) -> f64 {
        // 1 - u lies in (0, 1], where the logarithm is finite.
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// A rotation, all equally likely (Shoemake, 1992).
    pub fn rotation(&mut self) -> DQuat {
        let (u, v, w) = (self.unit(), self.unit(), self.unit());
        let (sin_v, cos_v) = libm::sincos(std::f64::consts::TAU * v);
        let (sin_w, cos_w) = libm::sincos(std::f64::consts::TAU * w);
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(a * sin_v, a * cos_v, b * sin_w, b * cos_w).normalize()
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
        assert_ne!(Random::of(&[1, 2]).next(), Random::of(&[2, 1]).next());
    }

    #[test]
    fn rotations_have_no_preferred_direction() {
        let mut random = Random::new(5, 0);
        let turned: Vec<glam::DVec3> = (0..100_000).map(|_| random.rotation() * glam::DVec3::Z).collect();
        let mean = turned.iter().sum::<glam::DVec3>() / 1e5;
        let squares = turned.iter().map(|v| *v * *v).sum::<glam::DVec3>() / 1e5;
        assert!(mean.abs().max_element() < 6e-3, "{mean}");
        assert!((squares - 1.0 / 3.0).abs().max_element() < 4e-3, "{squares}");
    }
}
