//! Random numbers that are the same everywhere and for ever: a scene with a seed is one scene.

use glam::DQuat;
use granum_geometry::random::Random as Source;

/// Random numbers by seed and stream, and the distributions that scenes ask for.
#[derive(Clone, Debug)]
pub struct Random(Source);

impl Random {
    /// The numbers of a seed; each stream of it is another sequence.
    pub fn new(seed: u64, stream: u64) -> Self {
        let offset = Source::new(seed).bits().wrapping_add(stream);
        Self(Source::new(Source::new(offset).bits()))
    }

    /// The numbers of a key: each key is another sequence. For grains that are drawn one by one over time.
    pub fn of(key: &[u64]) -> Self {
        Self(Source::new(key.iter().fold(0, |state, &part| Source::new(state.wrapping_add(part)).bits())))
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
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
    fn seeds_streams_and_keys_have_sequences_of_their_own() {
        assert_ne!(Random::new(1, 0).unit(), Random::new(1, 1).unit());
        assert_ne!(Random::new(1, 0).unit(), Random::new(2, 0).unit());
        assert_ne!(Random::of(&[1, 2]).unit(), Random::of(&[2, 1]).unit());
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
