//! Planar rows of `granum bench pairs`: the exact routine, and the published curvature method
//! \[Martinez2003\] for comparison.

use std::hint::black_box;
use std::time::Instant;

use glam::{DQuat, DVec3};
use granum_geometry::{Manifold, Measure, Pair, Status, collide};
use granum_reference::benchmark::{KnownPair, planar_pairs};
use granum_reference::methods::{Search, curvature};

use super::pairs::Measured;

/// Number of pairs in a row.
const PAIRS: usize = 20_000;

/// Largest aspect ratio, and the distance or depth of the pairs, m. The depth is below the least
/// radius of curvature, so that a pair has no other contact than that from which it was
/// constructed.
const KINDS: [(&str, f64, f64); 2] = [("ellipse, aspect to 3", 3.0, 2e-3), ("ellipse, aspect to 50", 50.0, 5e-4)];

/// Size of the bodies, m.
const SIZE: f64 = 2.0;

/// Angle between a warm start and the normal, rad: more than a grain rotates in a step.
const TURNED: f64 = 1e-3;

/// Tolerance of Brent's method in the examples of \[Martinez2003\], rad.
const PRINTED_TOLERANCE: f64 = 1e-5;

/// Error beyond which a result is a failure, as a fraction of the gap.
const FAILURE: f64 = 0.1;

/// Measures ellipses of two ranges of aspect ratios.
pub fn measure(repeat: u32) -> Vec<Measured> {
    let mut rows = Vec::new();
    for (name, aspect, gap) in KINDS {
        for (state, gap) in [("separated", gap), ("overlapping", -gap)] {
            let pairs = planar_pairs(PAIRS, aspect, gap);
            let turn = DQuat::from_rotation_z(TURNED);
            let exact = |pair: &Pair, manifold: &mut Manifold| {
                collide(Measure::Depth, pair, manifold);
                let sound = manifold.status == Status::Converged;
                manifold.deepest().filter(|_| sound).map(|point| point.gap)
            };
            for (start, warm) in [("cold", None), ("warm", Some(turn))] {
                rows.push(row(name, "common-normal", state, start, &pairs, warm, repeat, exact));
            }
            let printed = |pair: &Pair, _: &mut Manifold| {
                curvature(pair, Search::AsPrinted { tolerance: PRINTED_TOLERANCE }).map(|found| -found.overlap)
            };
            rows.push(row(name, "curvature-as-printed", state, "cold", &pairs, None, repeat, printed));
        }
    }
    rows
}

#[allow(clippy::too_many_arguments)] // One argument per column of the row.
fn row(
    shape: &str,
    routine: &'static str,
    state: &'static str,
    start: &'static str,
    pairs: &[KnownPair],
    warm: Option<DQuat>,
    repeat: u32,
    solve: impl Fn(&Pair, &mut Manifold) -> Option<f64>,
) -> Measured {
    let mut manifold = Manifold::default();
    let queries: Vec<(Pair, f64)> = pairs
        .iter()
        .map(|known| {
            let warm: Option<DVec3> = warm.map(|turn| turn * known.normal);
            (known.pair(warm), known.gap)
        })
        .collect();
    let (mut max_error, mut failures) = (0f64, 0);
    for (pair, gap) in &queries {
        let error = solve(pair, &mut manifold).map_or(f64::INFINITY, |found| (found - gap).abs());
        failures += usize::from(error.is_nan() || error > FAILURE * gap.abs());
        max_error = max_error.max(error / SIZE);
    }
    let mut run = || {
        let start = Instant::now();
        for (pair, _) in &queries {
            black_box(solve(black_box(pair), &mut manifold));
        }
        start.elapsed().as_secs_f64() * 1e9
    };
    let fastest = (0..repeat).map(|_| run()).fold(f64::INFINITY, f64::min);
    let ns_per_pair = fastest / pairs.len() as f64;
    let (shape, pairs) = (shape.into(), pairs.len());
    Measured { shape, routine, state, start, pairs, ns_per_pair, max_error, failures, shallower: 0 }
}
