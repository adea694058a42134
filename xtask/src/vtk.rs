//! `cargo xtask vtk`: the frames of a run, read back and rendered by VTK, as ParaView does.
//!
//! It needs Python and, the first time, the network: VTK is 140 MB. So `cargo xtask test`, which needs nothing but a
//! Rust toolchain, does it only where `GRANUM_VTK` is set. Without Python or VTK it says that it was skipped.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// The release of VTK that was tried.
const VTK: &str = "vtk==9.7.1";

/// A scene with many contacts, and how much of it: the beads have met the far wall by then.
const SCENE: (&str, &str) = ("scenes/first_pour.toml", "0.2 s");

/// The script that compares.
const SCRIPT: &str = "crates/output/tests/vtk_readback.py";

/// Why there is no answer.
enum Stop {
    /// Something that is not granum's is missing.
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
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

/// A Python of our own that has VTK; it is made once.
fn python_with_vtk(venv: &Path) -> Result<PathBuf, Stop> {
    let python = if cfg!(windows) { venv.join("Scripts/python.exe") } else { venv.join("bin/python") };
    let installed = venv.join(VTK);
    if installed.exists() {
        return Ok(python);
    }
    let system = ["python3", "python"].into_iter().find(|name| {
        let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    });
    let Some(system) = system else { return Err(Stop::Skipped("there is no Python 3".into())) };
    let mut make = Command::new(system);
    make.args(["-m", "venv"]).arg(venv);
    finish(make, "python -m venv").map_err(Stop::Skipped)?;
    // VTK names other packages that only its plots use.
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", VTK]);
    finish(install, "pip install").map_err(Stop::Skipped)?;
    fs::write(installed, "").map_err(|error| Stop::Failed(error.to_string()))?;
    Ok(python)
}

fn granum(root: &Path, arguments: &[&str]) -> Result<(), Stop> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["run", "--quiet", "--release", "--package", "granum-cli", "--"]).args(arguments);
    cargo.stdout(Stdio::null());
    finish(cargo, &format!("granum {}", arguments.join(" "))).map_err(Stop::Failed)
}

fn finish(mut command: Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what} ended with {status}")),
        Err(error) => Err(format!("{what} did not start: {error}")),
    }
}
