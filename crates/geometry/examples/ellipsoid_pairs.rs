//! Time of the contact of many pairs of ellipsoids, for the comparison with the Python package
//! (`crates/python/benches/targets.py`).
//!
//! The arguments are the number of pairs and the number of rounds. Prints the sum of the gaps.

use glam::{DQuat, DVec3};
use granum_geometry::shape::Ellipsoid;
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};

/// Distance of the centres, m: the ellipsoids touch or nearly do.
const DISTANCE: f64 = 1.6;

/// Returns a number from -1 to 1 that depends on its index only.
fn uniform(index: u64) -> f64 {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(index);
    state ^= state >> 31;
    state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state ^= state >> 27;
    (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1_000_000u64);
    let shape: Shape = Ellipsoid { semi_axes: DVec3::new(1.0, 0.8, 0.6) }.into();
    let quaternion = |n: [f64; 4]| DQuat::from_xyzw(n[1], n[2], n[3], n[0]).normalize();
    let poses: Vec<(Pose, Pose)> = (0..count)
        .map(|pair| {
            let n: [f64; 11] = std::array::from_fn(|k| uniform(11 * pair + k as u64 + 1));
            let direction = DVec3::new(n[8], n[9], n[10]).normalize();
            let a = Pose { position: DVec3::ZERO, orientation: quaternion([n[0], n[1], n[2], n[3]]) };
            let b = Pose { position: DISTANCE * direction, orientation: quaternion([n[4], n[5], n[6], n[7]]) };
            (a, b)
        })
        .collect();
    let rounds = std::env::args().nth(2).and_then(|rounds| rounds.parse().ok()).unwrap_or(1u64);
    let mut sum = 0.0;
    for _ in 0..rounds {
        let mut manifold = Manifold::default();
        for (a, b) in &poses {
            manifold.clear();
            collide(Measure::Depth, &Pair::new(&shape, a, &shape, b), &mut manifold);
            sum += manifold.deepest().map_or(f64::NAN, |point| point.gap);
        }
    }
    println!("{sum}");
}
