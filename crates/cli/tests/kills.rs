//! Runs that are killed at random times; `cargo xtask kills` kills a thousand.
#![cfg(unix)]

#[path = "../../../xtask/src/kills.rs"]
mod kills;

use std::path::Path;

#[test]
fn killed_runs_end_with_the_bits_of_an_undisturbed_one() {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/shaken_balls.toml");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kills");
    let outcome = kills::kill_runs(Path::new(env!("CARGO_BIN_EXE_granum")), &scene, "10 ms", &folder, 10).unwrap();
    assert_eq!((outcome.runs, outcome.identical), (10, 10), "{outcome:?}");
    assert!(outcome.kills >= 10, "{outcome:?}");
}
