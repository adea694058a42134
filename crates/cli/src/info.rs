//! `granum info`: summary of a run.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use granum_engine::percussion::SolverStatistics;
use granum_engine::{BodyState, TriangleWear};
use granum_geometry::{Shape, TriangleMesh};
use granum_output::{EnergyRow, FlowRow, Frame, RunFolder, Status, Summary, run_folder};
use granum_scene::{Scene, short_number};
use serde::Serialize;

use crate::Failure;
use crate::table::{Align, Table};

/// Show a summary of a run: bodies, time, speed, energies, files.
///
/// The run may be completed, stopped or still running.
#[derive(clap::Args)]
#[command(after_help = "Example: granum info out/first_run-20260315-141500")]
pub struct Args {
    /// Folder of a run
    dir: PathBuf,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// The contents of `granum info --json`. The names are a public contract.
#[derive(Serialize)]
struct Report {
    /// Folder of the run.
    run: String,
    /// Title of the scene.
    title: Option<String>,
    /// `completed`, `interrupted` or `guard`; null if the run has no summary, because it is still
    /// running or was killed.
    status: Option<Status>,
    /// Grains and walls in the last frame, by shape and material.
    grains: Vec<Bodies>,
    walls: Vec<Bodies>,
    /// Triangulated surfaces in the last frame.
    surfaces: Vec<SurfaceInfo>,
    /// Mass of the grains in the last frame, kg.
    mass: Option<f64>,
    /// Time that the run has reached, s, and its end.
    time: Option<f64>,
    end: Option<f64>,
    /// The figures of `summary.json`.
    summary: Option<Summary>,
    /// First and last row of `energy.csv`.
    first: Option<EnergyRow>,
    last: Option<EnergyRow>,
    /// Deepest overlap of all rows, m.
    max_overlap: Option<f64>,
    /// Residual of the last row relative to the energy turned over.
    relative_residual: Option<f64>,
    /// Last row of each flow plane and outlet in `flow.csv`.
    flow: Vec<FlowRow>,
    frames: Frames,
    /// Number of checkpoint files and their size, bytes.
    checkpoints: usize,
    checkpoint_bytes: u64,
    /// Size of the folder, bytes.
    bytes: u64,
    /// Reasons for which files cannot be read.
    damaged: Vec<String>,
}

/// Number of bodies of one shape and material.
#[derive(Serialize)]
struct Bodies {
    shape: String,
    material: String,
    count: u64,
}

/// A triangulated surface.
#[derive(Serialize)]
struct SurfaceInfo {
    /// Name in the scene; empty if it is not known.
    name: String,
    material: String,
    triangles: usize,
    /// Area, m².
    area: f64,
    /// Energy that friction and impacts of grains have dissipated, J; null if it is not recorded.
    friction_work: Option<f64>,
    impact_work: Option<f64>,
}

/// The frames of a run.
#[derive(Serialize)]
struct Frames {
    count: usize,
    /// Times of the first and the last frame, s.
    first: Option<f64>,
    last: Option<f64>,
    /// Size, bytes.
    bytes: u64,
}

/// Prints the summary.
pub fn run(args: &Args) -> Result<(), Failure> {
    let report = Report::of(&args.dir)?;
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(());
    }
    report.print(&mut out)?;
    Ok(())
}

