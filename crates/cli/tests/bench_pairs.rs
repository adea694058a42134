//! `granum bench pairs`: the program on generated files.

mod support;

use std::f64::consts::TAU;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use support::{command, empty_folder};

fn bench(dir: &str, options: &[&str]) -> Output {
    command(Path::new("."), &["bench", "pairs", dir]).args(options).output().unwrap()
}

/// Returns an empty folder for one test.
fn folder(test: &str) -> String {
    empty_folder(test).to_str().unwrap().to_owned()
}

/// Returns pairs of unit balls in the file format, with directions on a spiral.
fn balls(count: usize, gap: f64) -> Vec<u8> {
    let pair = |i: usize| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
        let (sin, cos) = (TAU * 0.618 * i as f64).sin_cos();
        let ring = (1.0 - z * z).sqrt();
        let normal = [ring * cos, ring * sin, z];
        let quaternions = [0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.8, 0.0];
        let positions = [2.0 + gap, 2.0 - gap, 1.0].map(|length| normal.map(|x| x * length));
        quaternions.into_iter().chain(positions.into_iter().flatten())
    };
    (0..count).flat_map(pair).flat_map(f64::to_le_bytes).collect()
}

#[test]
fn json_has_a_result_for_each_state_and_start() {
    let dir = folder("bench_json");
    fs::write(format!("{dir}/sphere.bin"), balls(500, 2e-3)).unwrap();
    fs::write(format!("{dir}/teapot.bin"), balls(1, 2e-3)).unwrap();
    fs::write(format!("{dir}/notes.txt"), "not a pair file").unwrap();
    let output = bench(&dir, &["--json", "--repeat", "5"]);
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["skipped"], serde_json::json!(["teapot"]));
    assert_eq!(report["repeat"], 5);
    let results = report["results"].as_array().unwrap();
    let order: Vec<String> =
        results.iter().map(|r| format!("{} {}", r["state"].as_str().unwrap(), r["start"].as_str().unwrap())).collect();
    assert_eq!(order, ["separated cold", "separated warm", "overlapping cold", "overlapping warm"]);
    for result in results {
        assert_eq!((&result["shape"], &result["routine"]), (&"sphere".into(), &"sphere_sphere".into()));
        assert_eq!((&result["pairs"], &result["failures"]), (&500.into(), &0.into()));
        assert!(result["ns_per_pair"].as_f64().unwrap() > 0.0);
        assert!(result["max_error"].as_f64().unwrap() < 1e-15);
    }
}

#[test]
fn table_is_aligned_and_lists_what_was_skipped() {
    let dir = folder("bench_table");
    fs::write(format!("{dir}/sphere.bin"), balls(50, 2e-3)).unwrap();
    fs::write(format!("{dir}/teapot.bin"), balls(1, 2e-3)).unwrap();
    let output = bench(&dir, &[]);
    assert_eq!(output.status.code(), Some(0));
    let table = str::from_utf8(&output.stdout).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("shape   routine        state        start  "), "{table}");
    assert!(lines[..5].iter().all(|line| line.len() == lines[0].len()), "{table}");
    assert!(table.ends_with("skipped, unknown shape: teapot\n"), "{table}");
}

