//! Polygons, segments and discs compared with a slow oracle: the distance of the origin from the
//! hull of all differences of their corners. `GRANUM_PAIRS=1000000` sets the number of random
//! pairs.

mod support;

use glam::{DQuat, DVec2, DVec3};
use granum_geometry::shape::{Disc, Ellipse, HalfSpace, InsideCircle, Polygon, Segment, Superellipse};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::Rng;
use support::shapes::random_polygon;

const PAIRS: usize = 100_000;

/// Tolerance of lengths, relative to the size of the pair.
const TOLERANCE: f64 = 1e-13;

fn pairs() -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS)
}

/// Returns the corners in world axes and the radius of a body, m.
fn outline(shape: &Shape, pose: &Pose) -> (Vec<DVec2>, f64) {
    let place = |point: DVec2| pose.point(point.extend(0.0)).truncate();
    match shape {
        Shape::Polygon(polygon) => (polygon.corners().iter().copied().map(place).collect(), 0.0),
        Shape::Segment(segment) => (vec![place(segment.from), place(segment.to)], segment.radius),
        Shape::Disc(disc) => (vec![place(DVec2::ZERO)], disc.radius),
        _ => unreachable!("the shape is a polygon, a segment or a disc"),
    }
}

/// Returns the gap, m: the signed distance of the origin from the hull of all differences of
/// corners, less the radii. The line through any two differences is tried as an edge of the hull.
fn oracle(a: &(Vec<DVec2>, f64), b: &(Vec<DVec2>, f64)) -> f64 {
    let differences: Vec<DVec2> = a.0.iter().flat_map(|p| b.0.iter().map(move |q| *q - *p)).collect();
    let (mut depth, mut distance, mut is_outside) = (f64::INFINITY, f64::INFINITY, false);
    for (i, &p) in differences.iter().enumerate() {
        for &q in &differences[..i] {
            let along = q - p;
            let foot = p + (-p.dot(along) / along.length_squared()).clamp(0.0, 1.0) * along;
            distance = distance.min(foot.length());
            for normal in [along.perp().normalize(), -along.perp().normalize()] {
                let highest = differences.iter().map(|d| normal.dot(*d)).fold(f64::NEG_INFINITY, f64::max);
                is_outside |= highest < 0.0;
                depth = depth.min(highest);
            }
        }
    }
    (if is_outside { distance } else { -depth }) - a.1 - b.1
}

fn random_partner(rng: &mut Rng) -> Shape {
    match rng.index(4) {
        0 => Disc { radius: rng.log_range(0.05, 1.0) }.into(),
        1 => {
            let radius = if rng.index(2) == 0 { 0.0 } else { rng.range(0.0, 0.2) };
            Segment { from: rng.in_ball().truncate(), to: rng.in_ball().truncate(), radius }.into()
        }
        _ => random_polygon(rng),
    }
}

/// Returns the poses of two bodies that nearly touch along a random direction or are at a random
/// distance. A quarter of them have equal orientations.
fn random_poses(a: &Shape, b: &Shape, rng: &mut Rng) -> [Pose; 2] {
    let turn = |rng: &mut Rng| DQuat::from_rotation_z(rng.range(0.0, std::f64::consts::TAU));
    let orientation = [turn(rng), turn(rng)];
    let orientation = if rng.index(4) == 0 { [orientation[0]; 2] } else { orientation };
    let n = (turn(rng) * DVec3::X).normalize();
    let support = |shape: &Shape, turn: DQuat, n: DVec3| turn * shape.as_convex().support(turn.inverse() * n);
    let touching = support(a, orientation[0], n) - support(b, orientation[1], -n);
    let offset = match rng.index(4) {
        0 => touching + rng.range(-0.1, 0.1) * n,
        1 => touching + rng.log_range(1e-12, 1e-3) * if rng.index(2) == 0 { n } else { -n },
        2 => rng.range(0.0, 1.0) * touching,
        _ => 2.0 * rng.in_ball().with_z(0.0),
    };
    let position = 3.0 * rng.in_ball().with_z(0.0);
    let at = |position, orientation| Pose { position, orientation };
    [at(position, orientation[0]), at(position + offset, orientation[1])]
}

