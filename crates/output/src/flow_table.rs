//! `flow.csv`: grains that have passed flow planes and outlets, one row per plane and output time.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use granum_engine::Snapshot;
use granum_geometry::Shape;
use serde::{Deserialize, Serialize};

use crate::recorder::Recorder;
use crate::table_file::{self, TableFile};

/// Writes `flow.csv` during the run.
pub struct FlowTable {
    file: TableFile,
    /// Time, s, and mass, kg, of the last row of each plane.
    last: BTreeMap<String, (f64, f64)>,
}

/// A row of the table. Names and order of the columns are a public contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowRow {
    /// Time, s.
    pub time: f64,
    /// Name of the flow plane or outlet in the scene.
    pub plane: String,
    /// Number of grains that have passed since the start: those along the normal minus those
    /// against it.
    pub grains: i64,
    /// Their mass, kg.
    pub mass: f64,
    /// Number of grains that have passed against the normal since the start; they are subtracted
    /// in `grains`.
    pub backward_grains: u64,
    /// Their mass, kg.
    pub backward_mass: f64,
    /// Mean mass flow since the row before, kg/s; zero in the first row.
    pub mass_flow: f64,
}

impl FlowRow {
    /// Reads a whole table. A last row without line end is still being written and is skipped.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Self>, String> {
        table_file::parse(bytes)
    }
}

impl FlowTable {
    /// Opens the file, or creates it if the run had not written it yet. It must be truncated before
    /// it is written to.
    pub fn reopen(path: &Path) -> io::Result<Self> {
        Ok(Self { file: TableFile::reopen(path)?, last: BTreeMap::new() })
    }
}

impl Recorder for FlowTable {
    fn name(&self) -> &'static str {
        "flow.csv"
    }

    fn record(&mut self, snapshot: &Snapshot, _: &[Shape]) -> io::Result<()> {
        let time = snapshot.time;
        let mut rows = Vec::new();
        for flow in &snapshot.flows {
            let mass = flow.forward.mass - flow.backward.mass;
            let before = self.last.insert(flow.name.clone(), (time, mass));
            let mass_flow = match before {
                Some((earlier, less)) if time > earlier => (mass - less) / (time - earlier),
                _ => 0.0,
            };
            rows.push(FlowRow {
                time,
                plane: flow.name.clone(),
                grains: flow.forward.grains as i64 - flow.backward.grains as i64,
                mass,
                backward_grains: flow.backward.grains,
                backward_mass: flow.backward.mass,
                mass_flow,
            });
        }
        self.file.append(rows)
    }

    fn settle(&mut self) -> io::Result<u64> {
        self.file.settle()
    }

    fn cut_back(&mut self, length: u64) -> io::Result<()> {
        self.file.cut_back(length)?;
        // The mass flow of the next row is relative to the last row. The digits of a table give the
        // same number back.
        let rows: Vec<FlowRow> = self.file.read()?;
        self.last = rows.into_iter().map(|row| (row.plane, (row.time, row.mass))).collect();
        Ok(())
    }
}
