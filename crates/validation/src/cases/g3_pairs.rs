//! G3: random pairs of superellipsoids as in [Wellmann2008], with contacts known by construction.

use glam::DVec3;
use granum_geometry::random::Random;
use granum_geometry::shape::Superellipsoid;
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, Status, collide};

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
        eps: [1.0, 1.0],
        excluded: 88.1,
        unresolved: 193,
        depth: 2.34e-6,
        points: 4.34e-8,
        angle: 4.21e-3,
    },
    Interval {
        name: "eps 0.7-1.3",
        eps: [0.7, 1.3],
        excluded: 85.2,
        unresolved: 198,
        depth: 2.40e-6,
        points: 4.40e-8,
        angle: 5.05e-3,
    },
    Interval {
        name: "eps 0.3-1.7",
        eps: [0.3, 1.7],
        excluded: 78.2,
        unresolved: 9219,
        depth: 3.21e-5,
        points: 3.72e-7,
        angle: 1.82e-2,
    },
];

/// Largest gap of separated pairs (series A), m.
const LARGEST_GAP: f64 = 0.25;
/// Largest depth of overlapping pairs (series B), m.
const LARGEST_DEPTH: f64 = 1.75e-3;

/// Difference of depths above which a common normal is not the constructed one, m.
const ANOTHER: f64 = 1e-9;

fn body(random: &mut Random, eps: [f64; 2]) -> Shape {
    let mut semi_axis = || random.range(0.5, 3.0);
    let semi_axes = DVec3::new(semi_axis(), semi_axis(), semi_axis());
    Superellipsoid { semi_axes, eps: [random.range(eps[0], eps[1]), random.range(eps[0], eps[1])] }.into()
}

/// A pair with the normal `n` by construction.
struct Built {
    a: Shape,
    b: Shape,
    pose_b: Pose,
    n: DVec3,
    on_a: DVec3,
}

impl Built {
    fn new(random: &mut Random, eps: [f64; 2], gap: f64) -> Self {
        let (a, b) = (body(random, eps), body(random, eps));
        let (n, orientation) = (random.direction(), random.rotation());
        let on_a = a.as_convex().support(n);
        let on_b = orientation * b.as_convex().support(orientation.inverse() * -n);
        Self { a, b, pose_b: Pose { position: on_a + gap * n - on_b, orientation }, n, on_a }
    }

    fn solve(&self, margin: f64) -> Manifold {
        let mut manifold = Manifold::default();
        collide(
            Measure::Depth,
            &Pair { margin, ..Pair::new(&self.a, &Pose::IDENTITY, &self.b, &self.pose_b) },
            &mut manifold,
        );
        manifold
    }
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
        let manifold = Built::new(&mut random, interval.eps, gap).solve(0.0);
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
        let built = Built::new(&mut random, interval.eps, -depth);
        let manifold = built.solve(f64::INFINITY);
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
        angle += point.normal.cross(built.n).length().to_degrees();
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
