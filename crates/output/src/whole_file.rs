//! Files that are either complete or absent, whenever the program is stopped.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Returns the temporary name of a file that is being written.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Writes a temporary file and renames it when it is complete. If that fails, an existing file is
/// kept.
pub(crate) fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let unfinished = unfinished(path);
    let result = (|| {
        let mut file = BufWriter::new(File::create(&unfinished)?);
        fill(&mut file)?;
        file.flush()?;
        fs::rename(&unfinished, path)
    })();
    if result.is_err() {
        // Free the disk space. The first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    result
}
