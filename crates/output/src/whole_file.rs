//! Files that are there as a whole or not at all, whenever the program is stopped.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a file stands until it is whole.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Writes beside the file and takes its place when all is written. What was there before stays if that fails.
pub(crate) fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let unfinished = unfinished(path);
    let result = (|| {
        let mut file = BufWriter::new(File::create(&unfinished)?);
        fill(&mut file)?;
        file.flush()?;
        fs::rename(&unfinished, path)
    })();
    if result.is_err() {
        // A disk that is full gets its room back; the first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    result
}
