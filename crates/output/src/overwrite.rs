//! Recognition of files that granum has written, so that commands with an option for their output
//! overwrite no other file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::catalogue::Catalogue;
use crate::frame_table::is_heading;
use crate::stl;
use crate::vtk::collection;
use crate::vtk::read::Head;

/// Text in pictures, films, pages and glTF files that granum has written.
pub const MARK: &str = "written by granum";

/// Number of bytes at either end of a file that are searched for [`MARK`]. Programs for films put
/// such texts at the start or at the end.
const ENDS: u64 = 1 << 16;

/// Returns whether a path can be written without loss: there is no file, or one that is empty or
/// that granum has written.
pub fn may_be_overwritten(path: &Path) -> io::Result<bool> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.by_ref().take(ENDS).read_to_end(&mut bytes)?;
    let is_picture = bytes.starts_with(b"\x89PNG\r\n\x1a\n") || bytes.starts_with(b"GIF89a");
    let is_film = bytes.get(4..8) == Some(b"ftyp");
    if is_picture || is_film {
        file.seek(SeekFrom::Start(length.saturating_sub(ENDS)))?;
        file.take(ENDS).read_to_end(&mut bytes)?;
        return Ok(bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes()));
    }
    // A page of the viewer, or a glTF file, has the text near its beginning.
    if bytes.starts_with(b"<!doctype html>") || bytes.starts_with(b"glTF") {
        return Ok(bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes()));
    }
    let first_line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
    Ok(bytes.is_empty()
        || bytes.starts_with(stl::TITLE)
        || bytes.starts_with(collection::HEADING.as_bytes())
        || is_heading(first_line)
        || Head::read(path).is_ok()
        || Catalogue::read(path).is_ok())
}
