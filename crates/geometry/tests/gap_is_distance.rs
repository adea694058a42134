//! The gap of a contact point is a signed distance for every measure of the overlap.

mod support;

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use granum_geometry::shape::{Box, Cylinder, HalfSpace, InsideCylinder};
use granum_geometry::{Kind, Manifold, Measure, Pair, PairTable, Pose, Shape, collide};
use support::polytopes::{random_box, random_poses, rock_of_any_size};
use support::{Rng, spread};

/// Rounding of a gap, relative to the size of the bodies.
const ROUNDING: f64 = 1e-12;

fn contacts(measure: Measure, pair: &Pair) -> Manifold {
    let mut manifold = Manifold::default();
    collide(measure, pair, &mut manifold);
    manifold
}

/// Asserts that a pair overlaps by `depth`, m, at each of its points and by every measure.
fn assert_depth(name: &str, pair: &Pair, depth: f64) {
    for measure in Measure::BUILT_IN {
        let found = contacts(measure, pair);
        let deepest = found.deepest().expect("an infinite margin reports every pair");
        assert!((deepest.gap + depth).abs() < ROUNDING, "{name} by {measure:?}: {deepest:?}");
        for point in found.points() {
            assert!((point.gap + depth).abs() < ROUNDING, "{name} by {measure:?}: {point:?}");
        }
    }
}

#[test]
fn two_coins_that_overlap_by_a_tenth_have_a_gap_of_minus_a_tenth() {
    let coin: Shape = Cylinder { radius: 1.0, half_height: 0.5 }.into();
    let below = Pose::at(DVec3::new(3.0, -2.0, 7.0));
    for orientation in [DQuat::IDENTITY, DQuat::from_rotation_x(0.4), DQuat::from_rotation_y(1.9)] {
        let below = Pose { orientation, ..below };
        let above = Pose { position: below.position + orientation * (0.9 * DVec3::Z), orientation };
        let pair = Pair::new(&coin, &below, &coin, &above);
        assert_depth("coins", &pair, 0.1);
        assert_depth("swapped coins", &pair.swapped(), 0.1);
        assert_depth("coins with a warm start", &Pair { margin: 0.0, warm: Some(orientation * DVec3::Z), ..pair }, 0.1);
        let overlap = contacts(Measure::Moments, &pair).points()[0].law_overlap();
        assert!(overlap > 0.15, "the generalised overlap differs from the depth: {overlap}");
    }
}

#[test]
fn a_lying_cylinder_on_a_plane_and_in_a_drum_has_its_depth() {
    let (radius, depth) = (0.3, 0.01);
    let rod: Shape = Cylinder { radius, half_height: 1.0 }.into();
    let plane: Shape = HalfSpace::new(DVec3::Z).into();
    let lying = Pose { position: (radius - depth) * DVec3::Z, orientation: DQuat::from_rotation_y(FRAC_PI_2) };
    assert_depth("a rod on a plane", &Pair::new(&plane, &Pose::IDENTITY, &rod, &lying), depth);
    let upright = Pose::at((1.0 - depth) * DVec3::Z);
    assert_depth("a rod on its end", &Pair::new(&plane, &Pose::IDENTITY, &rod, &upright), depth);
    // In a corner of a drum: on its lower end and, at another depth, on its side.
    let drum: Shape = InsideCylinder { radius: 1.0, half_height: 2.0 }.into();
    let pose = Pose::at(DVec3::new(0.0, 1.0 - radius + 0.004, -1.0 - depth));
    let found = contacts(Measure::Moments, &Pair::new(&drum, &Pose::IDENTITY, &rod, &pose));
    let gap = |normal: DVec3| {
        let on_wall = found.points().iter().filter(|point| point.normal.dot(normal) > 0.999);
        on_wall.map(|point| point.gap).fold(f64::INFINITY, f64::min)
    };
    assert!((gap(DVec3::Z) + depth).abs() < ROUNDING && (gap(DVec3::NEG_Y) + 0.004).abs() < ROUNDING, "{found:?}");
}

#[test]
fn two_boxes_have_their_depth() {
    let block: Shape = Box { half_sizes: DVec3::new(0.5, 0.4, 0.3) }.into();
    let above = Pose { position: DVec3::new(0.1, 0.05, 0.55), orientation: DQuat::from_rotation_z(0.3) };
    assert_depth("boxes", &Pair::new(&block, &Pose::IDENTITY, &block, &above), 0.05);
}

#[test]
fn the_gap_does_not_depend_on_the_measure() {
    let mut rng = Rng::new(301);
    let cylinder =
        |rng: &mut Rng| Cylinder { radius: rng.log_range(0.1, 1.0), half_height: rng.log_range(0.1, 1.0) }.into();
    let bodies: [fn(&mut Rng) -> Shape; 2] = [random_box, rock_of_any_size];
    let (mut generalised, mut differ) = (0, 0);
    for k in 0..1500 {
        let (a, b): (Shape, Shape) = match k % 3 {
            0 => (cylinder(&mut rng), cylinder(&mut rng)),
            n => (bodies[n - 1](&mut rng), bodies[k / 3 % 2](&mut rng)),
        };
        let [pose_a, pose_b] = random_poses(&mut rng, &a, &b);
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let by_depth = contacts(Measure::Depth, &pair);
        let gap = by_depth.deepest().expect("an infinite margin reports every pair").gap;
        for measure in [Measure::Volume, Measure::Moments] {
            let found = contacts(measure, &pair);
            let deepest = found.deepest().expect("an infinite margin reports every pair");
            assert!((deepest.gap - gap).abs() < 1e-9, "{a:?} {b:?} by {measure:?}: {deepest:?}, depth {gap}");
            for point in found.points().iter().filter(|point| point.overlap.is_some()) {
                generalised += 1;
                differ += usize::from((point.law_overlap() + gap).abs() > 0.1 * -gap);
                assert!((point.gap - gap).abs() < ROUNDING, "{a:?} {b:?} by {measure:?}: {point:?}, depth {gap}");
                // No direction has a larger distance: the definition of the gap.
                assert!(spread(200).all(|n| pair.distance_along(n) <= point.gap + 1e-9), "{a:?} {b:?}: {point:?}");
            }
        }
    }
    assert!(generalised > 500 && differ > 300, "{generalised} generalised overlaps, {differ} unlike the depth");
}

#[test]
fn no_pair_of_kinds_and_no_measure_leaves_a_gap_out() {
    let mut rng = Rng::new(302);
    let table = PairTable::standard();
    for measure in table.measures() {
        for &kind_a in Kind::ALL.iter().filter(|&&kind| kind != Kind::UserDefined) {
            let meets = |kind: Kind| kind != Kind::UserDefined && support::shapes::can_meet(kind_a, kind);
            for &kind_b in Kind::ALL.iter().filter(|&&kind| meets(kind)) {
                let planar = [kind_a, kind_b].map(support::shapes::is_planar).contains(&true);
                for _ in 0..4 {
                    let a = support::shapes::random_shape(kind_a, planar, &mut rng);
                    let b = support::shapes::random_shape(kind_b, planar, &mut rng);
                    let pose = Pose {
                        position: 0.5 * support::shapes::vector(planar, &mut rng),
                        orientation: support::shapes::rotation(planar, &mut rng),
                    };
                    let found = contacts(measure, &Pair::new(&a, &Pose::IDENTITY, &b, &pose));
                    assert!(found.points().iter().all(|point| point.gap.is_finite()), "{a:?} {b:?} {found:?}");
                }
            }
        }
    }
}
