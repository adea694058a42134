//! G3: random pairs of superellipsoids as in [Wellmann2008], with contacts known by construction.

use granum_geometry::random::Random;
use granum_geometry::{Manifold, Measure, Status, collide};
use granum_reference::random_pairs::{INTERVALS as EPS, LARGEST_DEPTH, LARGEST_GAP, RandomPair};

use crate::{Case, Report};

/// The series with 10,000 pairs.
pub const G3: Case = Case {
    name: "G3",
    tier: 1,
    about: "Wellmann's random superellipsoid pairs, 10,000 a series",
    run: |r| run(r, 10_000),
};

/// The series with 1,000,000 pairs, as published.
pub const G3_FULL: Case = Case {
    name: "G3-full",
    tier: 3,
    about: "the same with 1,000,000 pairs a series, as published",
    run: |report| run(report, 1_000_000),
};

/// An interval of exponents and the published results for it.
struct Interval {
    name: &'static str,
    eps: [f64; 2],
    /// Published fraction of pairs excluded by the first direction, per cent.
    excluded: f64,
    /// Published number of unresolved pairs per million.
    unresolved: u32,
    /// Published mean relative error of the depth.
    depth: f64,
    /// Published mean error of the points, m.
    points: f64,
    /// Published mean angle between the normals, degrees.
    angle: f64,
}

const INTERVALS: [Interval; 3] = [
    Interval {
        name: "eps 1",
        eps: EPS[0],
        excluded: 88.1,
        unresolved: 193,
        depth: 2.34e-6,
        points: 4.34e-8,
        angle: 4.21e-3,
    },
    Interval {
        name: "eps 0.7-1.3",
        eps: EPS[1],
        excluded: 85.2,
        unresolved: 198,
        depth: 2.40e-6,
        points: 4.40e-8,
        angle: 5.05e-3,
    },
    Interval {
        name: "eps 0.3-1.7",
        eps: EPS[2],
        excluded: 78.2,
        unresolved: 9219,
        depth: 3.21e-5,
        points: 3.72e-7,
        angle: 1.82e-2,
    },
];

/// Difference of depths above which a common normal is not the constructed one, m.
const ANOTHER: f64 = 1e-9;

fn solve(built: &RandomPair, margin: f64) -> Manifold {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &built.pair(margin), &mut manifold);
    manifold
}

fn run(report: &mut Report, pairs: usize) {
    for interval in &INTERVALS {
        exclusion(report, interval, pairs);
        resolution(report, interval, pairs);
    }
}

/// Series A: separated pairs must be excluded.
fn exclusion(report: &mut Report, interval: &Interval, pairs: usize) {
    let mut random = Random::new(1);
    let (mut wrong, mut at_once, mut late) = (0usize, 0usize, 0usize);
    for _ in 0..pairs {
        let gap = random.range(0.0, LARGEST_GAP);
        let manifold = solve(&RandomPair::new(&mut random, interval.eps, gap), 0.0);
        wrong += usize::from(!manifold.points().is_empty() || manifold.status != Status::Converged);
        at_once += usize::from(manifold.iterations == 0);
        late += usize::from(manifold.iterations >= 5);
    }
    let per_cent = |count: usize| 100.0 * count as f64 / pairs as f64;
    report.at_most(format!("{}, apart: pairs not excluded", interval.name), wrong as f64, 0.0);
    report.note(format!(
        "excluded at the first direction {:.1} % (published: {} %), five steps or more {:.2} %",
        per_cent(at_once),
        interval.excluded,
        per_cent(late)
    ));
}

/// Series B: overlapping pairs must be resolved.
fn resolution(report: &mut Report, interval: &Interval, pairs: usize) {
    let mut random = Random::new(2);
    let (mut lost, mut another, mut counted) = (0usize, 0usize, 0usize);
    let (mut depth_error, mut point_error, mut angle, mut steps) = (0.0, 0.0, 0.0, 0u64);
    for _ in 0..pairs {
        let depth = random.range(0.0, LARGEST_DEPTH);
        let built = RandomPair::new(&mut random, interval.eps, -depth);
        let manifold = solve(&built, f64::INFINITY);
        steps += u64::from(manifold.iterations);
        let Some(point) = manifold.deepest().filter(|_| manifold.status == Status::Converged) else {
            lost += 1;
            continue;
        };
        if -point.gap < depth - ANOTHER {
            another += 1;
            continue;
        }
        counted += 1;
        depth_error += (point.gap + depth).abs() / depth;
        point_error += (point.on_a() - built.on_a).length();
        angle += point.normal.cross(built.normal).length().to_degrees();
        lost += usize::from(-point.gap > depth + ANOTHER);
    }
    let mean = |sum: f64| sum / counted as f64;
    let name = interval.name;
    report.at_most(format!("{name}, overlapping: pairs not resolved"), lost as f64, 0.0);
    report.note(format!(
        "published: {} in a million; {another} pairs have a smaller depth than constructed; {:.2} steps a pair",
        interval.unresolved,
        steps as f64 / pairs as f64
    ));
    report.at_most(format!("{name}: mean relative error of the depth"), mean(depth_error), interval.depth);
    report.at_most(format!("{name}: mean error of the points, m"), mean(point_error), interval.points);
    report.at_most(format!("{name}: mean angle off the normal, deg"), mean(angle), interval.angle);
}
