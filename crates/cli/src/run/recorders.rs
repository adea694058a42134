//! The files that grow with a run, opened where the run stands.

use std::io;
use std::path::Path;

use granum_engine::{Energy, Snapshot};
use granum_geometry::Shape;
use granum_output::{Books, EnergyTable, FrameOptions, FrameWriter, Recorder, durable};

use crate::Failure;

/// The files that grow with a run, by the times at which they do.
#[derive(Default)]
pub struct Recorders {
    /// At output times.
    rows: Vec<Box<dyn Recorder>>,
    /// At the times of frames.
    frames: Vec<Box<dyn Recorder>>,
}

/// What is recorded of a state.
#[derive(Clone, Copy)]
pub struct Due {
    /// Rows of tables.
    pub row: bool,
    /// A frame.
    pub frame: bool,
}

/// A file that could not be written: its name, and why.
pub type Unwritten = (&'static str, io::Error);

impl Recorders {
    /// Opens every recorder, cut back to what the books say it had; anew if they do not know it.
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
        // A checkpoint will speak of files that must be found again.
        durable::sync_folder(dir).map_err(|error| Failure::unwritable(dir, &error))?;
        Ok(recorders)
    }

    /// Records a state.
    pub fn record(&mut self, due: Due, snapshot: &Snapshot, shapes: &[Shape]) -> Result<(), Unwritten> {
        let rows = self.rows.iter_mut().filter(|_| due.row);
        for recorder in rows.chain(self.frames.iter_mut().filter(|_| due.frame)) {
            recorder.record(snapshot, shapes).map_err(|error| (recorder.name(), error))?;
        }
        Ok(())
    }

    /// Makes sure that the disk has what was recorded, and notes in the books how much that is.
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
