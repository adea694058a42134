//! Drawings of planar contacts, and the tolerance of the methods `-as-printed`.

use granum_reference::drawing::drawing;
use granum_reference::query::{Answer, Fact, answer, parse_query};

/// Example 4.2 of \[Martinez2003\] with further fields.
fn query(fields: &str) -> String {
    format!(
        r#"{{"a": {{"shape": {{"type": "ellipse", "semi_axes": [4, 5]}}, "position": [1, 1], "angle_deg": 45}},
            "b": {{"shape": {{"type": "disc", "radius": 3}}, "position": [4, 8]}}{fields}}}"#
    )
}

fn ask(fields: &str) -> Answer {
    answer(&parse_query(&query(fields)).unwrap()).unwrap()
}

fn number(answer: &Answer, name: &str) -> f64 {
    match answer.details.iter().find(|(key, _)| *key == name) {
        Some((_, Fact::Number(number))) => *number,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_smaller_tolerance_takes_more_evaluations_and_gives_a_better_minimum() {
    let [coarse, fine] = ["1e-2", "1e-9"]
        .map(|tolerance| ask(&format!(r#", "method": "potential-as-printed", "tolerance": {tolerance}"#)));
    assert!(coarse.iterations < fine.iterations);
    assert!(number(&coarse, "f_a_at_b") > number(&fine, "f_a_at_b"));
    let omitted = ask(r#", "method": "potential-as-printed""#);
    let printed = ask(r#", "method": "potential-as-printed", "tolerance": 1e-5"#);
    assert_eq!(omitted, printed);
}

#[test]
fn only_searches_have_a_tolerance() {
    for (fields, reason) in [
        (r#", "method": "potential", "tolerance": 1e-5"#, "`potential` has no tolerance"),
        (r#", "tolerance": 1e-5"#, "`auto` has no tolerance"),
        (r#", "method": "potential-as-printed", "tolerance": 0"#, "must be an angle between"),
        (r#", "method": "potential-as-printed", "tolerance": null"#, "tolerance"),
    ] {
        let error = parse_query(&query(fields)).unwrap_err().to_string();
        assert!(error.contains("tolerance") && error.contains(reason), "{fields}: {error}");
    }
}

#[test]
fn a_drawing_shows_both_curves_the_circles_and_the_contact() {
    let svg = drawing(&parse_query(&query("")).unwrap()).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<path").count(), 2);
    assert_eq!(svg.matches("stroke-dasharray").count(), 2, "one osculating circle each");
    // Two normals, and the line between the nearest points.
    assert_eq!(svg.matches("<line").count(), 3);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn shapes_of_space_cannot_be_drawn() {
    let balls = r#"{"a": {"shape": {"type": "sphere", "radius": 1}, "position": [0, 0, 0]},
                    "b": {"shape": {"type": "sphere", "radius": 1}, "position": [0, 0, 1.9]}}"#;
    let error = drawing(&parse_query(balls).unwrap()).unwrap_err().to_string();
    assert!(error.contains("discs, ellipses and superellipses"), "{error}");
}
