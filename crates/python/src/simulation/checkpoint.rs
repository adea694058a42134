//! Saved states: the checkpoints of the program.

use std::borrow::Cow;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;

use granum_engine as engine;
use granum_output::checkpoint::{self, Checkpoints, file};
use granum_output::{Checkpoint, atomic_file, run_folder};
use granum_reference::pair_table;
use granum_scene::{Program, ProgramState, Scene};

use super::state::{Problem, State};

/// File extension of a single checkpoint. Any other path is the folder of a run.
pub const ENDING: &str = "granum";

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

    /// Reads a checkpoint from a file, or the newest one of a run.
    pub fn load(path: &Path, threads: usize) -> Result<Self, Problem> {
        let newest;
        let (file, folder) = if path.is_dir() {
            let folder = path.join(run_folder::CHECKPOINT);
            let found = checkpoint::list(&folder).map_err(|error| text(&folder, &error))?;
            newest = found.into_iter().next().ok_or_else(|| text(&folder, &"contains no checkpoint"))?;
            (newest.as_path(), path)
        } else {
            (path, path.parent().unwrap_or(Path::new("")))
        };
        let (found, _) = checkpoint::read::<ProgramState>(file).map_err(|error| text(file, &error))?;
        let Checkpoint { scene: words, program: progress, start, books, world } = found;
        let scene = Scene::parse(&words, &folder.join(run_folder::SCENE)).map_err(Problem::Scene)?;
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

fn text(path: &Path, reason: &dyn std::fmt::Display) -> Problem {
    Problem::Text(format!("{}: {reason}", path.display()))
}
