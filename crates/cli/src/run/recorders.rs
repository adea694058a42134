//! The files that grow with a run, opened where the run stands.

use std::path::Path;

use granum_engine::Energy;
use granum_output::{Books, EnergyTable, Recorder, durable};

use crate::Failure;

/// Opens every recorder, cut back to what the books say it had; anew if they do not know it.
pub fn open(dir: &Path, start: Energy, books: &Books) -> Result<Vec<Box<dyn Recorder>>, Failure> {
    let path = dir.join("energy.csv");
    let table = EnergyTable::reopen(&path, start).map_err(|error| Failure::unwritable(&path, &error))?;
    let mut recorders: Vec<Box<dyn Recorder>> = vec![Box::new(table)];
    for recorder in &mut recorders {
        let length = books.lengths.get(recorder.name()).copied().unwrap_or(0);
        let cut = recorder.cut_back(length);
        cut.map_err(|error| Failure::unwritable(&dir.join(recorder.name()), &error))?;
    }
    // A checkpoint will speak of files that must be found again.
    durable::sync_folder(dir).map_err(|error| Failure::unwritable(dir, &error))?;
    Ok(recorders)
}
