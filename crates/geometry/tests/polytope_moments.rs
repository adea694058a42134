//! The smooth overlap of boxes and polyhedra: derivatives, closed forms, nearly parallel features,
//! and the exchange of the bodies.

mod support;

use glam::{DMat3, DQuat, DVec3};
use granum_geometry::shape::{Box, HalfSpace, Polyhedron, rock};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use support::Rng;
use support::derivatives::derivative_error;

/// Least overlap of which derivatives are compared with finite differences, m: those of smaller
/// ones are lost to rounding.
const LEAST: f64 = 1e-4;

fn contact(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Manifold {
    let mut manifold = Manifold::default();
    collide(Measure::Moments, &Pair::new(a, pose_a, b, pose_b), &mut manifold);
    manifold
}

fn body(rng: &mut Rng) -> Shape {
    if rng.range(0.0, 1.0) < 0.5 {
        let aspect = rng.log_range(0.05, 1.0);
        return Box { half_sizes: DVec3::new(rng.range(0.3, 1.0), rng.range(0.3, 1.0), aspect) }.into();
    }
    let lengths = [rng.range(0.5, 1.0), rng.range(0.5, 1.0), rng.range(0.3, 1.0)];
    let corners = 8.0 + rng.index(30) as f64;
    Polyhedron::new(rock(lengths, corners, rng.index(1_000_000) as f64).expect("a rock")).expect("a polyhedron").into()
}

fn support(shape: &Shape, turn: DQuat, n: DVec3) -> DVec3 {
    turn * shape.as_convex().support(turn.inverse() * n)
}

/// Two bodies that overlap by a depth along a direction. The orientations are random, or faces or
/// edges are parallel but for a tilt that may be of the size of rounding errors.
fn overlapping(rng: &mut Rng, depth: f64) -> (Shape, Pose, Shape, Pose) {
    let (a, b) = (body(rng), body(rng));
    let tilt = DQuat::from_scaled_axis(rng.log_range(1e-15, 1e-1) * rng.direction());
    let kind = rng.index(4);
    let turn = rng.rotation();
    let quarter = DQuat::from_rotation_z(0.25 * std::f64::consts::PI);
    let (turn_a, turn_b) = match kind {
        0 => (rng.rotation(), rng.rotation()),
        1 => (turn, tilt * turn),
        2 => (turn, tilt * turn * quarter),
        _ => (turn, tilt * turn * DQuat::from_rotation_x(0.7)),
    };
    // Along an axis of the first body, so that boxes meet with faces, or along any direction.
    let n = if rng.range(0.0, 1.0) < 0.5 { turn_a * DVec3::AXES[rng.index(3)] } else { rng.direction() };
    let (top, bottom) = (support(&a, turn_a, n), support(&b, turn_b, -n));
    let across = |v: DVec3| v - v.dot(n) * n;
    // Corners on each other, or anywhere within half of the size.
    let aside = if rng.range(0.0, 1.0) < 0.5 { across(top - bottom) } else { 0.3 * across(rng.direction()) };
    let position = ((top - bottom).dot(n) - depth) * n + aside;
    let pose = |position: DVec3, orientation: DQuat| Pose { position, orientation };
    (a, pose(DVec3::ZERO, turn_a), b, pose(position, turn_b))
}

#[test]
fn the_overlap_of_polytopes_follows_the_poses_as_its_jacobian_says() {
    let mut rng = Rng::new(81);
    let (mut errors, mut rates) = (Vec::new(), [f64::INFINITY, 0.0]);
    for _ in 0..20_000 {
        let depth = rng.log_range(1e-5, 3e-2);
        let (a, pose_a, b, pose_b) = overlapping(&mut rng, depth);
        let at = |pose: &Pose| contact(&a, &pose_a, &b, pose);
        let found = at(&pose_b);
        // The depth along n is an upper bound: the bodies may be separated.
        if found.points()[0].law_overlap() < LEAST {
            continue;
        }
        let rate = found.points()[0].jacobian().normal;
        rates = [rates[0].min(rate), rates[1].max(rate)];
        errors.push(derivative_error(&found, &pose_a, &pose_b, at));
    }
    errors.sort_by(f64::total_cmp);
    let [nearly_all, worst] = [errors.len() * 99 / 100, errors.len() - 1].map(|k| errors[k]);
    eprintln!("{} derivatives to {nearly_all:.1e} (99 %), {worst:.1e} (worst), rates {rates:.2?}", errors.len());
    // D has a kink at poses in which features of both bodies coincide.
    assert!(errors.len() > 8_000 && nearly_all < 1e-5 && worst < 1e-2, "{nearly_all:e} {worst:e}");
    assert!(rates[1] < 2.1, "{rates:?}");
}

#[test]
fn boxes_that_rest_on_each_other_have_their_closed_form() {
    let mut rng = Rng::new(82);
    for k in 0..2_000 {
        let half = [0; 2].map(|_| DVec3::new(rng.range(0.3, 1.0), rng.range(0.3, 1.0), rng.range(0.3, 1.0)));
        let [a, b] = half.map(|half_sizes| Shape::from(Box { half_sizes }));
        let turn = rng.rotation();
        let depth = rng.log_range(1e-7, 1e-1);
        let pose_a = Pose { position: rng.direction(), orientation: turn };
        // Also exactly above each other, where side faces of equal bodies coincide.
        let b = if k % 3 == 0 { a.clone() } else { b };
        let half_b = if k % 3 == 0 { half[0] } else { half[1] };
        let aside = if k % 2 == 0 { DVec3::ZERO } else { DVec3::new(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5), 0.0) };
        let above = aside + (half[0].z + half_b.z - depth) * DVec3::Z;
        let pose_b = Pose { position: pose_a.position + turn * above, orientation: turn };
        let overlap = |axis: usize| {
            let [top, bottom] =
                [half[0][axis].min(aside[axis] + half_b[axis]), (-half[0][axis]).max(aside[axis] - half_b[axis])];
            top - bottom
        };
        let sizes = DVec3::new(overlap(0), overlap(1), depth);
        let exact = 2.0 / (1.0 / (sizes * sizes)).element_sum().sqrt();
        let found = contact(&a, &pose_a, &b, &pose_b);
        let point = found.points()[0];
        let error = (point.law_overlap() / exact - 1.0).abs();
        assert!(error < 1e-11 / depth, "{error} at {depth}");
        // The thickness grows as the bodies approach, and the width as they move across.
        let push = found.points()[0].jacobian().normal * (turn.inverse() * point.normal);
        let rates = 0.25 * (exact / sizes).powf(3.0);
        assert!((push.z - rates.z).abs() < 1e-11 / depth, "{push} {rates}");
        assert!((push.abs() - rates).max_element() < 1e-11 / depth, "{push} {rates}");
    }
}

