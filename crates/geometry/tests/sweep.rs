//! Random pairs of test bodies, each answer proven by a certificate. `GRANUM_PAIRS=1000000` enlarges it.

mod support;

use granum_geometry::{Convex, Status};
use support::Rng;
use support::bodies::{Body, KINDS};
use support::certificate::{Case, Errors};

/// Pairs by default: a few seconds.
const PAIRS: usize = 100_000;

/// Directions tried for a smaller depth.
const SAMPLES: usize = 200;

/// Lengths over the larger body's size: 1e4 roundings, as `general` promises.
const TOLERANCE: f64 = 1e-12;

/// Surface points of aspect-50 bodies, whose curvature radii reach 2,500 times their size: 1e5 roundings.
const POINT_TOLERANCE: f64 = 1e-10;

/// How the two bodies stand to each other.
const STATES: [&str; 6] = ["far", "near", "grazing", "deep", "nested", "concentric"];

fn random_case(rng: &mut Rng, kinds: [usize; 2], state: &str) -> Case {
    let scale = rng.log_range(1e-6, 1e3);
    let ratio = if rng.index(2) == 0 { rng.log_range(1e-3, 1.0) } else { 1.0 };
    let mut sizes = [scale, scale * ratio];
    if rng.index(2) == 0 {
        sizes.swap(0, 1);
    }
    let a = Body::random(rng, kinds[0], sizes[0], 50.0);
    let b = Body::random(rng, kinds[1], sizes[1], 50.0);
    let mut case = Case { a, b, offset: Default::default(), orientation_a: rng.rotation(), orientation_b: rng.rotation() };
    let small = a.bounding_radius().min(b.bounding_radius());
    let n = rng.direction();
    let (on_a, on_b) = case.supports(n);
    let touching = on_a - on_b;
    case.offset = match state {
        "far" => touching + n * small * rng.log_range(1.0, 100.0),
        "near" => touching + n * small * rng.range(-0.1, 0.1),
        "grazing" => touching + n * small * rng.log_range(1e-14, 1e-3) * if rng.index(2) == 0 { -1.0 } else { 1.0 },
        "deep" => touching * rng.range(0.0, 1.0),
        "nested" => n * case.size() * rng.range(0.0, 0.1),
        _ => n * small * if rng.index(2) == 0 { 0.0 } else { rng.log_range(1e-16, 1e-3) },
    };
    case
}

#[test]
fn random_pairs_come_with_a_certificate() {
    let pairs = std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS);
    let mut rng = Rng::new(20_260_101);
    let cells: Vec<_> = (0..KINDS).flat_map(|i| (i..KINDS).map(move |j| [i, j])).collect();
    let mut failures = 0;
    let mut by: std::collections::BTreeMap<(String, [usize;2]), usize> = Default::default();
    for state in STATES {
        let mut worst = Errors::default();
        let (mut unconverged, mut wrong, mut iterations) = (0, 0, 0);
        let count = pairs / STATES.len();
        for k in 0..count {
            let case = random_case(&mut rng, cells[k % cells.len()], state);
            let (point, status, steps) = case.solve();
            iterations += u64::from(steps);
            let e = case.errors(&point, SAMPLES);
            let bad = e.surface > TOLERANCE || e.plane > TOLERANCE || e.depth > TOLERANCE || e.point > POINT_TOLERANCE;
            if status != Status::Converged {
                unconverged += 1;
            } else {
                worst = worst.worst(e);
            }
            if status != Status::Converged || bad {
                wrong += usize::from(status == Status::Converged);
                failures += 1;
                *by.entry((state.into(), cells[k % cells.len()])).or_default() += 1;
                if failures <= 12 || failures % 10 == 0 {
                    println!("{state}: {status:?} steps {steps} gap {:e} {e:?}\n  {case:?}", point.gap);
                }
            }
        }
        println!("{state:>10}: {count} pairs, {unconverged} unconverged, {wrong} wrong, mean steps {:.1}, {worst:?}",
            iterations as f64 / count as f64);
    }
    println!("{by:?}");
    assert_eq!(failures, 0, "of {pairs} pairs");
}
