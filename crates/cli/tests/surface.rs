//! `granum surface`: reports, repairs, pictures and generated surfaces.

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{empty_folder, granum, text};

const HOPPER: &[&str] =
    &["surface", "--generate", "hopper", "--set", "outlet=5 cm", "--set", "inlet=0.3", "--set", "height=0.25"];

/// Runs a command that must succeed, and returns its standard output.
fn output(dir: &Path, arguments: &[&str]) -> String {
    let output = granum(dir, arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    text(&output.stdout).to_owned()
}

/// Runs a command that must fail with exit code 2, and returns its message of one line.
fn refused(dir: &Path, arguments: &[&str]) -> String {
    let output = granum(dir, arguments);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{output:?}");
    text(&output.stderr).to_owned()
}

fn json(dir: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&output(dir, &[arguments, &["--json"]].concat())).expect("JSON")
}

#[test]
fn a_generated_surface_is_written_and_read_again() {
    let dir = empty_folder("surface_generate");
    let printed =
        output(&dir, &[HOPPER, &["--out", "hopper.stl", "--picture", "hopper.png", "--size", "320x240"]].concat());
    assert!(printed.contains("surface              generated hopper"), "{printed}");
    assert!(printed.contains("triangles            96, with 96 vertices"), "{printed}");
    assert!(printed.contains("volume               none: the surface is open"), "{printed}");
    assert!(printed.contains("open edges           96, the first at"), "{printed}");
    assert!(fs::read(dir.join("hopper.png")).expect("a picture").starts_with(b"\x89PNG"));
    let (made, read) = (json(&dir, HOPPER), json(&dir, &["surface", "hopper.stl"]));
    for key in ["triangles", "vertices", "components", "open_edges", "non_manifold_edges", "flipped_triangles"] {
        assert_eq!(made[key], read[key], "{key}");
    }
    let area = |report: &Value| report["area"].as_f64().expect("a number");
    assert!((area(&made) / area(&read) - 1.0).abs() < 1e-6);
    let inches = json(&dir, &["surface", "hopper.stl", "--unit", "in", "--scale", "2"]);
    assert!((area(&inches) / area(&read) / (2.0f64 * 0.0254).powi(2) - 1.0).abs() < 1e-6);
}

#[test]
fn terrain_is_written_as_a_height_grid_and_read_again() {
    let dir = empty_folder("surface_grid");
    let terrain = ["surface", "--generate", "terrain", "--set", "size=[9, 6]", "--set", "cells=[30, 20]"];
    let terrain = [&terrain[..], &["--set", "height=1", "--set", "radius=0.7", "--set", "hills=12"]].concat();
    let made = json(&dir, &[&terrain[..], &["--out", "hills.asc"]].concat());
    let head = "ncols 31\nnrows 21\nxllcenter -4.5\nyllcenter -3\ncellsize 0.3\nNODATA_value -9999\n";
    let written = fs::read_to_string(dir.join("hills.asc")).expect("a grid");
    assert!(written.starts_with(head), "{}", &written[..120]);
    let read = json(&dir, &["surface", "hills.asc"]);
    for key in ["triangles", "vertices", "open_edges", "flipped_triangles"] {
        assert_eq!(made[key], read[key], "{key}");
    }
    let area = |report: &Value| report["area"].as_f64().expect("a number");
    assert!((area(&made) / area(&read) - 1.0).abs() < 1e-12);
    // A grid that is written again has the same bytes.
    output(&dir, &["surface", "hills.asc", "--out", "again.asc"]);
    assert_eq!(fs::read_to_string(dir.join("again.asc")).expect("a grid"), written);
    let refusal = refused(&dir, &[HOPPER, &["--out", "hopper.asc"]].concat());
    assert!(
        refusal.starts_with("cannot write hopper.asc: the surface is no height grid, since its points"),
        "{refusal}"
    );
    let refusal = refused(&dir, &[HOPPER, &["--out", "hopper.ply"]].concat());
    assert_eq!(refusal, "cannot write hopper.ply: the ending must be .stl or .asc\n");
}

#[test]
fn a_repair_reports_what_it_changed() {
    let dir = empty_folder("surface_repair");
    // A tetrahedron with one flipped face, one face twice, one without area, and a vertex that is
    // slightly displaced in one face.
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1e-9 0 0\nf 1 3 2\nf 5 2 4\nf 2 3 4\nf 4 3 1\nf 2 3 4\nf 1 2 2\n";
    fs::write(dir.join("bad.obj"), text.replace("f 4 3 1", "f 1 3 4")).expect("a file");
    let report = json(&dir, &["surface", "bad.obj", "--repair", "good.stl"]);
    assert_eq!(report["duplicate_triangles"], 1);
    assert!(report["open_edges"].as_u64() > Some(0) && report["volume"].is_null());
    let repair = &report["repair"];
    assert_eq!((&repair["joined_vertices"], &repair["dropped_duplicates"]), (&1.into(), &1.into()));
    assert_eq!((&repair["reversed_triangles"], &repair["after"]["open_edges"]), (&1.into(), &0.into()));
    let volume = json(&dir, &["surface", "good.stl"])["volume"].as_f64().expect("closed");
    assert!((volume - 1.0 / 6.0).abs() < 1e-9, "{volume}");
    let printed = output(&dir, &["surface", "bad.obj", "--repair", "good.stl"]);
    assert!(printed.contains("joined vertices      1\n"), "{printed}");
}

