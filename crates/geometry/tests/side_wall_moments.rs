//! Rims of a cylinder on the side wall of a hollow cylinder, by the moments of the part of each rim
//! beyond the wall: compared with an oracle, with finite differences and with the depth.

mod support;

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DQuat, DVec2, DVec3};
use granum_geometry::shape::{Cylinder, InsideCylinder};
use granum_geometry::{ContactPoint, Manifold, Measure, Pair, Pose, Shape, collide};
use support::Rng;
use support::slopes::Slopes;

/// First feature number of the end caps; smaller numbers belong to the side wall.
const FIRST_END: u32 = 32;

/// Returns the contacts, and the index of the contact of a rim with the side wall: that with the
/// given feature, or the deeper one.
fn contact_of(feature: Option<u32>, room: &Shape, wall_pose: &Pose, grain: &Shape, pose: &Pose) -> (Manifold, usize) {
    let mut manifold = Manifold::default();
    let pair = Pair::new(room, wall_pose, grain, pose);
    collide(Measure::Moments, &pair, &mut manifold);
    let points = manifold.points().iter().enumerate().filter(|(_, point)| point.feature < FIRST_END);
    let asked = points.filter(|(_, point)| feature.is_none_or(|feature| point.feature == feature));
    let deepest = asked.min_by(|(_, p), (_, q)| p.gap.total_cmp(&q.gap)).map(|(number, _)| number);
    (manifold, deepest.expect("a contact with the side"))
}

/// Returns the same for the deeper rim.
fn contact(room: &Shape, wall_pose: &Pose, grain: &Shape, pose: &Pose) -> (Manifold, usize) {
    contact_of(None, room, wall_pose, grain, pose)
}

/// Returns the deepest contact with the side wall by the measure depth.
fn by_depth(room: &Shape, wall_pose: &Pose, grain: &Shape, pose: &Pose) -> ContactPoint {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair::new(room, wall_pose, grain, pose), &mut manifold);
    let side = manifold.points().iter().filter(|point| point.feature < FIRST_END);
    *side.min_by(|p, q| p.gap.total_cmp(&q.gap)).expect("a contact with the side")
}

/// Returns a long hollow cylinder and a cylinder of random aspect ratio, with their poses. The
/// grain is in a random pose, or nearly upright, lying, or with a face towards the wall. Its depth
/// beyond the side wall is `depth` times its least size.
fn dipped(rng: &mut Rng, depth: f64) -> (Shape, Pose, Shape, Pose) {
    let aspect = rng.range(-3.0, 3.0).exp();
    let radius = rng.range(0.3, 1.0) / aspect.max(1.0);
    let grain: Shape = Cylinder { radius, half_height: radius * aspect }.into();
    let wall_pose = Pose { position: 2.0 * rng.direction(), orientation: rng.rotation() };
    let wide = rng.range(1.5, 8.0);
    let room: Shape = InsideCylinder { radius: wide, half_height: 50.0 }.into();
    let azimuth = rng.range(0.0, TAU);
    let outward = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
    let tilt = DQuat::from_scaled_axis(rng.range(-14.0, 0.0).exp() * rng.direction());
    let own = match rng.range(0.0, 1.0) {
        0.0..0.2 => tilt,
        0.2..0.4 => tilt * DQuat::from_rotation_arc(DVec3::Z, outward),
        0.4..0.6 => tilt * DQuat::from_rotation_arc(DVec3::Z, DVec3::Z.cross(outward)),
        // Near the poses in which the two contacts of a rim become one.
        0.6..0.8 => {
            let lean = DQuat::from_scaled_axis(rng.range(0.0, 0.7) * DVec3::Z.cross(outward));
            DQuat::from_rotation_z(rng.range(-0.1, 0.1)) * lean * DQuat::from_rotation_arc(DVec3::Z, outward)
        }
        _ => rng.rotation(),
    };
    let orientation = wall_pose.orientation * own;
    let at = |distance: f64| Pose {
        position: wall_pose.position + wall_pose.orientation * (distance * outward),
        orientation,
    };
    let wanted = depth * radius * aspect.min(1.0);
    let (mut near, mut far) = (0.0, 2.0 * wide);
    for _ in 0..80 {
        let middle = 0.5 * (near + far);
        if by_depth(&room, &wall_pose, &grain, &at(middle)).gap > -wanted { near = middle } else { far = middle }
    }
    (room, wall_pose, grain, at(far))
}

/// Returns the overlap of a rim, m, from its definition, as a sum over many angles.
fn oracle(feature: u32, room: &Shape, wall_pose: &Pose, grain: &Shape, pose: &Pose) -> f64 {
    let (Shape::InsideCylinder(room), Shape::Cylinder(grain)) = (room, grain) else {
        unreachable!("they are cylinders")
    };
    let (mut square, mut cube) = (0.0, 0.0);
    let angles = 200_000;
    let end = if feature == 0 { grain.half_height } else { -grain.half_height };
    for k in 0..angles {
        let angle = TAU * k as f64 / angles as f64;
        let own = DVec3::new(grain.radius * angle.cos(), grain.radius * angle.sin(), end);
        let seen = wall_pose.orientation.inverse() * (pose.position + pose.orientation * own - wall_pose.position);
        let depth = (seen.truncate().length_squared() - room.radius * room.radius) / (2.0 * room.radius);
        if depth > 0.0 {
            square += depth * depth;
            cube += depth * depth * depth;
        }
    }
    7.0 / 6.0 * cube / square
}

