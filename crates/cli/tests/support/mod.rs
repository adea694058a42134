//! Helpers of the tests of runs: small scenes, and calls of the program.
#![allow(dead_code)] // Not every test file uses all helpers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A scene of balls that are shaken in a box for 40,000 steps, long enough to stop the run.
pub const SCENE: &str = include_str!("../../../../scenes/shaken_balls.toml");

/// A scene of a few balls that fall into a box for 20 ms, with a row of energies and a frame
/// every 5 ms.
pub const SMALL: &str = r#"
title = "a few balls"
[time]
end = "20 ms"
output = "5 ms"
[materials.glass]
density = 2500
[materials.steel]
density = 7800
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = 1000
restitution = 0.8
friction = 0.3
tangential_damping = 0
[[contact]]
between = ["glass", "steel"]
law = "linear"
stiffness = 1000
restitution = 0.8
friction = 0.3
tangential_damping = 0
[container]
material = "steel"
min = [0, 0, 0]
max = ["2 cm", "2 cm", "4 cm"]
open = ["top"]
[[grains]]
material = "glass"
count = 30
velocity = [0, 0, -1]
[grains.sphere]
radius = { min = "1 mm", max = "2 mm" }
[grains.lattice]
min = [0, 0, 0]
max = ["2 cm", "2 cm", "4 cm"]
jitter = 0.5
"#;

/// Returns an empty folder for one test.
pub fn empty_folder(test: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// Returns a folder for one test that contains a scene.
pub fn folder_with(test: &str, name: &str, scene: &str) -> PathBuf {
    let dir = empty_folder(test);
    fs::write(dir.join(name), scene).unwrap();
    dir
}

/// Returns a folder for one test that contains [`SCENE`].
pub fn folder(test: &str) -> PathBuf {
    folder_with(test, "shaken.toml", SCENE)
}

/// Runs the program and returns its output.
pub fn granum(dir: &Path, arguments: &[&str]) -> Output {
    command(dir, arguments).output().unwrap()
}

/// Starts the program.
pub fn start(dir: &Path, arguments: &[&str]) -> Child {
    command(dir, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_granum"));
    command.current_dir(dir).args(arguments);
    command
}

/// Runs the program, which must succeed, and returns its standard output.
pub fn succeeds(dir: &Path, arguments: &[&str]) -> String {
    let output = granum(dir, arguments);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{arguments:?}");
    text(&output.stdout).to_owned()
}

pub fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// Returns the summary of a run.
pub fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

/// Returns the results of a run that do not depend on the clock.
pub fn result(run: &Path) -> (String, Value, Value) {
    let summary = summary(run);
    let energy = fs::read_to_string(run.join("energy.csv")).unwrap();
    (energy, summary["state_hash"].clone(), summary["steps"].clone())
}

/// Returns the checkpoints of a run, the newest first.
pub fn checkpoints(run: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(run.join("checkpoint")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "granum")).collect();
    found.sort_by(|a, b| b.cmp(a));
    found
}