#[test]
fn results_that_miss_the_known_gap_are_failures() {
    // The file claims a gap of 2e-3 m, and the balls are 2.5e-3 m apart.
    let dir = folder("bench_failures");
    fs::write(format!("{dir}/sphere.bin"), balls(10, 2.5e-3)).unwrap();
    let output = bench(&dir, &["--json", "--shape", "sphere"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for result in report["results"].as_array().unwrap() {
        assert_eq!(result["failures"], 10);
        assert!((result["max_error"].as_f64().unwrap() - 2.5e-4).abs() < 1e-12);
    }
}

#[test]
fn boxes_that_are_shallower_than_the_file_states_are_not_failures() {
    // The boxes overlap by 2e-3 m along x, but only by 1e-3 m along y.
    let dir = folder("bench_shallower");
    let position = |x: f64| [x, 3.0 - 1e-3, 0.0];
    let identity = [0.0, 0.0, 0.0, 1.0];
    let mut numbers = [identity, identity].concat();
    numbers.extend([position(2.0 + 2e-3), position(2.0 - 2e-3), [1.0, 0.0, 0.0]].concat());
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    fs::write(format!("{dir}/box.bin"), bytes).unwrap();
    let output = bench(&dir, &["--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for result in report["results"].as_array().unwrap() {
        assert_eq!(result["failures"], 0, "{result}");
        assert_eq!(result["shallower"], u8::from(result["state"] == "overlapping"), "{result}");
    }
}

#[test]
fn regions_are_timed_and_compared_where_a_shape_has_them() {
    // The overlap region of two coaxial cylinders is a disc, which every method computes.
    let dir = folder("bench_regions");
    let identity = [0.0, 0.0, 0.0, 1.0];
    let mut numbers: Vec<f64> = [identity, identity].concat();
    numbers.extend([[0.0, 0.0, 3.0 + 2e-3], [0.0, 0.0, 3.0 - 2e-3], [0.0, 0.0, 1.0]].concat());
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    fs::write(format!("{dir}/cylinder.bin"), bytes).unwrap();
    fs::write(format!("{dir}/sphere.bin"), balls(10, 2e-3)).unwrap();
    let output = bench(&dir, &["--json", "--repeat", "5"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let regions = report["regions"].as_array().unwrap();
    let names: Vec<&str> = regions.iter().map(|region| region["region"].as_str().unwrap()).collect();
    assert_eq!(names, ["volume", "moments", "layers", "contact", "edges"]);
    for region in regions {
        assert_eq!(region["shape"], "cylinder");
        assert!(region["ns_per_pair"].as_f64().unwrap() > 0.0);
    }
    for region in &regions[2..] {
        assert_eq!(region["error"]["unknown"], 0, "{region}");
        assert!(region["error"]["worst"].as_f64().unwrap() < 1e-2, "{region}");
    }
    let table = bench(&dir, &["--shape", "cylinder"]);
    assert!(str::from_utf8(&table.stdout).unwrap().contains("overlapping, by"));
}

#[test]
fn bad_folders_and_files_are_named() {
    let dir = folder("bench_bad");
    let case = |options: &[&str], message: &str| {
        let output = bench(&dir, options);
        let stderr = str::from_utf8(&output.stderr).unwrap();
        assert!(stderr.starts_with(message), "{stderr}");
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
    };
    let sphere = format!("{dir}/sphere.bin");

    case(&[], &format!("{dir} contains no pair file (NAME.bin)"));
    fs::write(format!("{dir}/teapot.bin"), balls(1, 2e-3)).unwrap();
    case(&[], &format!("{dir} contains no pair file of a known shape, only of teapot"));
    case(&["--shape", "sphere"], &format!("--shape sphere: {dir} contains no sphere.bin, only teapot"));
    fs::write(&sphere, []).unwrap();
    case(&[], &format!("{sphere}: the size, 0 bytes, is not a multiple of 136 bytes"));
    fs::write(&sphere, &balls(2, 2e-3)[..271]).unwrap();
    case(&[], &format!("{sphere}: the size, 271 bytes, is not a multiple of 136 bytes"));
    let mut text = balls(2, 2e-3);
    text[136..].fill(b'x');
    fs::write(&sphere, text).unwrap();
    case(&[], &format!("{sphere}: pair 1 must be two unit quaternions, two finite positions and a unit normal"));
    fs::remove_dir_all(&dir).unwrap();
    case(&[], &format!("cannot read {dir}: No such file or directory"));
}

#[test]
fn fewer_than_five_runs_are_refused() {
    let output = bench(".", &["--repeat", "4"]);
    assert_eq!(output.status.code(), Some(2));
}
