//! `granum bench percussions`: profile of a scene with percussions, and time of the solvers for convex
//! programs from files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::{DMat3, DVec3};
use granum_engine::percussion::TOLERANCE;
use granum_engine::percussion::program::{
    NormalPotential, OUTSIDE, Program, ProgramBody, ProgramContact, TangentialPotential, Twist,
};
use granum_engine::percussion::solver::block_descent::{self, Limits, Solution};
use granum_engine::percussion::solver::interior_point;
use granum_geometry::random::Random;

use super::percussion_profile::{self, Settings};
use crate::Failure;
use crate::table::{Align, Table};

/// Measure the solvers of percussions.
///
/// Given a scene, runs it and prints the time of each stage, and the work of the solver by kind of
/// program; `--save` keeps the programs in a file. Given a file of saved programs, solves each from
/// its start and prints the work by kind. Given convex programs of heaps in the format of `qp gen`,
/// solves each from zero percussions (cold), and again after a change of its free momenta by up to
/// 0.02 N s from the first solution (warm). With `--reference` also by the interior-point method.
#[derive(clap::Args)]
#[command(after_help = "Example: granum bench percussions scenes/heap_100.toml --steps 500")]
pub struct Args {
    /// Scene, or files of convex programs
    #[arg(required = true, value_name = "SCENE|FILE")]
    files: Vec<PathBuf>,
    /// Largest residual of the programs of a file, relative to the greatest contact velocity
    #[arg(long, value_name = "R", default_value_t = TOLERANCE)]
    tolerance: f64,
    /// Also solve by the interior-point method
    #[arg(long)]
    reference: bool,
    /// Change a value of the scene
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Number of steps of the scene; by default up to its end
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Number of threads; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Save the programs of the scene in a file that ends with `.programs`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Number of steps from one to the next of which programs are saved
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    save_every: u64,
    /// Least number of bodies of a saved program
    #[arg(long, value_name = "N", default_value_t = 1)]
    save_bodies: usize,
}

/// Index of the section with the momenta of a file.
const MOMENTA: usize = 4;
/// Index of the section with the mass matrices.
const MASSES: usize = 9;
/// Index of the section with the rows of the contact Jacobian.
const ROWS: usize = 10;
/// Numbers in a row: two bodies, six for each, bound, kappa, and a flag for a normal.
const ROW: usize = 17;
/// Largest change of a free momentum between the two programs of a warm start, N s.
const CHANGE: f64 = 0.02;
/// Largest number of iterations.
const MOST: u32 = 100_000;

/// Measures the solvers and prints the results.
pub fn run(args: &Args) -> Result<(), Failure> {
    let has_ending = |file: &Path, ending: &str| file.extension().is_some_and(|found| found == ending);
    let mut text = String::new();
    let mut heaps = heap_table();
    for file in &args.files {
        if has_ending(file, "toml") {
            text += &percussion_profile::run(&Settings {
                scene: file,
                overrides: &args.settings,
                steps: args.steps,
                threads: args.threads,
                save: args.save.as_ref(),
                save_every: args.save_every,
                save_bodies: args.save_bodies,
            })?;
        } else if has_ending(file, percussion_profile::ENDING) {
            text += &percussion_profile::solve_saved(file, args.tolerance)?;
        } else {
            solve_heap(file, args, &mut heaps)?;
        }
    }
    if !heaps.is_empty() {
        text += &heaps.text();
    }
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}

fn heap_table() -> Table<7> {
    Table::new([
        ("file", Align::Left),
        ("bodies", Align::Right),
        ("contacts", Align::Right),
        ("solver", Align::Left),
        ("iterations", Align::Right),
        ("ms", Align::Right),
        ("residual", Align::Right),
    ])
}

/// Measures the solvers for one heap.
fn solve_heap(file: &Path, args: &Args, table: &mut Table<7>) -> Result<(), Failure> {
    let program = read(file)?;
    let limits = Limits { tolerance: args.tolerance, max_iterations: MOST };
    let mut row = |solver: &str, (solution, seconds): (&Solution, f64)| {
        table.row([
            file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            program.bodies.len().to_string(),
            program.contacts.len().to_string(),
            solver.to_owned(),
            solution.iterations.to_string(),
            format!("{:.1}", 1e3 * seconds),
            format!("{:.1e}", solution.certificate.worst()),
        ]);
    };
    let zero = vec![DVec3::ZERO; program.contacts.len()];
    let (cold, seconds) = timed(|| block_descent::solve(&program, &zero, limits));
    row("block-descent, cold", (&cold, seconds));
    let changed = changed(&program);
    let (warm, seconds) = timed(|| block_descent::solve(&changed, &cold.percussions, limits));
    row("block-descent, warm", (&warm, seconds));
    if args.reference {
        let (reference, seconds) = timed(|| interior_point::unpolished(&program, args.tolerance));
        row("interior-point", (&reference, seconds));
    }
    Ok(())
}

