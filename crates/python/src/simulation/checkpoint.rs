//! Saved states: the checkpoints of the program, in files and in memory.

use std::borrow::Cow;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use granum_engine as engine;
use granum_output::checkpoint::file::{self, Origin, Refusal};
use granum_output::checkpoint::{self, Checkpoints};
use granum_output::{Checkpoint, atomic_file, run_folder};
use granum_reference::pair_table;
use granum_scene::{Program, ProgramState, Scene};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::state::{Problem, State};

/// File extension of a single checkpoint. Any other path is the folder of a run.
pub const ENDING: &str = "granum";

/// Identifier in the bytes of a state that belongs to no run.
const NO_RUN: u64 = 0;

/// A saved state.
#[derive(FromPyObject)]
pub enum Saved {
    /// The bytes of a checkpoint.
    Bytes(PyBackedBytes),
    /// A checkpoint file, or the folder of a run.
    Path(PathBuf),
}

impl State {
    fn checkpoint(&self) -> Checkpoint<'_, ProgramState> {
        Checkpoint {
            scene: Cow::Borrowed(self.text.as_str()),
            program: Cow::Borrowed(&self.progress),
            start: self.start,
            books: self.books.clone(),
            world: Cow::Borrowed(self.world()),
        }
    }

    /// Writes a checkpoint into a file, or into the folder of a run, which `granum run --resume`
    /// continues.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        if path.extension().is_some_and(|ending| ending == ENDING) {
            let run = RandomState::new().build_hasher().finish();
            return atomic_file::write_durable(path, |to| file::write(to, run, &self.checkpoint()));
        }
        let scene = path.join(run_folder::SCENE);
        if !scene.exists() && path.is_dir() && fs::read_dir(path)?.next().is_some() {
            return Err(io::Error::other("the folder is not empty and is not that of a run"));
        }
        fs::create_dir_all(path)?;
        let checkpoints = Checkpoints::open(path.join(run_folder::CHECKPOINT))?;
        if !scene.exists() {
            atomic_file::write_text(&scene, &self.text)?;
        }
        checkpoints.save(&self.checkpoint()).map(drop)
    }

    /// Returns the bytes of a checkpoint.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        file::encode(NO_RUN, &self.checkpoint())
    }

    /// Restores a saved state.
    pub fn restore(saved: &Saved, threads: usize) -> Result<Self, Problem> {
        match saved {
            Saved::Bytes(bytes) => Self::of_checkpoint(checkpoint::parse(bytes), "saved state".as_ref(), threads),
            Saved::Path(path) => {
                let file = checkpoint_file(path)?;
                Self::of_checkpoint(checkpoint::read(&file), &file, threads)
            }
        }
    }

    /// `origin` is the file of the checkpoint in messages.
    fn of_checkpoint(
        read: Result<(Checkpoint<'static, ProgramState>, Origin), Refusal>,
        origin: &Path,
        threads: usize,
    ) -> Result<Self, Problem> {
        let (found, _) = read.map_err(|error| text(origin, &error))?;
        let Checkpoint { scene: words, program: progress, start, books, world } = found;
        // The scene is a resolved one, whose files have absolute paths.
        let scene = Scene::parse(&words, origin).map_err(Problem::Scene)?;
        let program = Program::new(&scene, &world).map_err(Problem::Scene)?;
        let engine = engine::Simulation::with_table(world.into_owned(), threads, pair_table().clone());
        let engine = engine.map_err(Problem::World)?;
        let is_new = books.recorded.is_none();
        let mut state = Self::of(engine, scene, program, words.into_owned(), start, books);
        state.progress = progress.into_owned();
        if is_new {
            // The program saves its first checkpoint before the first stage begins.
            state.begin();
        }
        Ok(state)
    }
}

/// Returns the file of a checkpoint: the newest one in the folder of a run.
fn checkpoint_file(path: &Path) -> Result<PathBuf, Problem> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let folder = path.join(run_folder::CHECKPOINT);
    let found = checkpoint::list(&folder).map_err(|error| text(&folder, &error))?;
    found.into_iter().next().ok_or_else(|| text(&folder, &"contains no checkpoint"))
}

fn text(path: &Path, reason: &dyn std::fmt::Display) -> Problem {
    Problem::Text(format!("{}: {reason}", path.display()))
}
