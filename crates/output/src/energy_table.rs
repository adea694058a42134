//! `energy.csv`: the energy ledger, a row each output time, in J, s and m, with every digit.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use granum_engine::{Energy, Snapshot};
use serde::Serialize;

use crate::recorder::Recorder;

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

    fn record(&mut self, snapshot: &Snapshot) -> io::Result<()> {
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
