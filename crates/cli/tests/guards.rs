//! Guards: an invalid run stops, names the reason, and writes input for `granum contact`.

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use granum_output::RunFolder;
use serde_json::Value;
use support::{SCENE, folder, granum, summary, text};

/// Runs the scene, changed by `change`, for 40 ms into the folder `out`.
fn run(dir: &Path, out: &str, change: impl Fn(&str) -> String) -> Output {
    let file = format!("{out}.toml");
    fs::write(dir.join(&file), change(SCENE)).unwrap();
    granum(dir, &["run", &file, "--out", out, "--quiet", "--until", "40 ms"])
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_valid_run_is_not_stopped() {
    let dir = folder("guards_sound");
    let output = run(&dir, "sound", str::to_owned);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(summary(&dir.join("sound"))["warnings"], Value::Object(Default::default()));
    assert!(!dir.join("sound/guard.json").exists());
}

#[test]
fn too_deep_a_contact_stops_the_run_and_can_be_computed_again() {
    let dir = folder("guards_overlap");
    let soft = |scene: &str| scene.replace("stiffness = 4000", "stiffness = 4");
    let output = run(&dir, "soft", soft);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.starts_with("guards.overlap at step ") && printed.contains(" too deep; the worst is that of bodies ")
    );
    assert!(printed.contains("`granum contact soft/guard_pairs.jsonl` computes its contacts"), "{printed}");
    assert_eq!(summary(&dir.join("soft"))["status"], "guard");

    let report = json(&dir.join("soft/guard.json"));
    assert_eq!((&report["guard"], &report["rule"]), (&"overlap".into(), &"stop".into()));
    let step = report["step"].as_u64().unwrap();
    assert!(printed.contains(&format!("at step {step}, ")) && step.is_multiple_of(100));
    let replayed = granum(&dir, &["contact", "soft/guard_pairs.jsonl"]);
    assert_eq!((replayed.status.code(), text(&replayed.stderr)), (Some(0), ""));
    let worst: Value = serde_json::from_str(text(&replayed.stdout).lines().next().unwrap()).unwrap();
    let (a, b) = (&report["bodies"][0]["id"], &report["bodies"][1]["id"]);
    let contact = report["contacts"].as_array().unwrap().iter().find(|c| (&c["a"], &c["b"]) == (a, b)).unwrap();
    let (engine, replay) = (contact["gap"].as_f64().unwrap(), worst["gap"].as_f64().unwrap());
    // The engine stores a remainder of each centre, which the file does not contain.
    assert!(engine < 0.0 && (engine - replay).abs() < 1e-12, "{engine} {replay}");
    assert!(report["bodies"][0]["velocity"].is_array() && report["bodies"][0]["material"] == "glass");
}

#[test]
fn a_guard_that_stops_a_run_saves_the_state() {
    let dir = folder("guards_saved");
    let low = |scene: &str| {
        let upwards = scene.replace("velocity = [0, 0, \"-2 m/s\"]", "velocity = [0, 0, 1]");
        upwards + "\n[guards]\ndomain_max = [1, 1, \"78 mm\"]\n"
    };
    let output = run(&dir, "left", low);
    let printed = text(&output.stderr);
    assert!(
        printed.contains("\nthe state of this step is saved in left/guard.granum; the last checkpoint is of step 0")
    );
    let (report, folder) = (json(&dir.join("left/guard.json")), RunFolder::open(&dir.join("left")).unwrap());
    let last = folder.frames().last().unwrap();
    assert_eq!(Some(last.step), report["step"].as_u64(), "the last frame shows the state");
    // The run continues from there with another rule, in another folder.
    let go_on =
        ["run", "--resume", "left/guard.granum", "--set", "guards.domain=off", "--out", "on", "--until", "20 ms"];
    let output = granum(&dir, &go_on);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let scene = fs::read_to_string(dir.join("on/scene.toml")).unwrap();
    assert!(scene.starts_with(&format!("# Branch of left/guard.granum from step {}, ", last.step)), "{scene}");
}

