//! Newton's method on ellipsoids and superellipsoids: pairs whose gap is known by construction, and
//! a slow oracle for deep overlaps. `GRANUM_PAIRS=1000000` sets the number of random pairs.

mod support;

use glam::{DQuat, DVec3};
use granum_geometry::shape::{Ellipsoid, Superellipsoid};
use granum_geometry::{ContactPoint, Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::Rng;
use support::oracle::{best_gap, gap_along};

/// Default number of pairs of each series.
const PAIRS: usize = 20_000;

/// Tolerance of lengths, m: 1e4 rounding errors of the size of a pair.
const TOLERANCE: f64 = 1e-12;

fn pairs() -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS)
}

/// Intervals of the random exponents (-) and semi-axes (m) of a series.
struct Series {
    name: &'static str,
    eps: [f64; 2],
    semi_axes: [f64; 2],
}

/// The three intervals of [Wellmann2008], and a harder one.
const SERIES: [Series; 4] = [
    Series { name: "eps = 1", eps: [1.0, 1.0], semi_axes: [0.5, 3.0] },
    Series { name: "eps 0.7 to 1.3", eps: [0.7, 1.3], semi_axes: [0.5, 3.0] },
    Series { name: "eps 0.3 to 1.7", eps: [0.3, 1.7], semi_axes: [0.5, 3.0] },
    Series { name: "eps 0.1 to 1.9", eps: [0.1, 1.9], semi_axes: [0.5, 3.0] },
];

impl Series {
    fn body(&self, rng: &mut Rng) -> Shape {
        let [low, high] = self.semi_axes;
        let mut axis = || rng.range(low, high);
        let semi_axes = DVec3::new(axis(), axis(), axis());
        let mut eps = || rng.range(self.eps[0], self.eps[1]);
        let eps = [eps(), eps()];
        Superellipsoid { semi_axes, eps }.into()
    }
}

/// Two bodies with a common normal `n` and a given signed distance along it.
struct ConstructedPair {
    a: Shape,
    b: Shape,
    turn: DQuat,
    n: DVec3,
    offset: DVec3,
}

impl ConstructedPair {
    fn new(rng: &mut Rng, series: &Series, gap: f64) -> Self {
        let (a, b, n, turn) = (series.body(rng), series.body(rng), rng.direction(), rng.rotation());
        let on_b = turn * b.as_convex().support(turn.inverse() * -n);
        let offset = a.as_convex().support(n) + gap * n - on_b;
        Self { a, b, turn, n, offset }
    }

    fn pair(&self) -> Pair<'_> {
        let pose_b = Pose { position: self.offset, orientation: self.turn };
        Pair::new(&self.a, &Pose::IDENTITY, &self.b, &pose_b)
    }
}

fn solve(pair: &Pair) -> (ContactPoint, Status) {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, pair, &mut manifold);
    (*manifold.deepest().expect("an infinite margin reports every pair"), manifold.status)
}

#[test]
fn the_gap_of_a_constructed_pair_is_exact() {
    for series in &SERIES {
        let mut rng = Rng::new(41);
        let mut worst = 0f64;
        for _ in 0..pairs() {
            let gap = rng.range(0.0, 0.25);
            let constructed = ConstructedPair::new(&mut rng, series, gap);
            let (point, status) = solve(&constructed.pair());
            assert_eq!(status, Status::Converged, "{}", series.name);
            assert!((point.gap - gap).abs() <= TOLERANCE, "{}: gap {}, expected {gap}", series.name, point.gap);
            worst = worst.max((point.gap - gap).abs());
            // A pair nearer than the margin must be reported, and a pair beyond it must not.
            let mut manifold = Manifold::default();
            collide(Measure::Depth, &Pair { margin: gap + 1e-9, ..constructed.pair() }, &mut manifold);
            assert_eq!(manifold.points().len(), 1);
            collide(Measure::Depth, &Pair { margin: gap - 1e-9, ..constructed.pair() }, &mut manifold);
            assert!(manifold.points().is_empty());
        }
        println!("{}: worst error of the gap {worst:.1e}", series.name);
    }
}

/// In one of 4 million pairs the search passed the middle of a flat side, where every step is
/// short, and took the short step for convergence.
#[test]
fn a_short_step_on_a_flat_side_is_not_convergence() {
    let a = Superellipsoid {
        semi_axes: DVec3::new(2.8502309087732076, 1.406645203732381, 1.2846014511821429),
        eps: [0.894860530631105, 0.21969563403619313],
    };
    let b = Superellipsoid {
        semi_axes: DVec3::new(1.0005632468427872, 1.2491226351365303, 1.944146874143497),
        eps: [0.644775024907756, 0.21855435111583388],
    };
    let pair = Pair {
        a: &a.into(),
        b: &b.into(),
        offset: DVec3::new(5.150860978177965, 0.5515783041112241, -0.5777579420146333),
        orientation_a: DQuat::IDENTITY,
        orientation_b: DQuat::from_xyzw(
            -0.09311358868764792,
            0.6826089984262894,
            0.4594640311357855,
            -0.5605957714446473,
        ),
        margin: f64::INFINITY,
        warm: None,
    };
    let (point, status) = solve(&pair);
    assert_eq!(status, Status::Converged);
    assert!((point.gap - 0.24240869829797188).abs() <= TOLERANCE, "gap {}", point.gap);
}