#[test]
fn gaps_agree_with_the_hull_of_differences() {
    let mut rng = Rng::new(2026);
    let mut manifold = Manifold::default();
    for k in 0..pairs() {
        let (a, b) = (random_polygon(&mut rng), random_partner(&mut rng));
        let poses = random_poses(&a, &b, &mut rng);
        let exact = oracle(&outline(&a, &poses[0]), &outline(&b, &poses[1]));
        let pair = Pair::new(&a, &poses[0], &b, &poses[1]);
        let size = a.as_convex().bounding_radius() + b.as_convex().bounding_radius();
        collide(Measure::Depth, &pair, &mut manifold);
        assert_eq!(manifold.status, Status::Converged);
        let point = manifold.deepest().copied().unwrap_or_else(|| panic!("pair {k} has no point"));
        // The bodies are up to 3 m from the origin, which determines the rounding of their
        // positions.
        let tolerance = TOLERANCE * (size + 3.0);
        assert!((point.gap - exact).abs() <= tolerance, "pair {k}: gap {}, oracle {exact}", point.gap);
        assert!((point.normal.length() - 1.0).abs() < 1e-14);
        let along = pair.distance_along(point.normal);
        assert!(
            (along - point.gap).abs() <= tolerance,
            "pair {k}: the gap along the normal is {along}, not {}",
            point.gap
        );
        let points = manifold.points().to_vec();
        for point in &points {
            let inside = |shape: &Shape, pose: &Pose, at: DVec3| {
                let own = pose.orientation.inverse() * (at - (pose.position - poses[0].position));
                shape.as_convex().inside_outside(own)
            };
            // The surface points of a patch lie on an edge or inside of each body.
            assert!(inside(&a, &poses[0], point.on_a()) <= tolerance, "pair {k}: {point:?}");
            assert!(matches!(b, Shape::Disc(_)) || inside(&b, &poses[1], point.on_b()) <= tolerance, "pair {k}");
        }
        collide(Measure::Depth, &pair.swapped(), &mut manifold);
        manifold.swap(-pair.offset);
        let swapped = manifold.deepest().expect("the swapped pair has a point");
        assert!((swapped.gap - point.gap).abs() <= tolerance);
        let margin = exact.max(0.0) * 0.9 - 1e-9;
        if exact > 1e-8 {
            collide(Measure::Depth, &Pair { margin, ..pair }, &mut manifold);
            let apart = manifold
                .apart
                .unwrap_or_else(|| panic!("pair {k} is beyond the margin, but has no separating direction"));
            assert!(manifold.points().is_empty() && pair.distance_along(apart) > margin);
        }
    }
}

