//! The project's own commands: `cargo xtask test`, `docs`, `pairs`, `hashes`, `package`, `vtk`,
//! `kills`.

mod docs;
mod hashes;
mod kills;
mod links;
mod reference;
mod vtk;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// One check: its name, the arguments of cargo, and an optional environment variable.
struct Check {
    name: &'static str,
    cargo: &'static [&'static str],
    set: Option<(&'static str, &'static str)>,
}

/// All checks of `cargo xtask test`, those that fail fastest first.
///
/// Two sets of machine code are built: `cargo test` builds the test profile, which is optimised and
/// keeps debug checks; the golden tests and the validation suite run the release profile that users
/// run.
const CHECKS: &[Check] = &[
    Check { name: "formatting", cargo: &["fmt", "--all", "--check"], set: None },
    Check {
        name: "clippy",
        cargo: &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        set: None,
    },
    Check { name: "clippy without the interior-point solver", cargo: WITHOUT_CLARABEL, set: None },
    Check {
        name: "documentation",
        cargo: &["doc", "--quiet", "--workspace", "--no-deps"],
        set: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
    Check { name: "tests", cargo: &["test", "--quiet", "--workspace"], set: None },
    Check {
        name: "golden tests in release",
        cargo: &["test", "--quiet", "--release", "--package", "granum-engine", "--test", "golden"],
        set: None,
    },
    Check { name: "the guide is up to date", cargo: &["xtask", "docs", "--check"], set: None },
    Check {
        name: "validation, tier 1",
        cargo: &["run", "--quiet", "--release", "--package", "granum-cli", "--", "validate", "--tier", "1", "--known"],
        set: None,
    },
];

/// The engine must build and be free of warnings without its default feature `clarabel`.
const WITHOUT_CLARABEL: &[&str] = &[
    "clippy",
    "--quiet",
    "--package",
    "granum-engine",
    "--all-targets",
    "--no-default-features",
    "--",
    "-D",
    "warnings",
];

/// Additional check of `cargo xtask test` if `GRANUM_VTK` is set. It needs Python and, at the first
/// call, network access.
const READ_BY_VTK: Check = Check { name: "frames read by VTK", cargo: &["xtask", "vtk"], set: None };

/// `cargo xtask pairs`: measures every pair of shapes and writes docs/theory/pairs.md.
const PAIRS: Check = Check {
    name: "the page of pairs",
    cargo: &["test", "--quiet", "--release", "--package", "granum-geometry", "--test", "matrix"],
    set: Some(("GRANUM_PAGE", "1")),
};

/// Packs every crate as it would be published, in the order of dependencies, and compiles the packed
/// files. Nothing is uploaded.
const PACKAGE: Check =
    Check { name: "packages", cargo: &["publish", "--dry-run", "--workspace", "--allow-dirty"], set: None };

/// The checks of a working day, under 90 s on two cores in a built tree: all unit tests, and the
/// integration tests that take a few seconds at most. The rest is in [`CHECKS`].
const QUICK_CHECKS: &[Check] = &[
    Check { name: "formatting", cargo: &["fmt", "--all", "--check"], set: None },
    Check {
        name: "clippy",
        cargo: &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        set: None,
    },
    Check { name: "unit tests", cargo: &["test", "--quiet", "--workspace", "--lib", "--bins"], set: None },
    Check { name: "quick integration tests", cargo: QUICK_TESTS, set: None },
];

/// Integration tests that take a few seconds at most.
const QUICK_TESTS: &[&str] = &["test", "--quiet", "--workspace", "--test", "golden"];

/// Builds the release version of the program.
const BUILD: Check =
    Check { name: "build", cargo: &["build", "--quiet", "--release", "--package", "granum-cli"], set: None };

/// Default number of runs to kill.
const KILLS: u64 = 1000;

/// Time at which a run that is to be killed ends: a tenth of a second of work.
const KILLED_RUN_ENDS: &str = "10 ms";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test(CHECKS),
        ["test", "--quick"] => test(QUICK_CHECKS),
        ["hashes"] => print_hashes(None),
        ["hashes", "--out", file] => print_hashes(Some(Path::new(file))),
        ["docs"] => docs::run(false),
        ["docs", "--check"] => docs::run(true),
        ["pairs"] => run_alone(&PAIRS),
        ["package"] => run_alone(&PACKAGE),
        ["vtk"] => vtk::run(),
        ["kills"] => kill_runs(KILLS),
        ["kills", "--count", count] if count.parse::<u64>().is_ok_and(|count| count > 0) => {
            kill_runs(count.parse().unwrap_or(KILLS))
        }
        _ => {
            eprintln!(
                "usage: cargo xtask test [--quick] | docs [--check] | pairs | hashes [--out FILE] | package | vtk | kills [--count N]"
            );
            ExitCode::from(2)
        }
    }
}

/// Runs the checks in order and stops at the first that fails.
fn test(checks: &'static [Check]) -> ExitCode {
    let start = Instant::now();
    let mut times = Vec::new();
    let with_vtk = env::var_os("GRANUM_VTK").is_some();
    let checks: Vec<&Check> = checks.iter().chain(with_vtk.then_some(&READ_BY_VTK)).collect();
    for (number, check) in checks.iter().enumerate() {
        println!("\n== {}/{}: {} (cargo {})", number + 1, checks.len(), check.name, check.cargo.join(" "));
        let begun = Instant::now();
        if let Err(reason) = run(check) {
            eprintln!("\n== {} failed after {}: {reason}", check.name, seconds(begun.elapsed()));
            return ExitCode::FAILURE;
        }
        times.push((check.name, begun.elapsed()));
    }
    println!("\n== all passed in {}", seconds(start.elapsed()));
    for (name, time) in times {
        println!("{:>9}  {name}", seconds(time));
    }
    ExitCode::SUCCESS
}

/// Kills `count` runs of the release build, and prints how many ended with the same bits as an
/// undisturbed run.
fn kill_runs(count: u64) -> ExitCode {
    let (program, folder) = (program(), target().join("kills"));
    let scene = Path::new("scenes/shaken_balls.toml");
    let outcome = run(&BUILD).and_then(|()| kills::kill_runs(&program, scene, KILLED_RUN_ENDS, &folder, count));
    match outcome {
        Ok(outcome) => {
            println!("{} of {} runs ended with the same bits as the undisturbed run", outcome.identical, outcome.runs);
            println!(
                "{} kills: {} while a checkpoint was being written, {} before the first was complete",
                outcome.kills, outcome.amid_checkpoint, outcome.before_checkpoint
            );
            if outcome.identical == outcome.runs { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the hashes of final states, and writes them to a file if one is given.
fn print_hashes(out: Option<&Path>) -> ExitCode {
    let write = |lines: &str| match out {
        Some(path) => fs::write(path, lines).map_err(|error| format!("cannot write {}: {error}", path.display())),
        None => Ok(()),
    };
    match hashes::lines().and_then(|lines| write(&lines).map(|()| lines)) {
        Ok(lines) => {
            print!("{lines}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one check outside the test run.
fn run_alone(check: &Check) -> ExitCode {
    match run(check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{}: {reason}", check.name);
            ExitCode::FAILURE
        }
    }
}

/// The folder into which cargo builds.
fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from)
}

/// The release build of the program.
fn program() -> PathBuf {
    target().join("release").join(format!("granum{}", env::consts::EXE_SUFFIX))
}

fn run(check: &Check) -> Result<(), String> {
    // Cargo sets this variable to its own path for the programs that it runs.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(check.cargo);
    if let Some((name, value)) = check.set {
        command.env(name, value);
    }
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
