//! `granum run`, `granum validate` and `granum bench steps`: the program on small scenes.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use support::{SMALL, folder_with, granum, text};

/// Returns a folder for one test that contains the small scene.
fn folder(test: &str) -> PathBuf {
    folder_with(test, "small.toml", SMALL)
}

/// Expects exit code 2 and one message that begins with `message`, followed at most by the wrong
/// line of the file.
fn refused(dir: &Path, arguments: &[&str], message: &str) {
    let output = granum(dir, arguments);
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with(message), "{stderr}");
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.lines().skip(1).all(|line| line.contains(" | ") || line.trim() == "|"), "{stderr}");
}

fn rows(path: &Path) -> Vec<BTreeMap<String, f64>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|row| row.unwrap()).collect()
}

/// Cylinders that fall on a half-space, with the published measure of cylinders.
const FALLING_CYLINDERS: &str = r#"contact_model = "paper"
gravity = [0, 0, -9.81]

[time]
end = "10 ms"
step = "10 us"

[materials.steel]
density = 7800

[[contact]]
between = ["steel", "steel"]
law = "linear"
stiffness = 1e5
restitution = 0.5
friction = 0.3

[[grains]]
material = "steel"
velocity = [0, 0, -1]

[grains.cylinder]
radius = "5 mm"
half_height = "5 mm"

[grains.lattice]
min = [0, 0, 0]
max = [0.045, 0.045, 0.03]
spacing = "20 mm"

[[walls]]
material = "steel"

[walls.half_space]
normal = [0, 0, 1]
"#;

