//! Published formulas for cylinders: the contact theorems, the overlap measures, the overlap region
//! by its edges, and the published measure in the pair table.

use glam::{DQuat, DVec3};
use granum_geometry::contact::region::{DEFAULT_SLICES, SliceCount, cylinder_region};
use granum_geometry::random::Random as Rng;
use granum_geometry::shape::Cylinder;
use granum_geometry::{Kind, Manifold, Measure, Pair, PairTable, Pose, Shape, collide};
use granum_reference::axisymmetric::{Axis, contact_normal, contact_point, overlap_measure, radial_overlap_measure};
use granum_reference::region_edges::region_by_edges;
use granum_reference::{pair_table, published};

/// Largest errors of the region by edges: of the volume, of the centroid relative to the extent,
/// and of the overlap [Feng2017, eq. 21].
const EDGES_VOLUME: f64 = 1e-2;
const EDGES_CENTROID: f64 = 1e-2;
const EDGES_OVERLAP: f64 = 1e-2;

/// Two cylinders of H/D 0.025 to 50 that overlap by 1e-3 to 0.5 of the smallest size.
fn random_pair(rng: &mut Rng) -> (Shape, Pose, Shape, Pose) {
    let cylinder = |rng: &mut Rng| {
        let aspect = rng.log_range(0.025, 50.0);
        let radius = rng.range(0.3, 1.0) / aspect.max(1.0);
        Cylinder { radius, half_height: radius * aspect }
    };
    let bodies = [cylinder(rng), cylinder(rng)];
    let smallest = bodies.map(|body| body.radius.min(body.half_height));
    let [a, b] = bodies.map(Shape::from);
    let (turn_a, turn_b) = (rng.rotation(), rng.rotation());
    let n = rng.direction();
    let support = |shape: &Shape, turn: DQuat, n: DVec3| turn * shape.as_convex().support(turn.inverse() * n);
    let depth = smallest[0].min(smallest[1]) * rng.log_range(1e-3, 0.5);
    let position = support(&a, turn_a, n) - support(&b, turn_b, -n) - depth * n;
    let pose = |position: DVec3, orientation: DQuat| Pose { position, orientation };
    (a, pose(DVec3::ZERO, turn_a), b, pose(position, turn_b))
}

#[test]
fn edges_give_the_region_of_the_slices() {
    let mut rng = Rng::new(33);
    let (mut volumes, mut centroids, mut extents) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5_000 {
        let (a, pose_a, b, pose_b) = random_pair(&mut rng);
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let Some(region) = cylinder_region(&pair, SliceCount::PerInterval(DEFAULT_SLICES)) else {
            assert!(region_by_edges(&pair).is_none());
            continue;
        };
        let fast = region_by_edges(&pair).expect("a region");
        volumes.push((fast.volume / region.region.volume - 1.0).abs());
        centroids.push((fast.centroid - region.region.centroid).length() / region.extent.length());
        extents.push((overlap_measure(fast.extent) / overlap_measure(region.extent) - 1.0).abs());
    }
    let [volume, centroid, extent] = [volumes, centroids, extents].map(|mut errors| {
        errors.sort_by(f64::total_cmp);
        [errors.len() / 2, errors.len() * 99 / 100, errors.len() - 1].map(|k| errors[k])
    });
    eprintln!("edges, median, 99 % and worst: volume {volume:?}, centroid {centroid:?}, overlap {extent:?}");
    assert!(volume[2] < EDGES_VOLUME && centroid[2] < EDGES_CENTROID && extent[2] < EDGES_OVERLAP);
}

#[test]
fn forces_by_the_theorems_have_no_moment_about_either_axis() {
    let mut rng = Rng::new(32);
    let mut worst = 0f64;
    for _ in 0..100_000 {
        let axis = |rng: &mut Rng| Axis { centre: rng.in_ball(), direction: rng.direction() };
        let (a, b, p) = (axis(&mut rng), axis(&mut rng), rng.in_ball());
        let Some(n) = contact_normal(p, a, b, b.centre - a.centre) else { continue };
        assert!(n.dot(b.centre - a.centre) >= 0.0);
        worst = worst.max(a.moment(p, n).abs()).max(b.moment(p, n).abs());
        // Conversely, the line along n that intersects both axes passes through p.
        if let Some(q) = contact_point(p, n, a, b) {
            let flat = a.direction.cross(b.direction).dot(n).abs();
            assert!((q - p).length() * flat < 1e-10, "{p} {q}");
        }
        // The contact point of theorem 2 removes the moment for any normal.
        let n = rng.direction();
        let flat = a.direction.cross(b.direction).dot(n).abs();
        if let Some(q) = contact_point(p, n, a, b).filter(|_| flat > 1e-2) {
            worst = worst.max(a.moment(q, n).abs()).max(b.moment(q, n).abs());
        }
    }
    eprintln!("largest moment {worst:e}");
    assert!(worst < 1e-12, "{worst:e}");
}

