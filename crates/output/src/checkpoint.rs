//! Checkpoints: the complete state that a run needs to continue with the same bits.
//!
//! The folder `checkpoint/` of a run keeps the last two, `step_000000012345.granum`. Each is
//! written atomically ([`crate::atomic_file`]), so that a kill or a full disk leaves earlier ones
//! intact. The file `run_id` and each checkpoint contain the identifier of the run, so that a
//! checkpoint of another run is noticed.

pub mod file;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use granum_engine::{Energy, World};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::atomic_file;
use file::{Origin, Refusal};

/// Number of checkpoints that are kept: the newest, and the one before it in case the newest is
/// damaged.
const KEPT: usize = 2;

/// File extension of a checkpoint.
const ENDING: &str = "granum";

/// File of the identifier of the run, 16 hexadecimal digits.
const RUN_ID: &str = "run_id";

/// File extension of a rejected checkpoint.
const DAMAGED: &str = "damaged";

/// The contents of a checkpoint. `P` is the state of the scene's program of stages and inlets.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: DeserializeOwned"))]
pub struct Checkpoint<'a, P: Clone> {
    /// The resolved scene in TOML.
    pub scene: Cow<'a, str>,
    /// State of the scene's program.
    pub program: Cow<'a, P>,
    /// The energy ledger at the start. Residuals are relative to it.
    pub start: Energy,
    /// Output lengths, guard warnings and times so far.
    pub books: Books,
    /// Bodies, contacts and energy ledger.
    pub world: Cow<'a, World>,
}

/// The bookkeeping of a run besides its world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Books {
    /// Output length of each recorder, by its name.
    pub lengths: BTreeMap<String, u64>,
    /// The step of the last row of tables; `None` at the start.
    pub recorded: Option<u64>,
    /// The step of the last frame; `None` at the start or if no frames are written.
    pub framed: Option<u64>,
    /// Number of warnings of each guard, by its name.
    pub warnings: BTreeMap<String, u64>,
    /// Wall time so far, s.
    pub wall_seconds: f64,
    /// Wall time so far by stage, s.
    pub seconds: BTreeMap<String, f64>,
}

/// A checkpoint that was read.
pub struct Found<P: Clone + 'static> {
    /// Its contents.
    pub checkpoint: Checkpoint<'static, P>,
    /// Its path.
    pub path: PathBuf,
    /// The version of granum that wrote it.
    pub version: String,
    /// Messages about newer checkpoints that were rejected.
    pub refused: Vec<String>,
}

/// The reason why no checkpoint can be read.
#[derive(Debug, thiserror::Error)]
pub enum NoCheckpoint {
    /// No checkpoint was ever completed.
    #[error("there is no checkpoint in {}", .0.display())]
    None(PathBuf),
    /// All checkpoints were rejected.
    #[error("no checkpoint can be used:\n  {}", .0.join("\n  "))]
    Refused(Vec<String>),
    /// The newest checkpoint is that of another run.
    #[error("{} belongs to another run", .0.display())]
    Foreign(PathBuf),
    /// The folder cannot be read, or a damaged file cannot be renamed.
    #[error("{}: {}", .0.display(), .1)]
    Folder(PathBuf, io::Error),
}

/// The checkpoints of a run.
pub struct Checkpoints {
    folder: PathBuf,
    /// Identifier of the run.
    run: u64,
    /// Lock file that keeps a second run from writing into the same folder. The operating system
    /// releases it when the process ends or is killed.
    _lock: File,
}

impl Checkpoints {
    /// Opens the folder for this process alone and creates it if necessary.
    pub fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => io::Error::other("another granum is running in this folder"),
            fs::TryLockError::Error(error) => error,
        })?;
        // Remove incomplete files that a kill has left, because they may be large.
        for path in files_with(&folder, atomic_file::UNFINISHED)? {
            fs::remove_file(path)?;
        }
        let run = run_id(&folder.join(RUN_ID))?;
        Ok(Self { folder, run, _lock: lock })
    }

    /// Writes a checkpoint and then removes all but the last two.
    pub fn save<P: Serialize + Clone>(&self, checkpoint: &Checkpoint<P>) -> io::Result<PathBuf> {
        let path = self.folder.join(format!("step_{:012}.{ENDING}", checkpoint.world.steps()));
        self.save_as(&path, checkpoint)?;
        for old in list(&self.folder)?.iter().skip(KEPT) {
            fs::remove_file(old)?;
        }
        Ok(path)
    }

    /// Writes a checkpoint to another file, which [`Checkpoints::load`] does not read.
    pub fn save_as<P: Serialize + Clone>(&self, path: &Path, checkpoint: &Checkpoint<P>) -> io::Result<()> {
        atomic_file::write_durable(path, |file| file::write(file, self.run, checkpoint))
    }

    /// Reads the newest valid checkpoint. Damaged ones are renamed, so that they are not read
    /// again; a checkpoint of another run is an error.
    pub fn load<P: DeserializeOwned + Clone>(&self) -> Result<Found<P>, NoCheckpoint> {
        let trouble = |error| NoCheckpoint::Folder(self.folder.clone(), error);
        let mut refused = Vec::new();
        let mut damaged: Vec<PathBuf> = Vec::new();
        for path in list(&self.folder).map_err(trouble)? {
            match read::<P>(&path) {
                Ok((_, origin)) if origin.run != self.run => return Err(NoCheckpoint::Foreign(path)),
                Ok((checkpoint, Origin { version, .. })) => {
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

/// Reads one checkpoint and validates its world.
pub fn read<P: DeserializeOwned + Clone>(path: &Path) -> Result<(Checkpoint<'static, P>, Origin), Refusal> {
    parse(&file::read(path)?)
}

/// Returns the checkpoint of these bytes of a file and validates its world.
pub fn parse<P: DeserializeOwned + Clone>(bytes: &[u8]) -> Result<(Checkpoint<'static, P>, Origin), Refusal> {
    let (checkpoint, origin): (Checkpoint<P>, Origin) = file::parse(bytes)?;
    checkpoint.world.check().map_err(|error| Refusal::Contents(error.to_string()))?;
    Ok((checkpoint, origin))
}

/// Returns the checkpoints in a folder, the newest first.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = files_with(folder, ENDING)?;
    // Names have a fixed number of digits, so that sorting them sorts by step.
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

/// Reads the identifier of a run, or creates the file with a new one.
fn run_id(path: &Path) -> io::Result<u64> {
    match fs::read_to_string(path) {
        Ok(text) => u64::from_str_radix(text.trim(), 16).map_err(|_| {
            io::Error::other(format!("{} is damaged: it must contain a number of 16 digits", path.display()))
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // The standard library takes the keys of its hash maps from the random numbers of the
            // system.
            let run = RandomState::new().build_hasher().finish();
            atomic_file::write_text(path, &format!("{run:016x}\n"))?;
            Ok(run)
        }
        Err(error) => Err(error),
    }
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
