//! `granum sweep` on a small scene.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use support::{SMALL, folder_with, granum, succeeds, summary, text};

fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn a_sweep_runs_all_combinations_and_continues_where_it_stopped() {
    let dir = folder_with("sweep", "small.toml", SMALL);
    let arguments = [
        "sweep",
        "small.toml",
        "--out",
        "s",
        "--jobs",
        "2",
        "--set",
        "contact.0.friction=0.1,0.5",
        "--set",
        "gravity=[0, 0, -9.81],[0, 0, -1.6]",
    ];
    let printed = succeeds(&dir, &arguments);
    assert!(printed.contains("run_003  contact.0.friction=0.5 gravity=[0, 0, -1.6]  completed"), "{printed}");
    let table = rows(&dir.join("s/sweep.csv"));
    assert_eq!(table.len(), 4);
    assert!(table.iter().all(|row| row["status"] == "completed" && row["time"].starts_with("0.02")));
    assert_eq!((table[1]["contact.0.friction"].as_str(), table[1]["gravity"].as_str()), ("0.1", "[0, 0, -1.6]"));
    // The runs are those of single commands.
    succeeds(
        &dir,
        &[
            "run",
            "small.toml",
            "--out",
            "one",
            "--quiet",
            "--set",
            "contact.0.friction=0.5",
            "--set",
            "gravity=[0, 0, -9.81]",
        ],
    );
    assert_eq!(summary(&dir.join("one"))["state_hash"], table[2]["state_hash"].as_str());

    // A run that was stopped is continued, one that is missing is started, and the others stay.
    fs::remove_dir_all(dir.join("s/run_001")).unwrap();
    fs::remove_file(dir.join("s/run_002/summary.json")).unwrap();
    let kept = fs::metadata(dir.join("s/run_003/summary.json")).unwrap().modified().unwrap();
    succeeds(&dir, &arguments);
    assert_eq!(fs::metadata(dir.join("s/run_003/summary.json")).unwrap().modified().unwrap(), kept);
    let hashes =
        |rows: &[BTreeMap<String, String>]| rows.iter().map(|row| row["state_hash"].clone()).collect::<Vec<_>>();
    assert_eq!(hashes(&rows(&dir.join("s/sweep.csv"))), hashes(&table));

    let other = granum(&dir, &["sweep", "small.toml", "--out", "s", "--set", "contact.0.friction=0.1"]);
    assert_eq!(
        (other.status.code(), text(&other.stderr)),
        (Some(2), "s contains another sweep; choose another --out\n")
    );
}

#[test]
fn a_sweep_reports_runs_that_a_guard_stopped_and_refuses_wrong_values() {
    let dir = folder_with("sweep_guard", "small.toml", SMALL);
    let output =
        granum(&dir, &["sweep", "small.toml", "--out", "s", "--set", "guards.overlap_limit=1e-9,0.1", "--quiet"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.starts_with("1 of 2 runs did not complete: run_000; "), "{message}");
    assert!(fs::read_to_string(dir.join("s/run_000.txt")).unwrap().starts_with("guards.overlap at step "));
    let table = rows(&dir.join("s/sweep.csv"));
    assert_eq!((table[0]["status"].as_str(), table[1]["status"].as_str()), ("guard", "completed"));
    for (setting, message) in [
        ("contact.0.friction=0.1,-1", "contact[0].friction must be at least 0, not -1"),
        ("contact.0.friction", "must have the form KEY=A,B,C"),
        ("contact.0.friction=0.1,", "a value is empty"),
    ] {
        let output = granum(&dir, &["sweep", "small.toml", "--out", "wrong", "--set", setting]);
        assert!(output.status.code() == Some(2) && text(&output.stderr).contains(message), "{}", text(&output.stderr));
        assert!(!dir.join("wrong").exists());
    }
}
