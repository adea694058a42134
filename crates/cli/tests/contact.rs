//! `granum contact`: the program on valid and invalid input.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// Runs `granum contact -` with a text as input.
fn contact(input: &[u8]) -> Output {
    let mut child = granum(&["contact", "-"]).spawn().unwrap();
    // The program may stop reading at an invalid line.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn granum(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_granum"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn results(output: &Output) -> Vec<Value> {
    str::from_utf8(&output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a query with this body a and a ball b above the origin.
fn with_a(a: &str) -> String {
    format!(r#"{{"a": {a}, "b": {{"shape": {{"type": "sphere", "radius": 1}}, "position": [0, 0, 1.5]}}}}"#)
}

/// Returns a query whose body a has this shape and is at the origin.
fn with_shape(shape: &str) -> String {
    with_a(&format!(r#"{{"shape": {shape}, "position": [0, 0, 0]}}"#))
}

/// Returns a query of two balls with more text inside body a.
fn with_ball(rest: &str) -> String {
    with_a(&format!(r#"{{"shape": {{"type": "sphere", "radius": 1}}, {rest}}}"#))
}

/// Returns a valid query of two balls with more text at its end.
fn with_end(rest: &str) -> String {
    let query = with_ball(r#""position": [0, 0, 0]"#);
    format!("{}{rest}", query.strip_suffix('}').unwrap())
}

#[test]
fn every_documented_field_is_printed() {
    let output = contact(with_end(r#", "method": "auto"}"#).as_bytes());
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    let expected = json!({
        "touching": true, "gap": -0.5, "normal": [0.0, 0.0, 1.0],
        "point_a": [0.0, 0.0, 1.0], "point_b": [0.0, 0.0, 0.5],
        "contacts": [{"point": [0.0, 0.0, 0.75], "normal": [0.0, 0.0, 1.0], "gap": -0.5}],
        "method": "sphere_sphere", "iterations": 0, "status": "converged",
    });
    assert_eq!(results(&output), [expected]);
}

#[test]
fn reference_pairs_agree() {
    const GAP: f64 = 1e-12;
    const DIRECTION: f64 = 1e-10;
    let rows: Vec<Value> = include_str!("data/half_space_sphere_pairs.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!rows.is_empty());
    let input: String = rows.iter().map(|row| format!("{}\n", row["query"])).collect();
    let output = contact(input.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    let results = results(&output);
    assert_eq!(results.len(), rows.len());
    for (row, result) in rows.iter().zip(&results) {
        let expected = &row["expected"];
        let number = |value: &Value| value.as_f64().unwrap();
        assert_eq!(result["touching"], expected["touching"], "{row}");
        assert!((number(&result["gap"]) - number(&expected["gap"])).abs() < GAP, "{row}");
        for field in ["normal", "point_a", "point_b"] {
            for axis in 0..3 {
                let error = (number(&result[field][axis]) - number(&expected[field][axis])).abs();
                assert!(error < DIRECTION, "{field} of {row}");
            }
        }
    }
}

#[test]
fn errors_name_the_line_and_the_field() {
    let quaternion = "must be a quaternion [w,x,y,z] with a norm between 1e-6 and 1e6";
    let cases = [
        // Not JSON.
        ("hello".into(), "not readable JSON: expected value, at `hello` (column 1)"),
        (r#"{"a":"#.into(), "a: not readable JSON: EOF while parsing a value (column 5)"),
        (r#"{"a": {"shape" 5}}"#.into(), "a: not readable JSON: expected `:`, at `5` (column 16)"),
        (with_shape(r#"{"type": "sphere" "radius": 1}"#), "a.shape: not readable JSON: expected `,` or `}`"),
        (with_end("} x"), "not readable JSON: trailing characters, at `x`"),
        (
            with_shape(r#"{"type": "sphere", "radius": NaN}"#),
            "a.shape.radius: not readable JSON: expected value, at `NaN`",
        ),
        (
            with_shape(r#"{"type": "sphere", "radius": nan}"#),
            "a.shape.radius: not readable JSON: expected ident, at `nan`",
        ),
        (
            with_shape(r#"{"type": "sphere", "radius": 1e999}"#),
            "a.shape.radius: not readable JSON: number out of range, at `1e999`",
        ),
        (
            with_ball(r#""position": [0, -1e999, 0]"#),
            "a.position[1]: not readable JSON: number out of range, at `-1e999`",
        ),
        // Wrong fields.
        ("{}".into(), "a is missing"),
        ("5".into(), "invalid type: integer `5`, expected a query {\"a\": BODY, \"b\": BODY, \"method\": NAME}"),
        (with_a("5"), "a: invalid type: integer `5`, expected a body {\"shape\": SHAPE"),
        (with_end(r#", "c": 1}"#), "c: unknown field `c`, expected one of `a`, `b`, `method`"),
        (with_a(r#"{"position": [0, 0, 0]}"#), "a.shape is missing"),
        (with_a(r#"{"shape": {"type": "sphere", "radius": 1}}"#), "a.position is missing"),
        (with_ball(r#""position": [0, 0, 0], "colour": 1"#), "a.colour: unknown field `colour`"),
        (with_shape(r#"{"radius": 1}"#), "a.shape.type is missing"),
        (with_shape(r#"{"type": "sphere"}"#), "a.shape.radius is missing"),
        (with_shape(r#"{"type": "half_space"}"#), "a.shape.normal is missing"),
        (with_shape(r#"{"type": "sphere", "radius": 1, "r": 1}"#), "a.shape.r: unknown field `r`, expected `radius`"),
        (with_shape(r#"{"type": "sphere", "radius": 1, "radius": 2}"#), "a.shape: duplicate field `radius`"),
        (with_shape(r#"{"type": "cube", "radius": 1}"#), "a.shape.type: unknown name `cube`, expected"),
        (with_end(r#", "method": "gjk"}"#), "method: unknown name `gjk`, expected one of `auto`, `general`"),
        // Wrong types.
        (with_shape("5"), "a.shape: invalid type: integer `5`, expected a shape {\"type\": NAME, ...}"),
        (with_shape(r#"{"type": 5}"#), "a.shape.type: invalid type: integer `5`, expected a name"),
        (
            with_shape(r#"{"type": "sphere", "radius": "big"}"#),
            "a.shape.radius: invalid type: string \"big\", expected a number",
        ),
        (with_shape(r#"{"type": "half_space", "normal": [0, 1]}"#), "a.shape.normal: invalid length 2"),
        (with_shape(r#"{"type": "half_space", "normal": [0, 0, 1, 0]}"#), "a.shape.normal: invalid length 4"),
        (with_ball(r#""position": [0, 0]"#), "a.shape must be a planar shape where the position has two numbers"),
        (with_ball(r#""position": [0]"#), "a.position: invalid length 1, expected a point [x,y,z], or [x,y]"),
        (
            with_a(r#"{"shape": {"type": "ellipse", "semi_axes": [2, 1]}, "position": [0, 0, 0]}"#),
            "a.shape must be a shape of space where the position has three numbers",
        ),
        (
            with_a(r#"{"shape": {"type": "ellipse", "semi_axes": [2, 1]}, "position": [0, 0], "angle_deg": 5}"#),
            "b.position must have as many numbers as that of a: a lies in the plane, b in space",
        ),
        (with_ball(r#""position": [0, 0, 0], "angle_deg": 5"#), "a.angle_deg must be left out"),
        (with_ball(r#""position": [0, 0, 0, 0]"#), "a.position: invalid length 4"),
        (with_ball(r#""position": [0, 0, "x"]"#), "a.position[2]: invalid type: string \"x\", expected a number"),
        (with_ball(r#""position": [0, 0, 0], "orientation": [0, 0, 1]"#), "a.orientation: invalid length 3"),
        (with_ball(r#""position": [0, 0, 0], "orientation": null"#), "a.orientation: invalid type: null"),
        (with_end(r#", "method": 5}"#), "method: invalid type: integer `5`, expected a name"),
        // Invalid values.
        (with_shape(r#"{"type": "sphere", "radius": -1}"#), "a.shape.radius must be a positive length, not -1"),
        (with_shape(r#"{"type": "sphere", "radius": 0}"#), "a.shape.radius must be a positive length, not 0"),
        (
            with_shape(r#"{"type": "half_space", "normal": [0, 0, 0]}"#),
            "a.shape.normal must be a direction, not [0, 0, 0]",
        ),
        (
            with_ball(r#""position": [0, 0, 0], "orientation": [0, 0, 0, 0]"#),
            &format!("a.orientation {quaternion}, not [0,0,0,0]"),
        ),
        (with_ball(r#""position": [0, 0, 0], "orientation": [1e7, 0, 0, 0]"#), &format!("a.orientation {quaternion}")),
        (
            with_a(
                r#"{"shape": {"type": "half_space", "normal": [0, 0, 1]}, "position": [0, 0, 0], "orientation": [1, 1, 0, 0]}"#,
            ),
            "a.orientation must be left out: the normal of a half_space is given in world axes",
        ),
        // Sizes whose powers would overflow or underflow.
        (
            with_shape(r#"{"type": "truncated_cone", "radii": [1, 2e154], "half_height": 1}"#),
            "a.shape.radii must be a length from 1e-50 to 1e50 m, not 2e154",
        ),
        (with_shape(r#"{"type": "sphere", "radius": 1e-51}"#), "a.shape.radius must be a length from 1e-50 to 1e50 m"),
        (
            with_shape(r#"{"type": "polyhedron", "vertices": [[0,0,0],[1e60,0,0],[0,1,0],[0,0,1]]}"#),
            "a.shape.vertices: `vertices` must have coordinates up to 1e50 m: those of point 1 are larger",
        ),
        (
            with_shape(r#"{"type": "polyhedron", "vertices": [[0,0,0],[1e-60,0,0],[0,1e-60,0],[0,0,1e-60]]}"#),
            "a.shape.vertices: `vertices` must span at least 1e-50 m",
        ),
        (with_ball(r#""position": [0, 0, 1e308]"#), "a.position must have coordinates up to 1e50 m"),
        // Pairs without a contact.
        (
            with_shape(r#"{"type": "half_space", "normal": [0, 0, 1]}"#)
                .replace(r#"{"type": "sphere", "radius": 1}"#, r#"{"type": "half_space", "normal": [0, 0, 1]}"#),
            "a and b are both unbounded: they have no closest points",
        ),
        (
            with_shape(r#"{"type": "half_space", "normal": [0, 0, 1]}"#)
                .replace(r#"{"a""#, r#"{"method": "general", "a""#),
            "method `general` is for bounded bodies, and a is unbounded: use `auto`",
        ),
    ];
    let good = with_end("}");
    for (line, message) in &cases {
        let output = contact(format!("{good}\n\n{line}\n{good}\n").as_bytes());
        let stderr = str::from_utf8(&output.stderr).unwrap();
        assert!(stderr.starts_with(&format!("stdin:3: {message}")), "{line}\n{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{line}\n{stderr}");
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert_eq!(results(&output).len(), 1, "the line before the invalid one has a result: {line}");
    }
}

#[test]
fn input_without_a_query_is_an_error() {
    for input in ["", "\n", "  \r\n\n"] {
        let output = contact(input.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(str::from_utf8(&output.stderr).unwrap(), "stdin contains no query\n");
    }
}

#[test]
fn a_cone_of_huge_radius_is_refused_without_a_panic() {
    let output =
        contact(with_shape(r#"{"type": "truncated_cone", "radii": [1e300, 2e154], "half_height": 1}"#).as_bytes());
    assert_eq!(output.status.code(), Some(2));
    // At the limits of the supported range there is an answer, or a reason why there is none.
    for radii in ["[1e50, 1e-50]", "[1e50, 1e50]", "[1e-50, 0]"] {
        for half_height in ["1e-50", "1", "1e50"] {
            let cone = format!(r#"{{"type": "truncated_cone", "radii": {radii}, "half_height": {half_height}}}"#);
            let output = contact(with_shape(&cone).as_bytes());
            assert!(matches!(output.status.code(), Some(0 | 2)), "{cone} {output:?}");
        }
    }
}

#[test]
fn planar_methods_end_at_every_size() {
    let body = |size: &str, at: &str| {
        format!(r#"{{"shape": {{"type": "ellipse", "semi_axes": [{size}, {size}]}}, "position": [{at}, 0]}}"#)
    };
    for (a, b) in [("1e-50", "1e-50"), ("1e50", "1e50"), ("1e50", "1e-50"), ("1", "1e-50"), ("1", "1"), ("1e9", "1")] {
        for method in ["potential", "intersection", "curvature", "common-normal", "potential-as-printed"] {
            for at in ["0", "1", "1e50"] {
                let query = format!(r#"{{"a": {}, "b": {}, "method": "{method}"}}"#, body(a, "0"), body(b, at));
                let output = contact(query.as_bytes());
                assert!(matches!(output.status.code(), Some(0 | 2)), "{query} {output:?}");
            }
        }
    }
}

#[test]
fn long_bad_lines_are_cut_in_messages() {
    let long = "9".repeat(100_000);
    for line in
        [long.clone(), with_shape(&format!(r#"{{"type": "{long}"}}"#)), with_end(&format!(r#", "{long}": 1}}"#))]
    {
        let output = contact(line.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stderr.len() < 3000, "{} bytes", output.stderr.len());
    }
}

#[test]
fn text_that_is_not_utf_8_is_an_error() {
    let output = contact(b"\xff\xfe\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.starts_with(b"stdin:1: not text in UTF-8"));
}

#[test]
fn a_file_is_named_in_messages() {
    let path = format!("{}/bad_pairs.jsonl", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, with_shape(r#"{"type": "sphere", "radius": -1}"#)).unwrap();
    for (file, message) in [
        (path.as_str(), format!("{path}:1: a.shape.radius must be a positive length, not -1\n")),
        ("no/such/file", "cannot read no/such/file: No such file or directory (os error 2)\n".into()),
    ] {
        let output = granum(&["contact", file]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(str::from_utf8(&output.stderr).unwrap(), message);
    }
}

#[test]
fn a_last_line_without_newline_and_windows_line_ends_are_read() {
    let good = with_end("}");
    let output = contact(format!("{good}\r\n{good}").as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(results(&output).len(), 2);
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let mut child = granum(&["contact", "-"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let line = with_end("}\n");
    stdin.write_all(line.as_bytes()).unwrap();
    // The result is printed while standard input is still open.
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with('{'));
    // Standard output is closed now; the next result cannot be written.
    let _ = stdin.write_all(line.repeat(100).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(str::from_utf8(&output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_help_lists_every_method() {
    let output = granum(&["contact", "--help"]).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for method in granum_reference::methods::ALL {
        assert!(help.contains(method.name), "{}", method.name);
    }
}

#[test]
fn a_planar_contact_is_drawn() {
    let file = std::env::temp_dir().join(format!("granum_drawing_{}.svg", std::process::id()));
    let mut child = granum(&["contact", "-", "--draw", file.to_str().unwrap()]).spawn().unwrap();
    let query = r#"{"a": {"shape": {"type": "ellipse", "semi_axes": [4, 5]}, "position": [1, 1], "angle_deg": 45},
        "b": {"shape": {"type": "disc", "radius": 3}, "position": [4, 8]}}"#;
    child.stdin.take().unwrap().write_all(query.replace('\n', " ").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg"));
    std::fs::remove_file(file).unwrap();
}
