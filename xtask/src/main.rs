//! The project's own commands: `cargo xtask test`, `cargo xtask docs`, `cargo xtask vtk`.

mod docs;
mod reference;
mod vtk;

use std::env;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// One check: what it is, the arguments of cargo, and an environment variable it needs.
struct Check {
    name: &'static str,
    cargo: &'static [&'static str],
    set: Option<(&'static str, &'static str)>,
}

/// Everything that must pass, the quickest to fail first.
///
/// Two sets of machine code are built: `cargo test` builds the test profile, which is optimised and keeps debug
/// checks; the golden tests and the validation suite run the release profile that users run.
const CHECKS: &[Check] = &[
    Check { name: "formatting", cargo: &["fmt", "--all", "--check"], set: None },
    Check {
        name: "clippy",
        cargo: &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        set: None,
    },
    Check {
        name: "documentation",
        cargo: &["doc", "--quiet", "--workspace", "--no-deps"],
        set: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
    Check { name: "the guide's scene", cargo: &["xtask", "docs", "--check"], set: None },
    Check { name: "tests", cargo: &["test", "--quiet", "--workspace"], set: None },
    Check {
        name: "golden tests in release",
        cargo: &["test", "--quiet", "--release", "--package", "granum-engine", "--test", "golden"],
        set: None,
    },
    Check {
        name: "validation, tier 1",
        cargo: &["run", "--quiet", "--release", "--package", "granum", "--", "validate", "--tier", "1", "--known"],
        set: None,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test(),
        ["docs"] => docs::run(false),
        ["docs", "--check"] => docs::run(true),
        ["reference", schema] => reference::run(schema),
        ["vtk"] => vtk::run(),
        _ => {
            eprintln!("usage: cargo xtask test | docs [--check] | reference SCHEMA | vtk");
            ExitCode::from(2)
        }
    }
}

/// Runs the checks in their order and stops at the first that fails.
fn test() -> ExitCode {
    let start = Instant::now();
    let mut times = Vec::new();
    for (number, check) in CHECKS.iter().enumerate() {
        println!("\n== {}/{}: {} (cargo {})", number + 1, CHECKS.len(), check.name, check.cargo.join(" "));
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

fn run(check: &Check) -> Result<(), String> {
    // Cargo tells its subcommands which cargo it is.
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