impl Report {
    fn of(dir: &Path) -> Result<Self, Failure> {
        let folder = RunFolder::open(dir)?;
        let mut damaged: Vec<String> = folder.damaged().iter().map(ToString::to_string).collect();
        // A file that does not exist yet is not damaged; one that exists and cannot be read is.
        let mut check = |name: &str, error: Option<String>| {
            damaged.extend(error.filter(|_| folder.dir().join(name).exists()));
        };
        let (summary, energy, flow) = (folder.summary(), folder.energy(), folder.flow());
        check(run_folder::SUMMARY, summary.as_ref().err().map(ToString::to_string));
        check(run_folder::ENERGY, energy.as_ref().err().map(ToString::to_string));
        check(run_folder::FLOW, flow.as_ref().err().map(ToString::to_string));
        let frame = folder.frames().last().map(|last| folder.frame(last.number));
        if let Some(Err(error)) = &frame {
            damaged.push(error.to_string());
        }
        let frame = frame.and_then(Result::ok);
        let scene = Scene::load(&dir.join(run_folder::SCENE)).ok();
        let rows = energy.unwrap_or_default();
        let (first, last) = (rows.first().copied(), rows.last().copied());
        let (first_frame, last_frame) = (folder.frames().first(), folder.frames().last());
        let reached = last.map(|row| row.time).into_iter().chain(last_frame.map(|frame| frame.time));
        let last_of_plane: BTreeMap<String, FlowRow> =
            flow.unwrap_or_default().into_iter().map(|row| (row.plane.clone(), row)).collect();
        let checkpoints = dir.join(run_folder::CHECKPOINT);
        let bodies = |grains: bool| frame.as_ref().map_or_else(Vec::new, |frame| count_bodies(frame, grains));
        Ok(Self {
            run: dir.display().to_string(),
            status: summary.as_ref().ok().map(|summary| summary.status),
            grains: bodies(true),
            walls: bodies(false),
            surfaces: frame.as_ref().map_or_else(Vec::new, |frame| surfaces(frame, scene.as_ref())),
            mass: frame.as_ref().map(mass_of_grains),
            time: reached.reduce(f64::max),
            end: scene.as_ref().map(Scene::end_time),
            title: scene.as_ref().and_then(|scene| scene.title.clone()),
            summary: summary.ok(),
            max_overlap: rows.iter().map(|row| row.max_overlap).reduce(f64::max),
            relative_residual: first.zip(last).map(|(first, last)| relative_residual(&first, &last)),
            first,
            last,
            flow: last_of_plane.into_values().collect(),
            frames: Frames {
                count: folder.frames().len(),
                first: first_frame.map(|frame| frame.time),
                last: last_frame.map(|frame| frame.time),
                bytes: size(&dir.join(run_folder::FRAMES)),
            },
            checkpoints: fs::read_dir(&checkpoints).map_or(0, Iterator::count),
            checkpoint_bytes: size(&checkpoints),
            bytes: size(dir),
            damaged,
        })
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let title = self.title.as_ref().map_or(String::new(), |title| format!(": {title}"));
        writeln!(out, "run        {}{title}", self.run)?;
        writeln!(out, "status     {}", status(self.status))?;
        if let Some(mass) = self.mass {
            for (what, bodies) in [("grains", &self.grains), ("walls", &self.walls)] {
                print_bodies(out, what, bodies)?;
            }
            for SurfaceInfo { name, material, triangles, area, friction_work, impact_work } in &self.surfaces {
                let works = match (friction_work, impact_work) {
                    (Some(friction), Some(impact)) => {
                        format!("; dissipated {friction:.4e} J by friction, {impact:.4e} J by impacts")
                    }
                    _ => String::new(),
                };
                writeln!(out, "surface    {name}: {triangles} triangles of {material}, {area:.6} m2{works}")?;
            }
            writeln!(out, "mass       {mass:.6} kg")?;
        }
        if let Some(time) = self.time {
            let end = self.end.map_or(String::new(), |end| format!(" of {} s", short_number(end)));
            writeln!(out, "time       {} s{end}", short_number(time))?;
        }
        if let Some(summary) = &self.summary {
            print_speed(out, summary)?;
        }
        if let (Some(first), Some(last)) = (&self.first, &self.last)
            && last.time > first.time
        {
            self.print_energies(out, first, last)?;
        }
        for FlowRow { plane, grains, mass, .. } in &self.flow {
            writeln!(out, "flow       {plane}: {grains} grains, {mass:.6} kg")?;
        }
        let Frames { count, first, last, bytes: size } = &self.frames;
        let span = match (first, last) {
            (Some(first), Some(last)) if *count > 1 => {
                format!(", {} s to {} s", short_number(*first), short_number(*last))
            }
            _ => String::new(),
        };
        writeln!(out, "frames     {count}{span}, {}", bytes(*size))?;
        writeln!(out, "checkpoint {} files, {}", self.checkpoints, bytes(self.checkpoint_bytes))?;
        writeln!(out, "disk       {} in total", bytes(self.bytes))?;
        for reason in &self.damaged {
            writeln!(out, "damaged    {reason}")?;
        }
        Ok(())
    }

