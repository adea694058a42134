//! Capsules with capsules, cylinders and truncated cones, in random and degenerate poses. The
//! contacts are verified on the surfaces and compared with slow oracles. `GRANUM_PAIRS=1000000`
//! sets the number of random pairs.

mod support;

use glam::{DQuat, DVec2, DVec3};
use granum_geometry::contact::general::general;
use granum_geometry::numeric::math::tangent_frame;
use granum_geometry::shape::{Capsule, Cylinder, TruncatedCone};
use granum_geometry::{ContactPoint, Kind, Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::Rng;
use support::oracle::{best_gap, gap_along};
use support::shapes::Case;

const PAIRS: usize = 20_000;

/// Tolerance of lengths, relative to the size of the pair.
const TOLERANCE: f64 = 1e-12;

fn pairs() -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS)
}

/// The pairs of kinds that are tested.
const PAIRED_KINDS: [[Kind; 2]; 3] =
    [[Kind::Capsule, Kind::Capsule], [Kind::Capsule, Kind::Cylinder], [Kind::Capsule, Kind::TruncatedCone]];

/// Returns a body about `scale` large, m, from a needle to a coin.
fn random_body(kind: Kind, scale: f64, rng: &mut Rng) -> Shape {
    let aspect = rng.log_range(0.02, 50.0);
    let (radius, half_height) = (scale * (1.0 / aspect).min(1.0), scale * aspect.min(1.0));
    match kind {
        Kind::Capsule => Capsule { radius, half_height }.into(),
        Kind::Cylinder => Cylinder { radius, half_height }.into(),
        _ => {
            // The second radius is zero, random, or nearly equal to the first.
            let part = [0.0, rng.unit(), 1.0 - rng.log_range(1e-9, 1.0)][rng.index(3)];
            let radii = [radius, part * radius];
            TruncatedCone { radii: if rng.unit() < 0.5 { radii } else { [radii[1], radii[0]] }, half_height }.into()
        }
    }
}

/// Returns the radius (x) and height (y) of the two flat ends of a body, m.
fn ends(shape: &Shape) -> [DVec2; 2] {
    match shape {
        Shape::Cylinder(body) => [-1.0, 1.0].map(|side| DVec2::new(body.radius, side * body.half_height)),
        Shape::TruncatedCone(body) => {
            // The origin is the centre of mass, so that the ends are not at plus and minus the half
            // height.
            let [low, high] = [-DVec3::Z, DVec3::Z].map(|n| shape.as_convex().support(n).z);
            [DVec2::new(body.radii[0], low), DVec2::new(body.radii[1], high)]
        }
        _ => panic!("the shape has no flat ends: {shape:?}"),
    }
}

/// Depth, relative to the radius of the capsule, up to which its overlap with a cylinder or cone is
/// computed without the general routine; and the tolerance of the general routine.
const CLOSED_FORM_DEPTH: f64 = 0.94;
const GENERAL_TOLERANCE: f64 = 1e-9;

/// Returns the tolerance of a gap, relative to the size.
fn tolerance(case: &Case, gap: f64) -> f64 {
    let limit = match (&case.a, &case.b) {
        (Shape::Capsule(_), Shape::Capsule(_)) => f64::INFINITY,
        (Shape::Capsule(capsule), _) | (_, Shape::Capsule(capsule)) => CLOSED_FORM_DEPTH * capsule.radius,
        _ => 0.0,
    };
    if -gap <= limit { TOLERANCE } else { GENERAL_TOLERANCE }
}

/// Returns the size of a pair, m, to which rounding errors are relative.
fn size(case: &Case) -> f64 {
    case.a.as_convex().bounding_radius() + case.b.as_convex().bounding_radius()
}

/// Number of relative orientations: random, random again, nearly parallel, perpendicular, parallel,
/// coaxial.
const ORIENTATIONS: usize = 6;

