//! Boxes and polyhedra compared with a slow oracle that tries all axes. `GRANUM_PAIRS=1000000` sets
//! the number of random pairs.

mod support;

use glam::DVec3;
use granum_geometry::shape::{Box, Polyhedron};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::Rng;
use support::oracle::gap_along;
use support::polytopes::{random_box, random_poses, rock_of_any_size};
use support::shapes::Case;

/// Default number of random pairs of each kind.
const PAIRS: usize = 20_000;

/// Tolerance of a depth or distance, m. The bodies are about 1 m large.
const TOLERANCE: f64 = 1e-10;

/// One pair of rocks in this number is compared with the oracle, which tries all pairs of edges.
/// The other pairs are verified by their own surface points.
const ORACLE_INTERVAL: usize = 50;

fn pairs() -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS)
}

/// Corners, face normals and edges of a polytope in world axes, relative to the centre of a.
struct Features {
    corners: Vec<DVec3>,
    normals: Vec<DVec3>,
    edges: Vec<[DVec3; 2]>,
}

impl Features {
    fn new(shape: &Shape, pose: &Pose, origin: DVec3) -> Self {
        let polytope = match shape {
            Shape::Polyhedron(shape) => shape.clone(),
            Shape::Box(shape) => {
                let sign = |bits: usize, k: usize| if bits >> k & 1 == 1 { 1.0 } else { -1.0 };
                let corner = |k: usize| shape.half_sizes * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2));
                Polyhedron::new((0..8).map(corner).collect()).expect("the corners of a box span a volume")
            }
            _ => panic!("the shape is neither a box nor a polyhedron"),
        };
        let hull = polytope.hull();
        let corners: Vec<DVec3> = hull.corners().iter().map(|corner| pose.point(*corner) - origin).collect();
        let edges = hull.edges().iter().map(|edge| edge.ends.map(|end| corners[end as usize])).collect();
        let normals = hull.faces().iter().map(|face| pose.orientation * face.normal).collect();
        Self { corners, normals, edges }
    }
}

/// Returns the gap along `n`, over all corners, m.
fn gap(a: &Features, b: &Features, n: DVec3) -> f64 {
    let high = a.corners.iter().map(|corner| n.dot(*corner)).fold(f64::NEG_INFINITY, f64::max);
    b.corners.iter().map(|corner| n.dot(*corner)).fold(f64::INFINITY, f64::min) - high
}

/// Returns the gap of two polytopes, m: the largest gap along any direction in which two features
/// can be nearest to each other.
fn oracle(a: &Features, b: &Features) -> f64 {
    let mut best = f64::NEG_INFINITY;
    let mut try_direction = |n: DVec3| {
        if let Some(n) = n.try_normalize() {
            best = best.max(gap(a, b, n));
        }
    };
    a.normals.iter().for_each(|n| try_direction(*n));
    b.normals.iter().for_each(|n| try_direction(-*n));
    for [p, q] in &a.edges {
        for [r, s] in &b.edges {
            let across = (*q - *p).cross(*s - *r);
            try_direction(across);
            try_direction(-across);
        }
    }
    if best <= 0.0 {
        return best;
    }
    let foot = |[p, q]: [DVec3; 2], c: DVec3| p + (q - p) * (q - p).dot(c - p) / (q - p).length_squared();
    let mut try_direction = |n: DVec3| {
        if let Some(n) = n.try_normalize() {
            best = best.max(gap(a, b, n));
        }
    };
    for p in &a.corners {
        b.corners.iter().for_each(|q| try_direction(*q - *p));
        b.edges.iter().for_each(|edge| try_direction(foot(*edge, *p) - *p));
    }
    for q in &b.corners {
        a.edges.iter().for_each(|edge| try_direction(*q - foot(*edge, *q)));
    }
    best
}

impl Case {
    /// Returns two random bodies in random poses.
    fn random(rng: &mut Rng, shape: fn(&mut Rng) -> Shape) -> Self {
        let (a, b) = (shape(rng), shape(rng));
        let [pose_a, pose_b] = random_poses(rng, &a, &b);
        Self { a, b, pose_a, pose_b }
    }

    fn features_of_both(&self) -> (Features, Features) {
        let origin = self.pose_a.position;
        (Features::new(&self.a, &self.pose_a, origin), Features::new(&self.b, &self.pose_b, origin))
    }

    /// Returns whether a point, relative to the centre of a, lies in both bodies.
    fn share(&self, point: DVec3) -> bool {
        [(&self.a, &self.pose_a), (&self.b, &self.pose_b)].into_iter().all(|(shape, pose)| {
            let local = pose.orientation.inverse() * (point + self.pose_a.position - pose.position);
            shape.as_convex().inside_outside(local) <= TOLERANCE
        })
    }
}