#[test]
fn exchanged_bodies_have_the_same_overlap_and_their_size_scales_it() {
    let mut rng = Rng::new(83);
    let mut compared = 0;
    for _ in 0..2_000 {
        let depth = rng.log_range(1e-4, 3e-2);
        let (a, pose_a, b, pose_b) = overlapping(&mut rng, depth);
        let (one, other) = (contact(&a, &pose_a, &b, &pose_b), contact(&b, &pose_b, &a, &pose_a));
        let (p, q) = (one.points()[0], other.points()[0]);
        let (d, e) = (p.law_overlap(), q.law_overlap());
        assert!((d - e).abs() < 1e-8 * d.abs() + 1e-11, "{d} {e}");
        if d < LEAST {
            continue;
        }
        // Coincident faces belong to the first body, and D has two one-sided derivatives across
        // them.
        let turn = DMat3::from_quat(pose_a.orientation.inverse() * pose_b.orientation);
        if turn.to_cols_array().iter().any(|cosine| cosine.abs() > 1.0 - 1e-14) {
            continue;
        }
        compared += 1;
        let rounding = 1e-9 / d;
        assert!((p.normal + q.normal).length() < rounding, "{} {}", p.normal, q.normal);
        let [r, s] = [p, q].map(|point| (point.jacobian(), point.patch()));
        assert!((r.0.normal - s.0.normal).abs() < rounding && (r.0.spin - s.0.spin).abs() < rounding);
        assert!((r.1.square() - s.1.square()).abs() < rounding);
        let Shape::Box(Box { half_sizes }) = a else { continue };
        let Shape::Box(Box { half_sizes: other }) = b else { continue };
        for scale in [1e-6, 1e5] {
            let [a, b] = [half_sizes, other].map(|half| Shape::from(Box { half_sizes: scale * half }));
            let pose_b = Pose { position: scale * pose_b.position, ..pose_b };
            let point = contact(&a, &pose_a, &b, &pose_b).points()[0];
            assert!(
                (point.law_overlap() / scale / d - 1.0).abs() < 1e-8 + 1e-11 / d,
                "{} {d}",
                point.law_overlap() / scale
            );
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn separated_polytopes_report_their_distance() {
    let mut rng = Rng::new(84);
    for _ in 0..2_000 {
        let depth = -rng.log_range(1e-4, 3e-1);
        let (a, pose_a, b, pose_b) = overlapping(&mut rng, depth);
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let (mut one, mut other) = (Manifold::default(), Manifold::default());
        collide(Measure::Moments, &pair, &mut one);
        collide(Measure::Depth, &pair, &mut other);
        let (p, q) = (one.points()[0], other.deepest().expect("a point"));
        assert!((p.gap - q.gap).abs() < 1e-12 && p.gap >= -depth * 0.999, "{} {}", p.gap, q.gap);
        collide(Measure::Moments, &Pair { margin: 0.0, ..pair }, &mut one);
        assert!(one.points().is_empty() && one.apart.is_none_or(|n| (n.length() - 1.0).abs() < 1e-9));
    }
}

/// Bricks that are laid exactly on one another overlap by rounding errors. A region that thin had
/// an overlap without a derivative, so that the effective mass of the contact was infinite.
#[test]
fn an_overlap_of_rounding_errors_has_a_derivative() {
    let brick = Shape::from(Box { half_sizes: DVec3::new(0.12, 0.0575, 0.0355) });
    let floor = Shape::from(HalfSpace::new(DVec3::Z));
    let at = |x: f64, y: f64, z: f64| Pose { position: DVec3::new(x, y, z), orientation: DQuat::IDENTITY };
    for exponent in 0..200 {
        let depth = 10f64.powf(-2.0 - 0.1 * f64::from(exponent));
        for (x, y) in [(0.0, 0.0), (0.1205, 0.0), (0.1205, 0.03), (0.24, 0.0), (0.2399, 0.1149)] {
            for (below, height) in [(&floor, 0.0355), (&brick, 0.071)] {
                let manifold = contact(below, &at(0.0, 0.0, 0.0), &brick, &at(x, y, height - depth));
                for point in manifold.points().iter().filter(|point| point.overlap.is_some()) {
                    let rate = point.jacobian().normal;
                    assert!((0.5..4.0).contains(&rate), "{rate} at a depth of {depth:e}, shifted by {x}, {y}");
                }
            }
        }
    }
}