/// Returns two bodies with one of [`ORIENTATIONS`] relative orientations. They are separated,
/// nearly touch, overlap deeply or are concentric.
fn random_case(rng: &mut Rng) -> Case {
    let scale = if rng.unit() < 0.5 { 1.0 } else { rng.log_range(1e-4, 1e4) };
    let kinds = PAIRED_KINDS[rng.index(PAIRED_KINDS.len())];
    let a = random_body(kinds[0], scale, rng);
    let b = random_body(kinds[1], scale * if rng.unit() < 0.5 { 1.0 } else { rng.log_range(0.1, 1.0) }, rng);
    let pose_a = Pose { position: DVec3::ZERO, orientation: rng.rotation() };
    let axis = pose_a.orientation * DVec3::Z;
    let (across, _) = tangent_frame(axis);
    let turned = |angle: f64| DQuat::from_axis_angle(across, angle) * pose_a.orientation;
    let spin = DQuat::from_axis_angle(axis, rng.range(-3.0, 3.0));
    let half_turn = if rng.unit() < 0.5 { DQuat::IDENTITY } else { DQuat::from_rotation_x(std::f64::consts::PI) };
    let kind = rng.index(ORIENTATIONS);
    let orientation = match kind {
        0 | 1 => rng.rotation(),
        2 => spin * turned(rng.log_range(1e-16, 0.1)) * half_turn,
        3 => spin * turned(std::f64::consts::FRAC_PI_2),
        _ => spin * pose_a.orientation * half_turn,
    };
    let mut case = Case { a, b, pose_a, pose_b: Pose { position: DVec3::ZERO, orientation } };
    // The last orientation has coaxial pairs only, and the others have some.
    let direction = match (kind, rng.index(6)) {
        (5, _) | (_, 0) => axis,
        (_, 1) => orientation * DVec3::Z,
        (_, 2) => axis.cross(orientation * DVec3::Z).try_normalize().unwrap_or(across),
        _ => rng.direction(),
    };
    let touching_distance = -gap_along(&case.pair(), direction);
    let touching = touching_distance * direction;
    case.pose_b.position = match rng.index(8) {
        0 => DVec3::ZERO,
        1 => rng.log_range(1e-16, 1.0) * touching,
        2 => touching,
        3 => (1.0 + rng.log_range(1e-16, 1.0)) * touching,
        // A shift along an axis from a touching position leaves a part of the common line.
        4 => touching + rng.range(-1.0, 1.0) * scale * axis,
        5 => rng.range(-1.0, 1.0) * scale * axis + rng.range(-1.0, 1.0) * scale * (orientation * DVec3::Z),
        _ => (1.0 - rng.log_range(1e-9, 0.5)) * touching + rng.log_range(1e-12, 0.3) * scale * rng.direction(),
    };
    case
}

fn solve(pair: &Pair) -> Manifold {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, pair, &mut manifold);
    manifold
}

fn deepest(manifold: &Manifold) -> ContactPoint {
    *manifold.deepest().expect("an infinite margin reports every pair")
}

