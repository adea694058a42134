//! Grains in containers compared with a slow oracle: the distance of tangent planes along many
//! directions.

mod support;

use glam::DVec3;
use granum_geometry::shape::{
    Cylinder, Ellipsoid, InsideCylinder, InsideEllipsoid, InsideSphere, Sphere, Superellipsoid,
};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::{Rng, spread};

const CASES: usize = 300;

/// Number of points sampled on a rim.
const RIM_POINTS: usize = 2_000;

/// Tolerance of gaps, m. The containers are 4 to 5 m large.
const TOLERANCE: f64 = 1e-12;

fn grain(rng: &mut Rng, kind: usize) -> Shape {
    let mut axis = || rng.range(0.2, 0.6);
    let semi_axes = DVec3::new(axis(), axis(), axis());
    match kind {
        0 => Sphere { radius: semi_axes.x }.into(),
        1 => Ellipsoid { semi_axes }.into(),
        _ => Superellipsoid { semi_axes, eps: [rng.range(0.3, 1.2), rng.range(0.3, 1.2)] }.into(),
    }
}

/// Returns `h_K(n) - n.s - h_B(n)`, m, the distance of the tangent planes of container K and grain
/// B with normal `n` in the axes of the container. `wall` is `h_K(n)`.
fn distance(pair: &Pair, n: DVec3, wall: f64) -> f64 {
    let world = pair.orientation_a * n;
    let point = pair.orientation_b * pair.b.as_convex().support(pair.orientation_b.inverse() * world);
    wall - world.dot(pair.offset + point)
}

/// Returns the least distance over all directions, m, by sampling and a pattern search. `wall` is
/// the support function `h_K` of the container.
fn least(pair: &Pair, wall: &dyn Fn(DVec3) -> f64, in_plane: bool) -> f64 {
    let flat = |n: DVec3| if in_plane { n.with_z(0.0).normalize() } else { n.normalize() };
    let at = |n: DVec3| distance(pair, n, wall(n));
    let mut tried: Vec<(f64, DVec3)> = spread(3000).map(flat).map(|n| (at(n), n)).collect();
    tried.sort_by(|p, q| p.0.total_cmp(&q.0));
    let refine = |&(mut best, mut n): &(f64, DVec3)| {
        let mut step = 0.05;
        while step > 1e-10 {
            let moves = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| [n + step * e, n - step * e]).concat();
            match moves.into_iter().map(flat).map(|m| (at(m), m)).min_by(|p, q| p.0.total_cmp(&q.0)) {
                Some((d, m)) if d < best => (best, n) = (d, m),
                _ => step *= 0.5,
            }
        }
        best
    };
    tried.iter().take(4).map(refine).fold(f64::INFINITY, f64::min)
}

/// Compares the gaps of random grains near the wall with the oracle. `centre` converts a direction
/// to a position near the wall.
fn check(container: &Shape, centre: impl Fn(DVec3, &mut Rng) -> DVec3, oracle: impl Fn(&Pair) -> f64) {
    let mut rng = Rng::new(77);
    for k in 0..CASES {
        let grain = grain(&mut rng, k % 3);
        let direction = rng.direction();
        let turn = rng.rotation();
        let position = DVec3::new(1.0, -2.0, 3.0);
        let pose_a = Pose { position, orientation: turn };
        let pose_b = Pose { position: position + turn * centre(direction, &mut rng), orientation: rng.rotation() };
        let pair = Pair::new(container, &pose_a, &grain, &pose_b);
        let mut manifold = Manifold::default();
        collide(Measure::Depth, &pair, &mut manifold);
        assert_eq!(manifold.status, Status::Converged);
        let ours = manifold.deepest().expect("an infinite margin reports every pair");
        let exact = oracle(&pair);
        assert!((ours.gap - exact).abs() <= TOLERANCE, "{grain:?} {pose_b:?}: gap {}, expected {exact}", ours.gap);
        for p in manifold.points() {
            // Each surface point lies on its own surface.
            let on_grain = pose_b.orientation.inverse() * (p.on_b() - pair.offset);
            assert!(grain.as_convex().inside_outside(on_grain).abs() <= 1e-9, "{p:?}");
            let on_wall = turn.inverse() * p.on_a();
            if !matches!(container, Shape::InsideCylinder(_)) {
                assert!(container.as_convex().inside_outside(on_wall).abs() <= 1e-9, "{p:?}");
            }
        }
    }
}

#[test]
fn gaps_in_a_hollow_sphere_are_exact() {
    let container = InsideSphere { radius: 4.0 }.into();
    check(&container, |n, rng| n * rng.range(2.5, 4.2), |pair| least(pair, &|_| 4.0, false));
}