#[test]
fn the_program_has_the_published_measure() {
    let dir = folder_with("run_published", "cylinders.toml", FALLING_CYLINDERS);
    let output = granum(&dir, &["run", "cylinders.toml", "--out", "results", "--threads", "1"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let scene: toml::Table = fs::read_to_string(dir.join("results/scene.toml")).unwrap().parse().unwrap();
    assert_eq!(scene["contact_model"].as_str(), Some("paper"));
}

#[test]
fn check_names_the_pairs_whose_elastic_contacts_do_not_conserve_energy() {
    // Cylinders on a half-space have a smooth overlap; with the depth neither pair has one.
    let scene = FALLING_CYLINDERS.replace("paper", "moments");
    let dir = folder_with("check_conservation", "cylinders.toml", &scene);
    let printed = |settings: &[&str]| {
        let output = granum(&dir, &[&["check", "cylinders.toml"], settings].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    assert!(!printed(&[]).contains("elastic contacts"), "{}", printed(&[]));
    let by_depth = printed(&["--set", "contact_model=\"depth\""]);
    assert!(
        by_depth.contains("half space and cylinder, cylinder and cylinder: the overlap is the depth"),
        "{by_depth}"
    );
    // Cones among themselves still use the depth.
    let cones =
        scene.replace("[grains.cylinder]\nradius = \"5 mm\"", "[grains.truncated_cone]\nradii = [0.005, 0.003]");
    fs::write(dir.join("cylinders.toml"), cones).unwrap();
    let cones = printed(&[]);
    assert!(cones.contains("truncated cone and truncated cone"), "{cones}");
}

#[test]
fn a_run_writes_the_documented_files() {
    let dir = folder("run_files");
    let output = granum(&dir, &["run", "small.toml", "--out", "results", "--threads", "1"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let printed = text(&output.stdout);
    for part in ["30 grains, 5 walls", "time step", "steps a contact", "done ", "ledger     residual"] {
        assert!(printed.contains(part), "{part} in {printed}");
    }

    let energy = rows(&dir.join("results/energy.csv"));
    let times: Vec<f64> = energy.iter().map(|row| row["time"]).collect();
    assert_eq!(times.len(), 5);
    assert!(times.iter().zip([0.0, 5e-3, 10e-3, 15e-3, 20e-3]).all(|(time, wanted)| (time - wanted).abs() < 1e-12));
    assert!(energy.iter().any(|row| row["contacts"] > 0.0 && row["max_overlap"] > 0.0));
    let turned_over = energy[0]["kinetic_translational"];
    assert!(energy.iter().all(|row| row["residual"].abs() < 1e-2 * turned_over), "{energy:?}");

    let summary: Value = serde_json::from_str(&fs::read_to_string(dir.join("results/summary.json")).unwrap()).unwrap();
    assert_eq!((&summary["bodies"], &summary["status"]), (&35.into(), &"completed".into()));
    let (steps, dt) = (summary["steps"].as_f64().unwrap(), summary["dt"].as_f64().unwrap());
    assert!((steps * dt - 0.02).abs() < 1e-12);
    let wall = summary["wall_seconds"].as_f64().unwrap();
    let speed = summary["body_steps_per_second"].as_f64().unwrap();
    assert!((speed - 35.0 * steps / wall).abs() < 1e-6 * speed);
    assert!(summary["contacts"].is_u64());
    for stage in ["predict", "broad_phase", "narrow_phase", "response", "correct", "output"] {
        assert!(summary["seconds"][stage].as_f64().unwrap() >= 0.0, "{stage}");
    }

    let scene: toml::Table = fs::read_to_string(dir.join("results/scene.toml")).unwrap().parse().unwrap();
    assert_eq!(scene["time"]["step"].as_float(), Some(dt));
    assert_eq!(scene["grains"][0]["sphere"]["radius"]["min"].as_float(), Some(0.001));
    // The resolved scene contains the default, so that it gives the same bits if the default
    // changes.
    assert_eq!(scene["contact_model"].as_str(), Some("moments"));
}

#[test]
fn the_resolved_scene_and_any_number_of_threads_give_the_same_bits() {
    let dir = folder("run_same");
    for (scene, out, threads) in
        [("small.toml", "one", "1"), ("small.toml", "two", "2"), ("one/scene.toml", "again", "1")]
    {
        let output = granum(&dir, &["run", scene, "--out", out, "--threads", threads, "--quiet"]);
        assert_eq!((output.status.code(), text(&output.stdout), text(&output.stderr)), (Some(0), "", ""));
    }
    let energy = |out: &str| fs::read_to_string(dir.join(out).join("energy.csv")).unwrap();
    assert_eq!(energy("one"), energy("two"));
    assert_eq!(energy("one"), energy("again"));
}

#[test]
fn until_ends_a_run_early_with_the_same_steps() {
    let dir = folder("run_until");
    assert_eq!(granum(&dir, &["run", "small.toml", "--out", "whole", "--quiet"]).status.code(), Some(0));
    assert_eq!(granum(&dir, &["run", "small.toml", "--out", "part", "--until", "7 ms"]).status.code(), Some(0));
    let (whole, part) = (rows(&dir.join("whole/energy.csv")), rows(&dir.join("part/energy.csv")));
    assert_eq!(whole[..2], part[..2]);
    assert_eq!(part.len(), 3);
    assert!((part[2]["time"] - 7e-3).abs() < 1e-5);
    refused(&dir, &["run", "small.toml", "--until", "0"], "--until must be a positive time, not 0");
    assert_eq!(granum(&dir, &["run", "small.toml", "--until", "7 mm"]).status.code(), Some(2));
}

#[test]
fn without_a_folder_one_is_named_after_scene_and_time() {
    let dir = folder("run_default");
    assert_eq!(granum(&dir, &["run", "small.toml", "--quiet"]).status.code(), Some(0));
    let names: Vec<String> =
        fs::read_dir(dir.join("out")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.len() == 1 && names[0].starts_with("small-20") && names[0].len() == 21, "{names:?}");
}

#[test]
fn bad_input_is_refused_with_one_line_and_writes_nothing() {
    let dir = folder("run_bad");
    refused(&dir, &["run", "nothing.toml", "--out", "r"], "nothing.toml: cannot read the scene: ");
    fs::write(dir.join("empty.toml"), "").unwrap();
    refused(&dir, &["run", "empty.toml", "--out", "r"], "empty.toml: the scene is empty");
    fs::write(dir.join("bad.toml"), SMALL.replace("\"1 mm\"", "-1")).unwrap();
    refused(
        &dir,
        &["run", "bad.toml", "--out", "r"],
        "bad.toml:34:10: grains[0].sphere.radius must be a positive length",
    );
    fs::write(dir.join("bytes.toml"), [0xff, 0xfe]).unwrap();
    refused(&dir, &["run", "bytes.toml", "--out", "r"], "bytes.toml: is not a text file in UTF-8");
    assert!(!dir.join("r").exists());
    refused(
        &dir,
        &["run", "small.toml", "--set", "grains.0.cuont=3"],
        "--set grains.0.cuont=3: grains[0].cuont: unknown",
    );
    refused(&dir, &["run", "small.toml", "--out", "."], ". is not empty, and files are never overwritten");
    refused(&dir, &["run", "small.toml", "--out", "small.toml/r"], "cannot create small.toml/r: ");
}

#[test]
fn a_step_that_is_too_long_gives_a_warning() {
    let dir = folder("run_warning");
    fs::write(dir.join("long.toml"), SMALL.replace("[time]", "[time]\nstep = \"0.1 ms\"")).unwrap();
    let output = granum(&dir, &["run", "long.toml", "--out", "r", "--quiet"]);
    assert!(text(&output.stderr).starts_with("warning: time step 1.000e-4 s is too long: "));
}

#[test]
fn validate_prints_json_and_names_its_cases() {
    let dir = folder("validate");
    let output = granum(&dir, &["validate", "--tier", "0", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let passed = rows.iter().filter(|row| row["pass"] == true).count();
    assert_eq!((&report["passed"], &report["failed"]), (&passed.into(), &(rows.len() - passed).into()));
    assert_eq!(output.status.code(), Some(i32::from(passed < rows.len())));
    for row in rows {
        for key in ["case", "check", "reference", "ours", "error", "limit", "pass"] {
            assert!(row.get(key).is_some(), "{key}");
        }
    }
    let table = granum(&dir, &["validate", "--tier", "0"]);
    assert!(text(&table.stdout).starts_with("case"));
    assert!(text(&table.stdout).contains(&format!("{passed} of {} checks passed, ", rows.len())));
    assert_eq!(granum(&dir, &["validate", "--tier", "0", "--known"]).status.code(), Some(0));
    refused(&dir, &["validate", "--case", "nonsense"], "--case nonsense: unknown case; expected one of ");
    assert_eq!(granum(&dir, &["validate", "--tier", "4"]).status.code(), Some(2));
}

#[test]
fn bench_steps_measures_processor_time_with_list_rebuilds() {
    let dir = folder("bench_steps");
    let options = ["--steps", "20", "--warm-up", "10", "--repeat", "2", "--threads", "1"];
    let run = |more: &[&str]| granum(&dir, &[&["bench", "steps", "small.toml"], &options[..], more].concat());
    let output = run(&["--json"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["particles"], &report["threads"]), (&30.into(), &1.into()));
    // A segment ends with a renewal of the neighbour list, or after three times the given steps.
    let steps = report["steps"].as_u64().unwrap();
    assert!((20..=60).contains(&steps), "{steps} steps");
    assert!(report["list_rebuilds"].as_u64().unwrap() >= 2 || steps == 60, "{report}");
    assert!(report["particle_steps_per_wall_second"].as_f64().unwrap() > 0.0);
    let speed = report["particle_steps_per_second"].as_f64().unwrap();
    let stages = report["nanoseconds"].as_object().unwrap();
    let sum: f64 = stages.values().map(|time| time.as_f64().unwrap()).sum();
    assert!((sum * speed - 1e9).abs() < 1e3, "the stages add up to the whole: {sum} ns, {speed}/s");
    assert_eq!(stages.len(), 6);
    let table = text(&run(&[]).stdout).to_owned();
    assert!(table.contains("particle-steps/s") && table.contains("narrow_phase"), "{table}");
    refused(&dir, &["bench", "steps", "nothing.toml"], "nothing.toml: cannot read the scene: ");
}
