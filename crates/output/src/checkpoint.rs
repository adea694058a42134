//! Checkpoints: all that a run needs to go on as if it had never stopped.
//!
//! `checkpoint/` in a run's folder keeps the last two, `step_000000012345.granum`. Each is written beside its place and
//! renamed when the disk has it ([`crate::durable`]), so that a kill or a full disk leaves those before it as they were.

pub mod file;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use granum_engine::{Energy, World};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::durable;
use file::Refusal;

/// How many are kept: the newest, and the one before it in case the newest is damaged.
const KEPT: usize = 2;

/// Ending of a checkpoint's name.
const ENDING: &str = "granum";

/// Ending of one that was refused, which is put aside.
const DAMAGED: &str = "damaged";

/// The contents of a checkpoint. `P` is the state of the scene's program.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: DeserializeOwned"))]
pub struct Checkpoint<'a, P: Clone> {
    /// The scene as it was resolved, as TOML.
    pub scene: Cow<'a, str>,
    /// How far the scene's program has come.
    pub program: Cow<'a, P>,
    /// The energy ledger at the start, to which residuals refer.
    pub start: Energy,
    /// What has been written, besides: how often guards have warned, how long it took.
    pub books: Books,
    /// The state.
    pub world: Cow<'a, World>,
}

/// What a run has done besides moving its world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Books {
    /// How much each recorder had written, by its name.
    pub lengths: BTreeMap<String, u64>,
    /// The step of the last row of tables; none at the very start.
    pub recorded: Option<u64>,
    /// The step of the last frame; none at the very start, or where none is written.
    pub framed: Option<u64>,
    /// How often each guard has warned, by its name.
    pub warnings: BTreeMap<String, u64>,
    /// Wall time so far, s.
    pub wall_seconds: f64,
    /// Wall time so far by stage, s.
    pub seconds: BTreeMap<String, f64>,
}

/// A checkpoint that was read.
pub struct Found<P: Clone + 'static> {
    /// What it holds.
    pub checkpoint: Checkpoint<'static, P>,
    /// Where it was.
    pub path: PathBuf,
    /// The version of granum that wrote it.
    pub version: String,
    /// Newer ones that were refused, as sentences.
    pub refused: Vec<String>,
}

/// Why there is nothing to go on from.
#[derive(Debug, thiserror::Error)]
pub enum NoCheckpoint {
    /// None was ever finished.
    #[error("there is no checkpoint in {}", .0.display())]
    None(PathBuf),
    /// All were refused.
    #[error("no checkpoint can be used:\n  {}", .0.join("\n  "))]
    Refused(Vec<String>),
    /// The folder cannot be read, or a damaged file not be put aside.
    #[error("{}: {}", .0.display(), .1)]
    Folder(PathBuf, io::Error),
}

/// The checkpoints of a run.
pub struct Checkpoints {
    folder: PathBuf,
    /// Held while the run goes on, so that no second one writes into the same folder. The system lets it go when the
    /// process ends, however it ends.
    _lock: File,
}

impl Checkpoints {
    /// Opens the folder, made if need be, for this process alone.
    pub fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => io::Error::other("another granum is running in this folder"),
            fs::TryLockError::Error(error) => error,
        })?;
        // What a kill has left half written is of no use, and may be large.
        for path in files_with(&folder, durable::UNFINISHED)? {
            fs::remove_file(path)?;
        }
        Ok(Self { folder, _lock: lock })
    }

    /// Writes one, and then takes away all but the last two.
    pub fn save<P: Serialize + Clone>(&self, checkpoint: &Checkpoint<P>) -> io::Result<PathBuf> {
        let path = self.folder.join(format!("step_{:012}.{ENDING}", checkpoint.world.step));
        durable::write(&path, |file| file::write(file, checkpoint))?;
        for old in list(&self.folder)?.iter().skip(KEPT) {
            fs::remove_file(old)?;
        }
        Ok(path)
    }

    /// Reads the newest that is whole. Those that are not are put aside, so that they do not pass for newer ones later.
    pub fn load<P: DeserializeOwned + Clone>(&self) -> Result<Found<P>, NoCheckpoint> {
        let trouble = |error| NoCheckpoint::Folder(self.folder.clone(), error);
        let mut refused = Vec::new();
        let mut damaged: Vec<PathBuf> = Vec::new();
        for path in list(&self.folder).map_err(trouble)? {
            match read::<P>(&path) {
                Ok((checkpoint, version)) => {
                    for path in &damaged {
                        put_aside(path).map_err(trouble)?;
                    }
                    return Ok(Found { checkpoint, path, version, refused });
                }
                Err(reason) => {
                    refused.push(format!("{} {reason}", path.display()));
                    damaged.push(path);
                }
            }
        }
        Err(if refused.is_empty() { NoCheckpoint::None(self.folder.clone()) } else { NoCheckpoint::Refused(refused) })
    }
}

/// Reads one checkpoint and checks that its world is one.
pub fn read<P: DeserializeOwned + Clone>(path: &Path) -> Result<(Checkpoint<'static, P>, String), Refusal> {
    let (checkpoint, version): (Checkpoint<P>, String) = file::read(path)?;
    checkpoint.world.check().map_err(|error| Refusal::Contents(error.to_string()))?;
    Ok((checkpoint, version))
}

/// The checkpoints in a folder, the newest first.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = files_with(folder, ENDING)?;
    // Steps have as many digits in every name.
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

fn files_with(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
    Ok(found)
}

fn put_aside(path: &Path) -> io::Result<()> {
    fs::rename(path, path.with_extension(format!("{ENDING}.{DAMAGED}")))
}
