//! A cylinder on a plane, or on an end cap of a hollow cylinder, by the second moments of its part
//! below the plane: compared with closed forms and with finite differences.

mod support;

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use granum_geometry::shape::{Cylinder, HalfSpace, InsideCylinder};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use support::Rng;
use support::slopes::Slopes;

/// Returns the contacts of a cylinder on a plane.
fn contact(plane: &Shape, wall_pose: &Pose, grain: &Shape, pose: &Pose) -> Manifold {
    let mut manifold = Manifold::default();
    let pair = Pair::new(plane, wall_pose, grain, pose);
    collide(Measure::Moments, &pair, &mut manifold);
    manifold
}

/// Returns the overlap by moments, m, of a box with the given second moments per volume along its
/// axes, m².
fn size(spread: [f64; 3]) -> f64 {
    (48.0 / spread.map(|moment| 1.0 / moment).iter().sum::<f64>()).sqrt()
}

#[test]
fn a_face_and_a_rim_on_a_plane_have_closed_forms() {
    let (radius, half_height, depth) = (0.7, 0.2, 0.01);
    let grain = Cylinder { radius, half_height }.into();
    let plane: Shape = HalfSpace::new(DVec3::Z).into();
    // Flat on a base: the overlap region is a disc.
    let flat = Pose::at(DVec3::new(3.0, -2.0, half_height - depth));
    let found = contact(&plane, &Pose::IDENTITY, &grain, &flat);
    let point = found.points()[0];
    let exact = size([0.25 * radius * radius, 0.25 * radius * radius, depth * depth / 12.0]);
    assert!((point.law_overlap() - exact).abs() < 1e-9 * exact, "{point:?} {exact}");
    assert!((point.gap + depth).abs() < 1e-15);
    assert!((point.normal - DVec3::Z).length() < 1e-15);
    assert!((point.arm.truncate() - flat.position.truncate()).length() < 1e-12, "{}", point.arm);
    // On its side: a segment of a circle, with the angle a from its middle to its end.
    let side = Pose { position: DVec3::new(0.0, 0.0, radius - depth), orientation: DQuat::from_rotation_y(0.5 * PI) };
    let found = contact(&plane, &Pose::IDENTITY, &grain, &side).points()[0];
    let a = ((radius - depth) / radius).acos();
    let (area, r2) = (a - a.sin() * a.cos(), radius * radius);
    let middle = 2.0 * radius * a.sin().powi(3) / (3.0 * area);
    let along = 0.25 * r2 * (1.0 + 2.0 * a.sin().powi(3) * a.cos() / area) - middle * middle;
    let across = 0.25 * r2 * (1.0 - 2.0 * a.sin().powi(3) * a.cos() / (3.0 * area));
    let exact = size([half_height * half_height / 3.0, across, along]);
    assert!((found.law_overlap() - exact).abs() < 1e-6 * exact, "{found:?} {exact}");
    assert!((found.gap + depth).abs() < 1e-15);
}

/// Returns a plane and a cylinder of random aspect ratio, with their poses. The grain is in a
/// random pose, or nearly flat, and lies below the plane by `depth` times its least size.
fn dipped(rng: &mut Rng, depth: f64) -> (Shape, Pose, Shape, Pose) {
    let aspect = rng.range(-3.5, 3.5).exp();
    let radius = rng.range(0.3, 1.0) / aspect.max(1.0);
    let grain: Shape = Cylinder { radius, half_height: radius * aspect }.into();
    let wall_pose = Pose { position: 2.0 * rng.direction(), orientation: rng.rotation() };
    let plane: Shape = HalfSpace::new(rng.direction()).into();
    let Shape::HalfSpace(half_space) = &plane else { unreachable!("it was just made") };
    let up = wall_pose.orientation * half_space.normal();
    let (lying, tilt) = (rng.range(0.0, 1.0), rng.range(-14.0, 0.0).exp());
    let orientation = match lying {
        // Nearly on a face, nearly on the side, or in a random orientation.
        0.0..0.3 => DQuat::from_scaled_axis(tilt * rng.direction()) * DQuat::from_rotation_arc(DVec3::Z, up),
        0.3..0.6 => DQuat::from_scaled_axis(tilt * rng.direction()) * DQuat::from_rotation_arc(DVec3::X, up),
        _ => rng.rotation(),
    };
    let lowest = orientation * grain.as_convex().support(orientation.inverse() * -up);
    let along = 3.0 * rng.direction();
    let height = -lowest.dot(up) - depth * radius * aspect.min(1.0);
    let position = wall_pose.position + along - along.dot(up) * up + height * up;
    (plane, wall_pose, grain, Pose { position, orientation })
}

