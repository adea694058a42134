//! The smooth overlap of capsules with each other and with bodies that have flat faces:
//! derivatives, closed forms and the exchange of the bodies.

mod support;

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use granum_geometry::shape::{Box, Capsule, Cylinder, TruncatedCone};
use granum_geometry::{Kind, Manifold, Measure, Pair, Pose, Shape, collide};
use support::Rng;
use support::derivatives::derivative_error;
use support::shapes::random_shape;

fn contact(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Manifold {
    let mut manifold = Manifold::default();
    collide(Measure::Moments, &Pair::new(a, pose_a, b, pose_b), &mut manifold);
    manifold
}

/// A body and a capsule that overlaps it by a depth along a direction. In half of the cases the
/// capsule is nearly parallel to a face or to the axis of the body.
fn overlapping(kind: Kind, rng: &mut Rng, depth: f64) -> (Shape, Pose, Shape, Pose) {
    let body = random_shape(kind, false, rng);
    let radius = rng.range(0.3, 1.0);
    let capsule: Shape = Capsule { radius, half_height: radius * rng.log_range(0.1, 10.0) }.into();
    let turn = rng.rotation();
    let tilt = DQuat::from_scaled_axis(rng.log_range(1e-12, 0.3) * rng.direction());
    let quarter = [DQuat::IDENTITY, DQuat::from_rotation_x(FRAC_PI_2), DQuat::from_rotation_y(FRAC_PI_2)];
    let aligned = rng.range(0.0, 1.0) < 0.5;
    let orientation = if aligned { tilt * turn * quarter[rng.index(3)] } else { rng.rotation() };
    let n = if aligned { turn * DVec3::AXES[rng.index(3)] } else { rng.direction() };
    let support = |shape: &Shape, turn: DQuat, n: DVec3| turn * shape.as_convex().support(turn.inverse() * n);
    let touch = support(&body, turn, n) - support(&capsule, orientation, -n);
    let aside = if rng.range(0.0, 1.0) < 0.5 { DVec3::ZERO } else { 0.3 * n.cross(rng.direction()) };
    let pose = Pose { position: touch - depth * n + aside, orientation };
    (body, Pose { position: DVec3::ZERO, orientation: turn }, capsule, pose)
}

#[test]
fn the_overlap_of_capsules_follows_the_poses_as_its_jacobian_says() {
    let kinds = [Kind::Capsule, Kind::Box, Kind::Polyhedron, Kind::Cylinder, Kind::TruncatedCone];
    for (kind, seed) in kinds.into_iter().zip([99, 101, 102, 98, 100]) {
        let mut rng = Rng::new(seed);
        let (mut errors, mut rates) = (Vec::new(), [f64::INFINITY, 0.0]);
        for _ in 0..6_000 {
            let depth = rng.log_range(1e-3, 1e-1);
            let (body, place, capsule, pose) = overlapping(kind, &mut rng, depth);
            let at = |pose: &Pose| contact(&body, &place, &capsule, pose);
            let found = at(&pose);
            if found.points()[0].law_overlap() < 1e-4 {
                continue;
            }
            let rate = found.points()[0].jacobian().normal;
            rates = [rates[0].min(rate), rates[1].max(rate)];
            errors.push(derivative_error(&found, &place, &pose, at));
        }
        errors.sort_by(f64::total_cmp);
        let [nearly_all, worst] = [errors.len() * 99 / 100, errors.len() - 1].map(|k| errors[k]);
        eprintln!(
            "{kind:?}: {} derivatives to {nearly_all:.1e} (99 %), {worst:.1e} (worst), rates {rates:.2?}",
            errors.len()
        );
        assert!(errors.len() > 2_000 && nearly_all < 1e-5 && worst < 1e-4, "{nearly_all:e} {worst:e}");
        assert!(rates[0] > 0.8 && rates[1] < 1.2, "{rates:?}");
    }
}

#[test]
fn crossed_parallel_and_upright_capsules_have_their_closed_forms() {
    let (radius, half_height) = (0.5, 2.0);
    let capsule: Shape = Capsule { radius, half_height }.into();
    let plate: Shape = Box { half_sizes: DVec3::new(5.0, 5.0, 1.0) }.into();
    let disc: Shape = Cylinder { radius: 5.0, half_height: 1.0 }.into();
    let cone: Shape = TruncatedCone { radii: [5.0, 5.0], half_height: 1.0 }.into();
    let place = Pose::IDENTITY;
    let above = |height: f64, orientation: DQuat| Pose { position: DVec3::Z * height, orientation };
    let overlap = |a: &Shape, pose: &Pose| contact(a, &place, &capsule, pose).points()[0].law_overlap();
    for depth in [1e-6, 1e-3, 1e-2] {
        // Two crossed axes: f is a parabola up to terms of the relative order of the depth.
        let level = DQuat::from_rotation_y(FRAC_PI_2);
        let pose_a = Pose { position: DVec3::ZERO, orientation: level };
        let pose = above(2.0 * radius - depth, DQuat::from_rotation_x(FRAC_PI_2));
        let crossed = contact(&capsule, &pose_a, &capsule, &pose).points()[0].law_overlap();
        assert!((crossed / depth - 1.0).abs() < depth + 1e-9, "{crossed} {depth}");
        // On a face, f is the depth all along the axis.
        for wall in [&plate, &disc, &cone] {
            let found = contact(wall, &place, &capsule, &above(1.0 + radius - depth, level));
            assert!((found.points()[0].law_overlap() / depth - 7.0 / 6.0).abs() < 1e-9 / depth * 1e-3);
            // The patch is a line of this length.
            let patch = found.points()[0].patch();
            let line = half_height * half_height / 3.0;
            assert!((patch.square() - line).abs() < 1e-9 / depth * 1e-3, "{found:?} {line} {depth}");
            let upright = overlap(wall, &above(1.0 + radius + half_height - depth, DQuat::IDENTITY));
            assert!((upright / depth - 7.0 / 8.0).abs() < 1e-9, "{upright} {depth}");
        }
        let parallel =
            contact(&capsule, &pose_a, &capsule, &above(2.0 * radius - depth, level)).points()[0].law_overlap();
        assert!(parallel / depth > 1.1 && parallel / depth < 7.0 / 6.0 + 1e-9, "{parallel} {depth}");
    }
}

#[test]
fn exchanged_capsules_have_the_same_overlap() {
    for kind in [Kind::Capsule, Kind::Box, Kind::Cylinder] {
        let mut rng = Rng::new(98);
        for _ in 0..1_000 {
            let depth = rng.log_range(1e-4, 1e-1);
            let (body, place, capsule, pose) = overlapping(kind, &mut rng, depth);
            let (one, other) = (contact(&body, &place, &capsule, &pose), contact(&capsule, &pose, &body, &place));
            let (p, q) = (one.points()[0], other.points()[0]);
            assert!((p.law_overlap() - q.law_overlap()).abs() < 1e-12, "{p:?} {q:?}");
            if p.law_overlap() > 1e-4 {
                assert!((p.normal + q.normal).length() < 1e-8 && p.arm.is_finite());
                assert!((place.position + p.arm - pose.position - q.arm).length() < 1e-6);
            }
        }
    }
}
