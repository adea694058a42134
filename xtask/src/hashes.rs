//! `cargo xtask hashes`: runs short scenes and prints a hash of every bit of each final state.
//!
//! Two platforms compute the same bits if they print the same lines; the workflow in `.github/`
//! compares them. The scenes cover all shapes, both responses (forces and percussions), and the
//! plane.

use std::fs;
use std::path::Path;

use crate::{BUILD, run};

/// A scene, and the simulated time after which its run ends.
const SCENES: &[(&str, &str)] = &[
    ("shaken_balls", "20 ms"),
    ("everything", "200 ms"),
    ("everything_percussion", "200 ms"),
    ("drum_small", "200 ms"),
    ("superellipse_mix", "200 ms"),
    ("polygons", "200 ms"),
];

/// Runs the scenes with the release build; returns one line `scene until hash` for each.
pub fn lines() -> Result<String, String> {
    run(&BUILD)?;
    let mut lines = String::new();
    for &(scene, until) in SCENES {
        let out = crate::target().join("hashes").join(scene);
        let _ = fs::remove_dir_all(&out);
        let mut command = std::process::Command::new(crate::program());
        command.args(["run", &format!("scenes/{scene}.toml"), "--quiet", "--until", until, "--out"]).arg(&out);
        let status = command.status().map_err(|error| format!("cannot start granum: {error}"))?;
        if !status.success() {
            return Err(format!("granum run scenes/{scene}.toml: {status}"));
        }
        lines += &format!("{scene:24} {until:8} {}\n", state_hash(&out)?);
    }
    Ok(lines)
}

/// Reads the hash of the final state from the summary of a run.
fn state_hash(run: &Path) -> Result<String, String> {
    let path = run.join("summary.json");
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let hash = text.split_once("\"state_hash\": \"").and_then(|(_, rest)| rest.split_once('"'));
    hash.map(|(hash, _)| hash.to_owned()).ok_or_else(|| format!("{} has no state_hash", path.display()))
}
