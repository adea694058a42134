//! Shared parts of the integration tests: random shapes, test bodies, oracles, and a certificate
//! for contacts.
#![allow(dead_code, missing_docs)] // each test file uses only a part

pub mod bodies;
pub mod certificate;
pub mod cylinder_oracle;
pub mod derivatives;
pub mod oracle;
pub mod plane_oracle;
pub mod polytopes;
pub mod shapes;
pub mod slopes;
pub mod triangle;

use glam::DVec3;
pub use granum_geometry::random::Random as Rng;

/// Returns `count` directions that cover the sphere evenly.
pub fn spread(count: usize) -> impl Iterator<Item = DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count).map(move |k| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        let ring = (1.0 - z * z).sqrt();
        DVec3::new(ring * cos, ring * sin, z)
    })
}
