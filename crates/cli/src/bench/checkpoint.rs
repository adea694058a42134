//! `granum bench checkpoint`: time of writing and reading a checkpoint.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use granum_engine::Simulation;
use granum_output::checkpoint;
use granum_output::{Books, Checkpoint, Checkpoints, state_hash};
use granum_reference::pair_table;
use granum_scene::{Program, ProgramState, Scene};

use crate::Failure;

/// Measure the checkpoints of a scene.
///
/// Runs the warm-up steps of the scene, then writes and reads its state several times. The time of
/// writing includes the flush to the disk. Prints each time, because the speed of a disk varies.
#[derive(clap::Args)]
#[command(after_help = "Example: granum bench checkpoint --warm-up 200")]
pub struct Args {
    /// Scene file
    #[arg(default_value = "scenes/million_spheres.toml")]
    scene: PathBuf,
    /// Number of steps before the first checkpoint
    #[arg(long, value_name = "N", default_value_t = 20)]
    warm_up: u64,
    /// Number of repetitions
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Folder on the disk to be measured; it is created, and removed at the end
    #[arg(long, value_name = "DIR", default_value = "bench_checkpoint")]
    out: PathBuf,
    /// Number of threads; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Measures checkpoints and prints the times.
pub fn run(args: &Args) -> Result<(), Failure> {
    let scene = Scene::load(&args.scene)?;
    let world = scene.build()?;
    let program = Program::new(&scene, &world)?;
    let mut simulation = Simulation::with_table(world, args.threads, pair_table().clone())
        .map_err(|error| Failure::Input(error.to_string()))?;
    simulation.run(args.warm_up);
    fs::create_dir(&args.out).map_err(|error| Failure::unwritable(&args.out, &error))?;
    let measured = measure(args, &program.start(), &simulation);
    fs::remove_dir_all(&args.out).map_err(|error| Failure::unwritable(&args.out, &error))?;
    measured
}

fn measure(args: &Args, state: &ProgramState, simulation: &Simulation) -> Result<(), Failure> {
    let world = simulation.world();
    let mut output = io::stdout().lock();
    writeln!(output, "{}: {} bodies, {} contacts", args.scene.display(), world.body_count(), world.contacts().count())?;
    let checkpoints = Checkpoints::open(args.out.clone()).map_err(|error| Failure::unwritable(&args.out, &error))?;
    let hash = state_hash(world);
    for _ in 0..args.repeat {
        let checkpoint = Checkpoint {
            scene: Cow::Borrowed(""),
            program: Cow::Borrowed(state),
            start: simulation.energy(),
            books: Books::default(),
            world: Cow::Borrowed(world),
        };
        let start = Instant::now();
        let path = checkpoints.save(&checkpoint).map_err(|error| Failure::unwritable(&args.out, &error))?;
        let saved = start.elapsed().as_secs_f64();
        let megabytes = fs::metadata(&path)?.len() as f64 / 1e6;
        let start = Instant::now();
        let read = checkpoint::read::<ProgramState>(&path);
        let (read, _) = read.map_err(|refusal| Failure::Failed(format!("{} {refusal}", path.display())))?;
        let took = start.elapsed().as_secs_f64();
        if state_hash(&read.world) != hash {
            return Err(Failure::Failed("the state that was read differs from the one that was written".into()));
        }
        writeln!(output, "saved in {saved:.3} s, read in {took:.3} s, {megabytes:.1} MB")?;
    }
    Ok(())
}
