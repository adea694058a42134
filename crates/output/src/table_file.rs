//! A table of comma-separated values that grows during a run. Each row is passed to the operating
//! system before the next step.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The file of a table.
pub(crate) struct TableFile {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl TableFile {
    /// Creates the file. It fails if the file exists.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Self { path: path.to_owned(), writer: writer(file, true) })
    }

    /// Opens the file of a resumed run, or creates it if the run had not written it yet. It must be
    /// truncated before it is written to.
    pub fn reopen(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(Self { path: path.to_owned(), writer: writer(file, false) })
    }

    /// Appends rows. The names of the columns are written before the first one.
    pub fn append<T: Serialize>(&mut self, rows: impl IntoIterator<Item = T>) -> io::Result<()> {
        for row in rows {
            self.writer.serialize(row).map_err(io::Error::other)?;
        }
        self.writer.flush()
    }

    /// Synchronises the file to the disk and returns its length, bytes.
    pub fn settle(&mut self) -> io::Result<u64> {
        self.writer.flush()?;
        let file = self.writer.get_ref();
        file.sync_data()?;
        Ok(file.metadata()?.len())
    }

    /// Truncates the file to a length, bytes.
    pub fn cut_back(&mut self, length: u64) -> io::Result<()> {
        self.writer.flush()?;
        let mut file = self.writer.get_ref().try_clone()?;
        let present = file.metadata()?.len();
        if present < length {
            let reason = format!("it has {present} bytes and had {length} at the checkpoint: it was changed since");
            return Err(io::Error::other(reason));
        }
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        self.writer = writer(file, length == 0);
        Ok(())
    }

    /// Reads all rows of the file.
    pub fn read<T: DeserializeOwned>(&self) -> io::Result<Vec<T>> {
        let rows = parse(&std::fs::read(&self.path)?);
        rows.map_err(|reason| io::Error::other(format!("it {reason}")))
    }
}

/// Reads the rows of a table. A last row without line end is still being written and is skipped.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, String> {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let rows = csv::Reader::from_reader(&bytes[..end]).into_deserialize();
    rows.collect::<Result<_, _>>().map_err(|error| format!("is damaged: {error}"))
}

fn writer(file: File, heading: bool) -> csv::Writer<File> {
    csv::WriterBuilder::new().has_headers(heading).from_writer(file)
}
