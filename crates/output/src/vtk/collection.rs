//! The `.pvd` collection of ParaView: the times of the frames.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::atomic_file;

/// Beginning of the file.
pub(crate) const HEADING: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n";

/// Writes the list of frames with their times and files. A frame of several files has one part for
/// each; they are listed one after the other. The file is valid at any time.
pub(crate) fn write(path: &Path, frames: impl Iterator<Item = (f64, String)>) -> io::Result<()> {
    let mut text = HEADING.to_owned();
    let (mut last, mut part) = (f64::NAN, 0);
    for (time, file) in frames {
        part = if time == last { part + 1 } else { 0 };
        last = time;
        let _ = writeln!(text, r#"    <DataSet timestep="{time:?}" part="{part}" file="{file}"/>"#);
    }
    text += "  </Collection>\n</VTKFile>\n";
    atomic_file::write_buffered(path, |file| file.write_all(text.as_bytes()))
}