    /// Prints the energy ledger at the first and the last output time.
    fn print_energies(&self, out: &mut impl Write, first: &EnergyRow, last: &EnergyRow) -> io::Result<()> {
        let deepest = self.max_overlap.unwrap_or(0.0);
        writeln!(out, "contacts   {}; deepest overlap at any output time {deepest:.3e} m", last.contacts)?;
        let part = self.relative_residual.unwrap_or(0.0);
        writeln!(out, "ledger     residual {:.2e} J, {part:.1e} of the energy turned over", last.residual)?;
        let mut table = Table::new([("energy, J", Align::Left), ("first", Align::Right), ("last", Align::Right)]);
        for (name, value) in [
            ("kinetic, translation", (|row| row.kinetic_translational) as fn(&EnergyRow) -> f64),
            ("kinetic, rotation", |row| row.kinetic_rotational),
            ("potential", |row| row.potential),
            ("elastic", |row| row.elastic),
            ("dissipated", |row| row.dissipated),
            ("work", |row| row.work),
        ] {
            table.row([name.into(), format!("{:.4e}", value(first)), format!("{:.4e}", value(last))]);
        }
        for line in table.text().lines() {
            writeln!(out, "           {line}")?;
        }
        Ok(())
    }
}

/// Returns the status of the run in words.
fn status(status: Option<Status>) -> String {
    match status {
        Some(Status::Completed) => "completed".into(),
        Some(other) => format!("{other:?}").to_lowercase(),
        None => "still running, or killed (no summary)".into(),
    }
}

/// Returns the number of grains or walls of a frame by kind of shape and material.
fn count_bodies(frame: &Frame, grains: bool) -> Vec<Bodies> {
    let mut counts = BTreeMap::new();
    for body in frame.bodies.iter().filter(|body| body.is_grain() == grains) {
        let kind = frame.shapes[body.shape.0 as usize].kind().name();
        *counts.entry((kind, frame.materials[body.material.0 as usize].as_str())).or_insert(0) += 1;
    }
    let bodies =
        |((shape, material), count): ((String, &str), u64)| Bodies { shape, material: material.to_owned(), count };
    counts.into_iter().map(bodies).collect()
}

/// Returns the triangulated surfaces of a frame. They are in the order of the scene; one that a
/// stage has removed is in no frame, and then the others have no names.
fn surfaces(frame: &Frame, scene: Option<&Scene>) -> Vec<SurfaceInfo> {
    let found: Vec<(&BodyState, &TriangleMesh)> = frame
        .bodies
        .iter()
        .filter_map(|body| match &frame.shapes[body.shape.0 as usize] {
            Shape::Surface(surface) => Some((body, surface.mesh())),
            _ => None,
        })
        .collect();
    let names = scene.map(|scene| {
        let walls = scene.surfaces.iter().enumerate().filter(|(_, table)| table.wall);
        walls.map(|(number, table)| table.name.clone().unwrap_or_else(|| format!("surfaces[{number}]"))).collect()
    });
    let names = names.filter(|names: &Vec<String>| names.len() == found.len());
    let info = |(number, (body, mesh)): (usize, &(&BodyState, &TriangleMesh))| {
        let wear = frame.wear.iter().find(|wear| wear.body == body.id);
        let sum = |work: fn(&TriangleWear) -> f64| {
            let part = |worn: &TriangleWear| work(worn) * mesh.vector_area(worn.triangle as usize).length();
            wear.map(|wear| wear.triangles.iter().map(part).sum::<f64>() + 0.0)
        };
        SurfaceInfo {
            name: names.as_ref().map_or_else(String::new, |names| names[number].clone()),
            material: frame.materials[body.material.0 as usize].clone(),
            triangles: mesh.triangles().len(),
            area: mesh.area(),
            friction_work: sum(|worn| worn.friction_work),
            impact_work: sum(|worn| worn.impact_work),
        }
    };
    found.iter().enumerate().map(info).collect()
}