/// Returns the distance of a point near the surface of a body of revolution from this surface, m.
fn off_surface(shape: &Shape, orientation: DQuat, point: DVec3) -> f64 {
    let p = orientation.inverse() * point;
    match shape {
        Shape::Capsule(body) => {
            ((p - DVec3::Z * p.z.clamp(-body.half_height, body.half_height)).length() - body.radius).abs()
        }
        _ => {
            let p = DVec2::new(p.truncate().length(), p.z);
            let [low, high] = ends(shape);
            let corners = [DVec2::new(0.0, low.y), low, high, DVec2::new(0.0, high.y)];
            let to_side = |k: usize| {
                let (from, direction) = (p - corners[k], corners[k + 1] - corners[k]);
                (from
                    - (from.dot(direction) / direction.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
                        * direction)
                    .length()
            };
            to_side(0).min(to_side(1)).min(to_side(2))
        }
    }
}

#[test]
fn contacts_lie_on_both_surfaces_in_every_orientation() {
    let mut rng = Rng::new(81);
    let mut worst = [0f64; 3];
    let mut by_general = 0;
    for _ in 0..pairs() {
        let case = random_case(&mut rng);
        let (pair, size) = (case.pair(), size(&case));
        let what = || format!("{:?} {:?} {:?} {:?}", case.a, case.b, case.pose_a.orientation, case.pose_b);
        let manifold = solve(&pair);
        for point in manifold.points() {
            let numbers = [point.arm.length(), point.normal.length(), point.gap, point.curvature];
            assert!(numbers.into_iter().all(f64::is_finite), "{}: {point:?}", what());
        }
        let point = deepest(&manifold);
        if tolerance(&case, point.gap) > TOLERANCE {
            by_general += 1;
            continue;
        }
        assert_eq!(manifold.status, Status::Converged, "{}", what());
        let swapped = deepest(&solve(&pair.swapped()));
        let along = (gap_along(&pair, point.normal) - point.gap).abs() / size;
        let surface_error = off_surface(&case.a, pair.orientation_a, point.on_a()).max(off_surface(
            &case.b,
            pair.orientation_b,
            point.on_b() - pair.offset,
        )) / size;
        let swapped_error = (swapped.gap - point.gap).abs() / size;
        for (worst, error) in worst.iter_mut().zip([along, surface_error, swapped_error]) {
            *worst = worst.max(error);
        }
        assert!((point.normal.length() - 1.0).abs() <= TOLERANCE, "{}: {point:?}", what());
        assert!(along <= TOLERANCE, "{}: {along:e} {point:?}", what());
        assert!(surface_error <= TOLERANCE, "{}: off its surface by {surface_error:e} {point:?}", what());
        assert!(swapped_error <= TOLERANCE, "{}: {point:?} {swapped:?}", what());
        let directions = [rng.direction(), pair.orientation_a * DVec3::Z, pair.orientation_b * DVec3::Z];
        for n in directions.into_iter().flat_map(|n| [n, -n]) {
            assert!(gap_along(&pair, n) <= point.gap + TOLERANCE * size, "{}: {point:?} {n}", what());
        }
    }
    let [along, surface_error, swapped_error] = worst;
    println!(
        "errors: along the normal {along:.1e}, off the surfaces {surface_error:.1e}, swapped pair {swapped_error:.1e}"
    );
    println!("{by_general} of {} pairs were computed by the general routine", pairs());
}

#[test]
fn no_direction_is_less_deep() {
    const COUNT: usize = 3_000;
    let mut rng = Rng::new(82);
    for _ in 0..COUNT {
        let case = random_case(&mut rng);
        let (pair, size) = (case.pair(), size(&case));
        let manifold = solve(&pair);
        if manifold.status == Status::Converged {
            let (fast, slow) = (deepest(&manifold), best_gap(&pair, 300));
            assert!(fast.gap >= slow - tolerance(&case, fast.gap) * size, "{:?} {:?}: {fast:?} {slow}", case.a, case.b);
        }
    }
}

#[test]
fn gaps_agree_with_the_general_routine() {
    const COUNT: usize = 2_000;
    let mut rng = Rng::new(83);
    let (mut compared, mut unproven) = (0, 0);
    for _ in 0..COUNT {
        let case = random_case(&mut rng);
        let (pair, size) = (case.pair(), size(&case));
        let mut slow = Manifold::default();
        general(&pair, &mut slow);
        let manifold = solve(&pair);
        if manifold.status != Status::Converged || slow.status != Status::Converged {
            unproven += 1;
            continue;
        }
        compared += 1;
        let (fast, slow) = (deepest(&manifold).gap, deepest(&slow).gap);
        assert!(fast >= slow - tolerance(&case, fast) * size, "{:?} {:?}: {fast} {slow}", case.a, case.b);
        assert!(fast <= slow + GENERAL_TOLERANCE * size, "{:?} {:?}: {fast} {slow}", case.a, case.b);
    }
    println!("{compared} compared, {unproven} without a proven result");
    assert!(compared > COUNT / 2, "{compared}");
}

const CAPSULE: Capsule = Capsule { radius: 1.0, half_height: 2.0 };

/// Returns the contact of the capsule with a rotated copy at `offset`.
fn of_capsules(offset: DVec3, turn: DQuat) -> Manifold {
    let capsule = CAPSULE.into();
    solve(&Pair::new(&capsule, &Pose::IDENTITY, &capsule, &Pose { position: offset, orientation: turn }))
}

#[test]
fn parallel_capsules_touch_at_the_ends_of_their_common_interval() {
    let manifold = of_capsules(DVec3::new(1.99, 0.0, 1.0), DQuat::IDENTITY);
    let ends: Vec<f64> = manifold.points()[1..].iter().map(|point| point.arm.z).collect();
    assert_eq!(ends.len(), 2);
    assert!((ends[0] + 1.0).abs() < 1e-14 && (ends[1] - 2.0).abs() < 1e-14, "{ends:?}");
    assert!(manifold.points().iter().all(|point| (point.gap + 0.01).abs() < 1e-14 && point.normal == DVec3::X));
    assert!((manifold.points()[0].arm - DVec3::new(0.995, 0.0, 0.5)).length() < 1e-14, "{:?}", manifold.points()[0]);
}

#[test]
fn force_and_moment_are_continuous_in_the_tilt() {
    // The tilts are about the normal and about the axis perpendicular to it and to the capsules.
    for axis in [DVec3::X, DVec3::Y] {
        let force = |tilt: f64| {
            let manifold = of_capsules(DVec3::new(1.99, 0.0, 0.7), DQuat::from_axis_angle(axis, tilt));
            let moment = |point: &ContactPoint| point.gap.min(0.0) * point.arm.cross(point.normal);
            let force = |point: &ContactPoint| point.gap.min(0.0) * point.normal;
            (manifold.points().iter().map(force).sum::<DVec3>(), manifold.points().iter().map(moment).sum::<DVec3>())
        };
        const STEP: f64 = 1e-6;
        let (mut before, mut largest) = (force(-0.03), 0f64);
        for k in 1..60_000 {
            let now = force(-0.03 + STEP * f64::from(k));
            largest = largest.max((now.0 - before.0).length()).max((now.1 - before.1).length());
            before = now;
        }
        println!("about {axis}: {largest:e} for a step of {STEP:e} rad");
        // A jump would not depend on the step. The limit is twelve times the square of the lever
        // arm per radian.
        assert!(largest < 50.0 * STEP, "{largest:e} about {axis}");
    }
}

#[test]
fn coaxial_and_crossing_capsules_have_a_unit_normal() {
    let across = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let cases = [
        (DVec3::ZERO, DQuat::IDENTITY, -2.0),
        (DVec3::new(0.0, 0.0, 3.0), DQuat::IDENTITY, -2.0),
        (DVec3::new(0.0, 0.0, 5.0), DQuat::IDENTITY, -1.0),
        (DVec3::new(0.0, 0.0, 4.0), DQuat::IDENTITY, -2.0),
        (DVec3::ZERO, across, -2.0),
        (DVec3::new(0.0, 1.0, 1.5), across, -2.0),
        (DVec3::new(1e-17, 1.0, 1.5), across, -2.0),
        (DVec3::new(0.5, 1.0, 1.5), across, -1.5),
        (DVec3::new(0.0, 2.5, 0.0), across, -1.5),
        (DVec3::new(0.0, 2.0, 2.0), across, -2.0),
    ];
    for (offset, turn, gap) in cases {
        let point = deepest(&of_capsules(offset, turn));
        assert!((point.gap - gap).abs() < 1e-14, "{offset}: {point:?}");
        assert!((point.normal.length() - 1.0).abs() < 1e-14, "{offset}: {point:?}");
    }
}

/// Returns the positions along x, m, of the two ends of the contact between a body at the origin
/// and the capsule, which lies along x on top of it.
fn ends_on(body: impl Into<Shape>, turn: DQuat, height: f64, gap: f64) -> Vec<f64> {
    let (capsule, body) = (CAPSULE.into(), body.into());
    let lying = Pose {
        position: DVec3::new(1.0, 0.0, height + 1.0 + gap),
        orientation: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2),
    };
    let manifold = solve(&Pair::new(&capsule, &lying, &body, &Pose { position: DVec3::ZERO, orientation: turn }));
    for point in manifold.points() {
        assert!((point.gap - gap).abs() < 1e-14 && (point.normal + DVec3::Z).length() < 1e-14, "{point:?}");
    }
    assert_eq!(manifold.points().len(), 3);
    let mut ends: Vec<f64> = manifold.points()[1..].iter().map(|point| 1.0 + point.arm.x).collect();
    ends.sort_by(f64::total_cmp);
    ends
}

