//! `cargo xtask vtk`: reads and renders the frames of a run with VTK, as ParaView does.
//!
//! It needs Python, and network access at the first call to install VTK (140 MB). Therefore `cargo
//! xtask test` includes it only if `GRANUM_VTK` is set. Without Python or VTK it is skipped, with a
//! message.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// The tested release of VTK.
const VTK: &str = "vtk==9.7.1";

/// A scene with many contacts, and the time until which it runs.
const SCENE: (&str, &str) = ("scenes/first_pour.toml", "0.2 s");

/// The script of the comparison.
const SCRIPT: &str = "crates/output/tests/vtk_readback.py";

/// The reason for which the comparison did not succeed.
enum Stop {
    /// Python or VTK is missing.
    Skipped(String),
    Failed(String),
}

/// Runs the comparison.
pub fn run() -> ExitCode {
    let start = Instant::now();
    match compare() {
        Ok(()) => {
            println!("== frames agree with VTK, in {:.1} s", start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(Stop::Skipped(reason)) => {
            println!("== SKIPPED: frames were not read with VTK: {reason}");
            ExitCode::SUCCESS
        }
        Err(Stop::Failed(reason)) => {
            eprintln!("== frames do not agree with VTK: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Result<(), Stop> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let python = python_with_vtk(&target.join("vtk-python"))?;
    let work = target.join("vtk-readback");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).map_err(|error| Stop::Failed(format!("{}: {error}", work.display())))?;

    let [run, tables, export, picture] =
        ["run", "tables", "export", "picture.png"].map(|name| work.join(name).display().to_string());
    let (scene, until) = SCENE;
    granum(root, &["run", scene, "--until", until, "--out", &run, "--quiet"])?;
    granum(root, &["export", &run, "--to", "csv", "--frame", "all", "--out", &tables])?;
    granum(root, &["export", &run, "--to", "vtp", "--surfaces", "--out", &export])?;
    granum(root, &["export", &run, "--to", "stl", "--detail", "3", "--out", &export])?;
    let mut script = Command::new(python);
    script.current_dir(root).arg(SCRIPT).args([run, tables, export, picture]);
    finish(script, "the comparison").map_err(Stop::Failed)
}

/// Returns the Python of a virtual environment with VTK, which is created at the first call.
fn python_with_vtk(venv: &Path) -> Result<PathBuf, Stop> {
    let python = if cfg!(windows) { venv.join("Scripts/python.exe") } else { venv.join("bin/python") };
    let installed = venv.join(VTK);
    if installed.exists() {
        return Ok(python);
    }
    let Some(system) = system_python() else { return Err(Stop::Skipped("Python 3 is not installed".into())) };
    let mut make = Command::new(system);
    make.args(["-m", "venv"]).arg(venv);
    finish(make, "python -m venv").map_err(Stop::Skipped)?;
    // The other dependencies of VTK are needed for its plots only.
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", VTK]);
    finish(install, "pip install").map_err(Stop::Skipped)?;
    fs::write(installed, "").map_err(|error| Stop::Failed(error.to_string()))?;
    Ok(python)
}

/// Returns the name of the installed Python.
pub fn system_python() -> Option<&'static str> {
    ["python3", "python"].into_iter().find(|name| {
        let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    })
}

/// Runs a command of granum.
fn granum(root: &Path, arguments: &[&str]) -> Result<(), Stop> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["run", "--quiet", "--release", "--package", "granum-cli", "--"]).args(arguments);
    cargo.stdout(Stdio::null());
    finish(cargo, &format!("granum {}", arguments.join(" "))).map_err(Stop::Failed)
}

/// Runs a command to its end; `what` is its name in errors.
pub fn finish(mut command: Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what} ended with {status}")),
        Err(error) => Err(format!("{what} did not start: {error}")),
    }
}