/// Returns a solution and its time, s.
fn timed(solve: impl Fn() -> Solution) -> (Solution, f64) {
    let start = Instant::now();
    let solution = solve();
    (solution, start.elapsed().as_secs_f64())
}

/// Returns the program with changed free momenta.
fn changed(program: &Program) -> Program {
    let mut changed = program.clone();
    let mut random = Random::new(12345);
    for body in &mut changed.bodies {
        body.free.velocity += body.inverse_mass * CHANGE * random.in_cube();
        body.free.spin += body.inverse_inertia * (CHANGE * random.in_cube());
    }
    changed
}

/// Returns the first three numbers as a vector.
fn vector(of: &[f64]) -> DVec3 {
    DVec3::new(of[0], of[1], of[2])
}

/// Reads the convex program of a file.
///
/// The file is a list of little-endian doubles: sections, each after its length.
fn read(path: &Path) -> Result<Program, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    let damaged = || Failure::Input(format!("{} is not a convex program", path.display()));
    let words = bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap_or_default()));
    let words: Vec<f64> = words.collect();
    let mut sections = Vec::new();
    let mut rest = words.as_slice();
    while let Some((&length, after)) = rest.split_first() {
        let (section, after) = after.split_at_checked(length as usize).ok_or_else(damaged)?;
        sections.push(section);
        rest = after;
    }
    let count = sections.first().and_then(|section| section.first()).map_or(0, |count| *count as usize);
    if sections.len() <= ROWS || sections[MOMENTA].len() != 6 * count || sections[MASSES].len() != 36 * count {
        return Err(damaged());
    }
    let bodies = sections[MASSES].chunks_exact(36).zip(sections[MOMENTA].chunks_exact(6)).map(|(matrix, momentum)| {
        let column = |k: usize| DVec3::new(matrix[21 + k], matrix[27 + k], matrix[33 + k]);
        let inverse_inertia = (2.0 * DMat3::from_cols(column(0), column(1), column(2))).inverse();
        let inverse_mass = 0.5 / matrix[0];
        let velocity = inverse_mass * vector(momentum);
        ProgramBody {
            inverse_mass,
            inverse_inertia,
            free: Twist { velocity, spin: inverse_inertia * vector(&momentum[3..]) },
        }
    });
    let rows: Vec<&[f64]> = sections[ROWS].chunks_exact(ROW).collect();
    // A contact with dissipation has three rows, one without a single one.
    let coupled = rows.iter().any(|row| row[16] < 0.5);
    let contacts = rows.chunks(if coupled { 3 } else { 1 }).map(|rows| contact(rows, coupled));
    Ok(Program { bodies: bodies.collect(), contacts: contacts.collect() })
}

/// Returns the contact of one row, or of three rows if it has tangential rows.
fn contact(rows: &[&[f64]], coupled: bool) -> ProgramContact {
    let row = rows[0];
    let normal = -vector(&row[2..]);
    let [t1, t2] = match coupled {
        true => [-vector(&rows[1][2..]), -vector(&rows[2][2..])],
        false => {
            let first = normal.any_orthonormal_vector();
            [first, normal.cross(first)]
        }
    };
    let hand = normal.cross(t1).dot(t2);
    // The lever arm follows from its cross products with the axes. Its component along the normal
    // affects the tangential rows only.
    let arm = |with_normal: DVec3, with_first: DVec3| {
        hand * (with_normal.dot(t1) * t2 - with_normal.dot(t2) * t1 + with_first.dot(t2) * normal)
    };
    let first = |from: usize, sign: f64| if coupled { sign * vector(&rows[1][from..]) } else { DVec3::ZERO };
    let outside = row[1] < 0.0;
    let arm_b = if outside { DVec3::ZERO } else { arm(vector(&row[11..]), first(11, 1.0)) };
    ProgramContact {
        bodies: [row[0] as u32, if outside { OUTSIDE } else { row[1] as u32 }],
        normal,
        arms: [arm(-vector(&row[5..]), first(5, -1.0)), arm_b],
        prescribed_velocity: DVec3::ZERO,
        normal_potential: NormalPotential { min_velocity: row[14], kappa: row[15], tensile: coupled },
        tangential_potential: if coupled {
            TangentialPotential::Viscous(rows[1][15])
        } else {
            TangentialPotential::Frictionless
        },
    }
}