#[test]
fn wrong_input_gives_one_message_and_exit_code_2() {
    let dir = empty_folder("surface_wrong");
    fs::write(dir.join("cut.obj"), "v 0 0 0\nv 1 0 0\nv 0 1\n").expect("a file");
    assert_eq!(
        refused(&dir, &["surface", "cut.obj"]),
        "cannot read cut.obj: line 3: a vertex needs three coordinates, not 2\n"
    );
    fs::write(dir.join("empty.stl"), "").expect("a file");
    assert!(refused(&dir, &["surface", "empty.stl"]).starts_with("cannot read empty.stl: line 1: the file ends"));
    fs::write(dir.join("points.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\n").expect("a file");
    assert!(refused(&dir, &["surface", "points.obj"]).contains("the file has no triangle"));
    assert!(refused(&dir, &["surface", "none.stl"]).starts_with("cannot read none.stl"));
    assert!(refused(&dir, &["surface", "mesh.step"]).contains("the name must end with one of .stl"));
    assert!(refused(&dir, &["surface", "--generate", "funnel"]).contains("expected one of plate, box, hopper"));
    assert!(refused(&dir, &HOPPER[..7]).contains("hopper: missing key `height`"));
    assert!(refused(&dir, &[HOPPER, &["--set", "facet=2"]].concat()).contains("did you mean `facets`?"));
    assert!(refused(&dir, &[HOPPER, &["--repair", "a.stl", "--weld", "-1"]].concat()).contains("--weld must be"));
    assert!(refused(&dir, &[HOPPER, &["--set", "facets=2"]].concat()).contains("facets must be at least 3, not 2"));
    assert!(refused(&dir, &[HOPPER, &["--scale", "0"]].concat()).contains("--scale must be a positive number"));
    assert!(refused(&dir, &["surface", "a.stl", "--unit", "km"]).contains("must be one of m, cm, mm, in, ft"));
}

#[test]
fn a_file_of_another_program_is_not_overwritten() {
    let dir = empty_folder("surface_overwrite");
    fs::write(dir.join("mine.stl"), "solid mine\nendsolid mine\n").expect("a file");
    let command = [HOPPER, &["--out", "mine.stl"]].concat();
    assert!(refused(&dir, &command).contains("mine.stl exists and was not written by granum"));
    output(&dir, &[&command[..], &["--force"]].concat());
    output(&dir, &command);
}

#[test]
fn a_surface_is_placed_as_in_a_scene() {
    let dir = empty_folder("surface_placed");
    let placed = [HOPPER, &["--scale", "2", "--rotate", "1,0,0,180", "--translate=1,2,3"]].concat();
    let bounds = json(&dir, &placed)["bounds"].clone();
    for (axis, [low, high]) in [[0.7, 1.3], [1.7, 2.3], [2.5, 3.0]].into_iter().enumerate() {
        let of = |end: usize| bounds[end][axis].as_f64().expect("a number");
        assert!((of(0) - low).abs() < 1e-9 && (of(1) - high).abs() < 1e-9, "{axis} {bounds}");
    }
    let closed = ["surface", "--generate", "box", "--set", "size=[1, 1, 1]", "--set", "lid=true"];
    let volume = |more: &[&str]| json(&dir, &[&closed, more].concat())["volume"].as_f64().expect("a volume");
    assert!(volume(&[]) < -0.99 && volume(&["--flip"]) > 0.99);
    assert!(refused(&dir, &[HOPPER, &["--rotate", "0,0,0,90"]].concat()).contains("axis must have a direction"));
    assert!(refused(&dir, &[HOPPER, &["--rotate", "90"]].concat()).contains("an axis and an angle in degrees"));
}

#[test]
fn coordinates_that_stl_cannot_hold_cause_a_warning() {
    let dir = empty_folder("surface_rounding");
    let near = output(&dir, &[HOPPER, &["--out", "near.stl"]].concat());
    assert!(!near.contains("warning"), "{near}");
    let far = output(&dir, &[HOPPER, &["--translate=900000,0,0", "--out", "far.stl"]].concat());
    assert!(far.contains("moves vertices by up to") && far.contains("--translate=-900000,"), "{far}");
}
