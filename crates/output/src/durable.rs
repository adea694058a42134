//! Atomic file replacement: a file is written under a temporary name, synchronised and renamed.
//!
//! After a crash or on a full disk a file has either its old or its new contents.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Suffix of a file that is being written. A leftover file is overwritten.
pub(crate) const UNFINISHED: &str = "part";

/// Replaces a file atomically. `fill` writes it under a temporary name, and it is synchronised
/// before it is renamed.
pub fn write(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let unfinished = unfinished(path);
    let written = File::create(&unfinished).and_then(|mut file| {
        fill(&mut file)?;
        file.sync_all()
    });
    if let Err(error) = written {
        // Remove the incomplete file, because the disk may be full.
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    fs::rename(&unfinished, path)?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Replaces a text file atomically.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    write(path, |file| file.write_all(text.as_bytes()))
}

/// Synchronises a folder. A rename changes the folder, not the file.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // Only Unix can open folders as files. On other systems the durability of a rename depends on
    // the system.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(UNFINISHED);
    path.with_file_name(name)
}
