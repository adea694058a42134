//! `granum check`: reads and builds a scene and prints the properties of its run.

use std::io::{self, Write};
use std::path::PathBuf;

use granum_engine::World;
use granum_geometry::Kind;
use granum_reference::pair_table;
use granum_scene::{Program, Scene, short_number};

use crate::Failure;
use crate::estimate::Estimate;

/// Assumed number of contacts per grain in a dense bed.
const CONTACTS_PER_GRAIN: f64 = 3.0;
/// Assumed number of listed pairs per grain in a dense bed.
const PAIRS_PER_GRAIN: f64 = 8.0;
/// Bytes of a pair in the neighbour list: two indices, a slot, and an entry in the rows of both
/// bodies.
const BYTES_PER_PAIR: f64 = 18.0;
/// Bytes of one row of energy.csv.
const BYTES_PER_ROW: f64 = 180.0;
/// Bytes of a body in a frame, as `vtk/bodies.rs` writes it.
const FRAME_BYTES_PER_BODY: f64 = 187.0;
/// Bytes of a contact in a frame.
const FRAME_BYTES_PER_CONTACT: f64 = 176.0;
/// Bytes of a surface of 320 triangles in a frame.
const FRAME_BYTES_PER_SURFACE: f64 = 10_000.0;
/// Number of checkpoints on the disk: two that a run keeps, and one that is being written.
const CHECKPOINTS: f64 = 3.0;

