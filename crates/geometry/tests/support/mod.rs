//! What the integration tests share: a seeded generator, test-only bodies, and a certificate for an answer.
#![allow(dead_code, missing_docs)] // each test file uses its part

pub mod bodies;
pub mod certificate;
pub mod cylinder_oracle;
pub mod oracle;
pub mod plane_oracle;
pub mod shapes;

use glam::{DQuat, DVec3};
use granum_geometry::Shape;
use granum_geometry::shape::Polyhedron;

/// SplitMix64: small, seeded, and good enough to place grains.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn index(&mut self, below: usize) -> usize {
        (self.next() % below as u64) as usize
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Uniform in the logarithm.
    pub fn log_range(&mut self, low: f64, high: f64) -> f64 {
        self.range(low.ln(), high.ln()).exp()
    }

    /// Uniform in the ball of radius 1.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if v.length_squared() <= 1.0 {
                return v;
            }
        }
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.in_ball();
            if v.length_squared() > 1e-4 {
                return v.normalize();
            }
        }
    }

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

/// `count` directions spread evenly over the sphere.
pub fn spread(count: usize) -> impl Iterator<Item = DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count).map(move |k| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        let ring = (1.0 - z * z).sqrt();
        DVec3::new(ring * cos, ring * sin, z)
    })
}

/// A stone: the hull of so many points on a random ellipsoid of semi-axes 0.3 to 1 m.
pub fn random_rock(rng: &mut Rng, count: usize) -> Shape {
    let axes = DVec3::new(rng.range(0.3, 1.0), rng.range(0.3, 1.0), rng.range(0.3, 1.0));
    let vertices = (0..count).map(|_| axes * rng.direction()).collect();
    Polyhedron::new(vertices).expect("points on an ellipsoid span a solid").into()
}
