//! `energy.csv`: the energy ledger, a row each output time, in J, s and m, with every digit.

use std::fs::File;
use std::io;
use std::path::Path;

use granum_engine::{Energy, Snapshot};
use serde::{Deserialize, Serialize};

/// Writes `energy.csv` as the run goes: each row is on its way to the disk before the next step.
pub struct EnergyTable {
    writer: csv::Writer<File>,
    /// The ledger at the first row, to which the residual refers.
    start: Option<Energy>,
}

/// A row; the names and their order are a contract with those who read the file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyRow {
    /// s.
    pub time: f64,
    /// J.
    pub kinetic_translational: f64,
    /// J.
    pub kinetic_rotational: f64,
    /// In gravity, zero at the origin, J.
    pub potential: f64,
    /// Stored in contacts, J.
    pub elastic: f64,
    /// Lost since the start, J.
    pub dissipated: f64,
    /// Done by driven bodies since the start, J.
    pub work: f64,
    /// What is missing or too much against the first row, J.
    pub residual: f64,
    /// Contacts that carry a force.
    pub contacts: usize,
    /// Deepest overlap, m.
    pub max_overlap: f64,
}

impl EnergyRow {
    /// Reads a whole table. A last row without its line's end is still being written and is left out.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Self>, String> {
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let rows = csv::Reader::from_reader(&bytes[..end]).into_deserialize();
        rows.collect::<Result<_, _>>().map_err(|error| format!("is damaged: {error}"))
    }
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
        let row = EnergyRow {
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
