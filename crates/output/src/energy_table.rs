//! `energy.csv`: the energy ledger, a row each output time, in J, s and m, with every digit.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use granum_engine::{Energy, Snapshot};
use granum_geometry::Shape;
use serde::{Deserialize, Serialize};

use crate::recorder::Recorder;

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
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Self { writer: csv::Writer::from_writer(file), start: None })
    }

    /// Opens the file of a run that is resumed, or makes it if the run had not come to it. `start` is the ledger to
    /// which the residual refers. It must be cut back before it is written to.
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
