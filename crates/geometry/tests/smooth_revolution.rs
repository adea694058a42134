//! Ellipsoids and superellipsoids against cylinders, capsules and truncated cones: certified answers, and `general` as the slow oracle.
//! `GRANUM_PAIRS=1000000` enlarges the first.

mod support;

use glam::{DQuat, DVec3};
use granum_geometry::contact::general::general;
use granum_geometry::shape::{Capsule, Cylinder, Ellipsoid, Superellipsoid, TruncatedCone};
use granum_geometry::{ContactPoint, Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::Rng;
use support::oracle::gap_along;

const PAIRS: usize = 20_000;

/// Lengths over the size of the pair.
const TOLERANCE: f64 = 1e-12;

/// The same for points on surfaces: those of superellipsoids move by curvature radii of a thousand sizes and more.
const ON_ELLIPSOIDS: f64 = 1e-12;
const ON_SUPERELLIPSOIDS: f64 = 2e-11;

fn pairs() -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS)
}

struct Placed {
    a: Shape,
    b: Shape,
    pose_a: Pose,
    pose_b: Pose,
}

impl Placed {
    /// Two bodies of size 1 or so, moved along a random line to a gap of about `gap`.
    fn random(rng: &mut Rng, gap: f64) -> Self {
        let mut size = |low: f64| rng.range(low, 1.0);
        let semi_axes = DVec3::new(size(0.3), size(0.3), size(0.3));
        let (radii, half_height) = ([size(0.05), size(0.05)], size(0.05));
        let eps = [rng.range(0.4, 1.6), rng.range(0.4, 1.6)];
        let a =
            if rng.unit() < 0.5 { Ellipsoid { semi_axes }.into() } else { Superellipsoid { semi_axes, eps }.into() };
        let b = match rng.index(4) {
            0 => Capsule { radius: radii[0], half_height }.into(),
            1 => TruncatedCone { radii, half_height }.into(),
            _ => Cylinder { radius: radii[0], half_height }.into(),
        };
        let pose_a = Pose { position: DVec3::ZERO, orientation: rng.rotation() };
        // Half of them face each other squarely, in the axes of b or across one.
        let orientation = rng.rotation();
        let way = match rng.index(4) {
            0 => orientation * DVec3::Z,
            1 => orientation * DVec3::X,
            _ => rng.direction(),
        };
        let pose_b = Pose { position: 4.0 * way + 0.3 * rng.direction(), orientation };
        let mut placed = Self { a, b, pose_a, pose_b };
        for _ in 0..20 {
            let (point, _) = solve(&placed.pair());
            placed.pose_b.position -= (point.gap - gap) * point.normal;
            if (point.gap - gap).abs() < 1e-6 {
                break;
            }
        }
        placed
    }

    fn pair(&self) -> Pair<'_> {
        Pair::new(&self.a, &self.pose_a, &self.b, &self.pose_b)
    }
}

/// The deepest point, and whether the routine is sure of it.
fn solve(pair: &Pair) -> (ContactPoint, bool) {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, pair, &mut manifold);
    (*manifold.deepest().expect("no margin"), manifold.status == Status::Converged)
}

/// How far the surface points of an answer are from the surfaces.
fn off_surfaces(pair: &Pair, point: &ContactPoint) -> f64 {
    let off = |shape: &Shape, orientation: DQuat, p: DVec3| {
        let p = orientation.inverse() * p;
        // The function has about the slope of one over the size, or less on a superellipsoid's flat sides.
        shape.as_convex().inside_outside(p).abs() * p.length().min(0.1)
    };
    let on_a = off(pair.a, pair.orientation_a, point.arm - 0.5 * point.gap * point.normal);
    let on_b = off(pair.b, pair.orientation_b, point.arm + 0.5 * point.gap * point.normal - pair.offset);
    on_a.max(on_b)
}

#[test]
fn answers_lie_on_both_surfaces_cold_and_warm() {
    let mut rng = Rng::new(71);
    let (mut worst, mut unsure) = ([0f64; 2], 0);
    for _ in 0..pairs() {
        let gap = if rng.unit() < 0.5 { rng.log_range(1e-9, 0.3) } else { -rng.log_range(1e-9, 4e-3) };
        let placed = Placed::random(&mut rng, gap);
        let pair = placed.pair();
        let (cold, is_sure) = solve(&pair);
        let near = (cold.normal + rng.log_range(1e-12, 1e-2) * rng.direction()).normalize();
        let (warm, is_sure_warm) = solve(&Pair { warm: Some(near), ..pair });
        if !(is_sure && is_sure_warm) {
            unsure += 1;
            continue;
        }
        let (swapped, _) = solve(&pair.swapped());
        assert!((warm.gap - cold.gap).abs() <= TOLERANCE, "{:?} {:?}: {cold:?} {warm:?}", placed.a, placed.b);
        assert!((swapped.gap - cold.gap).abs() <= TOLERANCE && swapped.normal.dot(cold.normal) < -1.0 + 1e-9);
        for point in [cold, warm] {
            assert!((gap_along(&pair, point.normal) - point.gap).abs() <= TOLERANCE, "{point:?}");
            let off = off_surfaces(&pair, &point);
            let (which, limit) = match pair.a {
                Shape::Ellipsoid(_) => (0, ON_ELLIPSOIDS),
                _ => (1, ON_SUPERELLIPSOIDS),
            };
            assert!(off <= limit, "{:?} {:?}: {off:e} {point:?}", placed.a, placed.b);
            worst[which] = worst[which].max(off);
        }
    }
    println!("off surfaces by {:.1e}, superellipsoids by {:.1e}; unsure of {unsure}", worst[0], worst[1]);
    // Where it finds no answer itself, it asks `general`, which is not always sure.
    assert!(unsure as f64 <= 1e-3 * pairs() as f64, "unsure of {unsure}");
}

#[test]
fn the_slow_routine_finds_the_same() {
    let mut rng = Rng::new(72);
    let (mut less, mut more, mut unsure) = (0, 0, 0);
    const COUNT: usize = 20_000;
    for _ in 0..COUNT {
        let gap = if rng.unit() < 0.3 { rng.log_range(1e-6, 0.3) } else { -rng.log_range(1e-6, 3e-2) };
        let placed = Placed::random(&mut rng, gap);
        let (pair, mut manifold) = (placed.pair(), Manifold::default());
        general(&pair, &mut manifold);
        let (slow, fast) = (*manifold.deepest().expect("no margin"), solve(&pair).0);
        unsure += usize::from(manifold.status != Status::Converged);
        less += usize::from(fast.gap > slow.gap + TOLERANCE);
        more += usize::from(fast.gap < slow.gap - TOLERANCE);
        assert!(fast.gap >= slow.gap - TOLERANCE, "{:?} {:?}: {fast:?} {slow:?}", placed.a, placed.b);
    }
    println!("{less} of {COUNT} less deep than the slow routine, {more} deeper; it was unsure of {unsure}");
}