#[test]
fn the_gap_jacobian_agrees_with_finite_differences() {
    let mut rng = Rng::new(71);
    let mut slopes = Slopes::default();
    for _ in 0..20_000 {
        let depth = 10f64.powf(rng.range(-4.0, -1.0));
        let (plane, wall_pose, grain, pose) = dipped(&mut rng, depth);
        let at = |pose: &Pose| contact(&plane, &wall_pose, &grain, pose);
        let point = at(&pose).points()[0];
        assert!(point.overlap.is_some() && point.feature == 0);
        slopes.compare(point, &wall_pose, &pose, |pose| at(pose).points()[0].law_overlap());
    }
    slopes.assert_within([0.8, 2.1]);
}

#[test]
fn separated_bodies_report_their_distance_in_either_order() {
    let mut rng = Rng::new(72);
    for _ in 0..2_000 {
        let (plane, wall_pose, grain, pose) = dipped(&mut rng, -0.01);
        let pair = Pair::new(&plane, &wall_pose, &grain, &pose);
        let mut manifold = Manifold::default();
        collide(Measure::Moments, &Pair { margin: 0.0, ..pair }, &mut manifold);
        assert!(manifold.points().is_empty());
        collide(Measure::Moments, &pair, &mut manifold);
        let Shape::Cylinder(Cylinder { radius, half_height }) = grain else { unreachable!("it is a cylinder") };
        let gap = manifold.points()[0].gap;
        assert!((gap - 0.01 * radius.min(half_height)).abs() < 1e-12, "{gap}");
        let (plane, wall_pose, grain, pose) = dipped(&mut rng, 0.02);
        let (one, other) = (contact(&plane, &wall_pose, &grain, &pose), contact(&grain, &pose, &plane, &wall_pose));
        let (p, q) = (one.points()[0], other.points()[0]);
        assert!(p.gap == q.gap && p.normal == -q.normal && p.overlap == q.overlap);
        assert!((wall_pose.position + p.arm - (pose.position + q.arm)).length() < 1e-12);
    }
}

#[test]
fn the_normal_of_a_slightly_inclined_plane_is_exact() {
    let grain = Cylinder { radius: 0.7, half_height: 0.2 }.into();
    for (lean, upside) in [(1e-8, 1.0), (1e-8, -1.0), (1e-5, 1.0), (0.0, -1.0)] {
        let up = upside * DVec3::new(lean, -0.5 * lean, 1.0).normalize();
        let plane: Shape = HalfSpace::new(up).into();
        let pose = Pose { position: 0.19 * up, orientation: DQuat::from_rotation_arc(DVec3::Z, up) };
        let point = contact(&plane, &Pose::IDENTITY, &grain, &pose).points()[0];
        assert!((point.normal - up).length() < 1e-15, "{} {up}", point.normal);
    }
}

#[test]
fn contacts_of_tiny_and_huge_grains_scale_with_their_size() {
    let mut rng = Rng::new(73);
    for _ in 0..2_000 {
        let (plane, wall_pose, grain, pose) = dipped(&mut rng, 0.01);
        let Shape::Cylinder(Cylinder { radius, half_height }) = grain else { unreachable!("it is a cylinder") };
        let one = contact(&plane, &wall_pose, &grain, &pose);
        for scale in [1e-6, 1e5] {
            let grain = Cylinder { radius: scale * radius, half_height: scale * half_height }.into();
            let moved = |pose: &Pose| Pose { position: scale * pose.position, ..*pose };
            let other = contact(&plane, &moved(&wall_pose), &grain, &moved(&pose));
            let (p, q) = (one.points()[0], other.points()[0]);
            assert!((q.gap / scale - p.gap).abs() < 1e-9 * p.gap.abs(), "{} {} at {scale}", p.gap, q.gap);
            let [own, scaled] = [p, q].map(|point| point.law_overlap());
            assert!((scaled / scale - own).abs() < 1e-9 * own, "{own} {scaled} at {scale}");
            assert!((q.normal - p.normal).length() < 1e-12 && (q.arm / scale - p.arm).length() < 1e-6);
        }
    }
}

