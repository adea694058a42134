//! A ball that passes through a plate ends a run; it is not reported as completed.

mod support;

use std::fs;
use std::path::Path;

use support::{empty_folder, granum, summary, text};

/// A ball of 2 mm at 300 m/s above a plate of 2 mm. Its contact with the plate lasts 50 steps, and
/// the plate is too soft to stop it.
const BULLET: &str = r#"
[time]
end = "50 us"
step = "2.7e-7 s"
output = "10 us"
[materials.steel]
density = 7800
[[contact]]
between = ["steel", "steel"]
law = "linear"
stiffness = 1e5
restitution = 0.9
friction = 0
[[walls]]
material = "steel"
[walls.box]
half_sizes = ["1 cm", "1 cm", "1 mm"]
[[grains]]
material = "steel"
positions = [[0, 0, "3 mm"]]
velocity = [0, 0, -300]
sphere = { radius = "1 mm" }
"#;

/// Runs a scene and returns the exit code, the standard error and the status of the summary.
fn run(dir: &Path, name: &str, scene: &str) -> (Option<i32>, String, String) {
    fs::write(dir.join(format!("{name}.toml")), scene).unwrap();
    let output = granum(dir, &["run", &format!("{name}.toml"), "--out", name, "--quiet"]);
    let status = summary(&dir.join(name))["status"].as_str().unwrap_or_default().to_owned();
    (output.status.code(), text(&output.stderr).to_owned(), status)
}

#[test]
fn a_ball_at_300_m_per_s_does_not_pass_a_plate_unnoticed() {
    let dir = empty_folder("tunnelling");
    let (code, printed, status) = run(&dir, "soft", BULLET);
    assert_eq!((code, status.as_str()), (Some(1), "guard"), "{printed}");
    assert!(printed.starts_with("guards.tunnelling at step "), "{printed}");
    assert!(printed.contains("bodies 0 and 1 pass through each other: their contact is 1.0"), "{printed}");
    assert!(printed.contains("needs a time step of at most 4.3") && printed.contains(" and a stiffness of at least "));
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(dir.join("soft/guard.json")).unwrap()).unwrap();
    assert_eq!(report["guard"], "tunnelling");
    // It is found in the step in which the ball passes the middle, not at the next check.
    assert!(!report["step"].as_u64().unwrap().is_multiple_of(100), "{report}");

    // In one step it jumps over the plate, and no contact ever exists.
    let (code, printed, status) = run(&dir, "jump", &BULLET.replace("2.7e-7 s", "2e-5 s").replace("10 us", "20 us"));
    assert_eq!((code, status.as_str()), (Some(1), "guard"), "{printed}");
    assert!(
        printed.contains("they moved by 6.000e-3 m relative to each other in one step, at 3.000e2 m/s"),
        "{printed}"
    );

    // A contact as advised stops the ball.
    let stiff = BULLET.replace("1e5", "1e8").replace("2.7e-7", "4e-8");
    let (code, printed, status) = run(&dir, "stiff", &stiff);
    assert_eq!((code, status.as_str(), printed.as_str()), (Some(0), "completed", ""));

    // The user may only be warned, or switch the guards off.
    let rule =
        |rule: &str| format!("{BULLET}\n[guards]\ntunnelling = \"{rule}\"\noverlap = \"off\"\nledger = \"off\"\n");
    let (code, printed, _) = run(&dir, "warn", &rule("warn"));
    assert!(code == Some(0) && printed.starts_with("warning: guards.tunnelling at step "), "{printed}");
    assert_eq!(run(&dir, "off", &rule("off")), (Some(0), String::new(), "completed".to_owned()));
}

#[test]
fn check_warns_of_tunnelling_and_not_for_the_scenes() {
    let dir = empty_folder("tunnelling_check");
    let check = |scene: &str| {
        fs::write(dir.join("scene.toml"), scene).unwrap();
        let output = granum(&dir, &["check", "scene.toml"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stderr).to_owned()
    };
    let printed = check(BULLET);
    assert!(printed.contains("warning: at 3.000e2 m/s") && printed.contains(" may pass through body 0: "), "{printed}");
    assert!(printed.contains("a stiffness of at least 7.35e7"), "{printed}");
    let printed = check(&BULLET.replace("2.7e-7 s", "2e-5 s").replace("1e5", "1e9").replace("10 us", "20 us"));
    assert!(printed.contains("it moves by more than half its thickness in a step"), "{printed}");
    let printed = check(&BULLET.replace("1e5", "1e8").replace("2.7e-7", "4e-8"));
    assert!(!printed.contains("may pass through"), "{printed}");
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    // A published crate is outside the repository.
    for scene in fs::read_dir(scenes).into_iter().flatten() {
        let path = scene.unwrap().path();
        let is_large = ["million", "3000"].iter().any(|name| path.to_string_lossy().contains(name));
        if path.extension().is_some_and(|extension| extension == "toml") && !is_large {
            let output = granum(&dir, &["check", path.to_str().unwrap()]);
            assert!(!text(&output.stderr).contains("may pass through"), "{path:?}: {}", text(&output.stderr));
        }
    }
}
