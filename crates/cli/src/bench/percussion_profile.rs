//! Profile of a scene with percussions: processor time of the stages, work of the solver by kind of
//! program, and saved programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use glam::DVec3;
use granum_engine::percussion::certificate::LawDistance;
use granum_engine::percussion::profile::{Part, Profile, ProgramKind, ProgramObserver};
use granum_engine::percussion::program::Program;
use granum_engine::percussion::solver::block_descent::{self, Limits};
use granum_engine::{Simulation, StageSeconds};
use granum_reference::pair_table;
use granum_scene::Scene;
use serde::{Deserialize, Serialize};

use super::cpu_time;
use crate::Failure;
use crate::table::{Align, Table};

/// Largest number of iterations for a saved program.
const MAX_ITERATIONS: u32 = 40_000;
/// Ending of a file of saved programs.
pub const ENDING: &str = "programs";

/// A program of a step, as in a file of saved programs.
#[derive(Serialize, Deserialize)]
pub struct SavedProgram {
    /// Name of its kind.
    pub kind: String,
    /// Percussions from which the solver starts, on b, N s.
    pub start: Vec<DVec3>,
    /// The program.
    pub program: Program,
}

/// Settings of the run: its scene, and the file for saved programs.
pub struct Settings<'a> {
    /// Scene file, and values that replace those of the scene.
    pub scene: &'a Path,
    pub overrides: &'a [String],
    /// Number of steps; all of the scene if `None`.
    pub steps: Option<u64>,
    pub threads: usize,
    /// File of saved programs, number of steps between two that are saved, and least number of
    /// bodies of a saved program.
    pub save: Option<&'a PathBuf>,
    pub save_every: u64,
    pub save_bodies: usize,
}

/// Runs a scene. Returns its profile as text.
pub fn run(settings: &Settings) -> Result<String, Failure> {
    let scene = Scene::load_with(settings.scene, settings.overrides)?;
    let world = scene.build()?;
    if world.percussion().is_none() {
        let reason = "has no percussions; set response = \"percussion\"";
        return Err(Failure::Input(format!("{} {reason}", settings.scene.display())));
    }
    let steps = settings.steps.unwrap_or((scene.end_time() / world.time_step()).round() as u64);
    let mut simulation = Simulation::with_table(world, settings.threads, pair_table().clone())
        .map_err(|error| Failure::Input(error.to_string()))?;
    let saved = Arc::new(Mutex::new(Vec::new()));
    if settings.save.is_some() {
        simulation.observe_programs(observer(saved.clone(), settings.save_bodies));
    }
    let (start, cpu) = (Instant::now(), cpu_time::of_process());
    let mut bytes = Vec::new();
    for step in 0..steps {
        simulation.run(1);
        let programs = std::mem::take(&mut *saved.lock().unwrap_or_else(PoisonError::into_inner));
        if step % settings.save_every == 0 {
            for program in &programs {
                bytes.extend(postcard::to_allocvec(program).map_err(|error| Failure::Input(error.to_string()))?);
            }
        }
    }
    let wall = start.elapsed().as_secs_f64();
    let cpu = cpu_time::of_process().zip(cpu).map_or(wall, |(end, start)| end - start);
    if let Some(file) = settings.save {
        fs::write(file, bytes).map_err(|error| Failure::Input(format!("{}: {error}", file.display())))?;
    }
    Ok(text(&simulation, steps, cpu))
}

