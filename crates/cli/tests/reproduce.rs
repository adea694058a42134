//! `granum reproduce`: the list, one experiment, wrong names.

use std::fs;
use std::process::{Command, Output};

fn reproduce(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_granum")).arg("reproduce").args(args).output().unwrap()
}

#[test]
fn without_a_name_the_experiments_are_listed_with_their_time() {
    let output = reproduce(&[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for name in ["martinez-examples", "wellmann-pairs", "leon-rotation"] {
        assert!(text.lines().any(|line| line.starts_with(name) && line.contains("second")), "{text}");
    }
}

#[test]
fn one_experiment_writes_its_page_in_two_forms() {
    let out = std::env::temp_dir().join(format!("granum_reproduce_one_{}", std::process::id()));
    let output = reproduce(&["Martinez-Examples", "--small", "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("martinez-examples: 27 reproduced, 6 corrected, 0 differ"), "{text}");
    let page = fs::read_to_string(out.join("martinez-examples/page.md")).unwrap();
    let html = fs::read_to_string(out.join("martinez-examples/page.html")).unwrap();
    assert!(page.contains("| example 4.17 |") && html.matches("<svg").count() == 21);
    fs::remove_dir_all(out).unwrap();
}

#[test]
fn an_unknown_experiment_is_wrong_input() {
    let output = reproduce(&["wellman"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("wellman: unknown experiment; expected one of martinez-examples"), "{text}");
}
