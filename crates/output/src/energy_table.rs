//! `energy.csv`: the energy ledger, one row per output time, in J, s and m, with all digits.

use std::io;
use std::path::Path;

use granum_engine::{Energy, Snapshot};
use granum_geometry::Shape;
use serde::{Deserialize, Serialize};

use crate::recorder::Recorder;
use crate::table_file::{self, TableFile};

/// Writes `energy.csv` during the run.
pub struct EnergyTable {
    file: TableFile,
    /// The ledger of the first row. The residual is relative to it.
    start: Option<Energy>,
}

/// A row of the table. Names and order of the columns are a public contract.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyRow {
    /// Time, s.
    pub time: f64,
    /// Kinetic energy of translation, J.
    pub kinetic_translational: f64,
    /// Kinetic energy of rotation, J.
    pub kinetic_rotational: f64,
    /// Potential energy in gravity, zero at the origin, J.
    pub potential: f64,
    /// Energy stored in contacts, J.
    pub elastic: f64,
    /// Energy dissipated since the start, J.
    pub dissipated: f64,
    /// Work of driven bodies since the start, J.
    pub work: f64,
    /// Error of the energy balance relative to the first row, J.
    pub residual: f64,
    /// Number of contacts that carry a force.
    pub contacts: usize,
    /// Deepest overlap, m.
    pub max_overlap: f64,
}

impl EnergyRow {
    /// Reads a whole table. A last row without line end is still being written and is skipped.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Self>, String> {
        table_file::parse(bytes)
    }
}

impl EnergyTable {
    /// Creates the file. It fails if the file exists.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: TableFile::create(path)?, start: None })
    }

    /// Opens the file of a resumed run, or creates it if the run had not written it yet. The
    /// residual is relative to the ledger `start`. The file must be truncated before it is written
    /// to.
    pub fn reopen(path: &Path, start: Energy) -> io::Result<Self> {
        Ok(Self { file: TableFile::reopen(path)?, start: Some(start) })
    }
}

impl Recorder for EnergyTable {
    fn name(&self) -> &'static str {
        "energy.csv"
    }

    fn record(&mut self, snapshot: &Snapshot, _: &[Shape]) -> io::Result<()> {
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
        self.file.append([row])
    }

    fn settle(&mut self) -> io::Result<u64> {
        self.file.settle()
    }

    fn cut_back(&mut self, length: u64) -> io::Result<()> {
        self.file.cut_back(length)
    }
}
