//! Start of a new run.

use std::path::{Path, PathBuf};

use granum_engine::{Simulation, World};
use granum_output::{Books, Checkpoints, FrameOptions};
use granum_reference::pair_table;
use granum_scene::{Program, Scene, short_number};

use super::args::Args;
use super::console::Console;
use super::folder::{self, Destination};
use super::recorders::Recorders;
use super::session::Session;
use crate::Failure;

/// A scene with its world and program.
pub struct Built {
    pub scene: Scene,
    pub world: World,
    pub program: Program,
    /// Origins of saved grains.
    pub origins: Vec<String>,
}

/// Reads a scene and builds its world.
pub fn build(path: &Path, args: &Args) -> Result<Built, Failure> {
    let mut scene = Scene::load_with(path, &args.settings)?;
    if let Some(until) = args.until {
        scene.time.end = Some(until);
    }
    let (world, origins) = scene.build_with_origins()?;
    let program = Program::new(&scene, &world)?;
    Ok(Built { scene, world, program, origins })
}

/// Starts a run in an empty folder, by default one named after the scene and the time.
pub fn begin(path: &Path, out: Option<PathBuf>, args: &Args) -> Result<Session, Failure> {
    start(build(path, args)?, path, Destination::new(out, path), args)
}

/// Starts a run in a folder.
pub fn start(built: Built, path: &Path, destination: Destination, args: &Args) -> Result<Session, Failure> {
    let console = Console::new(args.quiet);
    let Built { mut scene, world, program, origins } = built;
    let simulation = Simulation::with_table(world, args.threads, pair_table().clone())
        .map_err(|error| Failure::Input(error.to_string()))?;
    let dir = destination.prepare()?;
    print_start(&console, path, &scene, &simulation, &program, &dir);
    origins.iter().for_each(|origin| console.line(&format!("from       {origin}")));
    let checkpoints = open_checkpoints(&dir)?;
    scene.time.step = Some(program.schedule.time_step);
    scene.time.output = Some(program.schedule.output_interval());
    let version = env!("CARGO_PKG_VERSION");
    let origin = format!("{} as run by granum {version}, in SI units and with all defaults.", path.display());
    let text = folder::resolved_text(&scene, &origin)?;
    folder::write_scene(&dir, &text)?;
    let start = simulation.energy();
    Ok(Session {
        state: program.start(),
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

/// Returns the contents of frames that the scene sets.
pub fn frame_options(scene: &Scene) -> FrameOptions {
    FrameOptions { contacts: scene.output.contacts, surfaces: scene.output.surfaces }
}

/// Opens the checkpoints of a folder and locks them for this process.
pub fn open_checkpoints(dir: &Path) -> Result<Checkpoints, Failure> {
    let folder = dir.join("checkpoint");
    let opened = Checkpoints::open(folder.clone());
    opened.map_err(|error| Failure::Failed(format!("cannot open {}: {error}", folder.display())))
}

/// Prints the properties of a run before it starts.
pub fn print_start(
    console: &Console,
    from: &Path,
    scene: &Scene,
    simulation: &Simulation,
    program: &Program,
    dir: &Path,
) {
    let moving = simulation.world().grain_count();
    let title = scene.title.as_ref().map_or(String::new(), |title| format!(": {title}"));
    let schedule = &program.schedule;
    console.line(&format!("scene      {}{title}", from.display()));
    console.line(&format!(
        "bodies     {moving} grains, {} walls; threads {}",
        simulation.world().body_count() - moving,
        simulation.threads()
    ));
    console.line(&format!("time step  {:.4e} s: {}", schedule.time_step, schedule.reason));
    console.line(&format!("steps      {} to {} s", schedule.last_step, short_number(scene.end_time())));
    console.line(&format!("results    {}", dir.display()));
    scene.warnings().iter().for_each(|warning| console.warn(warning));
    if let Some(warning) = &schedule.warning {
        console.warn(warning);
    }
}
