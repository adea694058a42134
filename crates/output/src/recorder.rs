//! What every file that grows with a run can do, so that a run can be resumed.

use std::io;

use granum_engine::Snapshot;
use granum_geometry::Shape;

/// A file, or several, that a run adds to at its output times.
///
/// A checkpoint notes how much of it there was. A run that is resumed cuts it back to that, so that what follows is
/// written once.
pub trait Recorder {
    /// Its name in messages and checkpoints: that of the file or folder.
    fn name(&self) -> &'static str;

    /// Adds a state; `shapes` are those of the world, of which there may be more from time to time.
    fn record(&mut self, snapshot: &Snapshot, shapes: &[Shape]) -> io::Result<()>;

    /// Makes sure that the disk has what was recorded, and says how much that is: bytes, frames, as it likes.
    fn settle(&mut self) -> io::Result<u64>;

    /// Goes back to a length that [`Recorder::settle`] gave. 0 is an empty recorder.
    fn cut_back(&mut self, length: u64) -> io::Result<()>;
}
