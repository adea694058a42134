//! The files to which a run appends: tables and frames.

use std::io;
use std::path::Path;

use granum_engine::{Energy, Snapshot};
use granum_geometry::Shape;
use granum_output::{Books, EnergyTable, FrameOptions, FrameWriter, Recorder, durable};

use crate::Failure;

/// The files to which a run appends.
#[derive(Default)]
pub struct Recorders {
    /// Files with a row for each output time.
    rows: Vec<Box<dyn Recorder>>,
    /// Files with a frame for each frame time.
    frames: Vec<Box<dyn Recorder>>,
}

/// The records that are due at a step.
#[derive(Clone, Copy)]
pub struct Due {
    /// A row of each table.
    pub row: bool,
    /// A frame.
    pub frame: bool,
}

/// The name of a file that could not be written, and the error.
pub type Unwritten = (&'static str, io::Error);

impl Recorders {
    /// Opens all files and truncates them to the lengths in the books; to zero for a new run.
    pub fn open(
        dir: &Path,
        start: Energy,
        books: &Books,
        frames: Option<(FrameOptions, Vec<String>)>,
    ) -> Result<Self, Failure> {
        let path = dir.join("energy.csv");
        let table = EnergyTable::reopen(&path, start).map_err(|error| Failure::unwritable(&path, &error))?;
        let mut recorders = Self { rows: vec![Box::new(table)], frames: Vec::new() };
        if let Some((options, materials)) = frames {
            let writer = FrameWriter::new(dir, materials, options);
            recorders.frames.push(Box::new(writer.map_err(|error| Failure::unwritable(dir, &error))?));
        }
        for recorder in recorders.all() {
            let length = books.lengths.get(recorder.name()).copied().unwrap_or(0);
            let cut = recorder.cut_back(length);
            cut.map_err(|error| Failure::unwritable(&dir.join(recorder.name()), &error))?;
        }
        // The files must exist on the disk before a checkpoint refers to them.
        durable::sync_folder(dir).map_err(|error| Failure::unwritable(dir, &error))?;
        Ok(recorders)
    }

    /// Appends the due records of a state.
    pub fn record(&mut self, due: Due, snapshot: &Snapshot, shapes: &[Shape]) -> Result<(), Unwritten> {
        let rows = self.rows.iter_mut().filter(|_| due.row);
        for recorder in rows.chain(self.frames.iter_mut().filter(|_| due.frame)) {
            recorder.record(snapshot, shapes).map_err(|error| (recorder.name(), error))?;
        }
        Ok(())
    }

    /// Flushes all files to the disk and stores their lengths in the books.
    pub fn settle(&mut self, books: &mut Books) -> Result<(), Unwritten> {
        for recorder in self.all() {
            let length = recorder.settle().map_err(|error| (recorder.name(), error))?;
            books.lengths.insert(recorder.name().to_owned(), length);
        }
        Ok(())
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Box<dyn Recorder>> {
        self.rows.iter_mut().chain(&mut self.frames)
    }
}
