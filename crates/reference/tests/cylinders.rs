//! Published formulas for cylinders: the contact theorems, the overlap measures, the overlap region
//! by its edges, and the published measure in the pair table.

use glam::{DQuat, DVec3};
use granum_geometry::contact::region::{DEFAULT_SLICES, MAX_SLICES, SliceCount, cylinder_region};
use granum_geometry::random::Random as Rng;
use granum_geometry::shape::Cylinder;
use granum_geometry::{Kind, Manifold, Measure, Pair, PairTable, Pose, Shape, collide};
use granum_reference::axisymmetric::{
    Axis, FourParameters, contact_normal, contact_point, overlap_measure, radial_overlap_measure,
};
use granum_reference::random_pairs::random_cylinders;
use granum_reference::region_edges::region_by_edges;
use granum_reference::{pair_table, published};

/// Largest errors of the region by edges: of the volume, of the centroid relative to the extent,
/// and of the overlap [Feng2017, eq. 21].
const EDGES_VOLUME: f64 = 1e-2;
const EDGES_CENTROID: f64 = 1e-2;
const EDGES_OVERLAP: f64 = 1e-2;

#[test]
fn edges_give_the_region_of_the_slices() {
    let mut rng = Rng::new(33);
    let (mut volumes, mut centroids, mut extents) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5_000 {
        let (a, pose_a, b, pose_b) = random_cylinders(&mut rng);
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
        let (a, pose_a, b, pose_b) = random_cylinders(&mut rng);
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

/// Largest angle between the normal by the theorem at the exact centroid and the gradient of the
/// volume in these tests, degrees.
const NORMAL_BY_THEOREM: f64 = 15.0;

/// The largest angle between the normal of a method and the gradient of the volume, degrees, of
/// pairs whose axes have the angle `tilt`, rad.
fn worst_angle_from_gradient(method: &str, tilt: f64) -> f64 {
    let method = granum_reference::methods::named(method).expect("a method");
    let mut rng = Rng::new(34);
    let mut worst = 0f64;
    for _ in 0..400 {
        let mut body = || Cylinder { radius: rng.range(0.3, 1.0), half_height: rng.range(0.3, 1.0) };
        let (a, b) = (body(), body());
        let reach = DVec3::new(a.radius + b.radius, 0.0, a.half_height + b.half_height);
        let (turn, along) = (rng.rotation(), rng.signed());
        // The second body overlaps on the side, on a base, or on both.
        let offset = reach * DVec3::new(rng.range(0.8, 0.999), 0.0, 0.999 * along);
        let about = DQuat::from_axis_angle(rng.direction(), tilt);
        let (a, b) = (Shape::from(a), Shape::from(b));
        let pose =
            |position: DVec3, orientation: DQuat| Pose { position: turn * position, orientation: turn * orientation };
        let (pose_a, pose_b) = (pose(DVec3::ZERO, DQuat::IDENTITY), pose(offset, about));
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let Some(region) = cylinder_region(&pair, SliceCount::PerInterval(MAX_SLICES)) else { continue };
        let normal = (method.solve)(&pair).normal.expect("a normal");
        worst = worst.max(normal.cross(region.region.gradient.normal()).length().asin().to_degrees());
        assert!(normal.dot(region.region.gradient.normal()) > 0.0, "the normal points from a to b");
    }
    worst
}

#[test]
fn parallel_axes_have_the_normal_of_the_volume_gradient() {
    for method in ["layers", "edges"] {
        for tilt in [0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 0.1] {
            let worst = worst_angle_from_gradient(method, tilt);
            eprintln!("{method}, axes at {tilt:e} rad: {worst:.4} degrees at most from the gradient of the volume");
            // The theorem at the centroid differs from the gradient by itself; parallel axes leave
            // the normal to the gradient.
            assert!(worst < if tilt <= 1e-9 { 1e-3 } else { NORMAL_BY_THEOREM });
        }
    }
}

#[test]
fn four_parameters_give_the_ends_of_the_common_perpendicular() {
    let mut rng = Rng::new(35);
    for _ in 0..10_000 {
        let axis = |rng: &mut Rng| Axis { centre: rng.in_ball(), direction: rng.direction() };
        let (a, b) = (axis(&mut rng), axis(&mut rng));
        let FourParameters { d, alpha, s } = FourParameters::of(a, b);
        let second = if a.direction.dot(b.direction) < 0.0 { -b.direction } else { b.direction };
        let [s1, s2] = s.expect("random axes are not parallel");
        let line = b.centre + s2 * second - (a.centre + s1 * a.direction);
        assert!((line.length() - d.abs()).abs() < 1e-8 && (0.0..=0.5 * std::f64::consts::PI).contains(&alpha));
        assert!(line.dot(a.direction).abs() < 1e-8 && line.dot(b.direction).abs() < 1e-8);
        // Eq. 7 as printed has a wrong second part: t1 = n1.(c2 - c1), t2 = n2.(c2 - c1).
        assert!((alpha.cos() - a.direction.dot(second)).abs() < 1e-12);
    }
    let up = |x: f64, z: f64| Axis { centre: DVec3::new(x, 0.0, z), direction: DVec3::Z };
    assert_eq!(FourParameters::of(up(0.0, 0.0), up(3.0, 1.0)), FourParameters { d: 3.0, alpha: 0.0, s: None });
}