#[test]
fn a_capsule_on_a_base_or_side_touches_at_the_ends_of_the_common_line() {
    let same = |found: &[f64], low: f64, high: f64| {
        assert!(
            (found[0] - low).abs() < 1e-14 && (found[1] - high).abs() < 1e-14,
            "{found:?}, expected {low} to {high}"
        );
    };
    let lying = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let can = Cylinder { radius: 2.0, half_height: 1.5 };
    same(&ends_on(can, DQuat::IDENTITY, 1.5, -0.01), -1.0, 2.0);
    same(&ends_on(can, lying, 2.0, -0.01), -1.0, 1.5);
    // The cone has a half angle of 45 degrees and lies on its side.
    let cone = TruncatedCone { radii: [3.0, 1.0], half_height: 1.0 };
    let [low, high] = ends(&cone.into());
    let (turn, up) = (std::f64::consts::FRAC_PI_4, DVec2::new(1.0, 1.0).normalize());
    let (height, line) = (up.dot(low), [low, high].map(|end| (end.y - end.x) * up.x));
    same(
        &ends_on(cone, DQuat::from_rotation_y(turn) * DQuat::from_rotation_z(std::f64::consts::PI), height, -0.01),
        line[0].max(-1.0),
        line[1].min(3.0),
    );
}