#[test]
fn a_guard_may_only_warn_or_be_off() {
    let dir = folder("guards_warn");
    let soft = |rule: &str| {
        let more =
            format!("\n[guards]\noverlap = \"{rule}\"\ntunnelling = \"off\"\nledger = \"off\"\ndomain = \"off\"\n");
        move |scene: &str| scene.replace("stiffness = 4000", "stiffness = 4") + &more
    };
    let output = run(&dir, "warned", soft("warn"));
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert_eq!(
        printed.matches("warning: guards.overlap at step ").count(),
        1,
        "the first warning is printed, the others are counted"
    );
    let warnings = summary(&dir.join("warned"))["warnings"]["overlap"].as_u64().unwrap();
    assert!(warnings > 10, "{warnings}");
    assert_eq!(json(&dir.join("warned/guard.json"))["rule"], "warn");
    let output = run(&dir, "off", soft("off"));
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(summary(&dir.join("off"))["state_hash"], summary(&dir.join("warned"))["state_hash"]);
}

#[test]
fn a_grain_that_leaves_the_domain_stops_the_run() {
    let dir = folder("guards_domain");
    let low = |scene: &str| scene.to_owned() + "\n[guards]\ndomain_max = [1, 1, \"78 mm\"]\n";
    let output =
        run(&dir, "left", |scene: &str| low(scene).replace("velocity = [0, 0, \"-2 m/s\"]", "velocity = [0, 0, 1]"));
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.starts_with("guards.domain at step ") && printed.contains(" left the domain "), "{printed}");
    let report = json(&dir.join("left/guard.json"));
    assert!(report["bodies"][0]["position"][2].as_f64().unwrap() > 0.078);
    // By default, the closed faces of the container bound the domain.
    let through = |scene: &str| {
        let fast = scene.replace("velocity = [0, 0, \"-2 m/s\"]", "velocity = [900, 0, 0]");
        fast + "\n[guards]\noverlap = \"off\"\ntunnelling = \"off\"\nledger = \"off\"\nevery = 1\n"
    };
    let output = run(&dir, "through", through);
    assert!(text(&output.stderr).starts_with("guards.domain at step "), "{}", text(&output.stderr));
}

#[test]
fn numbers_that_are_not_finite_stop_the_run() {
    let dir = folder("guards_finite");
    // The time step is much longer than a contact, so that grains gain energy at each contact. The
    // closed container keeps them in.
    let long = |scene: &str| {
        let closed = scene.replace("open = [\"top\", \"bottom\"]", "open = []");
        let long = closed.replace("step = \"2 us\"", "step = \"1 ms\"").replace("4000", "1e9");
        long + "\n[guards]\noverlap = \"off\"\ntunnelling = \"off\"\nledger = \"off\"\ndomain = \"off\"\n"
    };
    fs::write(dir.join("long.toml"), long(SCENE)).unwrap();
    let output = granum(&dir, &["run", "long.toml", "--out", "long", "--quiet", "--until", "100 s"]);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("\nguards.not_finite at step "), "{printed}");
    let report = json(&dir.join("long/guard.json"));
    assert!(report["count"].as_u64().unwrap() > 0 && !report["bodies"].as_array().unwrap().is_empty());
}

#[test]
fn a_ledger_that_does_not_close_stops_the_run() {
    let dir = folder("guards_ledger");
    let output = run(&dir, "strict", |scene| scene.to_owned() + "\n[guards]\nledger_limit = 1e-9\n");
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.starts_with("guards.ledger at step ") && printed.contains("the energy ledger does not close: "),
        "{printed}"
    );
}

#[test]
fn invalid_limits_are_refused() {
    let dir = folder("guards_refused");
    for (line, message) in [
        ("every = 0", "guards.every must be at least 1 step, not 0"),
        ("overlap_limit = -1", "guards.overlap_limit must be positive, not -1"),
        ("overlap = \"maybe\"", "guards.overlap: "),
        ("domain_min = [0, 0, 9]\ndomain_max = [1, 1, 1]", "guards.domain_max must be above domain_min"),
    ] {
        let output = run(&dir, "refused", |scene| format!("{scene}\n[guards]\n{line}\n"));
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}
