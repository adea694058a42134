//! Files that are whole or not there: written beside their place, synced, renamed.
//!
//! After a crash or a full disk a name holds either its old contents or its new ones.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Ending of a file that is being written. One that is left over is of no use and is overwritten.
pub(crate) const UNFINISHED: &str = "part";

/// Puts a file in its place as a whole: `fill` writes it under another name, and the disk has it before it is renamed.
pub fn write(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let unfinished = unfinished(path);
    let written = File::create(&unfinished).and_then(|mut file| {
        fill(&mut file)?;
        file.sync_all()
    });
    if let Err(error) = written {
        // What there is of it only takes room, which may be what was wanting.
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    fs::rename(&unfinished, path)?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Puts a text in its place as a whole.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    write(path, |file| file.write_all(text.as_bytes()))
}

/// Makes the names in a folder last: a rename is in the folder, not in the file.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // Only Unix opens folders as files; elsewhere the rename is as durable as the system makes it.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(UNFINISHED);
    path.with_file_name(name)
}
