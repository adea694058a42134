//! The folder of a run: its name, its creation and the check that it is empty.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use granum_output::atomic_file;
use granum_scene::Scene;

use crate::Failure;

/// Files and folders that a run creates before its first checkpoint is complete. A folder with
/// nothing else contains no results.
const BEFORE_FIRST_CHECKPOINT: [&str; 3] = ["checkpoint", "scene.toml", "scene.toml.part"];

/// Largest number of runs of one name that can start within a second.
const MOST_RUNS: u32 = 10_000;

/// The folder of a new run.
pub enum Destination {
    /// A folder that the user has chosen. It must be new or empty.
    Chosen(PathBuf),
    /// A new folder with a name and the time in UTC, such as `out/NAME-20260315-141500`.
    Named(String),
    /// The folder of a run that was stopped before its first checkpoint.
    Begun(PathBuf),
}

impl Destination {
    /// Returns the folder of the option `--out`, or one named after a file or folder.
    pub fn new(out: Option<PathBuf>, named_after: &Path) -> Self {
        let name = || named_after.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
        out.map_or_else(|| Self::Named(name()), Self::Chosen)
    }

    /// Creates the folder, and checks that it is empty.
    pub fn prepare(self) -> Result<PathBuf, Failure> {
        match self {
            Self::Chosen(dir) => prepare(&dir).map(|()| dir),
            Self::Begun(dir) => Ok(dir),
            Self::Named(name) => {
                let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                create_unique(&Path::new("out").join(format!("{name}-{}", time_stamp(since.as_secs()))))
            }
        }
    }
}

/// Creates a folder of this name, or with a number after it if the folder exists: another run may
/// have started within the same second.
fn create_unique(dir: &Path) -> Result<PathBuf, Failure> {
    let failure = |dir: &Path, error| Failure::Input(format!("cannot create {}: {error}", dir.display()));
    if let Some(parent) = dir.parent() {
        fs::create_dir_all(parent).map_err(|error| failure(parent, error))?;
    }
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    for number in 1..=MOST_RUNS {
        let unique = if number == 1 { dir.to_owned() } else { dir.with_file_name(format!("{name}-{number}")) };
        match fs::create_dir(&unique) {
            Ok(()) => return Ok(unique),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failure(&unique, error)),
        }
    }
    Err(Failure::Input(format!("{} and {MOST_RUNS} folders with a number after it exist; give --out", dir.display())))
}

/// Returns seconds since 1970 as `YYYYMMDD-HHMMSS`, by Howard Hinnant's `civil_from_days`.
fn time_stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + 400 * era + u64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Creates the folder. It is an error if the folder is not empty, so that no result is overwritten.
fn prepare(dir: &Path) -> Result<(), Failure> {
    fs::create_dir_all(dir).map_err(|error| Failure::Input(format!("cannot create {}: {error}", dir.display())))?;
    let mut entries = fs::read_dir(dir).map_err(|error| Failure::unreadable(dir, &error))?;
    match entries.next() {
        None => Ok(()),
        Some(_) if dir.join("checkpoint").is_dir() => Err(Failure::Input(format!(
            "{} contains a run, which is never overwritten; continue it with --resume, or choose another --out",
            dir.display()
        ))),
        Some(_) => Err(Failure::Input(format!(
            "{} is not empty, and files are never overwritten; choose another --out",
            dir.display()
        ))),
    }
}

/// Returns whether the run in a folder was stopped before its first checkpoint, so that the folder
/// contains no results.
pub fn has_just_begun(dir: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        if !BEFORE_FIRST_CHECKPOINT.iter().any(|known| name == *known) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the resolved scene as a file: in SI units, with all defaults and the time step.
///
/// `origin` is the comment at the start, which names the original file.
pub fn resolved_text(scene: &Scene, origin: &str) -> Result<String, Failure> {
    let text = scene.to_toml().map_err(|error| Failure::Failed(format!("cannot write the scene: {error}")))?;
    Ok(format!("# {origin}\n\n{text}"))
}

/// Writes the resolved scene into the folder.
pub fn write_scene(dir: &Path, text: &str) -> Result<(), Failure> {
    let path = dir.join("scene.toml");
    atomic_file::write_text(&path, text).map_err(|error| Failure::unwritable(&path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_within_one_second_have_different_default_folders() {
        let dir = std::env::temp_dir().join(format!("granum_unique_{}", std::process::id()));
        let wanted = dir.join("pour-20260315-141500");
        let made: Vec<PathBuf> = (0..3).map(|_| create_unique(&wanted).unwrap()).collect();
        let names = ["pour-20260315-141500", "pour-20260315-141500-2", "pour-20260315-141500-3"];
        assert_eq!(made, names.map(|name| dir.join(name)));
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn time_stamps_are_dates() {
        assert_eq!(time_stamp(0), "19700101-000000");
        assert_eq!(time_stamp(951_782_399), "20000228-235959");
        assert_eq!(time_stamp(951_782_400), "20000229-000000");
        assert_eq!(time_stamp(1_767_225_599), "20251231-235959");
        assert_eq!(time_stamp(1_773_584_100), "20260315-141500");
    }
}
