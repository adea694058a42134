//! The published methods for ellipsoids and superellipsoids, compared with the pair routine of the
//! simulation.

use glam::DVec3;
use granum_geometry::random::Random as Rng;
use granum_geometry::shape::{Ellipsoid, InsideEllipsoid, Superellipsoid};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, Status, collide};
use granum_reference::methods::{ALL, Detail, Outcome};

/// Number of pairs of a test.
const PAIRS: usize = 2000;

fn solve(name: &str, pair: &Pair) -> Outcome {
    let method = ALL.iter().find(|method| method.name == name && (method.serves)(pair));
    (method.unwrap_or_else(|| panic!("the pair has no method `{name}`")).solve)(pair)
}

fn word(outcome: &Outcome, name: &str) -> &'static str {
    match outcome.details.iter().find(|(key, _)| *key == name) {
        Some((_, Detail::Text(word))) => word,
        other => panic!("{name}: {other:?}"),
    }
}

fn number(outcome: &Outcome, name: &str) -> f64 {
    match outcome.details.iter().find(|(key, _)| *key == name) {
        Some((_, Detail::Number(number))) => *number,
        other => panic!("{name}: {other:?}"),
    }
}

fn random_ellipsoid(rng: &mut Rng) -> Shape {
    Ellipsoid { semi_axes: DVec3::new(rng.range(0.5, 3.0), rng.range(0.5, 3.0), rng.range(0.5, 3.0)) }.into()
}

fn for_each_pair(mut check: impl FnMut(&Pair)) {
    let mut rng = Rng::new(51);
    for _ in 0..PAIRS {
        let (a, b) = (random_ellipsoid(&mut rng), random_ellipsoid(&mut rng));
        let pose_a = Pose { position: DVec3::ZERO, orientation: rng.rotation() };
        let pose_b = Pose { position: rng.range(0.0, 5.0) * rng.in_ball(), orientation: rng.rotation() };
        check(&Pair::new(&a, &pose_a, &b, &pose_b));
    }
}

#[test]
fn perram_wertheim_gives_the_gap_and_its_function_is_below_one_for_overlap() {
    for_each_pair(|pair| {
        let (ours, exact) = (solve("perram-wertheim", pair), solve("support", pair));
        let gap = exact.gap.unwrap();
        assert!((ours.gap.unwrap() - gap).abs() < 1e-12);
        assert_eq!(number(&ours, "contact_function") < 1.0, gap < 0.0);
    });
}

#[test]
fn the_relation_and_the_roots_agree_with_the_gap() {
    let mut seen = std::collections::BTreeSet::new();
    for_each_pair(|pair| {
        let (ours, gap) = (solve("algebraic", pair), solve("support", pair).gap.unwrap());
        let relation = word(&ours, "relation");
        seen.insert(relation);
        assert_eq!(relation == "separated", gap > 0.0, "{relation} {gap}");
        assert_eq!(
            number(&ours, "positive_roots") == 2.0,
            gap > 0.0,
            "there are two positive roots if and only if the ellipsoids are separated"
        );
        if relation.contains("inside") {
            assert_eq!(
                number(&ours, "negative_roots"),
                4.0,
                "an ellipsoid inside the other implies four negative roots"
            );
        }
    });
    assert_eq!(seen.len(), 4, "all four relations of random pairs must occur: {seen:?}");
}

#[test]
fn four_negative_roots_do_not_mean_inside() {
    let ellipsoids =
        [DVec3::new(2.0, 1.0, 1.0), DVec3::new(1.0, 2.0, 1.0)].map(|semi_axes| Ellipsoid { semi_axes }.into());
    let ours = solve("algebraic", &Pair::new(&ellipsoids[0], &Pose::IDENTITY, &ellipsoids[1], &Pose::IDENTITY));
    assert_eq!(number(&ours, "negative_roots"), 4.0);
    assert_eq!(word(&ours, "relation"), "crossing");
}