/// Returns the mass of the grains of a frame, kg.
fn mass_of_grains(frame: &Frame) -> f64 {
    // A sum of no terms is -0 and would be printed with its sign.
    frame.bodies.iter().map(|body| body.mass).filter(|mass| mass.is_finite()).sum::<f64>() + 0.0
}

/// Returns the residual of a row of the energy ledger relative to the energy turned over.
fn relative_residual(first: &EnergyRow, last: &EnergyRow) -> f64 {
    let kinetic = last.kinetic_translational + last.kinetic_rotational;
    let turned_over = last.dissipated + last.work.abs() + kinetic + (last.potential - first.potential).abs();
    if turned_over > 0.0 { last.residual.abs() / turned_over } else { 0.0 }
}

/// Prints the number of grains or walls by kind of shape and material.
fn print_bodies(out: &mut impl Write, what: &str, bodies: &[Bodies]) -> io::Result<()> {
    let total: u64 = bodies.iter().map(|bodies| bodies.count).sum();
    let part = |bodies: &Bodies| format!("{} {} of {}", bodies.count, bodies.shape, bodies.material);
    let parts: Vec<String> = bodies.iter().map(part).collect();
    writeln!(out, "{what:<10} {total}{}{}", if parts.is_empty() { "" } else { ": " }, parts.join(", "))
}

/// Prints the number of steps, the speed and the time of each stage.
fn print_speed(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    writeln!(out, "steps      {} of {:.4e} s", summary.steps, summary.dt)?;
    writeln!(
        out,
        "speed      {:.1} s, {:.1} steps/s, {:.3e} body-steps/s",
        summary.wall_seconds,
        summary.steps as f64 / summary.wall_seconds,
        summary.body_steps_per_second
    )?;
    let share = |(name, seconds): (&String, &f64)| format!("{name} {:.1} %", 100.0 * seconds / summary.wall_seconds);
    let stages: Vec<String> = summary.seconds.iter().map(share).collect();
    writeln!(out, "stages     {}", stages.join(", "))?;
    summary.percussion.map_or(Ok(()), |statistics| print_programs(out, &statistics))
}

/// Prints the certificates of the convex programs of a run with percussions.
fn print_programs(out: &mut impl Write, statistics: &SolverStatistics) -> io::Result<()> {
    let SolverStatistics { programs, missed, missed_law, worst, worst_law_distance, unsupported, .. } = statistics;
    writeln!(out, "programs   {programs}, largest residual {worst:.1e}; {missed} missed, {missed_law} by friction")?;
    writeln!(
        out,
        "friction   off Coulomb's law by at most {:.2} % in a step; at the end {unsupported} contacts with friction \
         and no normal percussion",
        100.0 * worst_law_distance
    )
}

/// Returns the size of a file, or of all files in a folder, bytes; 0 if it does not exist. Symbolic
/// links are not followed.
fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => {
            fs::read_dir(path).map_or(0, |entries| entries.flatten().map(|entry| size(&entry.path())).sum())
        }
        Ok(data) => data.len(),
        Err(_) => 0,
    }
}

/// Returns a size as text: `512 B`, `3.2 MB`.
fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1e3 => format!("{b} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}
