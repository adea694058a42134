//! `granum bench steps`: particle-steps per second, and the time of each stage.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use granum_engine::{Guards, Simulation, World, WorldStatus};
use granum_output::{checkpoint, run_folder};
use granum_reference::pair_table;
use granum_scene::{ProgramState, Scene};
use serde::Serialize;

use super::cpu_time;
use crate::Failure;
use crate::table::{Align, Table};

/// Most steps by which a segment is lengthened, relative to its least number. A bed at rest never
/// renews its list.
const EXTRA: u64 = 2;

/// Measure the time steps of a scene.
///
/// Runs the warm-up steps of the scene, then measures several segments in processor time. The
/// fastest counts, because other programs can only slow it down. A segment ends with a renewal of
/// the neighbour list, so that it contains the share of these renewals in a long run. Given the
/// folder of a run, it starts from the last checkpoint, for example with a settled bed. It writes
/// no files. The results are particle-steps per second (without walls) of processor time and of
/// wall time, nanoseconds of processor time per particle-step by stage, simulated time per second,
/// and the numbers of pairs and contacts.
///
/// To count instructions, build with RUSTFLAGS="-C target-cpu=x86-64": valgrind 3.19 cannot decode
/// one instruction of the default build.
#[derive(clap::Args)]
#[command(after_help = "Example: granum bench steps --threads 1 --steps 200")]
pub struct Args {
    /// Scene file, or the folder of a run
    #[arg(value_name = "SCENE|DIR", default_value = "scenes/bench_spheres.toml")]
    scene: PathBuf,
    /// Least number of steps in a segment
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Number of steps before the first segment
    #[arg(long, value_name = "N", default_value_t = 4000)]
    warm_up: u64,
    /// Number of segments; the fastest counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Number of threads; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    scene: String,
    particles: usize,
    threads: usize,
    warm_up: u64,
    steps: u64,
    repeat: u32,
    /// Particle-steps per second of processor time, summed over all threads.
    particle_steps_per_second: f64,
    /// Particle-steps per second of wall time.
    particle_steps_per_wall_second: f64,
    /// Simulated seconds per second of wall time.
    simulated_seconds_per_second: f64,
    /// Nanoseconds of processor time per particle-step, by stage; `other` is the time outside all
    /// stages. The shares of the stages are those of the wall time.
    nanoseconds: BTreeMap<&'static str, f64>,
    /// The part of the narrow phase for pairs with triangulated surfaces, nanoseconds of processor time
    /// per particle-step.
    narrow_phase_on_surfaces: f64,
    /// Listed pairs per particle, after the last segment.
    pairs_per_particle: f64,
    /// Contacts per particle, after the last segment.
    contacts_per_particle: f64,
    /// Time of a check of the guards, as a fraction of the time between two checks.
    guards: f64,
    /// Neighbour lists built in all segments.
    list_rebuilds: u64,
    /// Steps between two neighbour lists; null if the list was not renewed.
    steps_per_rebuild: Option<f64>,
    /// Peak memory of the process, bytes; null if the system does not report it.
    peak_memory: Option<u64>,
}

/// Times of one segment, s.
struct Segment {
    steps: u64,
    /// Processor time of all threads, or wall time where the platform does not report it.
    cpu: f64,
    wall: f64,
    /// Wall time by stage.
    stages: Vec<(&'static str, f64)>,
    /// Wall time of the narrow phase for pairs with triangulated surfaces.
    on_surfaces: f64,
}

/// Measures the steps and prints the report.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (scene, world) = start(&args.scene)?;
    let particles = world.grain_count();
    let mut simulation = Simulation::with_table(world, args.threads, pair_table().clone())
        .map_err(|error| Failure::Input(error.to_string()))?;
    simulation.use_all_threads().map_err(|error| Failure::Input(error.to_string()))?;
    simulation.run(args.warm_up);
    run_to_rebuild(&mut simulation, EXTRA * args.steps);
    let (_, rebuilds_before) = simulation.neighbour_statistics();
    let segments: Vec<_> = (0..args.repeat).map(|_| segment(&mut simulation, args.steps)).collect();
    let (pairs, rebuilds) = simulation.neighbour_statistics();
    let list_rebuilds = rebuilds - rebuilds_before;
    let all_steps: u64 = segments.iter().map(|segment| segment.steps).sum();
    let fastest = segments.iter().min_by(|a, b| a.cpu_per_step().total_cmp(&b.cpu_per_step()));
    let fastest = fastest.expect("clap requires at least one");
    let guards = guard_share(&scene.guards(), &simulation, args.repeat, fastest.cpu_per_step());
    let per_particle = |count: usize| count as f64 / particles as f64;
    let particle_steps = particles as f64 * fastest.steps as f64;
    let staged: f64 = fastest.stages.iter().map(|(_, seconds)| seconds).sum();
    let stages = fastest.stages.iter().copied().chain([("other", fastest.wall - staged)]);
    let nanoseconds = 1e9 * fastest.cpu / (fastest.wall * particle_steps);
    let report = Report {
        scene: args.scene.display().to_string(),
        particles,
        threads: simulation.threads(),
        warm_up: args.warm_up,
        steps: fastest.steps,
        repeat: args.repeat,
        particle_steps_per_second: particle_steps / fastest.cpu,
        particle_steps_per_wall_second: particle_steps / fastest.wall,
        simulated_seconds_per_second: simulation.world().time_step() * fastest.steps as f64 / fastest.wall,
        nanoseconds: stages.clone().map(|(name, seconds)| (name, seconds * nanoseconds)).collect(),
        narrow_phase_on_surfaces: fastest.on_surfaces * nanoseconds,
        pairs_per_particle: per_particle(pairs),
        contacts_per_particle: per_particle(WorldStatus::of(simulation.world()).contacts),
        guards,
        list_rebuilds,
        steps_per_rebuild: (list_rebuilds > 0).then(|| all_steps as f64 / list_rebuilds as f64),
        peak_memory: peak_memory(),
    };
    let mut output = io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut output, &report)?;
        writeln!(output)?;
    } else {
        output.write_all(report.text(stages.map(|(name, _)| name)).as_bytes())?;
    }
    Ok(output.flush()?)
}

