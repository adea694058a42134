//! Continuation of a run from its last checkpoint, with the same bits as without interruption.

use std::fs;
use std::path::{Path, PathBuf};

use granum_engine::{Simulation, World};
use granum_output::checkpoint::{Found, NoCheckpoint};
use granum_output::{Checkpoint, Status, Summary};
use granum_reference::pair_table;
use granum_scene::{Program, ProgramState, Scene, short_number};

use super::args::Args;
use super::begin::{self, frame_options, open_checkpoints};
use super::console::Console;
use super::folder::{self, Destination};
use super::recorders::Recorders;
use super::session::Session;
use crate::Failure;

/// Result of resuming a run.
pub enum Resumed {
    /// The run continues. The flag is true if a checkpoint of the current step exists.
    Session(Box<Session>, bool),
    /// The run is completed; the message reports it.
    Finished(String),
}

/// Continues the run in `dir`. If a scene is given, it must be that of the run.
pub fn resume(dir: PathBuf, scene_path: Option<&Path>, args: &Args) -> Result<Resumed, Failure> {
    if !dir.is_dir() {
        return match scene_path {
            Some(path) => begin::begin(path, Some(dir), args).map(|session| Resumed::Session(Box::new(session), false)),
            None => Err(Failure::Input(format!("{}: the folder does not exist", dir.display()))),
        };
    }
    if !dir.join("checkpoint").is_dir() && !folder::has_just_begun(&dir).unwrap_or(false) {
        return Err(Failure::Input(format!("{}: the folder contains no run (no checkpoint/)", dir.display())));
    }
    let checkpoints = open_checkpoints(&dir)?;
    let Found { checkpoint, path, version, refused } = match checkpoints.load::<ProgramState>() {
        Ok(found) => found,
        Err(NoCheckpoint::None(_)) if folder::has_just_begun(&dir).unwrap_or(false) => {
            drop(checkpoints);
            return from_the_start(dir, scene_path, args);
        }
        Err(NoCheckpoint::Foreign(path)) => {
            return Err(Failure::Input(format!(
                "{}: the checkpoint belongs to another run; remove it to continue this run from its own checkpoint",
                path.display()
            )));
        }
        Err(error) => {
            let hint = "to start again, run the scene with another --out";
            return Err(Failure::Failed(format!("cannot resume {}: {error}\n{hint}", dir.display())));
        }
    };
    let console = Console::new(args.quiet);
    for reason in &refused {
        console.warn(&format!("{reason}; the checkpoint is renamed, and the one before it is used"));
    }
    let (mut scene, mut text) =
        (Scene::parse(&checkpoint.scene, &dir.join("scene.toml"))?, checkpoint.scene.to_string());
    if let Some(path) = scene_path {
        check_same(&scene, path, args, &dir)?;
    }
    if let Some(until) = args.until {
        check_end("--until", until, &checkpoint.world, &dir)?;
        scene.time.end = Some(until);
        text = folder::resolved_text(&scene, text.lines().next().unwrap_or_default().trim_start_matches("# "))?;
    }
    let program = Program::new(&scene, &checkpoint.world)?;
    let Checkpoint { world, books, start, program: state, .. } = checkpoint;
    let mut state = state.into_owned();
    if args.until.is_some() {
        state.continue_after_last_stage();
    }
    let (step, time) = (world.steps(), world.time());
    if program.is_over(&state, step) && is_completed(&dir, step) {
        return Ok(Resumed::Finished(format!(
            "{}: the run is completed at step {step}, t = {time:.6} s; continue it with --until T",
            dir.display()
        )));
    }
    let simulation = Simulation::with_table(world.into_owned(), args.threads, pair_table().clone());
    let simulation = simulation.map_err(|error| Failure::Failed(error.to_string()))?;
    begin::print_start(&console, &path, &scene, &simulation, &program, &dir);
    let repeatability = if version == env!("CARGO_PKG_VERSION") {
        "the results have the same bits as without interruption".to_owned()
    } else {
        format!("the checkpoint is of granum {version}, so that the results may differ from those of that version")
    };
    console.line(&format!("resumed    from step {step}, t = {time:.6} s; {repeatability}"));
    if args.until.is_some() {
        folder::write_scene(&dir, &text)?;
    }
    let session = Session {
        simulation,
        program,
        state,
        guards: scene.guards(),
        scene: text,
        start,
        books,
        dir,
        checkpoints,
        recorders: Recorders::default(),
        frames: frame_options(&scene),
        picture: scene.output.picture.clone(),
        checkpoint_every: args.checkpoint_interval(),
        console,
    };
    // With another end, the scene in the checkpoint is outdated, and a new checkpoint is needed.
    Ok(Resumed::Session(Box::new(session), args.until.is_none()))
}

/// Starts a run again that was stopped before its first checkpoint.
fn from_the_start(dir: PathBuf, scene_path: Option<&Path>, args: &Args) -> Result<Resumed, Failure> {
    let own = dir.join("scene.toml");
    let path = match scene_path {
        Some(path) => path,
        None if own.is_file() => &own,
        None => {
            let reason = "the run was stopped before it began, and its scene is missing; give the scene";
            return Err(Failure::Input(format!("{}: {reason}", dir.display())));
        }
    };
    let session = begin::start(begin::build(path, args)?, path, Destination::Begun(dir), args)?;
    session.console.line("resumed    from the start, because the run had no checkpoint yet");
    Ok(Resumed::Session(Box::new(session), false))
}

/// Checks that a run does not end before the state from which it continues. `name` is that of the
/// end in the message.
pub fn check_end(name: &str, end: f64, world: &World, dir: &Path) -> Result<(), Failure> {
    // An end is rounded to the nearest step.
    if end > world.time() - 0.5 * world.time_step() {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{name} {} s is before the present time of {}, {} s; give a later time",
        short_number(end),
        dir.display(),
        short_number(world.time())
    )))
}

/// Checks that a scene is that of the run, except for its end.
fn check_same(ours: &Scene, path: &Path, args: &Args, dir: &Path) -> Result<(), Failure> {
    let mut theirs = Scene::load_with(path, &args.settings)?;
    theirs.time.end = ours.time.end;
    theirs.time.step = theirs.time.step.or(ours.time.step);
    let texts = [ours, &theirs].map(Scene::to_toml);
    if let [Ok(ours), Ok(theirs)] = &texts
        && ours == theirs
    {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{} differs from scene.toml in {}; omit it to continue the run with its own scene, or run the changed scene \
         with another --out",
        path.display(),
        dir.display()
    )))
}

/// Returns whether the summary in the folder is that of a run completed at this step.
fn is_completed(dir: &Path, step: u64) -> bool {
    let summary = fs::read_to_string(dir.join("summary.json")).ok();
    let summary = summary.and_then(|text| serde_json::from_str::<Summary>(&text).ok());
    summary.is_some_and(|summary| summary.status == Status::Completed && summary.steps == step)
}
