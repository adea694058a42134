//! Every example is short, is compiled, and runs without an error.
//!
//! Cargo builds the examples of a package before its integration tests. An example contains its own
//! physical check, so that it fails if its result is wrong.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Largest number of lines of an example: it must fit on one screen.
const MOST_LINES: usize = 59;

/// The examples that the documentation refers to.
const EXPECTED: [&str; 8] = [
    "drum_with_observer",
    "pair_query",
    "percussions",
    "pile",
    "read_run_folder",
    "user_contact_law",
    "user_force",
    "user_pair_routine",
];

/// Returns the source files of the examples, sorted by name.
fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = fs::read_dir(folder).expect("the folder of examples");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension() == Some(OsStr::new("rs")));
    files.sort();
    files
}

fn name(source: &Path) -> &str {
    source.file_stem().and_then(OsStr::to_str).expect("a name in UTF-8")
}

/// Returns the compiled example. This test is `target/PROFILE/deps/examples-HASH`, and the examples
/// are in `target/PROFILE/examples`.
fn program(name: &str) -> PathBuf {
    let test = env::current_exe().expect("the path of this test");
    let profile = test.parent().and_then(Path::parent).expect("the folder of the profile");
    profile.join("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

#[test]
fn every_task_has_an_example() {
    let sources = sources();
    let names: Vec<&str> = sources.iter().map(|source| name(source)).collect();
    for expected in EXPECTED {
        assert!(names.contains(&expected), "examples/{expected}.rs is missing");
    }
}

#[test]
fn examples_are_short_and_use_the_library_crate_alone() {
    for source in sources() {
        let text = fs::read_to_string(&source).expect("a readable source");
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines, more than {MOST_LINES}", source.display());
        assert!(!text.contains("granum_"), "{} uses an internal crate", source.display());
        assert!(text.contains("println!") && text.contains("assert"), "{} shows or checks nothing", source.display());
    }
}

#[test]
fn every_example_runs() {
    for source in sources() {
        let program = program(name(&source));
        assert!(program.exists(), "{} was not built; run `cargo test -p granum`", program.display());
        let output = Command::new(&program).output().expect("a program that starts");
        let (shown, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}: {}\n{shown}{errors}", source.display(), output.status);
        assert!(!shown.is_empty(), "{} prints nothing", source.display());
    }
}