#[test]
fn coplanar_axes_do_not_determine_the_normal() {
    let a = Axis { centre: DVec3::ZERO, direction: DVec3::Z };
    let b = Axis { centre: DVec3::X, direction: DVec3::Z };
    assert_eq!(contact_normal(DVec3::new(0.5, 0.0, 0.2), a, b, DVec3::X), None);
}

#[test]
fn the_overlap_measures_follow_the_smallest_extent() {
    assert!((overlap_measure(DVec3::new(1e-3, 1.0, 1.0)) / 2e-3 - 1.0).abs() < 1e-5);
    assert!((overlap_measure(DVec3::ONE) - 2.0 / 3f64.sqrt()).abs() < 1e-15);
    assert!((radial_overlap_measure(3.0, 4.0) - 2.0 * 12.0 / 5.0).abs() < 1e-14);
    assert_eq!(overlap_measure(DVec3::new(0.0, 1.0, 1.0)), 0.0);
}

#[test]
fn the_published_measure_is_registered_from_outside() {
    let name = |table: &PairTable| table.routine(published::MEASURE, Kind::Cylinder, Kind::Cylinder).name();
    assert_eq!(name(pair_table()), "published");
    // The built-in table does not contain the published measure, and pairs of other shapes use the
    // depth.
    assert!(!PairTable::standard().has(published::MEASURE));
    assert_eq!(pair_table().routine(published::MEASURE, Kind::Box, Kind::Cylinder).measure(), Measure::Depth);
    let methods: Vec<&str> =
        pair_table().region_methods(Kind::Cylinder, Kind::Cylinder).map(|method| method.name).collect();
    assert_eq!(methods.last(), Some(&"edges"));
}

#[test]
fn the_published_measure_has_its_overlap_and_a_normal_without_moment() {
    let mut rng = Rng::new(41);
    let mut seen = 0;
    for _ in 0..2_000 {
        let (a, pose_a, b, pose_b) = random_pair(&mut rng);
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let mut manifold = Manifold::default();
        pair_table().collide(published::MEASURE, &pair, &mut manifold);
        let point = manifold.points()[0];
        let Some(cylinders) = cylinder_region(&pair, SliceCount::PerInterval(DEFAULT_SLICES)) else { continue };
        seen += 1;
        assert_eq!(point.law_overlap(), overlap_measure(cylinders.extent));
        assert!(point.normal.dot(cylinders.region.gradient.translation) >= 0.0, "the force must separate the bodies");
        let axis = |pose: &Pose| Axis { centre: pose.position, direction: pose.orientation * DVec3::Z };
        for axis in [axis(&pose_a), axis(&pose_b)] {
            assert!(axis.moment(point.arm, point.normal).abs() < 1e-12 * (1.0 + point.arm.length()));
        }
    }
    assert!(seen > 1_500, "only {seen} pairs overlap");
}

#[test]
fn the_published_measure_of_separated_cylinders_is_their_distance() {
    let can = Shape::from(Cylinder { radius: 0.5, half_height: 1.0 });
    let pose = Pose { position: DVec3::new(0.2, 1.3, 0.4), orientation: DQuat::from_rotation_x(0.3) };
    let pair = Pair::new(&can, &Pose::IDENTITY, &can, &pose);
    let (mut own, mut depth) = (Manifold::default(), Manifold::default());
    pair_table().collide(published::MEASURE, &pair, &mut own);
    collide(Measure::Depth, &pair, &mut depth);
    let [own, depth] = [own, depth].map(|manifold| *manifold.deepest().expect("an infinite margin reports every pair"));
    assert!(depth.gap > 0.0);
    assert_eq!((own.gap, own.normal, own.arm), (depth.gap, depth.normal, depth.arm));
}