/// Solves the programs of a file from their starts. Returns the work by kind as text.
pub fn solve_saved(path: &Path, tolerance: f64) -> Result<String, Failure> {
    let limits = Limits { tolerance, max_iterations: MAX_ITERATIONS };
    let programs = read(path)?;
    let (mut profile, mut worst, mut missed, mut law) = (Profile::default(), 0f64, 0, LawDistance::default());
    let cpu = cpu_time::of_process().unwrap_or_default();
    for SavedProgram { kind, start, program } in &programs {
        let Some(kind) = ProgramKind::ALL.into_iter().find(|known| known.name() == kind) else { continue };
        let solution = block_descent::solve(program, start, limits);
        profile.add_program(kind, &solution.effort);
        worst = worst.max(solution.certificate.worst());
        missed += u32::from(!solution.certificate.meets(tolerance));
        law = law.join(solution.certificate.law);
    }
    let cpu = cpu_time::of_process().unwrap_or_default() - cpu;
    Ok(format!(
        "{}: {} programs in {cpu:.3} s of processor time\n\n{}\n\
         {missed} missed the tolerance or Coulomb's law; largest residual {worst:.1e}; bounds of friction off mu p_n \
         by {:.2} %\n",
        path.display(),
        programs.len(),
        solver(&profile).text(),
        100.0 * law.relative(),
    ))
}

/// Reads a file of saved programs.
fn read(path: &Path) -> Result<Vec<SavedProgram>, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    let (mut rest, mut programs) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let damaged = |_| Failure::Input(format!("{} does not contain programs of this version", path.display()));
        let (program, after) = postcard::take_from_bytes(rest).map_err(damaged)?;
        programs.push(program);
        rest = after;
    }
    Ok(programs)
}

/// Returns an observer that keeps the programs of at least this number of bodies.
fn observer(saved: Arc<Mutex<Vec<SavedProgram>>>, least_bodies: usize) -> ProgramObserver {
    Box::new(move |kind, program, start| {
        if program.bodies.len() >= least_bodies {
            let saved_program =
                SavedProgram { kind: kind.name().to_owned(), start: start.to_vec(), program: program.clone() };
            saved.lock().unwrap_or_else(PoisonError::into_inner).push(saved_program);
        }
    })
}

fn text(simulation: &Simulation, steps: u64, cpu: f64) -> String {
    let statistics = simulation.world().percussion().map(|percussion| percussion.statistics).unwrap_or_default();
    format!(
        "{steps} steps, {cpu:.2} s of processor time (user and system), {} threads\n\n{}\n{}\n\
         programs    {}, {} missed the tolerance or Coulomb's law; largest residual {:.1e}\n\
         Coulomb     bounds of friction off mu p_n by at most {:.2} % in a step\n",
        simulation.threads(),
        stages(&simulation.stage_seconds()).text(),
        solver(&simulation.percussion_profile()).text(),
        statistics.programs,
        statistics.missed,
        statistics.worst,
        100.0 * statistics.worst_law_distance,
    )
}

/// Returns the wall time of each stage.
fn stages(seconds: &StageSeconds) -> Table<2> {
    let mut table = Table::new([("stage", Align::Left), ("s", Align::Right)]);
    for (name, seconds) in seconds.named() {
        table.row([name.to_owned(), format!("{seconds:.3}")]);
    }
    table
}

/// Returns the work of the solver, with a column for each kind of program.
fn solver(profile: &Profile) -> Table<5> {
    let [rebound, resting, stop, correction] = ProgramKind::ALL.map(|kind| (kind.name(), Align::Right));
    let mut table = Table::new([("programs", Align::Left), rebound, resting, stop, correction]);
    let efforts = ProgramKind::ALL.map(|kind| *profile.of(kind));
    let mut row = |name: String, cell: &dyn Fn(usize) -> String| {
        table.row([name, cell(0), cell(1), cell(2), cell(3)]);
    };
    let all = "s in all programs".to_owned();
    row(all, &|k| format!("{:.3}", efforts[k].total_seconds()));
    for part in Part::ALL {
        row(format!("s in {}", part.name()), &|k| format!("{:.3}", efforts[k].seconds(part)));
    }
    row("programs".into(), &|k| efforts[k].programs.to_string());
    row("with Newton steps".into(), &|k| efforts[k].with_newton.to_string());
    row("sweeps".into(), &|k| efforts[k].sweeps.to_string());
    row("Newton steps".into(), &|k| efforts[k].newton_steps.to_string());
    row("factorisations".into(), &|k| efforts[k].factorisations.to_string());
    row("analyses".into(), &|k| efforts[k].analyses.to_string());
    table
}
