//! `cargo xtask python`: builds the wheel of the Python package, installs it into a virtual
//! environment, and runs its tests, the examples of its docstrings and the checks of its types.
//!
//! It needs Python, and network access at the first call. Therefore `cargo xtask test` includes it
//! only if `GRANUM_PYTHON` is set.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::vtk::{finish, system_python};

/// Pinned versions of maturin and of the tests.
const REQUIREMENTS: &str = "crates/python/tests/requirements.txt";

/// The page of the reference, which a script writes from the docstrings.
const REFERENCE: &str = "docs/guide/python_reference.md";

/// The script that writes it.
const WRITER: &str = "crates/python/tools/reference.py";

/// Builds, installs and tests the package.
pub fn run() -> ExitCode {
    report("the Python package passed", || {
        let python = installed()?;
        check_installed(&python)
    })
}

/// Builds and installs the package, and writes the page of its reference.
pub fn write_reference() -> ExitCode {
    report("the reference was written", || step(&installed()?, "the reference", &[WRITER, REFERENCE]))
}

fn report(what: &str, work: impl FnOnce() -> Result<(), String>) -> ExitCode {
    let start = Instant::now();
    match work() {
        Ok(()) => {
            println!("== {what} in {:.1} s", start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("== the Python package: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the Python of an environment with the wheel of the present sources.
fn installed() -> Result<PathBuf, String> {
    let folder = std::path::absolute(crate::target().join("python")).map_err(|error| error.to_string())?;
    let python = environment(&folder.join("venv"))?;
    let wheels = folder.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let out = wheels.display().to_string();
    step(&python, "maturin", &["-m", "maturin", "build", "--quiet", "--release", "--out", &out])?;
    let wheel = fs::read_dir(&wheels).map_err(|error| format!("{out}: {error}"))?.flatten().next();
    let wheel = wheel.ok_or("maturin has built no wheel")?.path();
    let size = fs::metadata(&wheel).map_or(0, |data| data.len());
    println!("   {}: {:.1} MB", wheel.display(), size as f64 * 1e-6);
    let wheel = wheel.display().to_string();
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"];
    step(&python, "pip install", &[&install[..], &[&wheel]].concat())?;
    Ok(python)
}

/// Runs all checks of an installed package.
fn check_installed(python: &Path) -> Result<(), String> {
    step(python, "pytest", &["-m", "pytest", "--quiet"])?;
    step(python, "doctest", &["-m", "pytest", "--quiet", "--doctest-modules", "--pyargs", "granum"])?;
    step(python, "mypy", &["-m", "mypy", "-p", "granum"])?;
    step(python, "mypy of the examples", &["-m", "mypy", "crates/python/examples"])?;
    step(python, "stubtest", &["-m", "mypy.stubtest", "granum._native", "--ignore-missing-stub"])?;
    step(python, "the reference", &[WRITER, REFERENCE, "--check"])
}

/// Returns the Python of a virtual environment with the pinned packages. It is made anew if their
/// list has changed.
fn environment(venv: &Path) -> Result<PathBuf, String> {
    let python = if cfg!(windows) { venv.join("Scripts/python.exe") } else { venv.join("bin/python") };
    let wanted = fs::read_to_string(REQUIREMENTS).map_err(|error| format!("{REQUIREMENTS}: {error}"))?;
    let present = venv.join("requirements.txt");
    if fs::read_to_string(&present).is_ok_and(|present| present == wanted) {
        return Ok(python);
    }
    let _ = fs::remove_dir_all(venv);
    let mut make = Command::new(system_python().ok_or("Python 3 is not installed")?);
    make.args(["-m", "venv"]).arg(venv);
    finish(make, "python -m venv")?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", REQUIREMENTS];
    step(&python, "pip install", &install)?;
    fs::write(&present, wanted).map_err(|error| format!("{}: {error}", present.display()))?;
    Ok(python)
}

/// Runs Python with these arguments in the root of the repository.
fn step(python: &Path, what: &str, arguments: &[&str]) -> Result<(), String> {
    let begun = Instant::now();
    let mut command = Command::new(python);
    command.args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
    finish(command, what)?;
    println!("   {what}: {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}