#[test]
fn every_shallow_overlap_is_found_and_converges() {
    for series in &SERIES {
        let mut rng = Rng::new(42);
        let (mut less, mut worst) = (0, 0f64);
        for _ in 0..pairs() {
            let depth = rng.range(0.0, 1.75e-3);
            let constructed = ConstructedPair::new(&mut rng, series, -depth);
            let (point, status) = solve(&constructed.pair());
            assert_eq!(status, Status::Converged, "{}", series.name);
            let mut manifold = Manifold::default();
            collide(Measure::Depth, &Pair { margin: 0.0, ..constructed.pair() }, &mut manifold);
            // Two corners that overlap along the chosen normal may be separated along another
            // direction, which then proves it.
            let is_apart = gap_along(&constructed.pair(), point.normal) > 0.0;
            assert!(is_apart || manifold.points().len() == 1, "{}: a contact was missed", series.name);
            // A pair may have another common normal with a smaller depth.
            let error = -point.gap - depth;
            if error < -TOLERANCE && (point.normal - constructed.n).length() > 1e-6 {
                less += 1;
                assert!((gap_along(&constructed.pair(), point.normal) - point.gap).abs() <= TOLERANCE);
            } else {
                assert!(error.abs() <= TOLERANCE, "{}: depth {}, expected {depth}", series.name, -point.gap);
                worst = worst.max(error.abs());
            }
        }
        println!(
            "{}: worst error of the depth {worst:.1e}; {less} pairs have a smaller depth along another normal",
            series.name
        );
    }
}

#[test]
fn a_warm_start_does_not_change_the_gap() {
    for series in &SERIES {
        let mut rng = Rng::new(43);
        for _ in 0..PAIRS / 4 {
            let gap = rng.range(-1e-2, 1e-2);
            let constructed = ConstructedPair::new(&mut rng, series, gap);
            let (cold, _) = solve(&constructed.pair());
            let near = (cold.normal + rng.log_range(1e-12, 0.1) * rng.direction()).normalize();
            let (warm, status) = solve(&Pair { warm: Some(near), ..constructed.pair() });
            assert_eq!(status, Status::Converged);
            assert!((warm.gap - cold.gap).abs() <= TOLERANCE, "{}: {cold:?} {warm:?}", series.name);
        }
    }
}

#[test]
fn a_superellipsoid_with_eps_of_one_has_the_contacts_of_an_ellipsoid() {
    let mut rng = Rng::new(44);
    for _ in 0..PAIRS {
        let gap = rng.range(-0.3, 0.3);
        let constructed = ConstructedPair::new(&mut rng, &SERIES[0], gap);
        let ellipsoid = |shape: &Shape| match shape {
            Shape::Superellipsoid(body) => Shape::from(Ellipsoid { semi_axes: body.semi_axes }),
            other => other.clone(),
        };
        let (a, b) = (ellipsoid(&constructed.a), ellipsoid(&constructed.b));
        let (p, q) = (solve(&constructed.pair()).0, solve(&Pair { a: &a, b: &b, ..constructed.pair() }).0);
        assert!((p.gap - q.gap).abs() <= TOLERANCE && (p.normal - q.normal).length() <= TOLERANCE, "{p:?} {q:?}");
        assert!((p.arm - q.arm).length() <= TOLERANCE, "{p:?} {q:?}");
        // The curvature is evaluated up to 3e-8 rad from the normal.
        assert!((p.curvature / q.curvature - 1.0).abs() <= 1e-6, "{p:?} {q:?}");
    }
}

#[test]
fn deep_and_nested_pairs_have_the_least_depth() {
    let mut rng = Rng::new(45);
    let mut not_least = 0;
    const COUNT: usize = 3000;
    for k in 0..COUNT {
        let series = &SERIES[k % 3];
        let mut constructed = ConstructedPair::new(&mut rng, series, 0.0);
        constructed.offset *= [0.9, 0.5, 0.1, 1e-3, 0.0][k % 5];
        let (point, status) = solve(&constructed.pair());
        assert!(!matches!(status, Status::NotConverged { .. }), "{status:?}");
        assert!((gap_along(&constructed.pair(), point.normal) - point.gap).abs() <= TOLERANCE);
        let best = best_gap(&constructed.pair(), 300);
        if best > point.gap + 1e-9 {
            not_least += 1;
            println!("{}: gap {}, but {best} along another direction", series.name, point.gap);
        }
    }
    assert_eq!(not_least, 0, "of {COUNT} pairs");
}
