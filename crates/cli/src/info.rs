//! `granum info`: summary of a run.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use granum_output::{EnergyRow, Frame, RunFolder, Status, Summary, run_folder};
use granum_scene::Scene;

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
}

/// Prints the summary.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folder = RunFolder::open(&args.dir)?;
    let mut out = io::stdout().lock();
    let mut damaged: Vec<String> = folder.damaged().iter().map(ToString::to_string).collect();
    // A file that does not exist yet is not damaged; one that exists and cannot be read is.
    let mut check = |name: &str, result: Result<(), String>| {
        if let Err(reason) = result
            && folder.dir().join(name).exists()
        {
            damaged.push(reason);
        }
    };
    let summary = folder.summary();
    check(run_folder::SUMMARY, summary.as_ref().map(|_| ()).map_err(ToString::to_string));
    let energy = folder.energy();
    check(run_folder::ENERGY, energy.as_ref().map(|_| ()).map_err(ToString::to_string));
    let frame = folder.frames().last().map(|last| folder.frame(last.number));
    if let Some(Err(error)) = &frame {
        damaged.push(error.to_string());
    }

    let scene = Scene::load(&args.dir.join(run_folder::SCENE)).ok();
    let title = scene.as_ref().and_then(|scene| scene.title.as_ref());
    writeln!(out, "run        {}{}", args.dir.display(), title.map_or(String::new(), |title| format!(": {title}")))?;
    writeln!(out, "status     {}", status(summary.as_ref().ok()))?;
    if let Some(Ok(frame)) = &frame {
        print_bodies(&mut out, frame)?;
    }
    let rows = energy.as_deref().unwrap_or(&[]);
    let reached = rows.last().map(|row| row.time).into_iter().chain(folder.frames().last().map(|frame| frame.time));
    if let Some(time) = reached.reduce(f64::max) {
        let end = scene.as_ref().map_or(String::new(), |scene| format!(" of {} s", scene.end_time()));
        writeln!(out, "time       {time} s{end}")?;
    }
    if let Ok(summary) = &summary {
        print_speed(&mut out, summary)?;
    }
    if let [first, .., last] = rows {
        print_energies(&mut out, first, last, rows)?;
    }
    print_files(&mut out, &folder)?;
    for reason in damaged {
        writeln!(out, "damaged    {reason}")?;
    }
    Ok(())
}

/// Returns the status of the run in words.
fn status(summary: Option<&Summary>) -> String {
    match summary.map(|summary| summary.status) {
        Some(Status::Completed) => "completed".into(),
        Some(other) => format!("{other:?}").to_lowercase(),
        None => "still running, or killed (no summary)".into(),
    }
}

/// Prints the number of grains and walls by kind of shape and material.
fn print_bodies(out: &mut impl Write, frame: &Frame) -> io::Result<()> {
    let (mut grains, mut walls) = (BTreeMap::new(), BTreeMap::new());
    for body in &frame.bodies {
        let kind = frame.shapes[body.shape.0 as usize].kind().name();
        let material = frame.materials[body.material.0 as usize].as_str();
        let counts = if body.mass.is_finite() { &mut grains } else { &mut walls };
        *counts.entry((kind, material)).or_insert(0) += 1;
    }
    for (what, counts) in [("grains", grains), ("walls", walls)] {
        let total: u64 = counts.values().sum();
        let parts: Vec<String> =
            counts.iter().map(|((kind, material), count)| format!("{count} {kind} of {material}")).collect();
        writeln!(out, "{what:<10} {total}{}{}", if parts.is_empty() { "" } else { ": " }, parts.join(", "))?;
    }
    let mass: f64 = frame.bodies.iter().map(|body| body.mass).filter(|mass| mass.is_finite()).sum();
    writeln!(out, "mass       {mass:.6} kg")
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
    writeln!(out, "stages     {}", stages.join(", "))
}

/// Prints the energy ledger at the first and the last output time.
fn print_energies(out: &mut impl Write, first: &EnergyRow, last: &EnergyRow, rows: &[EnergyRow]) -> io::Result<()> {
    let deepest = rows.iter().map(|row| row.max_overlap).fold(0.0, f64::max);
    writeln!(out, "contacts   {}; deepest overlap at any output time {deepest:.3e} m", last.contacts)?;
    let kinetic = |row: &EnergyRow| row.kinetic_translational + row.kinetic_rotational;
    let turned_over = last.dissipated + last.work.abs() + kinetic(last) + (last.potential - first.potential).abs();
    let part = if turned_over > 0.0 { last.residual.abs() / turned_over } else { 0.0 };
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

/// Prints the frames, checkpoints and sizes of files.
fn print_files(out: &mut impl Write, folder: &RunFolder) -> io::Result<()> {
    let dir = folder.dir();
    let span = match folder.frames() {
        [first, .., last] => format!(", {} s to {} s", first.time, last.time),
        _ => String::new(),
    };
    writeln!(out, "frames     {}{span}, {}", folder.frames().len(), bytes(size(&dir.join(run_folder::FRAMES))))?;
    let checkpoints = dir.join(run_folder::CHECKPOINT);
    let count = fs::read_dir(&checkpoints).map_or(0, Iterator::count);
    writeln!(out, "checkpoint {count} files, {}", bytes(size(&checkpoints)))?;
    writeln!(out, "disk       {} in total", bytes(size(dir)))
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