/// Check a scene and show the properties of its run.
///
/// Reads and builds the scene as a run does; an error is shown with its line. Prints the bodies,
/// the time step and its origin, the steps and stages, and estimates of time, memory and disk
/// space. The time follows from timed steps of the scene, which take about two seconds.
#[derive(clap::Args)]
#[command(after_help = "Example: granum check scenes/first_run.toml --set time.end=2")]
pub struct Args {
    /// Scene file
    scene: PathBuf,
    /// Override a value of the scene, as in materials.glass.density=2600 or grains.0.count=10
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Number of threads of the timed steps; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Checks the scene.
pub fn run(args: &Args) -> Result<(), Failure> {
    let scene = Scene::load_with(&args.scene, &args.settings)?;
    let (world, origins) = scene.build_with_origins()?;
    let program = Program::new(&scene, &world)?;
    let schedule = &program.schedule;
    let mut out = io::stdout().lock();
    let title = scene.title.as_ref().map_or(String::new(), |title| format!(": {title}"));
    writeln!(out, "scene      {}{title}", args.scene.display())?;
    let moving = world.grain_count();
    let incoming = incoming_grains(&scene);
    let poured = if incoming > 0.0 { format!(", about {incoming:.0} to be poured") } else { String::new() };
    writeln!(out, "bodies     {moving} grains, {} walls{poured}", world.body_count() - moving)?;
    for group in world.groups() {
        let count: usize = group.ids.iter().map(|ids| ids.len()).sum();
        writeln!(out, "           {:<20} {count}", group.name)?;
    }
    for origin in &origins {
        writeln!(out, "from       {origin}")?;
    }
    writeln!(out, "time step  {:.4e} s: {}", schedule.time_step, schedule.reason)?;
    writeln!(out, "steps      {} to {} s", schedule.last_step, short_number(scene.end_time()))?;
    for (number, stage) in scene.stages.iter().enumerate() {
        let name = stage.name.clone().unwrap_or_else(|| format!("stage {}", number + 1));
        let length = match &stage.until {
            Some(until) => {
                format!(
                    "until the kinetic energy is below {:.3e} J, at most {} s",
                    until.kinetic_energy_below,
                    short_number(until.at_most)
                )
            }
            None => format!("{} s", short_number(stage.longest())),
        };
        writeln!(out, "           {name}: {length}")?;
    }
    let bodies = world.body_count() as f64 + incoming;
    let estimate = Estimate::of(&scene, &world, incoming, args.threads)
        .map_err(|error| Failure::Failed(format!("cannot time the scene: {error}")))?;
    print_time(&mut out, &estimate, schedule.last_step)?;
    let state = state_bytes(&world, bodies);
    let lists = bodies * PAIRS_PER_GRAIN * BYTES_PER_PAIR;
    writeln!(out, "memory     about {} in a dense bed", size(state + lists))?;
    let rows = scene.time.output.map_or(0.0, |output| scene.end_time() / output + 1.0);
    let table = size(rows * BYTES_PER_ROW);
    let checkpoints = size(CHECKPOINTS * state);
    let frames = size(schedule.frames() as f64 * bodies * bytes_per_body(&scene));
    writeln!(
        out,
        "disk       about {table} for energy.csv, {frames} for {} frames, {checkpoints} for checkpoints",
        schedule.frames()
    )?;
    let losing = world.pairs_without_conservation(pair_table());
    if !losing.is_empty() {
        let pairs: Vec<String> = losing.iter().map(|[a, b]| format!("{} and {}", words(*a), words(*b))).collect();
        writeln!(out, "contacts   {}: the overlap is the depth", pairs.join(", "))?;
        writeln!(out, "           at points that appear and vanish; elastic contacts gain or lose energy there")?;
    }
    for warning in scene.warnings().iter().chain(&schedule.warning) {
        writeln!(io::stderr(), "warning: {warning}")?;
    }
    if let Some(warning) = scene.tunnelling_warning(&world, schedule.time_step)? {
        writeln!(io::stderr(), "warning: {warning}")?;
    }
    writeln!(out, "the scene is valid")?;
    Ok(())
}

/// Prints the estimated time of a run, and the measurements from which it follows.
fn print_time(out: &mut impl Write, estimate: &Estimate, steps: u64) -> io::Result<()> {
    let (least, most) = estimate.range(steps);
    let Estimate { loose, dense, threads } = *estimate;
    let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    match dense {
        Some(dense) if duration(least) == duration(most) || most < 1.5 => {
            writeln!(out, "time       about {} on {threads}", duration(0.5 * (least + most)))?;
            writeln!(out, "           measured: {:.3e} s a step", loose.max(dense))
        }
        Some(dense) => {
            writeln!(out, "time       {} to {} on {threads}", duration(least), duration(most))?;
            writeln!(
                out,
                "           measured: {loose:.3e} s a step as the grains are placed, {dense:.3e} s in dense contact"
            )
        }
        None => {
            writeln!(out, "time       at least {} on {threads}", duration(least))?;
            writeln!(
                out,
                "           measured: {loose:.3e} s a step as the grains are placed; dense contact is slower and took \
                 too long to measure"
            )
        }
    }
}

/// Returns the name of a kind of shape in lower-case words.
fn words(kind: Kind) -> String {
    let name = format!("{kind:?}");
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// Returns the bytes per body of a frame of a dense bed.
fn bytes_per_body(scene: &Scene) -> f64 {
    let contacts = if scene.output.contacts { CONTACTS_PER_GRAIN * FRAME_BYTES_PER_CONTACT } else { 0.0 };
    let surface = if scene.output.surfaces { FRAME_BYTES_PER_SURFACE } else { 0.0 };
    FRAME_BYTES_PER_BODY + contacts + surface
}

/// Returns an estimate of the number of grains that inlets will add.
fn incoming_grains(scene: &Scene) -> f64 {
    let inlets = scene.grains.iter().filter_map(|grains| Some((grains, grains.inlet.as_ref()?)));
    let of_inlet = inlets.map(|(grains, inlet)| {
        let open = (inlet.stop.unwrap_or(scene.end_time()).min(scene.end_time()) - inlet.start).max(0.0);
        let by_rate = inlet.rate.map(|rate| rate * open);
        let mass = match (grains.mass, inlet.mass_rate) {
            (Some(mass), Some(rate)) => Some(mass.min(rate * open)),
            (mass, rate) => mass.or(rate.map(|rate| rate * open)),
        };
        let by_mass = mass.and_then(|mass| Some(mass / scene.mean_mass(grains)?));
        let count = grains.count.map(|count| count as f64);
        [by_rate, by_mass, count].into_iter().flatten().fold(f64::INFINITY, f64::min)
    });
    of_inlet.filter(|count| count.is_finite()).sum()
}

/// Returns the bytes of the state of this number of bodies in a dense bed.
fn state_bytes(world: &World, bodies: f64) -> f64 {
    let shapes = size_of_val(world.shapes());
    bodies * (World::bytes_per_body() as f64 + CONTACTS_PER_GRAIN * World::bytes_per_contact() as f64) + shapes as f64
}

/// Returns a size as text.
fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1e6 => format!("{:.0} kB", (b / 1e3).max(1.0)),
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

/// Returns a duration as text.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".to_owned(),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}
