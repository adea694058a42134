//! `cargo xtask viewer`: tests the viewer in a real browser, Chromium without a screen.
//!
//! It needs Node and Chromium, and network access at the first call. Therefore `cargo xtask test`
//! includes it only if `GRANUM_VIEWER` is set. `--pictures FOLDER` keeps pictures of the pages, and
//! `--measure` measures speed with many grains instead.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::vtk::finish;

/// The tests, with the list of the packages of Node that they need.
const TESTS: &str = "crates/viewer/browser";

/// The modules of the page, whose types are checked.
const PAGE: &str = "crates/viewer/page";

/// Names of the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Runs the tests.
pub fn run(arguments: &[&str]) -> ExitCode {
    let start = Instant::now();
    match test(arguments) {
        Ok(()) => {
            println!("== the viewer passed in {:.1} s", start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("== the viewer: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn test(arguments: &[&str]) -> Result<(), String> {
    let (mut pictures, mut script) = (None, "viewer.test.mjs");
    match arguments {
        [] => {}
        ["--pictures", folder] => pictures = Some(absolute(Path::new(folder))?),
        ["--measure"] => script = "measure.mjs",
        _ => return Err("usage: cargo xtask viewer [--pictures FOLDER | --measure]".into()),
    }
    let chromium = browser()?;
    let folder = packages()?;
    let mut check = Command::new(folder.join("browser/node_modules/.bin/tsc"));
    check.args(["--project", "."]).current_dir(folder.join("browser"));
    finish(check, "the check of types (tsc --checkJs)")?;
    crate::run(&crate::BUILD)?;
    let mut node = Command::new("node");
    if script.ends_with(".test.mjs") {
        node.args(["--test", "--test-reporter", "spec"]);
    }
    node.arg(script)
        .current_dir(folder.join("browser"))
        .env("GRANUM", absolute(&crate::program())?)
        .env("REPOSITORY", absolute(Path::new("."))?)
        .env("CHROMIUM", chromium);
    if let Some(pictures) = pictures {
        node.env("PICTURES", pictures);
    }
    finish(node, script)
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the installed Chromium. As root on Debian it is installed if it is missing.
fn browser() -> Result<PathBuf, String> {
    if let Some(path) = installed() {
        return Ok(path);
    }
    let missing = "Chromium is missing; on Debian, `apt-get install chromium` installs it";
    let is_root =
        env::var("USER").is_ok_and(|user| user == "root") || env::var("HOME").is_ok_and(|home| home == "/root");
    if !is_root {
        return Err(missing.into());
    }
    for arguments in [&["update", "-qq"][..], &["install", "-y", "-qq", "--no-install-recommends", "chromium"]] {
        let mut install = Command::new("apt-get");
        install.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        finish(install, "apt-get").map_err(|reason| format!("{missing} ({reason})"))?;
    }
    installed().ok_or_else(|| missing.into())
}

fn installed() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    BROWSERS.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}

/// Copies tests and page to the folder of builds, installs the pinned packages there if their list has
/// changed, and returns the folder.
fn packages() -> Result<PathBuf, String> {
    let folder = absolute(&crate::target().join("viewer"))?;
    for (from, to) in [(TESTS, "browser"), (PAGE, "page")] {
        copy(Path::new(from), &folder.join(to))?;
    }
    let browser = folder.join("browser");
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let (wanted, present) = (read(&browser.join("package-lock.json"))?, browser.join("node_modules/lock"));
    if fs::read(&present).is_ok_and(|present| present == wanted) {
        return Ok(folder);
    }
    let mut install = Command::new("npm");
    install.args(["ci", "--no-audit", "--no-fund", "--silent"]).current_dir(&browser);
    finish(install, "npm ci; it needs Node 20 or newer")?;
    fs::write(&present, wanted).map_err(|error| format!("{}: {error}", present.display()))?;
    Ok(folder)
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let fault = |error: std::io::Error| format!("{} to {}: {error}", from.display(), to.display());
    fs::create_dir_all(to).map_err(fault)?;
    for entry in fs::read_dir(from).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        if entry.path().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).map_err(fault)?;
        }
    }
    Ok(())
}
