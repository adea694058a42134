//! Branch of a run: a new run that starts from the state of another one, with changed parameters
//! and in its own folder.

use std::path::{Path, PathBuf};

use granum_engine::Simulation;
use granum_output::checkpoint::{self, list};
use granum_output::{Books, Checkpoint, run_folder};
use granum_reference::pair_table;
use granum_scene::{Program, ProgramState, Scene};

use super::args::Args;
use super::begin::{self, frame_options, open_checkpoints};
use super::console::Console;
use super::folder::{self, Destination};
use super::recorders::Recorders;
use super::resume::check_end;
use super::session::Session;
use crate::Failure;

/// Starts a new run from the last checkpoint of the run in a folder, or from a saved state. The
/// settings of the arguments change its scene.
pub fn branch(from: &Path, out: Option<PathBuf>, args: &Args) -> Result<Session, Failure> {
    let console = Console::new(args.quiet);
    let Checkpoint { scene: text, program: state, start, world, .. } = newest_state(from, &console)?;
    let (mut world, mut state) = (world.into_owned(), state.into_owned());
    let before = Scene::parse(&text, from)?;
    let mut scene = Scene::parse_with(&text, from, &args.settings)?;
    if let Some(until) = args.until {
        scene.time.end = Some(until);
    }
    let changes = scene.change_world(&before, &mut world)?;
    let name = if args.until.is_some() { "--until" } else { "time.end" };
    check_end(name, scene.end_time(), &world, from)?;
    let program = Program::new(&scene, &world)?;
    if scene.end_time() > before.end_time() {
        state.continue_after_last_stage();
    }
    let (step, time) = (world.steps(), world.time());
    let simulation = Simulation::with_table(world, args.threads, pair_table().clone())
        .map_err(|error| Failure::Input(error.to_string()))?;
    let dir = Destination::new(out, &named_after(from)).prepare()?;
    begin::print_start(&console, from, &scene, &simulation, &program, &dir);
    let changes =
        if changes.is_empty() { "without changes".to_owned() } else { format!("with {}", changes.join(", ")) };
    let origin = format!("{} from step {step}, t = {time:.6} s, {changes}", from.display());
    console.line(&format!("branch     of {origin}"));
    let checkpoints = open_checkpoints(&dir)?;
    let version = env!("CARGO_PKG_VERSION");
    let text = folder::resolved_text(&scene, &format!("Branch of {origin}, by granum {version}."))?;
    folder::write_scene(&dir, &text)?;
    Ok(Session {
        state,
        simulation,
        program,
        guards: scene.guards(),
        scene: text,
        start,
        books: Books::default(),
        dir,
        checkpoints,
        recorders: Recorders::default(),
        frames: frame_options(&scene),
        picture: scene.output.picture.clone(),
        checkpoint_every: args.checkpoint_interval(),
        console,
    })
}

/// Reads a saved state, or the newest valid checkpoint of a run. The folder of the run is not
/// changed, and the run may be in progress.
fn newest_state(from: &Path, console: &Console) -> Result<Checkpoint<'static, ProgramState>, Failure> {
    let folder = from.join(run_folder::CHECKPOINT);
    let files = match from.is_dir() {
        true => list(&folder).map_err(|error| Failure::unreadable(&folder, &error))?,
        false => vec![from.to_owned()],
    };
    let mut refused: Vec<String> = Vec::new();
    for path in &files {
        match checkpoint::read(path) {
            Ok((found, _)) => {
                refused.iter().for_each(|reason| console.warn(reason));
                return Ok(found);
            }
            Err(reason) => refused.push(format!("{} {reason}", path.display())),
        }
    }
    Err(Failure::Input(match refused.is_empty() {
        true => format!("{}: there is no checkpoint", folder.display()),
        false => refused.join("\n"),
    }))
}

/// Returns the folder of a run, after which a branch is named.
fn named_after(from: &Path) -> PathBuf {
    let dir = if from.is_dir() { from } else { from.parent().unwrap_or(from) };
    dir.canonicalize().unwrap_or_else(|_| dir.to_owned())
}
