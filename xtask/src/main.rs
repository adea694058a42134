//! The project's own commands: `cargo xtask test`, `docs`, `pairs`, `hashes`, `package`, `vtk`,
//! `python`, `viewer`, `kills`.

mod docs;
mod hashes;
mod kills;
mod links;
mod pairs;
mod python;
mod reference;
mod viewer;
mod vtk;

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// One check: its name, the arguments of cargo, and an optional environment variable.
struct Check {
    name: &'static str,
    cargo: &'static [&'static str],
    set: Option<(&'static str, &'static str)>,
}

/// Time between two reports of a running check.
const REPORT_EVERY: Duration = Duration::from_secs(20);

/// Time between two looks at a running check.
const LOOK_EVERY: Duration = Duration::from_millis(50);

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
    Check { name: "random input for a minute", cargo: FUZZ, set: Some(("GRANUM_FUZZ_SECONDS", "60")) },
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

/// The five tests of random input at the same time. Each ends after `GRANUM_FUZZ_SECONDS`.
const FUZZ: &[&str] = &["test", "--quiet", "--package", "granum-cli", "--test", "fuzz", "--", "--test-threads", "5"];

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

/// Additional check of `cargo xtask test` if `GRANUM_PYTHON` is set. It needs Python and, at the
/// first call, network access.
const PYTHON_PACKAGE: Check = Check { name: "the Python package", cargo: &["xtask", "python"], set: None };

/// Additional check of `cargo xtask test` if `GRANUM_VIEWER` is set. It needs Node, Chromium and, at
/// the first call, network access.
const VIEWER: Check = Check { name: "the viewer in a browser", cargo: &["xtask", "viewer"], set: None };

/// `cargo xtask pairs --measure`: measures accuracy and time of every pair of shapes, for the
/// second part of docs/theory/pairs.md.
const MEASURE_PAIRS: Check = Check {
    name: "accuracy and time of all pairs",
    cargo: &["test", "--quiet", "--release", "--package", "granum-geometry", "--test", "matrix"],
    set: Some(("GRANUM_PAGE", "1")),
};

/// Packs every crate as it would be published, in the order of dependencies, and compiles the
/// packed files. Nothing is uploaded.
const PACKAGE: Check =
    Check { name: "packages", cargo: &["publish", "--dry-run", "--workspace", "--allow-dirty"], set: None };

/// The checks of a working day, under 90 s on two cores in a built tree: the unit tests and the
/// integration tests that take a few seconds at most. The rest is in [`CHECKS`].
const QUICK_CHECKS: &[Check] = &[
    Check { name: "formatting", cargo: &["fmt", "--all", "--check"], set: None },
    Check {
        name: "clippy",
        cargo: &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        set: None,
    },
    Check { name: "unit tests", cargo: QUICK_UNIT_TESTS, set: None },
    Check { name: "quick integration tests", cargo: QUICK_TESTS, set: None },
];

/// All unit tests but the packings of cylinders of the validation, which take a minute each.
const QUICK_UNIT_TESTS: &[&str] =
    &["test", "--quiet", "--workspace", "--lib", "--bins", "--", "--skip", "come_to_rest"];

/// Integration tests that take a few seconds at most.
const QUICK_TESTS: &[&str] = &["test", "--quiet", "--workspace", "--test", "golden"];

/// Builds the release version of the program.
const BUILD: Check =
    Check { name: "build", cargo: &["build", "--quiet", "--release", "--package", "granum-cli"], set: None };

/// Default number of runs to kill.
const KILLS: u64 = 1000;

