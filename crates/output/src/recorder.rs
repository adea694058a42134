//! The interface of output files that grow during a run and can be truncated when it is resumed.

use std::io;

use granum_engine::Snapshot;
use granum_geometry::Shape;

/// One or several files to which a run appends at its output times.
///
/// A checkpoint stores their length. A resumed run truncates them to this length, so that nothing
/// is written twice.
pub trait Recorder {
    /// Returns the name in messages and checkpoints, which is that of the file or folder.
    fn name(&self) -> &'static str;

    /// Appends a state. `shapes` are the shapes of the world; new ones may have been added.
    fn record(&mut self, snapshot: &Snapshot, shapes: &[Shape]) -> io::Result<()>;

    /// Synchronises the files to the disk and returns their length, in a unit of the recorder
    /// (bytes, frames).
    fn settle(&mut self) -> io::Result<u64>;

    /// Truncates to a length that [`Recorder::settle`] returned. The length 0 is an empty recorder.
    fn cut_back(&mut self, length: u64) -> io::Result<()>;
}
