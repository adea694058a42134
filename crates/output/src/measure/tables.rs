//! Measured quantities as CSV tables in SI units with all digits. The column names are a public
//! contract.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use glam::DMat3;

use super::{Drum, FlowRow, MeasureRow, Measurement, Profile};
use crate::atomic_file;

#[rustfmt::skip]
const ROWS: [&str; 30] = [
    "time", "packing", "packing_error", "room", "grains", "coordination", "coordination_carrying", "rattlers", "order",
    "director_x", "director_y", "director_z", "q_xx", "q_yy", "q_zz", "q_xy", "q_xz", "q_yz", "pressure",
    "stress_xx", "stress_yy", "stress_zz", "stress_xy", "stress_xz", "stress_yz", "stress_motion", "stress_asymmetry",
    "heap_height", "heap_radius", "overlap",
];

#[rustfmt::skip]
const PROFILE: [&str; 16] = [
    "x", "y", "z", "grains", "packing", "density", "vx", "vy", "vz", "temperature",
    "stress_xx", "stress_yy", "stress_zz", "stress_xy", "stress_xz", "stress_yz",
];

/// Writes the tables into an existing folder and returns their names.
pub fn write_tables(measurement: &Measurement, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = vec![folder.join("observables.csv")];
    atomic_file::write_buffered(&paths[0], |file| rows(measurement.rows(), file))?;
    if let Some(profile) = measurement.profile() {
        let path = folder.join("profiles.csv");
        atomic_file::write_buffered(&path, |file| profiles(profile, file))?;
        paths.push(path);
    }
    let drum = measurement.drum();
    if !drum.rows().is_empty() {
        let path = folder.join("drum_surface.csv");
        atomic_file::write_buffered(&path, |file| surface(drum, file))?;
        paths.push(path);
        let path = folder.join("drum_flow.csv");
        atomic_file::write_buffered(&path, |file| flow(&drum.flow(), file))?;
        paths.push(path);
    }
    Ok(paths)
}

/// Returns the six components of the symmetric part of a tensor.
fn six(t: &DMat3) -> [f64; 6] {
    let mean = |i: usize, j: usize| 0.5 * (t.col(j)[i] + t.col(i)[j]);
    [mean(0, 0), mean(1, 1), mean(2, 2), mean(0, 1), mean(0, 2), mean(1, 2)]
}

/// Returns the largest asymmetry of a tensor.
fn asymmetry(t: &DMat3) -> f64 {
    let differences = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| (t.col(j)[i] - t.col(i)[j]).abs());
    differences.into_iter().fold(0.0, f64::max)
}

fn rows(rows: &[MeasureRow], file: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(ROWS)?;
    for MeasureRow { time, packing, coordination, order, stress, heap } in rows {
        table.serialize((
            (time, packing.fraction, packing.error, packing.room, coordination.grains),
            (coordination.mean, coordination.carrying, coordination.rattlers),
            (order.order, order.director.to_array(), six(&order.tensor)),
            (
                stress.pressure(),
                six(&(stress.contacts + stress.motion)),
                stress.pressure_of_motion(),
                asymmetry(&stress.contacts),
            ),
            (heap.height, heap.radius, heap.overlap),
        ))?;
    }
    table.flush()
}

fn profiles(profile: &Profile, file: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(PROFILE)?;
    for row in profile.rows() {
        table.serialize((
            (row.centre.to_array(), row.grains, row.fraction, row.density, row.velocity.to_array()),
            (row.temperature, six(&row.stress)),
        ))?;
    }
    table.flush()
}

fn surface(drum: &Drum, file: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(["time", "surface_deg", "centre_of_mass_deg", "height"])?;
    for row in drum.rows() {
        table.serialize((row.time, row.surface, row.centre_of_mass, row.height))?;
    }
    table.flush()
}

fn flow(rows: &[FlowRow], file: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(["depth", "velocity", "rigid_velocity", "grains"])?;
    for row in rows {
        table.serialize((row.depth, row.velocity, row.rigid, row.grains))?;
    }
    table.flush()
}
