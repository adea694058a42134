//! Saved states as the start of a scene: the folder of a run, a checkpoint, or an exported table.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodyState, World};
use granum_geometry::{Pose, Shape};
use granum_output::checkpoint::{self, list};
use granum_output::{Catalogue, FrameEntry, RunFolder, body_table, run_folder};

use crate::ProgramState;

/// Ending of a file with a state: a checkpoint, or the state at which a guard has stopped a run.
const STATE_FILE: &str = "granum";

/// Ending of a table of bodies that `granum export` has written.
const TABLE_FILE: &str = "csv";

/// Number of bytes in which the heading of a table ends.
const LONGEST_HEADING: u64 = 4096;

/// Difference of two times that counts as equal, in time steps: a saved time is that of the nearest
/// step.
const HALF_STEP: f64 = 0.5;

/// A saved state that a scene names: `RUN`, `RUN@TIME` or a file.
#[derive(Clone, Debug, PartialEq)]
pub struct StateName {
    /// Folder of a run, or a file.
    pub path: PathBuf,
    /// Time of the state, s; `None` for the last one.
    pub time: Option<f64>,
}

/// A grain of a saved state.
#[derive(Clone, Copy, Debug)]
pub struct SavedGrain {
    /// Its id there.
    pub id: BodyId,
    /// Index of its shape.
    pub shape: usize,
    /// Index of its material.
    pub material: usize,
    pub pose: Pose,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Angular velocity, rad/s.
    pub spin: DVec3,
}

/// The grains of a saved state.
#[derive(Debug)]
pub struct SavedState {
    /// Its name, with the time.
    pub name: StateName,
    pub grains: Vec<SavedGrain>,
    pub shapes: Vec<Shape>,
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Deepest overlap of its contacts, m; 0 if they are not known.
    pub deepest: f64,
    /// The whole state with the history of contacts, if a checkpoint has it.
    pub world: Option<World>,
    /// Reason for which a checkpoint of the run cannot be used.
    pub refused: Option<String>,
}

