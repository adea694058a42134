//! Bodies on planes and in containers by generalised overlaps: derivatives of every contact,
//! feature numbers, exchanged bodies, sizes, and the distance of separated bodies.

mod support;

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use granum_geometry::shape::{
    Box, Capsule, Cylinder, HalfSpace, InsideCylinder, InsideEllipsoid, InsideSphere, Superellipsoid, Tablet,
    TruncatedCone,
};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::Rng;
use support::polytopes::rock_of_any_size;
use support::slopes::Slopes;

fn contacts(wall: &Shape, wall_pose: &Pose, body: &Shape, pose: &Pose) -> Manifold {
    let mut manifold = Manifold::default();
    collide(Measure::Moments, &Pair::new(wall, wall_pose, body, pose), &mut manifold);
    manifold
}

fn walls() -> [Shape; 4] {
    [
        HalfSpace::new(DVec3::new(1.0, -2.0, 0.5)).into(),
        InsideSphere { radius: 2.5 }.into(),
        InsideEllipsoid { semi_axes: DVec3::new(2.2, 3.0, 2.5) }.into(),
        InsideCylinder { radius: 2.5, half_height: 2.2 }.into(),
    ]
}

/// Number of kinds of [`random_body`] with an overlap on every wall. The two others have one on planes.
const KINDS: usize = 5;

fn random_body(rng: &mut Rng, kind: usize) -> Shape {
    let mut length = || rng.log_range(0.2, 0.8);
    match kind {
        0 => Capsule { radius: length(), half_height: length() }.into(),
        1 => TruncatedCone { radii: [length(), length()], half_height: length() }.into(),
        2 => Cylinder { radius: length(), half_height: length() }.into(),
        3 => Box { half_sizes: DVec3::new(length(), length(), length()) }.into(),
        4 => rock_of_any_size(rng),
        5 => {
            let (across, along) = (length(), length());
            Superellipsoid { semi_axes: DVec3::new(across, across, along), eps: [1.0, rng.range(0.1, 0.4)] }.into()
        }
        _ => Tablet { radius: 0.8, half_height: length(), cap_height: length() }.into(),
    }
}

/// Returns a pose of the wall, and one of the body in which it is beyond the wall by a depth, m.
/// One body in three is nearly aligned with the wall.
fn dipped(rng: &mut Rng, wall: &Shape, body: &Shape, depth: f64) -> [Pose; 2] {
    let wall_pose = Pose { position: 2.0 * rng.direction(), orientation: rng.rotation() };
    let outward = match wall {
        Shape::HalfSpace(plane) => -plane.normal(),
        _ => rng.direction(),
    };
    let tilt = DQuat::from_scaled_axis(rng.log_range(1e-10, 1.0) * rng.direction());
    let own = match rng.index(6) {
        0 => tilt * DQuat::from_rotation_arc(DVec3::Z, outward),
        1 => tilt * DQuat::from_rotation_arc(DVec3::X, outward),
        _ => rng.rotation(),
    };
    let orientation = wall_pose.orientation * own;
    let pose = |distance: f64| Pose {
        position: wall_pose.position + wall_pose.orientation * (distance * outward),
        orientation,
    };
    // The body fits into a container, but not beyond its wall.
    let (mut near, mut far) = (if matches!(wall, Shape::HalfSpace(_)) { -10.0 } else { 0.0 }, 10.0);
    for _ in 0..80 {
        let middle = 0.5 * (near + far);
        let found = contacts(wall, &wall_pose, body, &pose(middle));
        let gap = found.deepest().map_or(f64::INFINITY, |point| point.gap);
        if gap > -depth { near = middle } else { far = middle }
    }
    [wall_pose, pose(far)]
}

#[test]
fn every_overlap_follows_the_body_as_its_jacobian_says() {
    let mut rng = Rng::new(401);
    for (name, wall) in ["plane", "sphere", "ellipsoid", "cylinder"].into_iter().zip(walls()) {
        let mut slopes = Slopes::default();
        let mut several = 0;
        for k in 0..1500 {
            let body = random_body(&mut rng, k % if name == "plane" { KINDS + 2 } else { KINDS });
            let depth = rng.log_range(1e-5, 2e-2);
            let [wall_pose, pose] = dipped(&mut rng, &wall, &body, depth);
            let found = contacts(&wall, &wall_pose, &body, &pose);
            let touching = || found.points().iter().filter(|point| point.law_overlap() > 1e-7);
            several += usize::from(touching().count() > 1);
            for point in touching() {
                let overlap = |pose: &Pose| {
                    let moved = contacts(&wall, &wall_pose, &body, pose);
                    let same = moved.points().iter().find(|other| other.feature == point.feature);
                    same.expect("the feature persists").law_overlap()
                };
                slopes.compare(*point, &wall_pose, &pose, overlap);
            }
        }
        eprint!("{name}, several contacts in {several}: ");
        assert!(several > 10 || name == "plane", "{name} {several}");
        slopes.assert_within([0.3, 2.1]);
    }
}