#[test]
fn the_overlap_agrees_with_its_definition() {
    let mut rng = Rng::new(81);
    let mut worst = 0f64;
    for _ in 0..400 {
        let depth = 10f64.powf(rng.range(-3.0, -0.5));
        let (room, wall_pose, grain, pose) = dipped(&mut rng, depth);
        let (found, k) = contact(&room, &wall_pose, &grain, &pose);
        let exact = oracle(found.points()[k].feature, &room, &wall_pose, &grain, &pose);
        worst = worst.max((found.points()[k].law_overlap() / exact - 1.0).abs());
    }
    eprintln!("overlaps to {worst:.1e}");
    assert!(worst < 1e-6, "{worst:e}");
}

#[test]
fn the_gap_jacobian_agrees_with_finite_differences() {
    let mut rng = Rng::new(82);
    let (mut slopes, mut depths) = (Slopes::default(), (f64::INFINITY, 0f64));
    for _ in 0..20_000 {
        let depth = 10f64.powf(rng.range(-3.5, -1.0));
        let (room, wall_pose, grain, pose) = dipped(&mut rng, depth);
        let (deeper, number) = contact(&room, &wall_pose, &grain, &pose);
        let at = |pose: &Pose| {
            let (found, k) = contact_of(Some(deeper.points()[number].feature), &room, &wall_pose, &grain, pose);
            found.points()[k]
        };
        let point = at(&pose);
        assert!(point.overlap.is_some(), "{point:?}");
        let ratio = point.law_overlap() / -by_depth(&room, &wall_pose, &grain, &pose).gap;
        depths = (depths.0.min(ratio), depths.1.max(ratio));
        slopes.compare(point, &wall_pose, &pose, |pose| at(pose).law_overlap());
    }
    eprintln!("overlaps of {depths:.2?} depths");
    assert!(depths.0 > 0.6 && depths.1 < 1.2, "{depths:?}");
    slopes.assert_within([0.6, 1.2]);
}

#[test]
fn separated_bodies_report_their_distance_in_either_order() {
    let mut rng = Rng::new(83);
    for _ in 0..2_000 {
        let (room, wall_pose, grain, pose) = dipped(&mut rng, -0.01);
        let (found, k) = contact(&room, &wall_pose, &grain, &pose);
        assert_eq!(found.points()[k].gap, by_depth(&room, &wall_pose, &grain, &pose).gap);
        let (room, wall_pose, grain, pose) = dipped(&mut rng, 0.02);
        let ((one, k), (other, j)) =
            (contact(&room, &wall_pose, &grain, &pose), contact(&grain, &pose, &room, &wall_pose));
        let (p, q) = (one.points()[k], other.points()[j]);
        assert!(p.gap == q.gap && p.normal == -q.normal && p.overlap == q.overlap);
        assert!((wall_pose.position + p.arm - (pose.position + q.arm)).length() < 1e-12);
    }
}

#[test]
fn the_force_does_not_jump_where_two_contacts_of_a_rim_become_one() {
    let grain: Shape = Cylinder { radius: 5.5, half_height: 2.75 }.into();
    let room: Shape = InsideCylinder { radius: 110.0, half_height: 250.0 }.into();
    let wrench = |azimuth: f64| {
        // The face is towards the wall. It rotates about the vertical until one of the two contacts
        // vanishes.
        let turn = DQuat::from_rotation_z(azimuth) * DQuat::from_rotation_y(FRAC_PI_2 - 0.04);
        let position = DVec3::new(107.12, 0.0, 0.0);
        let (found, k) = contact(&room, &Pose::IDENTITY, &grain, &Pose { position, orientation: turn });
        let (point, jacobian) = (found.points()[k], found.points()[k].jacobian());
        assert!(point.overlap.is_some());
        let arm = point.arm - position;
        point.law_overlap() * (jacobian.normal * arm.cross(point.normal) + jacobian.spin * point.normal)
    };
    let (steps, mut jump, mut range) = (4_000, 0f64, 0f64);
    let mut last = wrench(0.0);
    for k in 1..=steps {
        let next = wrench(0.04 * k as f64 / steps as f64);
        jump = jump.max((next - last).length());
        range = range.max((next - wrench(0.0)).length());
        last = next;
    }
    eprintln!("the moment changes by {range:.2e}, by {jump:.2e} at most in one of {steps} steps");
    assert!(jump < 4.0 * range / steps as f64, "{jump:e} {range:e}");
}

#[test]
fn tight_and_centred_grains_have_an_overlap() {
    // The grain is upright on the axis of a container that is too narrow, so that both rims lie
    // beyond the wall.
    let grain: Shape = Cylinder { radius: 1.0, half_height: 0.5 }.into();
    let room: Shape = InsideCylinder { radius: 0.999, half_height: 5.0 }.into();
    let (found, k) = contact(&room, &Pose::IDENTITY, &grain, &Pose::IDENTITY);
    let depth = (1.0 - DVec2::new(0.999, 0.0).length_squared()) / (2.0 * 0.999);
    let point = found.points()[k];
    assert!((point.law_overlap() - 7.0 / 6.0 * depth).abs() < 1e-12, "{point:?}");
    assert!(point.jacobian().normal < 1e-9, "the direction of the force is undefined: {point:?}");
    // A small offset from the axis defines the direction of the force.
    let off = Pose::at(DVec3::new(1e-4, 0.0, 0.0));
    let (found, k) = contact(&room, &Pose::IDENTITY, &grain, &off);
    assert!(found.points()[k].normal.x < -0.999_999, "{:?}", found.points()[k]);
}
