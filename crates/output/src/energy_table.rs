//! `energy.csv`: the energy ledger, one row per output time, in J, s and m, with all digits.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use granum_engine::{Energy, Snapshot};
use granum_geometry::Shape;
use serde::{Deserialize, Serialize};

use crate::recorder::Recorder;

/// Writes `energy.csv` during the run. Each row is passed to the system before the next step.
pub struct EnergyTable {
    writer: csv::Writer<File>,
    /// The ledger of the first row. The residual is relative to it.
    start: Option<Energy>,
}

/// A row of the table. Names and order of the columns are a public contract.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyRow {
    /// Time, s.
    pub time: f64,
    /// J.
    pub kinetic_translational: f64,
    /// J.
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
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let rows = csv::Reader::from_reader(&bytes[..end]).into_deserialize();
        rows.collect::<Result<_, _>>().map_err(|error| format!("is damaged: {error}"))
    }
}

impl EnergyTable {
    /// Creates the file. It fails if the file exists.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Self { writer: csv::Writer::from_writer(file), start: None })
    }

    /// Opens the file of a resumed run, or creates it if the run had not written it yet. The
    /// residual is relative to the ledger `start`. The file must be truncated before it is written
    /// to.
    pub fn reopen(path: &Path, start: Energy) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(Self { writer: writer(file, false), start: Some(start) })
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
        self.writer.serialize(row).map_err(io::Error::other)?;
        self.writer.flush()
    }

    fn settle(&mut self) -> io::Result<u64> {
        self.writer.flush()?;
        let file = self.writer.get_ref();
        file.sync_data()?;
        Ok(file.metadata()?.len())
    }

    fn cut_back(&mut self, length: u64) -> io::Result<()> {
        self.writer.flush()?;
        let mut file = self.writer.get_ref().try_clone()?;
        let present = file.metadata()?.len();
        if present < length {
            let reason = format!("it has {present} bytes and had {length} at the checkpoint: it was changed since");
            return Err(io::Error::other(reason));
        }
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        self.writer = writer(file, length == 0);
        Ok(())
    }
}

fn writer(file: File, heading: bool) -> csv::Writer<File> {
    csv::WriterBuilder::new().has_headers(heading).from_writer(file)
}
