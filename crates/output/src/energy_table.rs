//! `energy.csv`: the energy ledger, a row each output time, in J, s and m, with every digit.

use std::fs::File;
use std::io;
use std::path::Path;

use granum_engine::{Energy, Snapshot};
use serde::Serialize;

/// Writes `energy.csv` as the run goes: each row is on its way to the disk before the next step.
pub struct EnergyTable {
    writer: csv::Writer<File>,
    /// The ledger at the first row, to which the residual refers.
    start: Option<Energy>,
}

/// A row; the names and their order are a contract with those who read the file.
#[derive(Serialize)]
struct Row {
    time: f64,
    kinetic_translational: f64,
    kinetic_rotational: f64,
    potential: f64,
    elastic: f64,
    dissipated: f64,
    work: f64,
    residual: f64,
    contacts: usize,
    max_overlap: f64,
}

impl EnergyTable {
    /// Makes the file; one that is there already is an error.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { writer: csv::Writer::from_writer(File::create_new(path)?), start: None })
    }

    /// Adds a row.
    pub fn record(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let energy = &snapshot.energy;
        let start = self.start.get_or_insert(*energy);
        let row = Row {
            time: snapshot.time,
            kinetic_translational: energy.kinetic_translational,
            kinetic_rotational: energy.kinetic_rotational,
            potential: energy.potential,
            elastic: energy.elastic,
            dissipated: energy.dissipated(),
            work: energy.work,
            residual: energy.residual(start),
            contacts: snapshot.contacts.len(),
            max_overlap: snapshot.max_overlap(),
        };
        self.writer.serialize(row).map_err(io::Error::other)?;
        self.writer.flush()
    }
}