/// Returns the scene and the initial state, of a scene file or of the folder of a run.
fn start(path: &Path) -> Result<(Scene, World), Failure> {
    if !path.is_dir() {
        let scene = Scene::load(path)?;
        let world = scene.build()?;
        return Ok((scene, world));
    }
    let newest = checkpoint::list(&path.join(run_folder::CHECKPOINT)).ok().and_then(|files| files.into_iter().next());
    let Some(newest) = newest else {
        return Err(Failure::Input(format!("{} contains no checkpoint of a run", path.display())));
    };
    let read = checkpoint::read::<ProgramState>(&newest);
    let (found, _) = read.map_err(|error| Failure::Input(format!("{} {error}", newest.display())))?;
    let scene = Scene::parse(&found.scene, &path.join("scene.toml"))?;
    Ok((scene, found.world.into_owned()))
}

impl Segment {
    fn cpu_per_step(&self) -> f64 {
        self.cpu / self.steps as f64
    }
}

/// Runs and times one segment, which ends with a renewal of the neighbour list.
fn segment(simulation: &mut Simulation, steps: u64) -> Segment {
    let before = simulation.stage_seconds();
    let (start, cpu_start) = (Instant::now(), cpu_time::of_process());
    simulation.run(steps);
    let steps = steps + run_to_rebuild(simulation, EXTRA * steps);
    let wall = start.elapsed().as_secs_f64();
    let cpu = cpu_time::of_process().zip(cpu_start).map_or(wall, |(end, start)| end - start);
    let after = simulation.stage_seconds();
    let on_surfaces = after.on_surfaces() - before.on_surfaces();
    let both = after.named().into_iter().zip(before.named());
    let stages = both.map(|((name, after), (_, before))| (name, after - before)).collect();
    Segment { steps, cpu, wall, stages, on_surfaces }
}

/// Runs up to and including the next step that renews the neighbour list, and at most this number
/// of steps. Returns the number of steps.
fn run_to_rebuild(simulation: &mut Simulation, most: u64) -> u64 {
    let rebuilds = simulation.neighbour_statistics().1;
    for step in 1..=most {
        simulation.run(1);
        if simulation.neighbour_statistics().1 > rebuilds {
            return step;
        }
    }
    most
}

/// Returns the fastest time of a check of the guards, as a fraction of the time between two checks.
fn guard_share(guards: &Guards, simulation: &Simulation, repeat: u32, step: f64) -> f64 {
    let look = |_| {
        let start = Instant::now();
        std::hint::black_box(guards.look(simulation.world()));
        start.elapsed().as_secs_f64()
    };
    (0..repeat).map(look).fold(f64::INFINITY, f64::min) / (step * guards.every as f64)
}

/// Returns the peak memory of this process, bytes, on Linux.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

impl Report {
    /// Returns the report as text, with the stages in the order of a step.
    fn text(&self, stages: impl Iterator<Item = &'static str>) -> String {
        let mut table =
            Table::new([("stage", Align::Left), ("ns/particle-step", Align::Right), ("share", Align::Right)]);
        let whole: f64 = self.nanoseconds.values().sum();
        for name in stages {
            let time = self.nanoseconds[name];
            table.row([name.to_owned(), format!("{time:.1}"), format!("{:.1} %", 100.0 * time / whole)]);
        }
        let rebuild = self.steps_per_rebuild.map_or("no rebuild".to_owned(), |steps| format!("{steps:.1}"));
        let share = 100.0 * self.narrow_phase_on_surfaces / whole;
        let on_surfaces = match self.narrow_phase_on_surfaces {
            0.0 => String::new(),
            time => format!("on surfaces             {time:.1} ns/particle-step of the narrow phase, {share:.1} %\n"),
        };
        let memory = self.peak_memory.map_or("unknown".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6));
        format!(
            "{}: {} particles, {} threads; fastest of {} segments ({} steps) after {}\n\n\
             {:.3e} particle-steps/s of processor time, {:.3e} of wall time\n\
             {:.3e} simulated seconds per second\n\n\
             {}\n\
             {on_surfaces}\
             pairs per particle      {:.2}\n\
             contacts per particle   {:.2}\n\
             steps per list rebuild  {rebuild}\n\
             guards                  {:.2} % of the steps\n\
             peak memory             {memory}\n",
            self.scene,
            self.particles,
            self.threads,
            self.repeat,
            self.steps,
            self.warm_up,
            self.particle_steps_per_second,
            self.particle_steps_per_wall_second,
            self.simulated_seconds_per_second,
            table.text(),
            self.pairs_per_particle,
            self.contacts_per_particle,
            100.0 * self.guards,
        )
    }
}
