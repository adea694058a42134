//! The method of [Wellmann2008] on its own random pairs. `GRANUM_PAIRS=1000000` and `--nocapture`
//! print the published numbers beside those of this program.

use glam::DVec3;
use granum_geometry::random::Random;
use granum_geometry::shape::{Shape, Superellipsoid};
use granum_geometry::{Pair, Pose, Status};
use granum_reference::methods::{ALL, Detail, Outcome};
use granum_reference::random_pairs::{INTERVALS, LARGEST_DEPTH, LARGEST_GAP, RandomPair};

/// Published numbers of pairs in a million that no search from the line of centres resolves.
const PUBLISHED_FAILURES: [[u32; 2]; 3] = [[28, 193], [24, 198], [456, 9219]];

fn pairs() -> usize {
    std::env::var("GRANUM_PAIRS").map_or(3000, |text| text.parse().expect("GRANUM_PAIRS is a number"))
}

fn solve(pair: &Pair) -> Outcome {
    let method = ALL.iter().find(|method| method.name == "common-normal" && (method.serves)(pair));
    (method.expect("the method serves superellipsoids").solve)(pair)
}

fn number(outcome: &Outcome, name: &str) -> f64 {
    match outcome.details.iter().find(|(key, _)| *key == name) {
        Some((_, Detail::Number(number))) => *number,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn random_pairs_are_excluded_and_resolved_as_published() {
    for (eps, published) in INTERVALS.into_iter().zip(PUBLISHED_FAILURES) {
        let count = pairs();
        let mut random = Random::new(1);
        let (mut at_once, mut at_most_one, mut five, mut failed) = (0, 0, 0, 0);
        for _ in 0..count {
            let gap = random.range(0.0, LARGEST_GAP);
            let outcome = solve(&RandomPair::new(&mut random, eps, gap).pair(0.0));
            assert!(!outcome.touching, "a separated pair is never in contact");
            assert!(number(&outcome, "gap_at_least") <= gap + 1e-12);
            at_once += usize::from(outcome.iterations == 0);
            at_most_one += usize::from(outcome.iterations <= 1);
            five += usize::from(outcome.iterations >= 5);
            failed += usize::from(number(&outcome, "restarts") > 0.0);
        }
        let per_cent = |n: usize| 100.0 * n as f64 / count as f64;
        let per_million = |n: usize| 1e6 * n as f64 / count as f64;
        println!(
            "eps {eps:?} apart: 0 iterations {:.1} %, at most 1 {:.1} %, 5 or more {:.2} %, {:.0} failures per million (published {})",
            per_cent(at_once),
            per_cent(at_most_one),
            per_cent(five),
            per_million(failed),
            published[0]
        );
        assert!(per_cent(at_once) > 35.0 && per_cent(at_most_one) > 75.0);

        let mut random = Random::new(2);
        let (mut twenty, mut failed, mut lost, mut other, mut most) = (0, 0, 0, 0, 0f64);
        let (mut depth_error, mut point_error, mut angle) = (0.0, 0.0, 0.0);
        for _ in 0..count {
            let depth = random.range(0.0, LARGEST_DEPTH);
            let built = RandomPair::new(&mut random, eps, -depth);
            let outcome = solve(&built.pair(0.0));
            twenty += usize::from(number(&outcome, "iterations_of_first_search") >= 20.0);
            let restarts = number(&outcome, "restarts");
            (failed, most) = (failed + usize::from(restarts > 0.0), most.max(restarts));
            lost += usize::from(outcome.status != Status::Converged || !outcome.touching);
            let (Some(gap), Some(normal), Some(points)) = (outcome.gap, outcome.normal, outcome.points) else {
                continue;
            };
            if (gap + depth).abs() > 1e-2 * depth {
                other += 1;
                continue;
            }
            depth_error += (gap + depth).abs() / depth;
            point_error += (points[0] - built.on_a).length();
            angle += normal.cross(built.normal).length().to_degrees();
        }
        let mean = |sum: f64| sum / (count - lost - other) as f64;
        println!(
            "eps {eps:?} overlapping: 20 or more {:.2} %, {:.0} failures per million (published {}), {most} restarts at most, {lost} lost, {other} other depth, errors {:.2e} {:.2e} m {:.2e} deg",
            per_cent(twenty),
            per_million(failed),
            published[1],
            mean(depth_error),
            mean(point_error),
            mean(angle)
        );
        assert!(lost * 10_000 <= count, "restarts resolve nearly every pair, not {lost}");
        assert!(per_million(failed) < 5e3);
    }
}

#[test]
fn the_tolerance_grows_with_the_bodies() {
    let mut restarts = [0.0, 0.0];
    for (scale, restarts) in [1.0, 1e-3].into_iter().zip(&mut restarts) {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let mut body = || -> Shape {
                let semi_axes =
                    scale * DVec3::new(random.range(0.5, 3.0), random.range(0.5, 3.0), random.range(0.5, 3.0));
                Superellipsoid { semi_axes, eps: [random.range(0.7, 1.3), random.range(0.7, 1.3)] }.into()
            };
            let (a, b) = (body(), body());
            let (n, turn) = (random.direction(), random.rotation());
            let on_b = turn * b.as_convex().support(turn.inverse() * -n);
            let position = a.as_convex().support(n) - scale * 1e-3 * n - on_b;
            *restarts +=
                number(&solve(&Pair::new(&a, &Pose::IDENTITY, &b, &Pose { position, orientation: turn })), "restarts");
        }
    }
    assert_eq!(restarts[0], restarts[1], "the size of the bodies does not change the number of restarts");
}

/// The gradient of f vanishes where both surfaces have a vertex, although the vertices are not on a
/// common normal: the criterion of [Wellmann2008] is not sufficient.
#[test]
fn a_vertex_ends_no_search() {
    let octahedron: Shape = Superellipsoid { semi_axes: DVec3::ONE, eps: [1.7, 1.7] }.into();
    let b = Pose { position: DVec3::new(1.9, 0.02, 0.0), orientation: glam::DQuat::IDENTITY };
    let outcome = solve(&Pair::new(&octahedron, &Pose::IDENTITY, &octahedron, &b));
    let between = outcome.points.map(|points| points[1] - points[0]).expect("the bodies overlap");
    let normal = outcome.normal.expect("the bodies overlap");
    assert_eq!(outcome.status, Status::Converged);
    assert!(number(&outcome, "restarts") > 0.0, "the first search ends at the vertices");
    assert!(normal.cross(between).length() < 1e-3 * between.length());
}