/// Scenes of the runs to kill, smooth and with percussions, and the times at which these runs end:
/// after some tenths of a second of work.
const KILLED_RUNS: [(&str, &str); 2] = [("shaken_balls", "10 ms"), ("shaken_shapes", "0.15 s")];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test(CHECKS),
        ["test", "--quick"] => test(QUICK_CHECKS),
        ["hashes"] => print_hashes(None),
        ["hashes", "--out", file] => print_hashes(Some(Path::new(file))),
        ["docs"] => docs::run(false),
        ["docs", "--check"] => docs::run(true),
        ["pairs"] => print_pairs(),
        ["pairs", "--measure"] => run_alone(&MEASURE_PAIRS),
        ["package"] => run_alone(&PACKAGE),
        ["vtk"] => vtk::run(),
        ["python"] => python::run(),
        ["python", "--docs"] => python::write_reference(),
        ["viewer", arguments @ ..] => viewer::run(arguments),
        ["kills"] => kill_runs(KILLS),
        ["kills", "--count", count] if count.parse::<u64>().is_ok_and(|count| count > 0) => {
            kill_runs(count.parse().unwrap_or(KILLS))
        }
        _ => {
            eprintln!(
                "usage: cargo xtask test [--quick] | docs [--check] | pairs [--measure] | hashes [--out FILE] | package | vtk | python [--docs] | viewer [--pictures FOLDER | --measure] | kills [--count N]"
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
    let with_python = env::var_os("GRANUM_PYTHON").is_some();
    let with_viewer = env::var_os("GRANUM_VIEWER").is_some();
    let additional =
        [with_python.then_some(&PYTHON_PACKAGE), with_vtk.then_some(&READ_BY_VTK), with_viewer.then_some(&VIEWER)];
    let checks: Vec<&Check> = checks.iter().chain(additional.into_iter().flatten()).collect();
    for (number, check) in checks.iter().enumerate() {
        println!("\n== {}/{}: {} (cargo {})", number + 1, checks.len(), check.name, check.cargo.join(" "));
        let begun = Instant::now();
        let report = |passed: Duration| {
            let done = format!("{} of {} checks done", number, checks.len());
            println!("   .. {} for {} ({done}, {} in all)", check.name, seconds(passed), seconds(start.elapsed()));
        };
        if let Err(reason) = run_reporting(check, &report) {
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

/// Kills `count` runs of each scene with the release build, and prints how many ended with the same
/// bits as an undisturbed run.
fn kill_runs(count: u64) -> ExitCode {
    let (program, folder) = (program(), target().join("kills"));
    if let Err(reason) = run(&BUILD) {
        eprintln!("{reason}");
        return ExitCode::FAILURE;
    }
    let mut is_identical = true;
    for (name, until) in KILLED_RUNS {
        let scene = Path::new("scenes").join(format!("{name}.toml"));
        match kills::kill_runs(&program, &scene, until, &folder.join(name), count) {
            Ok(outcome) => {
                println!(
                    "{name}: {} of {} runs ended with the bits of the undisturbed run",
                    outcome.identical, outcome.runs
                );
                println!(
                    "{} kills: {} while a checkpoint was being written, {} before the first was complete",
                    outcome.kills, outcome.amid_checkpoint, outcome.before_checkpoint
                );
                is_identical &= outcome.identical == outcome.runs;
            }
            Err(reason) => {
                eprintln!("{name}: {reason}");
                return ExitCode::FAILURE;
            }
        }
    }
    if is_identical { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the pair table, and writes it to its page.
fn print_pairs() -> ExitCode {
    print!("{}", pairs::matrices(granum_reference::pair_table()));
    match pairs::page().and_then(|page| docs::update(pairs::PAGE, &page, false)) {
        Ok(()) => ExitCode::SUCCESS,
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

/// Runs a check without reports of its progress.
fn run(check: &Check) -> Result<(), String> {
    run_reporting(check, &|_| ())
}

/// Runs a check, and calls `report` with the time that has passed at regular intervals, because
/// cargo prints nothing while it compiles quietly.
fn run_reporting(check: &Check, report: &dyn Fn(Duration)) -> Result<(), String> {
    // Cargo sets this variable to its own path for the programs that it runs.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(check.cargo);
    if let Some((name, value)) = check.set {
        command.env(name, value);
    }
    let child = command.spawn().map_err(|error| format!("cannot start cargo: {error}"))?;
    let status = wait(child, REPORT_EVERY, report).map_err(|error| format!("cannot wait for cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// Waits for a process, and calls `report` with the time that has passed whenever `every` has
/// passed.
fn wait(mut child: Child, every: Duration, report: &dyn Fn(Duration)) -> io::Result<ExitStatus> {
    let (begun, mut reported) = (Instant::now(), Duration::ZERO);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(LOOK_EVERY);
        if begun.elapsed() >= reported + every {
            reported = begun.elapsed();
            report(reported);
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(all(test, unix))]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_long_check_reports_its_progress() {
        let reports = Cell::new(0);
        let child = Command::new("sleep").arg("0.5").spawn().unwrap();
        let status = wait(child, Duration::from_millis(100), &|_| reports.set(reports.get() + 1)).unwrap();
        assert!(status.success() && reports.get() >= 1, "no report in half a second");
    }
}
