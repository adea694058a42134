//! Hints and warnings of the program that new users asked for. Each test is named after the fault.

mod support;

use std::fs;

use support::{SMALL, folder_with, granum, succeeds};

#[test]
fn the_summary_of_a_run_ends_with_commands_that_work() {
    let dir = folder_with("hints_next", "small.toml", SMALL);
    let printed = succeeds(&dir, &["run", "small.toml", "--out", "my run", "--until", "2 ms"]);
    let commands: Vec<&str> =
        printed.lines().filter_map(|line| line.split_once("granum ").map(|(_, rest)| rest)).collect();
    assert_eq!(commands.len(), 4, "{printed}");
    assert!(printed.lines().rev().take(4).all(|line| line.contains("granum ")), "they are the last lines: {printed}");
    for command in commands {
        let (name, rest) = command.split_once(' ').unwrap();
        assert!(rest.starts_with("'my run' "), "the folder is not quoted: {command}");
        // The viewer stays open until a signal; its own tests open it.
        if name == "view" {
            continue;
        }
        let shown = succeeds(&dir, &[name, "my run"]);
        // No time has the rounding error of its last digits, as 0.6900000000000001 s.
        let times = shown.lines().filter(|line| line.starts_with("time "));
        let has_short_numbers = |line: &str| line.split_whitespace().all(|word| word.len() <= 16);
        assert!(times.into_iter().all(has_short_numbers), "{shown}");
    }
}

#[test]
fn a_negative_until_is_an_error_about_its_value() {
    let dir = folder_with("hints_until", "small.toml", SMALL);
    for (value, shown) in [("-1", "-1"), ("-5 ms", "-0.005"), ("0", "0")] {
        let output = granum(&dir, &["run", "small.toml", "--until", value]);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message.trim(), format!("--until must be a positive time, not {shown}"));
    }
}

#[test]
fn unusual_values_are_warned_of_by_check_and_run() {
    let scene = SMALL.replacen("density = ", "density = 1e-3 # ", 1);
    assert_ne!(scene, SMALL);
    let dir = folder_with("hints_density", "light.toml", &scene);
    for arguments in [&["check", "light.toml"][..], &["run", "light.toml", "--out", "out", "--until", "0.1 ms"]] {
        let output = granum(&dir, arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(".density is 0.001 kg/m3; solid grains have 50 to 25000 kg/m3"), "{message}");
    }
}

#[test]
fn durations_are_shown_without_rounding_errors() {
    let stages = "\n[[stages]]\nname = \"pour\"\nduration = \"0.05 s\"\n[[stages]]\nduration = \"0.3 s\"\n";
    let scene: String =
        SMALL.lines().filter(|line| !line.starts_with("end = ")).map(|line| format!("{line}\n")).collect();
    let dir = folder_with("hints_sums", "staged.toml", &(scene + stages));
    let printed = succeeds(&dir, &["check", "staged.toml"]);
    assert!(printed.contains(" to 0.35 s\n"), "{printed}");
    assert!(fs::read_dir(&dir).unwrap().count() == 1, "check writes no files");
}
