//! Atomic file replacement: a file is written under a temporary name and renamed when it is
//! complete.
//!
//! If the program is stopped or the disk is full, a file has either its old or its new contents.
//! [`write_durable`] also synchronises the file to the disk, so that this holds after a crash of
//! the operating system. `write_buffered` does not, which is faster: frames are synchronised
//! before the next checkpoint, and exported files can be written again.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Suffix of a file that is being written. A leftover file is overwritten.
pub(crate) const UNFINISHED: &str = "part";

/// Replaces a file atomically. `fill` writes it under a temporary name, and it is synchronised
/// before it is renamed.
pub fn write_durable(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    replace(path, |mut file| {
        fill(&mut file)?;
        file.sync_all()
    })?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Replaces a text file atomically, and synchronises it to the disk.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    write_durable(path, |file| file.write_all(text.as_bytes()))
}

/// Replaces a file atomically through a buffer, without synchronisation to the disk.
pub(crate) fn write_buffered(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    replace(path, |file| {
        let mut file = BufWriter::new(file);
        fill(&mut file)?;
        file.flush()
    })
}

/// Synchronises a folder. A rename changes the folder, not the file.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // Only Unix can open folders as files. On other systems the durability of a rename depends on
    // the system.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Returns the temporary name of a file that is being written.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Writes a file under its temporary name and renames it. If that fails, an existing file is kept.
fn replace(path: &Path, fill: impl FnOnce(File) -> io::Result<()>) -> io::Result<()> {
    let unfinished = unfinished(path);
    let written = File::create(&unfinished).and_then(fill).and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        // Remove the incomplete file, because the disk may be full. The first error is the one to
        // report.
        let _ = fs::remove_file(&unfinished);
    }
    written
}