impl StateName {
    /// Reads the value of a key `from`. A path is relative to `folder`.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let whole = folder.join(text);
        let Some((path, time)) = text.rsplit_once('@').filter(|_| !whole.exists()) else {
            return Ok(Self { path: whole, time: None });
        };
        let time = crate::parse_time(time).map_err(|reason| format!("the time after `@` {reason}"))?;
        Ok(Self { path: folder.join(path), time: Some(time) })
    }

    /// Adds the time of the last state to the name of a run, so that the name keeps its meaning if
    /// the run continues. A name of which the state cannot be found is left as it is.
    pub fn pinned(self) -> Self {
        let time = if self.path.is_dir() { self.time.or_else(|| self.last_time()) } else { self.time };
        Self { time, ..self }
    }

    /// Returns the time of the last checkpoint of a run, or else of the last frame.
    fn last_time(&self) -> Option<f64> {
        let run = RunFolder::open(&self.path).ok()?;
        let newest = list(&self.path.join(run_folder::CHECKPOINT)).ok().and_then(|files| files.into_iter().next());
        let Some(newest) = newest else { return run.frames().last().map(|frame| frame.time) };
        let step: u64 = newest.file_stem()?.to_str()?.strip_prefix("step_")?.parse().ok()?;
        let scene: toml::Table = run.scene().ok()?.parse().ok()?;
        Some(step as f64 * scene.get("time")?.get("step")?.as_float()?)
    }

    /// Returns the name as the value of a key, with a path that does not depend on the folder.
    pub fn to_text(&self) -> String {
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        match self.time {
            Some(time) => format!("{}@{}", path.display(), shown(time)),
            None => path.display().to_string(),
        }
    }

    /// Reads the state, or returns the reason for which it cannot be read.
    pub fn read(self) -> Result<SavedState, String> {
        if self.path.is_dir() {
            return self.read_run();
        }
        let ending = self.path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending {
            _ if !self.path.is_file() => {
                Err(format!("{} does not exist; a path is relative to the folder of the scene", self.path.display()))
            }
            STATE_FILE | TABLE_FILE if self.time.is_some() => {
                Err(format!("{} has one state; omit the time after `@`", self.path.display()))
            }
            STATE_FILE => {
                let (found, _) = checkpoint::read::<ProgramState>(&self.path)
                    .map_err(|refusal| format!("{} {refusal}", self.path.display()))?;
                Ok(SavedState::of_world(self, found.world.into_owned()))
            }
            TABLE_FILE => SavedState::of_table(self),
            _ => Err(format!(
                "{} is neither the folder of a run, nor a state (.granum), nor a table of `granum export` (.csv)",
                self.path.display()
            )),
        }
    }

    /// Reads a state of a run: the checkpoint of the time, or else the frame. Without a time it is
    /// the last checkpoint, or else the last frame.
    fn read_run(self) -> Result<SavedState, String> {
        let dir = self.path.clone();
        let run = RunFolder::open(&dir).map_err(|error| error.to_string())?;
        let mut times = Vec::new();
        let mut refused = None;
        for path in list(&dir.join(run_folder::CHECKPOINT)).unwrap_or_default() {
            match checkpoint::read::<ProgramState>(&path) {
                Ok((found, _)) => {
                    let world = found.world.into_owned();
                    let (time, step) = (world.time(), world.time_step());
                    if self.time.is_none_or(|wanted| is_at(wanted, time, step)) {
                        return Ok(SavedState::of_world(Self { time: Some(time), ..self }, world));
                    }
                    times.push(time);
                }
                Err(refusal) => refused = Some(format!("{} {refusal}", path.display())),
            }
        }
        let frames = run.frames();
        let found = match self.time {
            None => frames.last(),
            Some(wanted) => frames.iter().find(|frame| is_at(wanted, frame.time, time_step(frames))),
        };
        match found {
            Some(entry) => {
                let state = SavedState::of_frame(Self { time: Some(entry.time), ..self }, &run, entry)?;
                Ok(SavedState { refused, ..state })
            }
            None => {
                times.extend(frames.iter().map(|frame| frame.time));
                Err(refused.unwrap_or_else(|| no_state(&dir, self.time, times)))
            }
        }
    }
}

/// Rounds a time to ten significant digits, which distinguish the steps of any run in practice, so
/// that 0.3 is not shown as 0.30000000000000004.
fn shown(time: f64) -> f64 {
    format!("{time:.9e}").parse().unwrap_or(time)
}

/// Returns whether a file is a table of bodies that `granum export` has written: it names their
/// shapes.
pub fn is_exported_table(path: &Path) -> bool {
    let mut heading = String::new();
    let read = File::open(path).and_then(|file| BufReader::new(file.take(LONGEST_HEADING)).read_line(&mut heading));
    read.is_ok() && heading.trim().split(',').any(|column| column.trim() == "shape")
}

/// Returns whether a state at `time` is the one that was asked for.
fn is_at(wanted: f64, time: f64, step: f64) -> bool {
    (wanted - time).abs() <= HALF_STEP * step
}

/// Returns the time step of the run of these frames, s; 0 if there is only the first one.
fn time_step(frames: &[FrameEntry]) -> f64 {
    frames.last().filter(|last| last.step > 0).map_or(0.0, |last| last.time / last.step as f64)
}

/// Returns the message that a run has no state at a time, with the nearest times.
fn no_state(dir: &Path, wanted: Option<f64>, mut times: Vec<f64>) -> String {
    let (Some(wanted), false) = (wanted, times.is_empty()) else {
        return format!("{} has neither a checkpoint nor a frame", dir.display());
    };
    times.sort_by(|a, b| (a - wanted).abs().total_cmp(&(b - wanted).abs()));
    // A checkpoint and a frame may be of the same step.
    times.dedup();
    times.truncate(2);
    times.sort_by(f64::total_cmp);
    let times: Vec<String> = times.iter().map(|&time| format!("{} s", shown(time))).collect();
    format!("{} has no state at {wanted} s; the nearest are at {}", dir.display(), times.join(" and "))
}

