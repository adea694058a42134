//! Ellipsoids and superellipsoids with cylinders, capsules and truncated cones. The contacts are
//! verified on the surfaces and compared with the general routine. `GRANUM_PAIRS=1000000` sets the
//! number of random pairs.

mod support;

use glam::{DQuat, DVec3};
use granum_geometry::contact::general::general;
use granum_geometry::shape::{Capsule, Cylinder, Ellipsoid, Superellipsoid, TruncatedCone};
use granum_geometry::{ContactPoint, Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::Rng;
use support::oracle::gap_along;

const PAIRS: usize = 20_000;

/// Tolerance of lengths, m. The bodies are about 1 m large.
const TOLERANCE: f64 = 1e-12;

/// The same for surface points. The error of a point is that of the normal times the radius of
/// curvature, which exceeds a thousand sizes on superellipsoids.
const ELLIPSOID_SURFACE: f64 = 1e-12;
const SUPERELLIPSOID_SURFACE: f64 = 2e-11;

fn pairs() -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS)
}

struct Case {
    a: Shape,
    b: Shape,
    pose_a: Pose,
    pose_b: Pose,
}

impl Case {
    /// Returns two bodies about 1 m large with a gap of about `gap`, m.
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
        // Half of the pairs approach along an axis of b, so that a base or the side faces the other
        // body.
        let orientation = rng.rotation();
        let approach = match rng.index(4) {
            0 => orientation * DVec3::Z,
            1 => orientation * DVec3::X,
            _ => rng.direction(),
        };
        let pose_b = Pose { position: 4.0 * approach + 0.3 * rng.direction(), orientation };
        let mut case = Self { a, b, pose_a, pose_b };
        for _ in 0..20 {
            let (point, _) = solve(&case.pair());
            case.pose_b.position -= (point.gap - gap) * point.normal;
            if (point.gap - gap).abs() < 1e-6 {
                break;
            }
        }
        case
    }

    fn pair(&self) -> Pair<'_> {
        Pair::new(&self.a, &self.pose_a, &self.b, &self.pose_b)
    }
}

/// Returns the deepest point and whether the routine has proven it.
fn solve(pair: &Pair) -> (ContactPoint, bool) {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, pair, &mut manifold);
    (*manifold.deepest().expect("an infinite margin reports every pair"), manifold.status == Status::Converged)
}

/// Returns the estimated distance of the two surface points of a contact from the surfaces, m.
fn off_surfaces(pair: &Pair, point: &ContactPoint) -> f64 {
    let off = |shape: &Shape, orientation: DQuat, p: DVec3| {
        let p = orientation.inverse() * p;
        // The gradient of the function is about one over the size, and less on the flat sides of a
        // superellipsoid.
        shape.as_convex().inside_outside(p).abs() * p.length().min(0.1)
    };
    let on_a = off(pair.a, pair.orientation_a, point.arm - 0.5 * point.gap * point.normal);
    let on_b = off(pair.b, pair.orientation_b, point.arm + 0.5 * point.gap * point.normal - pair.offset);
    on_a.max(on_b)
}

#[test]
fn contacts_lie_on_both_surfaces_with_and_without_a_warm_start() {
    let mut rng = Rng::new(71);
    let (mut worst, mut unproven) = ([0f64; 2], 0);
    for _ in 0..pairs() {
        let gap = if rng.unit() < 0.5 { rng.log_range(1e-9, 0.3) } else { -rng.log_range(1e-9, 4e-3) };
        let case = Case::random(&mut rng, gap);
        let pair = case.pair();
        let (cold, is_proven) = solve(&pair);
        let near = (cold.normal + rng.log_range(1e-12, 1e-2) * rng.direction()).normalize();
        let (warm, is_proven_warm) = solve(&Pair { warm: Some(near), ..pair });
        if !(is_proven && is_proven_warm) {
            unproven += 1;
            continue;
        }
        let (swapped, _) = solve(&pair.swapped());
        assert!((warm.gap - cold.gap).abs() <= TOLERANCE, "{:?} {:?}: {cold:?} {warm:?}", case.a, case.b);
        assert!((swapped.gap - cold.gap).abs() <= TOLERANCE && swapped.normal.dot(cold.normal) < -1.0 + 1e-9);
        for point in [cold, warm] {
            assert!((gap_along(&pair, point.normal) - point.gap).abs() <= TOLERANCE, "{point:?}");
            let off = off_surfaces(&pair, &point);
            let (which, limit) = match pair.a {
                Shape::Ellipsoid(_) => (0, ELLIPSOID_SURFACE),
                _ => (1, SUPERELLIPSOID_SURFACE),
            };
            assert!(off <= limit, "{:?} {:?}: {off:e} {point:?}", case.a, case.b);
            worst[which] = worst[which].max(off);
        }
    }
    println!("off the surfaces by {:.1e}, with superellipsoids by {:.1e}; {unproven} unproven", worst[0], worst[1]);
    // A pair without convergence is passed to the general routine, which cannot prove every result.
    assert!(unproven as f64 <= 1e-3 * pairs() as f64, "{unproven} results are unproven");
}

#[test]
fn no_contact_is_deeper_than_the_general_routine_finds() {
    let mut rng = Rng::new(72);
    let (mut less, mut more, mut unproven) = (0, 0, 0);
    const COUNT: usize = 20_000;
    for _ in 0..COUNT {
        let gap = if rng.unit() < 0.3 { rng.log_range(1e-6, 0.3) } else { -rng.log_range(1e-6, 3e-2) };
        let case = Case::random(&mut rng, gap);
        let (pair, mut manifold) = (case.pair(), Manifold::default());
        general(&pair, &mut manifold);
        let (slow, fast) = (*manifold.deepest().expect("an infinite margin reports every pair"), solve(&pair).0);
        unproven += usize::from(manifold.status != Status::Converged);
        less += usize::from(fast.gap > slow.gap + TOLERANCE);
        more += usize::from(fast.gap < slow.gap - TOLERANCE);
        assert!(fast.gap >= slow.gap - TOLERANCE, "{:?} {:?}: {fast:?} {slow:?}", case.a, case.b);
    }
    println!(
        "{less} of {COUNT} less deep than the general routine, {more} deeper; {unproven} of its results are unproven"
    );
}
