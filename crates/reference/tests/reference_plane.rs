//! Pairs of ellipses whose contact was computed with 40 digits, compared with the pair routine and
//! the published methods.

use glam::DVec2;
use granum_reference::methods;
use granum_reference::query::{Answer, Choice, Fact, Query, Vector, answer, parse_query};
use serde_json::Value;

/// Largest error of a gap, relative to the size.
const GAP: f64 = 1e-12;
/// Largest error of a normal. It is larger than that of a gap, because the separation has a flat
/// maximum.
const NORMAL: f64 = 1e-8;
/// Largest error of a point, relative to the size: that of the normal times the radius of
/// curvature.
const POINT: f64 = 1e-8;

struct Reference {
    query: Query,
    expected: Value,
    size: f64,
}

fn references() -> Vec<Reference> {
    include_str!("../../geometry/tests/data/ellipse_pairs.jsonl")
        .lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let query = parse_query(&row["query"].to_string()).unwrap();
            let size = [&query.a, &query.b].map(|body| body.shape.as_convex().bounding_radius());
            Reference { query, expected: row["expected"].clone(), size: size[0].max(size[1]) }
        })
        .collect()
}

fn by(reference: &Reference, method: &str) -> Answer {
    let method = Choice::Named(methods::named(method).unwrap());
    answer(&Query { method, ..reference.query.clone() }).unwrap()
}

fn planar(vector: Option<Vector>) -> DVec2 {
    match vector {
        Some(Vector::Plane(v)) => v,
        other => panic!("not a planar vector: {other:?}"),
    }
}

fn point(value: &Value) -> DVec2 {
    DVec2::new(value[0].as_f64().unwrap(), value[1].as_f64().unwrap())
}

#[test]
fn the_exact_method_gives_the_reference() {
    let references = references();
    assert_eq!(references.len(), 100);
    for reference in &references {
        let (ours, expected, size) = (answer(&reference.query).unwrap(), &reference.expected, reference.size);
        assert_eq!((ours.method, ours.status), ("common-normal", "converged"));
        let gap = expected["gap"].as_f64().unwrap();
        assert!((ours.gap.unwrap() - gap).abs() <= GAP * size, "{expected}: {ours:?}");
        assert!(gap.abs() <= GAP * size || ours.touching == (gap < 0.0), "{expected}: {ours:?}");
        if expected["unique"] == true {
            assert!(planar(ours.normal).distance(point(&expected["normal"])) <= NORMAL, "{expected}: {ours:?}");
            for (ours, theirs) in [(ours.point_a, "point_a"), (ours.point_b, "point_b")] {
                assert!(planar(ours).distance(point(&expected[theirs])) <= POINT * size, "{expected}: {ours:?}");
            }
        }
    }
}

#[test]
fn the_potential_has_the_right_sign() {
    for reference in references() {
        let gap = reference.expected["gap"].as_f64().unwrap();
        if gap.abs() > 1e-9 {
            assert_eq!(by(&reference, "potential").touching, gap < 0.0, "{}", reference.expected);
        }
    }
}

#[test]
fn the_curvature_method_is_accurate_for_shallow_contacts() {
    let mut errors: Vec<f64> = Vec::new();
    for reference in references() {
        let gap = reference.expected["gap"].as_f64().unwrap();
        let ours = by(&reference, "curvature");
        if gap.abs() > 1e-9 && gap.abs() < 0.05 * reference.size {
            errors.push((ours.gap.unwrap() / gap - 1.0).abs());
        }
    }
    errors.sort_unstable_by(f64::total_cmp);
    assert!(errors.len() > 20 && errors[errors.len() / 2] < 1e-3, "median {}", errors[errors.len() / 2]);
}

#[test]
fn intersections_lie_on_both_boundaries_and_agree_in_number_with_the_relation() {
    for reference in references() {
        let ours = by(&reference, "intersection");
        let crossings = ours.details.iter().find_map(|(_, fact)| match fact {
            Fact::Points(points) => Some(points.clone()),
            _ => None,
        });
        let Some(points) = crossings else { continue };
        let relation = reference.expected["relation"].as_str().unwrap();
        match relation {
            "overlap" => {
                assert!(points.len() == 2 || points.len() == 4, "{} {relation}: {points:?}", reference.expected)
            }
            "separated" | "A_in_B" | "B_in_A" => assert!(points.is_empty(), "{relation}: {points:?}"),
            _ => assert!(points.len() <= 2, "{relation}: {points:?}"),
        }
        for vector in points {
            let point = planar(Some(vector)).extend(0.0);
            for body in [&reference.query.a, &reference.query.b] {
                let local = body.pose.orientation.inverse() * (point - body.pose.position);
                // A double root is accurate to the square root of rounding only.
                let tolerance = if relation == "overlap" { 1e-9 } else { 1e-5 };
                assert!(body.shape.as_convex().inside_outside(local).abs() < tolerance, "{relation}");
            }
        }
    }
}

#[test]
fn brents_method_as_printed_ends_in_a_local_minimum() {
    // [Martinez2003, example 4.7].
    let text = r#"{"a": {"shape": {"type": "ellipse", "semi_axes": [3, 5]}, "position": [1, 1], "angle_deg": 45},
                   "b": {"shape": {"type": "ellipse", "semi_axes": [5, 3]}, "position": [3, 4], "angle_deg": 45}}"#;
    let query = parse_query(text).unwrap();
    let printed = methods::potential(&query.pair(), methods::Search::PRINTED).unwrap();
    let global = methods::potential(&query.pair(), methods::Search::Global).unwrap();
    assert!((printed.on_a.value - 0.686508).abs() < 1e-6 && (printed.on_a.at.to_degrees() - 168.585).abs() < 1e-3);
    assert!((global.on_a.value + 0.987233).abs() < 1e-6 && (global.on_a.at.to_degrees() - 7.934).abs() < 1e-3);
}

#[test]
fn a_method_rejects_shapes_that_it_does_not_support() {
    let query = |method: &str| {
        format!(
            r#"{{"a": {{"shape": {{"type": "superellipse", "semi_axes": [3, 5], "n": 4}}, "position": [1, 1]}},
                 "b": {{"shape": {{"type": "ellipse", "semi_axes": [5, 3]}}, "position": [3, 4]}}, "method": "{method}"}}"#
        )
    };
    let refused = answer(&parse_query(&query("intersection")).unwrap()).unwrap_err().to_string();
    assert_eq!(refused, "method `intersection` is for discs and ellipses: use `auto`");
    for method in ["common-normal", "potential", "curvature"] {
        assert!(answer(&parse_query(&query(method)).unwrap()).unwrap().touching);
    }
}
