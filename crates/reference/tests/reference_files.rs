//! Pairs whose contact was computed with many digits, compared with the results of `granum
//! contact`.

use glam::DVec3;
use granum_geometry::Pair;
use granum_geometry::contact::region::{DEFAULT_SLICES, SliceCount, cylinder_region};
use granum_reference::query::{Vector, answer, parse_query};
use serde_json::Value;

/// Returns the rows of a file of pairs.
fn rows(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

fn vector(value: &Value) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|i| value[i].as_f64().expect("a number")))
}

/// Largest error of a gap of smooth grains, relative to the size. The files have about this
/// accuracy.
const SMOOTH_GAP: f64 = 1e-9;

/// Largest error of the normals of smooth grains, and of their surface points relative to the size.
const SMOOTH_NORMAL: f64 = 1e-5;

fn check_smooth(text: &str) {
    for row in rows(text) {
        let query = parse_query(&row["query"].to_string()).expect("a query");
        let ours = serde_json::to_value(answer(&query).expect("an answer")).expect("JSON");
        let size = [&query.a, &query.b].map(|body| body.shape.as_convex().bounding_radius());
        let size = size[0].max(size[1]);
        let (name, expected) = (format!("{} {}", row["id"], row["class"]), &row["expected"]);
        assert_eq!(ours["status"], "converged", "{name}");
        let [our_gap, gap] = [&ours, expected].map(|answer| answer["gap"].as_f64().expect("a gap"));
        assert!((our_gap - gap).abs() <= SMOOTH_GAP * size, "{name}: gap {our_gap:e}, expected {gap:e}");
        let is_unique = expected["unique"] != false && expected["normal"].is_array();
        if is_unique && gap.abs() > 1e-7 {
            let error = (vector(&ours["normal"]) - vector(&expected["normal"])).length();
            assert!(error <= SMOOTH_NORMAL, "{name}: error of the normal {error:e}");
        }
        if is_unique && expected["point_a"].is_array() {
            let error = (vector(&ours["point_a"]) - vector(&expected["point_a"])).length() / size;
            assert!(error <= SMOOTH_NORMAL, "{name}: error of the point {error:e}");
        }
    }
}

#[test]
fn ellipsoids_agree_with_the_reference_file() {
    check_smooth(include_str!("../../geometry/tests/data/ellipsoid_pairs.jsonl"));
}

#[test]
fn superellipsoids_agree_with_the_reference_file() {
    check_smooth(include_str!("../../geometry/tests/data/superellipsoid_pairs.jsonl"));
}

/// Largest error of a gap of polytopes, m. Their sizes are about 1 m.
const POLYTOPE_GAP: f64 = 1e-10;

/// Largest error of the normals (-) and surface points (m) of polytopes.
const POLYTOPE_POINT: f64 = 1e-7;

/// Compares the rows for whose class `wanted` returns true.
fn check_polytopes(text: &str, wanted: impl Fn(&str) -> bool) {
    let mut seen = 0;
    for row in rows(text) {
        let class = row["class"].as_str().expect("a class");
        if !wanted(class) {
            continue;
        }
        seen += 1;
        let found = answer(&parse_query(&row["query"].to_string()).expect("a query")).expect("an answer");
        let found = serde_json::to_value(found).expect("plain data");
        let (name, expected) = (format!("{class} {}", row["id"]), &row["expected"]);
        let number = |value: &Value| value.as_f64().expect("a number");
        let error = (number(&found["gap"]) - number(&expected["gap"])).abs();
        assert!(error <= POLYTOPE_GAP, "{name}: gap {}, expected {}", found["gap"], expected["gap"]);
        if expected["unique"] == true && number(&expected["gap"]).abs() > 1e-7 {
            let given = ["normal", "point_a", "point_b"].into_iter().filter(|field| !expected[*field].is_null());
            for field in given {
                for k in 0..3 {
                    let error = (number(&found[field][k]) - number(&expected[field][k])).abs();
                    assert!(error <= POLYTOPE_POINT, "{name}: {field} {}, expected {}", found[field], expected[field]);
                }
            }
        }
    }
    assert!(seen > 20, "{seen} such pairs");
}

