//! Contact queries: pairs of all shapes, by all methods, and at sizes up to the limits.

use granum_geometry::shape::Realm;
use granum_reference::methods;
use granum_reference::query::{answer, parse_query};

use super::{fuzz, is_readable};

/// A shape of each kind, spatial ones first.
const SHAPES: &[&str] = &[
    r#"{"type": "half_space", "normal": [0, 0.6, 0.8]}"#,
    r#"{"type": "inside_sphere", "radius": 3}"#,
    r#"{"type": "inside_ellipsoid", "semi_axes": [3, 4, 5]}"#,
    r#"{"type": "inside_cylinder", "radius": 3, "half_height": 4}"#,
    r#"{"type": "sphere", "radius": 1}"#,
    r#"{"type": "ellipsoid", "semi_axes": [1, 0.5, 0.7]}"#,
    r#"{"type": "superellipsoid", "semi_axes": [1, 0.5, 0.7], "eps": [0.5, 1.2]}"#,
    r#"{"type": "cylinder", "radius": 1, "half_height": 0.5}"#,
    r#"{"type": "capsule", "radius": 1, "half_height": 0.5}"#,
    r#"{"type": "truncated_cone", "radii": [1, 0.5], "half_height": 0.5}"#,
    r#"{"type": "tablet", "radius": 1, "half_height": 0.2, "cap_height": 0.3}"#,
    r#"{"type": "box", "half_sizes": [1, 0.5, 0.7]}"#,
    r#"{"type": "polyhedron", "vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}"#,
    r#"{"type": "polyhedron", "rock": [1, 0.8, 0.7], "corners": 12, "seed": 3}"#,
    r#"{"type": "inside_circle", "radius": 3}"#,
    r#"{"type": "segment", "from": [-1, 0], "to": [1, 0.5], "radius": 0.1}"#,
    r#"{"type": "disc", "radius": 1}"#,
    r#"{"type": "ellipse", "semi_axes": [1, 0.5]}"#,
    r#"{"type": "superellipse", "semi_axes": [1, 0.5], "n": 2.5}"#,
    r#"{"type": "polygon", "vertices": [[0,0],[1,0],[0,1]]}"#,
];

#[test]
fn any_query_is_answered_or_refused() {
    let realm = |shape: &str| {
        let tagged: granum_geometry::shape::TaggedShape = serde_json::from_str(shape).expect("a shape");
        granum_geometry::Shape::from(tagged).as_convex().realm()
    };
    let mut corpus = Vec::new();
    let names: Vec<&str> = std::iter::once("auto").chain(methods::ALL.iter().map(|method| method.name)).collect();
    for (k, a) in SHAPES.iter().enumerate() {
        for (l, b) in SHAPES[k..].iter().enumerate() {
            let planar = [a, b].map(|shape| realm(shape)).contains(&Realm::Plane);
            let (at, turn) = match planar {
                true => ("[0.9, 0.8]", r#""angle_deg": 30"#),
                false => ("[0.9, 0.8, 0.7]", r#""orientation": [1, 0.2, 0.3, 0.4]"#),
            };
            let turn = if b.contains("half_space") { String::new() } else { format!(", {turn}") };
            let origin = if planar { "[0, 0]" } else { "[0, 0, 0]" };
            // Every pair by the routine of the table, and by one method after the other.
            for method in ["auto", names[(k + l) % names.len()]] {
                corpus.push(
                    format!(
                        r#"{{"a": {{"shape": {a}, "position": {origin}}}, "b": {{"shape": {b}, "position": {at}{turn}}}, "method": "{method}"}}"#
                    )
                    .into_bytes(),
                );
            }
        }
    }
    fuzz("contact", &corpus, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        match parse_query(text).and_then(|query| answer(&query)) {
            Err(error) => is_readable(&error.to_string().replace('\n', " ")),
            Ok(answer) => assert!(serde_json::to_string(&answer).is_ok()),
        }
    });
}
