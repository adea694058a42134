//! The random number generator of the workspace.
//!
//! Its sequences are the same on every platform and in every release: the positions of grains in a
//! scene and the recorded results of tests depend on them. Do not change an existing method; add a
//! new one instead.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

/// Increment of the state: 2⁶⁴ divided by the golden ratio, made odd.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 \[Steele2014\]: a seeded generator with 64 bits of state.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Creates the generator of one of the independent streams of a seed.
    ///
    /// A scene uses one stream each for sizes, positions, velocities and orientations, so that a
    /// change to one of them leaves the others as they are.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let offset = Self::new(seed).bits().wrapping_add(stream);
        Self::new(Self::new(offset).bits())
    }

    /// Creates the generator of a key; different keys, and different orders, have different
    /// sequences.
    ///
    /// It serves grains that are drawn one by one over time: the key of a grain contains its
    /// number, so that no generator has to be saved between grains.
    pub fn keyed(key: &[u64]) -> Self {
        Self::new(key.iter().fold(0, |state, &part| Self::new(state.wrapping_add(part)).bits()))
    }

    /// Creates the generator of seed 0 advanced by `k` numbers, in constant time.
    pub fn skipping(k: u64) -> Self {
        Self(k.wrapping_mul(STRIDE))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STRIDE);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns an integer in [0, below). The bias is negligible for `below` much smaller than 2⁶⁴.
    pub fn index(&mut self, below: usize) -> usize {
        (self.bits() % below as u64) as usize
    }

    /// Returns a number uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number uniform in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        self.range(-1.0, 1.0)
    }

    /// Returns a number uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a number in [low, high) whose logarithm is uniform; both bounds must be positive.
    ///
    /// It uses the logarithm of the platform, whose last bits differ between platforms. Use it in
    /// tests only.
    pub fn log_range(&mut self, low: f64, high: f64) -> f64 {
        self.range(low.ln(), high.ln()).exp()
    }

    /// Returns a number of the normal distribution with mean 0 and standard deviation 1
    /// \[Box1958\].
    pub fn gauss(&mut self) -> f64 {
        // 1 - u lies in (0, 1], where the logarithm is finite.
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(TAU * self.unit())
    }

    /// Returns a point uniform in the cube [-1, 1)³.
    pub fn in_cube(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Returns a point uniform in the ball of radius 1.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let v = self.in_cube();
            if v.length_squared() <= 1.0 {
                return v;
            }
        }
    }

    /// Returns a unit vector, uniform over the sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            // Points close to the centre are rejected: there the normalisation would lose digits.
            let v = self.in_ball();
            if v.length_squared() > 1e-4 {
                return v.normalize();
            }
        }
    }

    /// Returns a rotation, uniform over all rotations, by rejection from the cube [-1, 1)⁴.
    ///
    /// Scenes use [`Random::rotation_by_angles`], which has the same distribution but another
    /// sequence. Both are kept, because recorded results depend on each of them.
    pub fn rotation(&mut self) -> DQuat {
        loop {
            let mut c = || self.signed();
            let q = DQuat::from_xyzw(c(), c(), c(), c());
            if (1e-2..1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }

    /// Returns a rotation, uniform over all rotations, from exactly three numbers \[Shoemake1992\].
    pub fn rotation_by_angles(&mut self) -> DQuat {
        let (u, v, w) = (self.unit(), self.unit(), self.unit());
        let (sin_v, cos_v) = libm::sincos(TAU * v);
        let (sin_w, cos_w) = libm::sincos(TAU * w);
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(a * sin_v, a * cos_v, b * sin_w, b * cos_w).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_and_never_change() {
        // Published first number of SplitMix64 for the state 0.
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

    #[test]
    fn seeds_streams_and_keys_have_sequences_of_their_own() {
        assert_ne!(Random::stream(1, 0).unit(), Random::stream(1, 1).unit());
        assert_ne!(Random::stream(1, 0).unit(), Random::stream(2, 0).unit());
        assert_ne!(Random::keyed(&[1, 2]).unit(), Random::keyed(&[2, 1]).unit());
    }

    #[test]
    fn streams_keys_and_distributions_keep_their_recorded_values() {
        // Scenes with a seed depend on these sequences.
        let recorded = [
            (Random::stream(7, 3).unit(), 0x3fea_1585_df5a_543c),
            (Random::keyed(&[7, 3, 1]).unit(), 0x3fed_30e8_331c_b43e),
            (Random::stream(7, 3).gauss(), 0x3ff6_a91e_4bc2_f665),
            (Random::stream(7, 3).rotation_by_angles().w, 0x3fec_e3b5_c593_c2fe),
            (Random::new(7).rotation().w, 0xbfe1_ca56_c043_053f),
        ];
        for (value, expected) in recorded {
            assert_eq!(value.to_bits(), expected, "{value}");
        }
    }

    #[test]
    fn rotations_have_no_preferred_direction() {
        let mut random = Random::stream(5, 0);
        let rotated: Vec<DVec3> = (0..100_000).map(|_| random.rotation_by_angles() * DVec3::Z).collect();
        let mean = rotated.iter().sum::<DVec3>() / 1e5;
        let squares = rotated.iter().map(|v| *v * *v).sum::<DVec3>() / 1e5;
        assert!(mean.abs().max_element() < 6e-3, "{mean}");
        assert!((squares - 1.0 / 3.0).abs().max_element() < 4e-3, "{squares}");
    }
}
