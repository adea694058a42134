//! The files to which a run appends: tables and frames.

use std::io;
use std::path::Path;

use granum_engine::{BodyId, Energy, Snapshot, World};
use granum_geometry::Shape;
use granum_output::run_folder::{ENERGY, FLOW, WALLS};
use granum_output::{Books, EnergyTable, FlowTable, FrameOptions, FrameWriter, Recorder, WallTable, atomic_file};

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
    ///
    /// `frames` are the contents of frames, or `None` if the scene has none.
    pub fn open(
        dir: &Path,
        start: Energy,
        books: &Books,
        world: &World,
        frames: Option<FrameOptions>,
    ) -> Result<Self, Failure> {
        let unwritable = |name: &'static str| move |error: io::Error| Failure::unwritable(&dir.join(name), &error);
        let energy = EnergyTable::reopen(&dir.join(ENERGY), start).map_err(unwritable(ENERGY))?;
        let mut recorders = Self { rows: vec![Box::new(energy)], frames: Vec::new() };
        // A run whose last wall was removed has written the table of walls before.
        let walls = names_of_walls(world);
        if !walls.is_empty() || books.lengths.contains_key(WALLS) {
            recorders.rows.push(Box::new(WallTable::reopen(&dir.join(WALLS), walls).map_err(unwritable(WALLS))?));
        }
        if world.flow_states().next().is_some() {
            recorders.rows.push(Box::new(FlowTable::reopen(&dir.join(FLOW)).map_err(unwritable(FLOW))?));
        }
        if let Some(options) = frames {
            let materials = world.materials().iter().map(|material| material.name.clone()).collect();
            let writer = FrameWriter::new(dir, materials, options);
            recorders.frames.push(Box::new(writer.map_err(|error| Failure::unwritable(dir, &error))?));
        }
        for recorder in recorders.all() {
            let length = books.lengths.get(recorder.name()).copied().unwrap_or(0);
            let cut = recorder.cut_back(length);
            cut.map_err(|error| Failure::unwritable(&dir.join(recorder.name()), &error))?;
        }
        // The files must exist on the disk before a checkpoint refers to them.
        atomic_file::sync_folder(dir).map_err(|error| Failure::unwritable(dir, &error))?;
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

/// Returns the walls of a world with their names.
fn names_of_walls(world: &World) -> Vec<(BodyId, String)> {
    let is_wall = |id: &BodyId| world.body(*id).is_some_and(|body| !body.is_grain());
    let named = |name: &String| {
        let ids: Vec<BodyId> = world.bodies_named(name).filter(is_wall).collect();
        ids.into_iter().map(|id| (id, name.clone())).collect::<Vec<_>>()
    };
    world.groups().iter().flat_map(|group| named(&group.name)).collect()
}