/// Feature numbers of the upper and the lower end cap of a hollow cylinder; smaller numbers belong
/// to its side wall.
const ENDS: [u32; 2] = [32, 64];

#[test]
fn the_ends_of_a_container_are_planes() {
    let mut rng = Rng::new(74);
    let (mut met, mut squeezed, mut cornered) = (0, 0, 0);
    for _ in 0..20_000 {
        let (_, wall_pose, grain, Pose { orientation, .. }) = dipped(&mut rng, 0.01);
        let axis = wall_pose.orientation * DVec3::Z;
        let reach = (orientation * grain.as_convex().support(orientation.inverse() * axis)).dot(axis);
        // The container is as high as the grain or higher, and slightly wider. The grain is inside,
        // or overlaps an end cap.
        let half_height = reach * if rng.range(0.0, 1.0) < 0.2 { 0.98 } else { rng.range(1.0, 3.0) };
        let radius = rng.range(1.5, 2.5);
        let room: Shape = InsideCylinder { radius, half_height }.into();
        let dip = reach * rng.range(-0.02, 0.02);
        let along = if rng.range(0.0, 1.0) < 0.5 { half_height - reach + dip } else { dip };
        let across = wall_pose.orientation * rng.direction().with_z(0.0) * rng.range(0.0, radius);
        let pose = Pose { position: wall_pose.position + along * axis + across, orientation };
        let found = contact(&room, &wall_pose, &grain, &pose);
        let ends: Vec<_> = found.points().iter().filter(|point| point.feature >= ENDS[0]).collect();
        assert!(ends.iter().zip(found.points()).all(|(p, q)| **p == *q), "ends come first");
        for (feature, up) in ENDS.into_iter().zip([-axis, axis]) {
            let plane: Shape = HalfSpace::new(DVec3::Z).into();
            let turn = DQuat::from_rotation_arc(DVec3::Z, up);
            let level = Pose { position: wall_pose.position - half_height * up, orientation: turn };
            let alone = contact(&plane, &level, &grain, &pose);
            let k = found.points().iter().position(|point| point.feature == feature).expect("an end within the margin");
            let (p, q) = (found.points()[k], alone.points()[0]);
            let size = radius + half_height;
            assert!((p.gap - q.gap).abs() < 1e-9 * size && (p.normal - q.normal).length() < 1e-9, "{p:?} {q:?}");
            assert!((p.law_overlap() - q.law_overlap()).abs() < 1e-9 * size, "{p:?} {q:?}");
            if p.gap < 0.0 {
                met += 1;
                let at = [wall_pose.position + p.arm, level.position + q.arm];
                let ((one, patch), (other, flat)) = ((p.jacobian(), p.patch()), (q.jacobian(), q.patch()));
                assert!((at[0] - at[1]).length() < 1e-6 * size, "{at:?}");
                assert!((one.normal - other.normal).abs() < 1e-6 && (one.spin - other.spin).abs() < 1e-6 * size);
                assert!((patch.square() - flat.square()).abs() < 1e-6 * size * size);
            }
        }
        squeezed += usize::from(ends.iter().filter(|point| point.gap < 0.0).count() == 2);
        let side = |manifold: &Manifold| manifold.points().iter().find(|point| point.feature < ENDS[0]).copied();
        let corner = side(&found).is_some_and(|point| point.gap < 0.0) && ends.iter().any(|point| point.gap < 0.0);
        cornered += usize::from(corner);
        let (swapped, offset) = (contact(&grain, &pose, &room, &wall_pose), pose.position - wall_pose.position);
        for (p, q) in found.points().iter().zip(swapped.points()) {
            assert!(p.gap == q.gap && p.normal == -q.normal && p.feature == q.feature);
            assert!((p.arm - q.arm - offset).length() < 1e-12);
            assert_eq!(p.overlap, q.overlap);
        }
    }
    eprintln!("{met} ends met, {squeezed} grains squeezed between both, {cornered} in a corner");
    assert!(met > 8_000 && squeezed > 1_000 && cornered > 500, "{met} {squeezed} {cornered}");
}