#[test]
fn exchanged_bodies_have_the_same_contacts_and_separated_ones_their_distance() {
    let (mut rng, mut compared) = (Rng::new(402), 0);
    for k in 0..2_000 {
        let wall = &walls()[k % 4];
        let body = random_body(&mut rng, k / 4 % KINDS);
        let [wall_pose, pose] = dipped(&mut rng, wall, &body, 0.01);
        let (one, other) = (contacts(wall, &wall_pose, &body, &pose), contacts(&body, &pose, wall, &wall_pose));
        assert_eq!(one.points().len(), other.points().len());
        let offset = pose.position - wall_pose.position;
        for (p, q) in one.points().iter().zip(other.points()) {
            assert!(p.gap == q.gap && p.normal == -q.normal && p.feature == q.feature && p.overlap == q.overlap);
            assert!((p.arm - q.arm - offset).length() < 1e-12);
        }
        let [wall_pose, pose] = dipped(&mut rng, wall, &body, -0.01);
        let mut manifold = Manifold::default();
        let pair = Pair { margin: 0.0, ..Pair::new(wall, &wall_pose, &body, &pose) };
        collide(Measure::Moments, &pair, &mut manifold);
        assert!(manifold.points().is_empty(), "{manifold:?}");
        let pair = Pair { margin: 0.02, ..pair };
        collide(Measure::Moments, &pair, &mut manifold);
        let gap = manifold.deepest().expect("a point within the margin").gap;
        assert!((gap - 0.01).abs() < 1e-12, "{gap}");
        let mut by_depth = Manifold::default();
        collide(Measure::Depth, &pair, &mut by_depth);
        if by_depth.status != Status::Converged {
            // The routine for the depth looks for a common normal, which a rim may not have.
            continue;
        }
        compared += 1;
        let exact = by_depth.deepest().expect("a point within the margin").gap;
        // The point of a rim that is farthest beyond an ellipsoid is not exactly the nearest one.
        // In a sphere the routine for the depth of a rim converges to 1e-8 only.
        let tolerance = if matches!(wall, Shape::InsideEllipsoid(_)) { 1e-4 } else { 1e-7 };
        assert!((gap - exact).abs() < tolerance, "{wall:?} {body:?}: {gap} {exact}");
    }
    assert!(compared > 1_800, "{compared}");
}

#[test]
fn tiny_and_huge_bodies_have_the_same_contacts() {
    let mut rng = Rng::new(403);
    for k in 0..200 {
        let body = Box { half_sizes: DVec3::new(0.5, 0.3, 0.2) };
        let cone = TruncatedCone { radii: [0.4, 0.2], half_height: 0.3 };
        let capsule = Capsule { radius: 0.2, half_height: 0.4 };
        let plane: Shape = HalfSpace::new(DVec3::Z).into();
        let scaled = |scale: f64| -> Shape {
            match k % 3 {
                0 => Box { half_sizes: scale * body.half_sizes }.into(),
                1 => {
                    TruncatedCone { radii: cone.radii.map(|r| scale * r), half_height: scale * cone.half_height }.into()
                }
                _ => Capsule { radius: scale * capsule.radius, half_height: scale * capsule.half_height }.into(),
            }
        };
        let orientation = if k % 2 == 0 { rng.rotation() } else { DQuat::from_rotation_x(FRAC_PI_2 + 1e-3) };
        let one = scaled(1.0);
        let lowest = (orientation * one.as_convex().support(orientation.inverse() * DVec3::NEG_Z)).z;
        let at = |scale: f64| {
            let pose = Pose { position: DVec3::new(0.0, 0.0, scale * (-lowest - 0.01)), orientation };
            contacts(&plane, &Pose::IDENTITY, &scaled(scale), &pose).points()[0]
        };
        let p = at(1.0);
        for scale in [1e-40, 1e-6, 1e5, 1e40] {
            let q = at(scale);
            let [p_length, q_length] = [p, q].map(|point| point.law_overlap());
            assert!((q_length / scale / p_length - 1.0).abs() < 1e-9, "{q:?} at {scale}");
            assert!(
                (q.arm / scale - p.arm).length() < 1e-7 && (q.jacobian().normal - p.jacobian().normal).abs() < 1e-9
            );
        }
    }
}

#[test]
fn a_capsule_that_rolls_on_its_end_has_no_patch_to_resist_it() {
    let plane: Shape = HalfSpace::new(DVec3::Z).into();
    let capsule = Capsule { radius: 0.2, half_height: 0.4 }.into();
    for tilt in [0.0, 0.3, 1.0, 1.3] {
        let orientation = DQuat::from_rotation_x(tilt);
        let pose = Pose { position: DVec3::Z * (0.2 + 0.4 * f64::cos(tilt) - 1e-4), orientation };
        let point = contacts(&plane, &Pose::IDENTITY, &capsule, &pose).points()[0];
        assert!(point.patch().square() < 1e-17, "{tilt}: {point:?}");
    }
    // On its side the patch is a line along the axis: a rotation about the axis is not damped.
    let lying = Pose { position: DVec3::Z * (0.2 - 1e-4), orientation: DQuat::from_rotation_x(FRAC_PI_2) };
    let [along, none] = contacts(&plane, &Pose::IDENTITY, &capsule, &lying).points()[0].patch().0;
    assert!(along.y.abs() > 0.2 && along.with_y(0.0).length() < 1e-12 && none == DVec3::ZERO, "{along} {none}");
}