#[test]
fn gaps_in_a_hollow_ellipsoid_are_exact() {
    let semi_axes = DVec3::new(4.0, 5.0, 3.5);
    let container = InsideEllipsoid { semi_axes }.into();
    let wall = move |n: DVec3| (semi_axes * n).length();
    check(&container, |n, rng| n * semi_axes * rng.range(0.8, 1.02), |pair| least(pair, &wall, false));
}

#[test]
fn gaps_in_a_hollow_cylinder_are_those_of_the_side_and_the_end_walls() {
    let container = InsideCylinder { radius: 4.0, half_height: 2.0 }.into();
    let oracle = |pair: &Pair| {
        let side = least(pair, &|_| 4.0, true);
        side.min(distance(pair, DVec3::Z, 2.0)).min(distance(pair, DVec3::NEG_Z, 2.0))
    };
    check(&container, |n, rng| DVec3::new(3.7 * n.x, 3.7 * n.y, 1.9 * n.z) * rng.range(0.9, 1.02), oracle);
}

#[test]
fn a_grain_in_the_corner_of_a_hollow_cylinder_touches_side_and_end_wall() {
    let container = InsideCylinder { radius: 1.0, half_height: 0.5 }.into();
    let ball = Sphere { radius: 0.2 }.into();
    let pose = Pose::at(DVec3::new(0.81, 0.0, 0.31));
    let mut manifold = Manifold::default();
    let pair = Pair { margin: 0.0, ..Pair::new(&container, &Pose::IDENTITY, &ball, &pose) };
    collide(Measure::Depth, &pair, &mut manifold);
    let normals: Vec<DVec3> = manifold.points().iter().map(|p| p.normal).collect();
    assert_eq!(normals, [-DVec3::X, -DVec3::Z]);
    assert!(manifold.points().iter().all(|p| (p.gap + 0.01).abs() < 1e-15));
}

#[test]
fn a_box_like_grain_touches_the_side_wall_on_both_sides() {
    let container = InsideCylinder { radius: 1.0, half_height: 5.0 }.into();
    let grain = Superellipsoid { semi_axes: DVec3::new(0.1, 0.2, 0.3), eps: [0.1, 0.1] }.into();
    let pose = Pose::at(DVec3::new(0.88, 0.0, 0.0));
    let mut manifold = Manifold::default();
    let pair = Pair { margin: 0.05, ..Pair::new(&container, &Pose::IDENTITY, &grain, &pose) };
    collide(Measure::Depth, &pair, &mut manifold);
    let sides: Vec<f64> = manifold.points().iter().map(|p| p.arm.y).collect();
    assert!(sides.iter().any(|y| *y > 0.1) && sides.iter().any(|y| *y < -0.1), "{sides:?}");
}

#[test]
fn the_gap_of_a_cylinder_to_the_side_wall_is_that_of_its_rims() {
    let mut rng = Rng::new(17);
    for _ in 0..2_000 {
        let container = InsideCylinder { radius: 2.0, half_height: 50.0 };
        let aspect = rng.log_range(0.025, 50.0);
        let radius = rng.range(0.3, 1.2) / aspect.max(1.0);
        let grain = Cylinder { radius, half_height: radius * aspect };
        let pose_a = Pose { position: rng.in_ball(), orientation: rng.rotation() };
        let upright = rng.index(4) == 0;
        let orientation = if upright { pose_a.orientation } else { rng.rotation() };
        let pose_b = Pose { position: pose_a.position + 1.5 * rng.in_ball(), orientation };
        let (a, b) = (container.into(), grain.into());
        let mut manifold = Manifold::default();
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        collide(Measure::Depth, &pair, &mut manifold);
        // The oracle samples both rims.
        let axis = pose_a.orientation * DVec3::Z;
        let farthest = (0..2 * RIM_POINTS).map(|k| {
            let angle = std::f64::consts::TAU * (k / 2) as f64 / RIM_POINTS as f64;
            let z = if k % 2 == 0 { grain.half_height } else { -grain.half_height };
            let point = pose_b.point(DVec3::new(radius * angle.cos(), radius * angle.sin(), z)) - pose_a.position;
            (point - point.dot(axis) * axis).length()
        });
        let gap = container.radius - farthest.fold(0.0, f64::max);
        let on_side: Vec<_> = manifold.points().iter().filter(|p| p.feature < 32).collect();
        let least = on_side.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        assert!((least - gap).abs() < 1e-5 && least <= gap + 1e-12, "{grain:?} {pose_b:?}: gap {least}, oracle {gap}");
        for p in on_side {
            let on_grain = pose_b.orientation.inverse() * (p.on_b() - pair.offset);
            assert!(
                (on_grain.truncate().length() - radius).abs() < 1e-12 && on_grain.z.abs() - grain.half_height < 1e-12
            );
            let on_wall = p.on_a();
            assert!(((on_wall - on_wall.dot(axis) * axis).length() - container.radius).abs() < 1e-12);
            assert!(p.normal.dot(axis).abs() < 1e-12);
        }
    }
}
