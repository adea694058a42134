//! `granum info`: what a run was, for a person.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use granum_output::{EnergyRow, Frame, RunFolder, Status, Summary, run_folder};
use granum_scene::Scene;

use crate::Failure;
use crate::table::{Align, Table};

/// Say what a run was: bodies, time, speed, energies, files.
///
/// The run may be finished, stopped or still going.
#[derive(clap::Args)]
#[command(after_help = "Example: granum info out/first_pour-20260315-141500")]
pub struct Args {
    /// Folder of a run
    dir: PathBuf,
}

/// Prints what is known of the run.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folder = RunFolder::open(&args.dir)?;
    let mut out = io::stdout().lock();
    let mut faults: Vec<String> = folder.damaged().iter().map(ToString::to_string).collect();
    // A file that is not there yet is no fault; one that cannot be read is.
    let mut known = |name: &str, result: Result<(), String>| {
        if let Err(reason) = result
            && folder.dir().join(name).exists()
        {
            faults.push(reason);
        }
    };
    let summary = folder.summary();
    known(run_folder::SUMMARY, summary.as_ref().map(|_| ()).map_err(ToString::to_string));
    let energy = folder.energy();
    known(run_folder::ENERGY, energy.as_ref().map(|_| ()).map_err(ToString::to_string));
    let frame = folder.frames().last().map(|last| folder.frame(last.number));
    if let Some(Err(error)) = &frame {
        faults.push(error.to_string());
    }

    let scene = Scene::load(&args.dir.join(run_folder::SCENE)).ok();
    let title = scene.as_ref().and_then(|scene| scene.title.as_ref());
    writeln!(out, "run        {}{}", args.dir.display(), title.map_or(String::new(), |title| format!(": {title}")))?;
    writeln!(out, "status     {}", status(summary.as_ref().ok()))?;
    if let Some(Ok(frame)) = &frame {
        tell_bodies(&mut out, frame)?;
    }
    let rows = energy.as_deref().unwrap_or(&[]);
    let reached = rows.last().map(|row| row.time).into_iter().chain(folder.frames().last().map(|frame| frame.time));
    if let Some(time) = reached.reduce(f64::max) {
        let end = scene.as_ref().map_or(String::new(), |scene| format!(" of {} s", scene.end_time()));
        writeln!(out, "time       {time} s{end}")?;
    }
    if let Ok(summary) = &summary {
        tell_speed(&mut out, summary)?;
    }
    if let [first, .., last] = rows {
        tell_energies(&mut out, first, last, rows)?;
    }
    tell_files(&mut out, &folder)?;
    for fault in faults {
        writeln!(out, "damaged    {fault}")?;
    }
    Ok(())
}

fn status(summary: Option<&Summary>) -> String {
    match summary.map(|summary| summary.status) {
        Some(Status::Completed) => "completed".into(),
        Some(other) => format!("{other:?}").to_lowercase(),
        None => "still running, or killed: there is no summary".into(),
    }
}

/// Grains and walls by material and by kind.
fn tell_bodies(out: &mut impl Write, frame: &Frame) -> io::Result<()> {
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

fn tell_speed(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
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

/// The ledger at the first and the last row.
fn tell_energies(out: &mut impl Write, first: &EnergyRow, last: &EnergyRow, rows: &[EnergyRow]) -> io::Result<()> {
    let deepest = rows.iter().map(|row| row.max_overlap).fold(0.0, f64::max);
    writeln!(out, "contacts   {}; deepest overlap at any output time {deepest:.3e} m", last.contacts)?;
    let kinetic = |row: &EnergyRow| row.kinetic_translational + row.kinetic_rotational;
    let turned_over = last.dissipated + last.work.abs() + kinetic(last) + (last.potential - first.potential).abs();
    let part = if turned_over > 0.0 { last.residual.abs() / turned_over } else { 0.0 };
    writeln!(out, "ledger     residual {:.2e} J, {part:.1e} of the energy that was turned over", last.residual)?;
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

fn tell_files(out: &mut impl Write, folder: &RunFolder) -> io::Result<()> {
    let dir = folder.dir();
    let span = match folder.frames() {
        [first, .., last] => format!(", {} s to {} s", first.time, last.time),
        _ => String::new(),
    };
    writeln!(out, "frames     {}{span}, {}", folder.frames().len(), bytes(size(&dir.join(run_folder::FRAMES))))?;
    let checkpoints = dir.join(run_folder::CHECKPOINT);
    let count = fs::read_dir(&checkpoints).map_or(0, Iterator::count);
    writeln!(out, "checkpoint {count} files, {}", bytes(size(&checkpoints)))?;
    writeln!(out, "disk       {} in all", bytes(size(dir)))
}

/// Bytes of a file, or of all files below a folder; 0 if it is not there. Links are not followed.
fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => {
            fs::read_dir(path).map_or(0, |entries| entries.flatten().map(|entry| size(&entry.path())).sum())
        }
        Ok(data) => data.len(),
        Err(_) => 0,
    }
}

/// Bytes for people: `512 B`, `3.2 MB`.
fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1e3 => format!("{b} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}
