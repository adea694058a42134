//! What the integration tests share: test-only bodies, and a certificate for an answer.
#![allow(dead_code, missing_docs)] // each test file uses its part

pub mod bodies;
pub mod certificate;
pub mod cylinder_oracle;
pub mod oracle;
pub mod plane_oracle;
pub mod shapes;
pub mod slopes;

use glam::DVec3;
use granum_geometry::Shape;
pub use granum_geometry::random::Random as Rng;
use granum_geometry::shape::Polyhedron;

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