fn ellipsoid(x: f64, y: f64, z: f64) -> Shape {
    Ellipsoid { semi_axes: DVec3::new(x, y, z) }.into()
}

fn along_x(a: &Shape, b: &Shape, x: f64, method: &str) -> Outcome {
    solve(method, &Pair::new(a, &Pose::IDENTITY, b, &Pose::at(DVec3::new(x, 0.0, 0.0))))
}

#[test]
fn multiple_roots_are_counted() {
    let unit = ellipsoid(1.0, 1.0, 1.0);
    // Semi-axes of both, distance along x, relation, negative and positive roots.
    let cases = [
        (ellipsoid(4.0, 3.0, 2.0), ellipsoid(1.0, 0.5, 0.5), 3.0, "internally tangent, b inside a", 4.0, 0.0),
        (ellipsoid(1.0, 0.5, 0.5), ellipsoid(4.0, 3.0, 2.0), 3.0, "internally tangent, a inside b", 4.0, 0.0),
        (ellipsoid(3.0, 3.0, 3.0), unit.clone(), 2.0, "internally tangent, b inside a", 4.0, 0.0),
        (ellipsoid(3.0, 3.0, 3.0), unit.clone(), 1.9, "b inside a", 4.0, 0.0),
        (ellipsoid(3.0, 3.0, 3.0), unit.clone(), 2.1, "crossing", 2.0, 0.0),
        (ellipsoid(3.0, 3.0, 3.0), unit.clone(), 4.0, "externally tangent", 2.0, 2.0),
        (ellipsoid(3.0, 3.0, 3.0), unit, 5.0, "separated", 2.0, 2.0),
        (ellipsoid(4.0, 3.0, 2.0), ellipsoid(4.0, 3.0, 2.0), 0.0, "identical", 4.0, 0.0),
        // A negative double root without internal tangency [Trabelsi2009, lemma 2.4].
        (ellipsoid(2.0, 1.0, 1.0), ellipsoid(3.0, 1.0, 1.0), 10.0, "separated", 2.0, 2.0),
    ];
    for (a, b, x, relation, negative, positive) in cases {
        let ours = along_x(&a, &b, x, "algebraic");
        assert_eq!(word(&ours, "relation"), relation, "{a:?} {b:?} {x}");
        assert_eq!(
            [number(&ours, "negative_roots"), number(&ours, "positive_roots")],
            [negative, positive],
            "{ours:?}"
        );
    }
}

#[test]
fn a_grain_in_a_hollow_ellipsoid_is_in_internal_contact() {
    let mut rng = Rng::new(53);
    let bowl: Shape = InsideEllipsoid { semi_axes: DVec3::new(4.0, 3.0, 2.0) }.into();
    let (mut worst_gap, mut worst_normal, mut near) = (0f64, 0f64, 0);
    for _ in 0..PAIRS {
        let grain = ellipsoid(rng.range(0.2, 0.6), rng.range(0.2, 0.6), rng.range(0.2, 0.6));
        let at = Pose { position: DVec3::new(4.0, 3.0, 2.0) * rng.in_ball(), orientation: rng.rotation() };
        let turn = Pose { position: DVec3::ZERO, orientation: rng.rotation() };
        let at = Pose { position: turn.orientation * at.position, ..at };
        let pair = Pair::new(&bowl, &turn, &grain, &at);
        let mut manifold = Manifold::default();
        collide(Measure::Depth, &pair, &mut manifold);
        let exact = manifold.deepest().expect("a contact");
        let ours = solve("potential", &pair);
        assert_eq!(ours.touching, exact.gap < 0.0, "{} {ours:?}", exact.gap);
        assert_eq!(word(&solve("algebraic", &pair), "relation") == "b inside a", exact.gap > 0.0);
        // The other order of the bodies has the opposite normal.
        let back = Pair::new(&grain, &at, &bowl, &turn);
        let other = solve("potential", &back);
        assert!((other.gap.unwrap() - ours.gap.unwrap()).abs() < 1e-9);
        assert!((other.normal.unwrap() + ours.normal.unwrap()).length() < 1e-7);
        let points = other.points.unwrap().map(|point| point + at.position - turn.position);
        assert!((points[1] - ours.points.unwrap()[0]).length() < 1e-6);
        // The approximate normal is close to the exact one for shallow contacts.
        if exact.gap.abs() < 0.02 {
            near += 1;
            worst_gap = worst_gap.max((ours.gap.unwrap() - exact.gap).abs());
            worst_normal = worst_normal.max((ours.normal.unwrap() - exact.normal).length());
        }
    }
    assert!(near > 20 && worst_gap < 2e-3 && worst_normal < 0.1, "{near} {worst_gap} {worst_normal}");
}

