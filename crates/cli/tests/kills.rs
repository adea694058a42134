//! Runs that are killed at random times and resumed. `cargo xtask kills` kills a thousand runs.
#![cfg(unix)]

#[path = "../../../xtask/src/kills.rs"]
mod kills;

use std::path::Path;

/// Kills `count` runs of a scene to the time `until`, and compares their results.
fn check(scene: &str, until: &str, count: u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(scene);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kills_{scene}"));
    let program = Path::new(env!("CARGO_BIN_EXE_granum"));
    let outcome = kills::kill_runs(program, &path, until, &folder, count).unwrap();
    assert_eq!((outcome.runs, outcome.identical), (count, count), "{outcome:?}");
    assert!(outcome.kills >= count, "{outcome:?}");
}

#[test]
fn killed_runs_end_with_the_bits_of_an_undisturbed_one() {
    check("shaken_balls.toml", "10 ms", 10);
}

#[test]
fn killed_runs_with_percussions_of_every_shape_end_with_the_bits_of_an_undisturbed_one() {
    check("shaken_shapes.toml", "0.15 s", 6);
}