/// Tests random pairs. `use_oracle` selects by number the pairs that are compared with the oracle.
fn sweep(name: &str, shape: fn(&mut Rng) -> Shape, use_oracle: impl Fn(usize) -> bool) {
    let mut rng = Rng::new(71);
    let (mut worst, mut points, mut compared) = (0f64, 0, 0);
    for k in 0..pairs() {
        let case = Case::random(&mut rng, shape);
        let pair = case.pair();
        let mut manifold = Manifold::default();
        collide(Measure::Depth, &pair, &mut manifold);
        assert_eq!(manifold.status, Status::Converged, "{name} {k}: {manifold:?}");
        let p = *manifold.deepest().expect("an infinite margin reports every pair");
        points += manifold.points().len();
        // A warm start, close or arbitrary, must not change the result.
        let warm_normal = if k % 2 == 0 { p.normal + 1e-3 * rng.in_ball() } else { rng.direction() };
        let mut warm = Manifold::default();
        collide(Measure::Depth, &Pair { warm: Some(warm_normal), ..pair }, &mut warm);
        let again = warm.deepest().expect("an infinite margin reports every pair").gap;
        assert!((again - p.gap).abs() <= TOLERANCE, "{name} {k}: gap {again} with a warm start, {p:?}");
        // The gap along any direction is a lower bound of the gap, and the distance of two surface
        // points an upper bound.
        let along = gap_along(&pair, p.normal);
        assert!((along - p.gap).abs() <= TOLERANCE, "{name} {k}: gap {along} along the normal, {p:?}");
        let is_proven = if p.gap > 0.0 {
            let local =
                |pose: &Pose, at: DVec3| pose.orientation.inverse() * (at + case.pose_a.position - pose.position);
            let a = case.a.as_convex().inside_outside(local(&case.pose_a, p.on_a()));
            let b = case.b.as_convex().inside_outside(local(&case.pose_b, p.on_b()));
            a <= TOLERANCE && b <= TOLERANCE
        } else {
            case.share(p.arm)
        };
        if use_oracle(k) || !is_proven {
            let (a, b) = case.features_of_both();
            let truth = oracle(&a, &b);
            compared += 1;
            let is_clear = truth.abs() > TOLERANCE;
            assert!(
                !is_clear || (truth > 0.0) == (p.gap > 0.0),
                "{name} {k}: wrong sign of the gap, oracle {truth}, {p:?}"
            );
            assert!((truth - p.gap).abs() <= TOLERANCE, "{name} {k}: oracle {truth}, {p:?}");
            worst = worst.max((truth - p.gap).abs());
        }
    }
    let mean = points as f64 / pairs() as f64;
    println!(
        "{name}: {} pairs, {compared} compared with the oracle, worst error {worst:.1e}, {mean:.2} points per pair",
        pairs()
    );
}

#[test]
fn boxes_agree_with_the_oracle() {
    sweep("boxes", random_box, |_| true);
}

#[test]
fn rocks_agree_with_the_oracle() {
    sweep("rocks", rock_of_any_size, |k| k % ORACLE_INTERVAL == 0);
}

fn contact(a: &Shape, b: &Shape, pose_b: Pose) -> Manifold {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair { margin: 0.0, ..Pair::new(a, &Pose::IDENTITY, b, &pose_b) }, &mut manifold);
    manifold
}

/// Returns the area of a flat patch, m^2. Its points are in the order of the outline.
fn area(manifold: &Manifold) -> f64 {
    let p: Vec<DVec3> = manifold.points().iter().map(|point| point.arm).collect();
    (2..p.len()).map(|k| 0.5 * (p[k - 1] - p[0]).cross(p[k] - p[0])).sum::<DVec3>().length()
}

#[test]
fn two_turned_squares_share_an_octagon() {
    let slab: Shape = Box { half_sizes: DVec3::new(1.0, 1.0, 0.5) }.into();
    let turn = glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
    let manifold = contact(&slab, &slab, Pose { position: DVec3::Z * (1.0 - 1e-3), orientation: turn });
    assert_eq!(manifold.points().len(), 8);
    // Area of the regular octagon with inscribed radius 1.
    let exact = 8.0 * (std::f64::consts::PI / 8.0).tan();
    assert!((area(&manifold) - exact).abs() < 1e-12);
    assert!(manifold.points().iter().all(|p| (p.gap + 1e-3).abs() < 1e-14 && p.normal == DVec3::Z));
}

#[test]
fn crossed_edges_touch_in_one_point() {
    let bar: Shape = Box { half_sizes: DVec3::new(1.0, 0.2, 0.2) }.into();
    let roof = glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let across = glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2) * roof;
    let depth = 1e-3;
    let height = 2.0 * 0.2 * std::f64::consts::SQRT_2 - depth;
    let pair =
        (Pose { position: DVec3::ZERO, orientation: roof }, Pose { position: DVec3::Z * height, orientation: across });
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair { margin: 0.0, ..Pair::new(&bar, &pair.0, &bar, &pair.1) }, &mut manifold);
    assert_eq!(manifold.points().len(), 1);
    let p = manifold.points()[0];
    assert!((p.gap + depth).abs() < 1e-14 && (p.normal - DVec3::Z).length() < 1e-14, "{p:?}");
}

#[test]
fn a_flush_contact_keeps_its_features_under_small_motions() {
    let cube: Shape = Box { half_sizes: DVec3::splat(0.5) }.into();
    let mut rng = Rng::new(5);
    let features = |manifold: &Manifold| {
        let mut features: Vec<u32> = manifold.points().iter().map(|p| p.feature).collect();
        features.sort_unstable();
        features
    };
    let still = contact(&cube, &cube, Pose::at(DVec3::Z * (1.0 - 1e-4)));
    assert_eq!(still.points().len(), 4);
    for _ in 0..1000 {
        let shift = 1e-8 * rng.in_ball() + DVec3::Z * (1.0 - 1e-4);
        let turn = glam::DQuat::from_scaled_axis(1e-8 * rng.in_ball());
        assert_eq!(features(&contact(&cube, &cube, Pose { position: shift, orientation: turn })), features(&still));
    }
}

#[test]
fn a_cube_rests_on_the_four_corners_of_its_face() {
    let floor: Shape = granum_geometry::shape::HalfSpace::new(DVec3::Z).into();
    let cube: Shape = Box { half_sizes: DVec3::splat(0.5) }.into();
    let manifold = contact(&floor, &cube, Pose::at(DVec3::Z * 0.499));
    assert_eq!(manifold.points().len(), 4);
    assert!(manifold.points().iter().all(|p| (p.gap + 1e-3).abs() < 1e-15 && p.arm.x.abs() == 0.5));
}