/// Returns the largest gap along any direction, m. It tries the normals of the edges, and refines
/// the best of many directions by a pattern search.
fn largest_along(pair: &Pair) -> f64 {
    let Shape::Polygon(polygon) = pair.a else { unreachable!("the first shape is a polygon") };
    let at = |angle: f64| pair.distance_along(DVec2::from_angle(angle).extend(0.0));
    let edges = polygon.normals().iter().map(|n| pair.distance_along(pair.orientation_a * n.extend(0.0)));
    const STEP: f64 = 1e-2;
    let mut tried: Vec<(f64, f64)> = (0..629).map(|k| STEP * f64::from(k)).map(|angle| (at(angle), angle)).collect();
    tried.sort_by(|p, q| q.0.total_cmp(&p.0));
    let refined = tried.iter().take(8).map(|&(_, angle)| {
        let (mut best, mut step) = (angle, STEP);
        while step > 1e-12 {
            match [best - step, best + step].into_iter().find(|&angle| at(angle) > at(best)) {
                Some(better) => best = better,
                None => step *= 0.5,
            }
        }
        at(best)
    });
    edges.chain(refined).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn gaps_to_curved_bodies_are_the_largest_along_any_direction() {
    let mut rng = Rng::new(2027);
    let mut manifold = Manifold::default();
    for k in 0..pairs() / 50 {
        let a = random_polygon(&mut rng);
        let semi_axes = DVec2::new(rng.log_range(0.1, 1.0), rng.log_range(0.1, 1.0));
        let b: Shape = match rng.index(2) {
            0 => Ellipse { semi_axes }.into(),
            _ => Superellipse { semi_axes, n: rng.range(1.3, 8.0) }.into(),
        };
        let poses = random_poses(&a, &b, &mut rng);
        let pair = Pair::new(&a, &poses[0], &b, &poses[1]);
        let exact = largest_along(&pair);
        collide(Measure::Depth, &pair, &mut manifold);
        assert_eq!(manifold.status, Status::Converged);
        let point = manifold.points()[0];
        assert!((point.gap - exact).abs() <= 1e-12, "pair {k}: {} {exact} {b:?}", point.gap);
        assert!((pair.distance_along(point.normal) - point.gap).abs() <= 1e-12, "pair {k}");
        // Deep inside the curve the gap may vary so little with the direction that the points are
        // less accurate.
        let tolerance = if exact > -0.05 { 1e-11 } else { 1e-6 };
        let on_b = poses[1].orientation.inverse() * (point.on_b() - pair.offset);
        assert!(b.as_convex().inside_outside(on_b).abs() <= tolerance, "pair {k}: {exact}");
        let on_a = poses[0].orientation.inverse() * point.on_a();
        assert!(a.as_convex().inside_outside(on_a).abs() <= tolerance, "pair {k}: {exact}");
    }
}

fn square(side: f64) -> Shape {
    let half = 0.5 * side;
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    Polygon::new(corners.map(DVec2::from).to_vec()).expect("a square is a valid polygon").into()
}

fn contacts(a: &Shape, b: &Shape, x: f64, y: f64, angle: f64) -> Vec<(DVec3, f64, u32)> {
    let pose_b = Pose { position: DVec3::new(x, y, 0.0), orientation: DQuat::from_rotation_z(angle) };
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair::new(a, &Pose::IDENTITY, b, &pose_b), &mut manifold);
    manifold.points().iter().map(|point| (point.arm, point.gap, point.feature)).collect()
}

#[test]
fn parallel_edges_touch_at_the_ends_of_their_common_interval() {
    let (large, small) = (square(2.0), square(1.0));
    let points = contacts(&large, &small, 0.8, 1.49, 0.0);
    assert_eq!(points.len(), 2);
    let mut positions: Vec<f64> = points.iter().map(|(arm, ..)| arm.x).collect();
    positions.sort_by(f64::total_cmp);
    assert!((positions[0] - 0.3).abs() < 1e-15 && (positions[1] - 1.0).abs() < 1e-15, "{positions:?}");
    assert!(points.iter().all(|(arm, gap, _)| (gap + 0.01).abs() < 1e-15 && (arm.y - 0.995).abs() < 1e-15));
    // The features do not depend on the sign of a small tilt, although the tilt changes the edge
    // whose normal is used.
    let features = |angle: f64| {
        let mut features: Vec<u32> = contacts(&large, &small, 0.8, 1.49, angle).iter().map(|point| point.2).collect();
        features.sort_unstable();
        features
    };
    assert_eq!(features(1e-4), features(-1e-4));
    assert_eq!(features(1e-4), features(0.0));
}

#[test]
fn a_square_stands_on_walls_with_two_corners() {
    let ground = HalfSpace::new(DVec3::Y).into();
    let points = contacts(&ground, &square(1.0), 0.0, 0.49, 0.0);
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|(_, gap, _)| (gap + 0.01).abs() < 1e-15));
    let ring = InsideCircle { radius: 1.0 }.into();
    let points = contacts(&ring, &square(1.0), 0.0, -0.4, 0.0);
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|(_, gap, _)| (gap - (1.0 - 0.5f64.hypot(0.9))).abs() < 1e-15));
}