impl SavedState {
    /// Takes the grains of a whole state.
    fn of_world(name: StateName, world: World) -> Self {
        let grains = world.grains().map(|body| SavedGrain::of(&body)).collect();
        let overlaps = world.contacts().filter(|contact| contact.carries_force()).map(|contact| -contact.gap());
        Self {
            name,
            grains,
            shapes: world.shapes().to_vec(),
            materials: world.materials().iter().map(|material| material.name.clone()).collect(),
            deepest: overlaps.fold(0.0, f64::max),
            world: Some(world),
            refused: None,
        }
    }

    /// Reads the grains of a frame.
    fn of_frame(name: StateName, run: &RunFolder, entry: &FrameEntry) -> Result<Self, String> {
        let frame = run.frame(entry.number).map_err(|error| error.to_string())?;
        Ok(Self {
            name,
            grains: frame.bodies.iter().filter(|body| body.is_grain()).map(SavedGrain::of).collect(),
            shapes: frame.shapes,
            materials: frame.materials,
            deepest: frame.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max),
            world: None,
            refused: None,
        })
    }

    /// Reads the grains of an exported table. The shapes are in `shapes.json` beside it, or in the
    /// folder above it, which is that of the run.
    fn of_table(name: StateName) -> Result<Self, String> {
        let folder = name.path.parent().unwrap_or(Path::new(""));
        let shapes = [folder.to_owned(), folder.join("..")].map(|folder| folder.join(run_folder::SHAPES));
        let Some(path) = shapes.iter().find(|path| path.is_file()) else {
            let (table, missing) = (name.path.display(), shapes[0].display());
            return Err(format!("the shapes of {table} are missing: there is no {missing}"));
        };
        let Catalogue { materials, shapes } = Catalogue::read(path).map_err(|error| error.to_string())?;
        let rows = body_table::read(&name.path).map_err(|error| error.to_string())?;
        let mut grains = Vec::with_capacity(rows.len());
        for row in rows.iter().filter(|row| row.is_grain()) {
            let wrong = |reason: String| format!("{}, body {}: {reason}", name.path.display(), row.id);
            let shape = row.shape as usize;
            let kind = shapes.get(shape).ok_or_else(|| wrong(format!("unknown shape {shape}")))?.kind().name();
            if kind != row.kind {
                return Err(wrong(format!("shape {shape} is a {kind}, not a {}", row.kind)));
            }
            let material = materials.iter().position(|name| *name == row.material);
            let material = material.ok_or_else(|| wrong(format!("unknown material `{}`", row.material)))?;
            let orientation = DQuat::from_xyzw(row.qx, row.qy, row.qz, row.qw);
            let numbers = [row.position(), row.velocity(), row.spin()];
            if !(numbers.iter().all(|vector| vector.is_finite()) && orientation.normalize().is_finite()) {
                return Err(wrong("its numbers must be finite, and its quaternion not zero".to_owned()));
            }
            let pose = Pose { position: row.position(), orientation };
            let [_, velocity, spin] = numbers;
            grains.push(SavedGrain { id: BodyId(row.id), shape, material, pose, velocity, spin });
        }
        let deepest = body_table::deepest_overlap(&name.path);
        Ok(Self { name, grains, shapes, materials, deepest, world: None, refused: None })
    }
}

impl SavedGrain {
    fn of(body: &BodyState) -> Self {
        Self {
            id: body.id,
            shape: body.shape.0 as usize,
            material: body.material.0 as usize,
            pose: Pose { position: body.position, orientation: body.orientation },
            velocity: body.velocity,
            spin: body.spin,
        }
    }
}