#[test]
fn a_centre_inside_the_other_body_has_a_gap() {
    let mut deep = 0;
    for_each_pair(|pair| {
        let (ours, exact) = (solve("potential", pair), solve("support", pair));
        let (Some(gap), Some(normal)) = (ours.gap, ours.normal) else { panic!("{ours:?}") };
        deep += usize::from(ours.details.iter().any(|(name, _)| *name == "factor"));
        assert!((normal.length() - 1.0).abs() < 1e-12);
        assert!(gap <= exact.gap.unwrap() + 1e-9, "the depth along another normal is never smaller");
    });
    assert!(deep > 100, "{deep}");
    let body = ellipsoid(1.0, 2.0, 3.0);
    assert!(matches!(along_x(&body, &body, 0.0, "potential").status, Status::NotConverged { .. }));
}

#[test]
fn the_potential_detects_contact_and_gives_an_approximate_normal() {
    let mut worst = 0f64;
    for_each_pair(|pair| {
        let (ours, exact) = (solve("potential", pair), solve("support", pair));
        assert_eq!(ours.touching, exact.touching, "{:?} {:?}", ours.gap, exact.gap);
        // For shallow pairs the normal in the middle of the two points is close to the exact one.
        if exact.gap.unwrap().abs() < 0.02
            && let Some(normal) = ours.normal
        {
            worst = worst.max((normal - exact.normal.unwrap()).length());
        }
    });
    assert!(worst < 0.02, "{worst}");
}

#[test]
fn wellmanns_common_normal_agrees_where_it_converges() {
    let mut rng = Rng::new(52);
    let (mut converged, mut other) = (0, 0);
    for _ in 0..PAIRS / 4 {
        let mut body = || -> Shape {
            let semi_axes = DVec3::new(rng.range(0.5, 3.0), rng.range(0.5, 3.0), rng.range(0.5, 3.0));
            Superellipsoid { semi_axes, eps: [rng.range(0.7, 1.3), rng.range(0.7, 1.3)] }.into()
        };
        let (a, b) = (body(), body());
        let (n, turn) = (rng.direction(), rng.rotation());
        let on_b = turn * b.as_convex().support(turn.inverse() * -n);
        let position = a.as_convex().support(n) + rng.range(-1.75e-3, 0.25) * n - on_b;
        let pair = Pair::new(&a, &Pose::IDENTITY, &b, &Pose { position, orientation: turn });
        let (ours, exact) = (solve("common-normal", &pair), solve("support", &pair));
        let (gap, exact) = (ours.gap, exact.gap.unwrap());
        if ours.status == Status::Converged {
            converged += 1;
            // Separated bodies have no gap by this method.
            other += usize::from(ours.touching != (exact < 0.0) || gap.is_some_and(|gap| (gap - exact).abs() > 1e-6));
        }
    }
    assert!(converged * 100 >= PAIRS / 4 * 98, "{converged} converged");
    assert!(other <= PAIRS / 400, "{other} ended at another common normal");
}