#[test]
fn boxes_agree_with_the_reference_file() {
    check_polytopes(include_str!("../../geometry/tests/data/box_pairs.jsonl"), |_| true);
}

#[test]
fn polyhedra_agree_with_the_reference_file() {
    check_polytopes(include_str!("../../geometry/tests/data/polyhedron_pairs.jsonl"), |_| true);
}

#[test]
fn polytopes_with_other_shapes_agree_with_the_reference_file() {
    let wanted = |class: &str| (class.contains("box") || class.contains("polyhedron")) && !class.contains("cylinder");
    check_polytopes(include_str!("../../geometry/tests/data/mixed_pairs.jsonl"), wanted);
}

/// Largest errors of volume and centroid by the default number of slices, of S and G, and of the
/// volume by 32 slices per piece, relative to the size. The reference is accurate to 4e-7.
const VOLUME: f64 = 1e-6;
const FORCE: f64 = 1e-6;
const FINE_VOLUME: f64 = 1e-6;

/// Largest errors of a gap and of a point of separated cylinders, relative to the size.
const CYLINDER_GAP: f64 = 1e-9;
const CYLINDER_POINT: f64 = 1e-6;

fn spatial(vector: Vector) -> DVec3 {
    match vector {
        Vector::Space(v) => v,
        Vector::Plane(_) => panic!("cylinders are in space"),
    }
}

#[test]
fn cylinders_agree_with_the_reference_file() {
    let rows: Vec<Value> = rows(include_str!("../../geometry/tests/data/cylinder_pairs.jsonl")).collect();
    assert_eq!(rows.len(), 180);
    let (mut worst, mut fine) = ([0f64; 4], 0f64);
    for row in &rows {
        let query = parse_query(&row["query"].to_string()).expect("a query");
        let ours = answer(&query).expect("an answer");
        let expected = &row["expected"];
        assert_eq!(ours.touching, expected["touching"] == true, "{}", row["id"]);
        let size = [&query.a, &query.b].map(|body| body.shape.as_convex().bounding_radius());
        let size = size[0].max(size[1]);
        if let Some(gap) = expected["gap"].as_f64() {
            assert!((ours.gap.expect("a gap") - gap).abs() <= CYLINDER_GAP * size, "{}: {ours:?}", row["id"]);
            let points = [(ours.point_a, "point_a"), (ours.point_b, "point_b")];
            for (point, name) in points {
                let error = (spatial(point.expect("a point")) - vector(&expected[name])).length();
                assert!(error <= CYLINDER_POINT * size, "{}: error of {name} {error}", row["id"]);
            }
            assert_eq!(ours.overlap, None);
            continue;
        }
        let shared = ours.overlap.expect("an overlap");
        let volume = expected["overlap"]["volume"].as_f64().expect("a volume");
        let pair = Pair::new(&query.a.shape, &query.a.pose, &query.b.shape, &query.b.pose);
        let region = cylinder_region(&pair, SliceCount::PerInterval(DEFAULT_SLICES)).expect("a region").region;
        let exact = cylinder_region(&pair, SliceCount::PerInterval(32)).expect("a region").region;
        let (push, turn) = (vector(&expected["S"]), vector(&expected["G"]));
        let errors = [
            (shared.volume / volume - 1.0).abs(),
            (spatial(shared.centroid) - vector(&expected["overlap"]["centroid"])).length() / size,
            (region.gradient.translation - push).length() / push.length(),
            (region.gradient.rotation - turn).length() / (size * push.length()),
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error);
        }
        fine = fine.max((exact.volume / volume - 1.0).abs());
    }
    eprintln!("volume, centroid, S, G to {worst:?}; with 32 slices per piece the volume to {fine:.1e}");
    assert!(worst[..2].iter().all(|&error| error <= VOLUME), "{worst:?}");
    assert!(worst[2..].iter().all(|&error| error <= FORCE), "{worst:?}");
    assert!(fine <= FINE_VOLUME, "{fine:e}");
}
