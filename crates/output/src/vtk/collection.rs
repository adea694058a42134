//! The `.pvd` file: which frame belongs to which time.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::whole_file;

/// Writes the list of the frames of these times; `name` gives the file of a number. It is valid at every moment.
pub(crate) fn write(path: &Path, times: &[f64], name: impl Fn(u64) -> String) -> io::Result<()> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n",
    );
    for (number, time) in times.iter().enumerate() {
        let file = name(number as u64);
        let _ = writeln!(text, r#"    <DataSet timestep="{time:?}" part="0" file="{file}"/>"#);
    }
    text += "  </Collection>\n</VTKFile>\n";
    whole_file::write(path, |file| file.write_all(text.as_bytes()))
}
