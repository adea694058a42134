//! The computation of one experiment in parts, which are stored so that it can be interrupted.

use std::fs;
use std::path::{Path, PathBuf};

use granum_output::atomic_file::write_text;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Who watches a computation: it shows the progress and may stop it.
pub trait Observer {
    /// Returns true if the computation shall stop before its next part.
    fn is_stopped(&self) -> bool;

    /// Shows the completed fraction of an experiment.
    fn progress(&self, fraction: f64);
}

/// The reason why an experiment has no page.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The observer stopped it. The completed parts are stored.
    #[error("interrupted; the same command continues")]
    Interrupted,
    /// A file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
}

/// One experiment that is being computed.
pub struct Session<'a> {
    parts: PathBuf,
    is_small: bool,
    observer: &'a dyn Observer,
    done: f64,
}

impl<'a> Session<'a> {
    /// Starts or continues an experiment whose files are in `folder`.
    pub(crate) fn new(folder: &Path, is_small: bool, observer: &'a dyn Observer) -> Self {
        let parts = folder.join(if is_small { "parts_small" } else { "parts" });
        Self { parts, is_small, observer, done: 0.0 }
    }

    /// Returns true for the short form of the experiment.
    pub fn is_small(&self) -> bool {
        self.is_small
    }

    /// Returns the first number, or the second one for the short form.
    pub fn size(&self, full: usize, small: usize) -> usize {
        if self.is_small { small } else { full }
    }

    /// Computes a part, or reads it if an interrupted computation has stored it. `share` is its
    /// fraction of the work.
    pub fn part<T: Serialize + DeserializeOwned>(
        &mut self,
        name: &str,
        share: f64,
        compute: impl FnOnce() -> T,
    ) -> Result<T, Stopped> {
        let path = self.parts.join(format!("{name}.json"));
        let stored = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        let part = match stored {
            Some(part) => part,
            None if self.observer.is_stopped() => return Err(Stopped::Interrupted),
            None => {
                let part = compute();
                let unwritable = |error| Stopped::Unwritable { path: path.clone(), error };
                fs::create_dir_all(&self.parts).map_err(unwritable)?;
                let text = serde_json::to_string(&part).expect("parts are plain data");
                write_text(&path, &text).map_err(unwritable)?;
                part
            }
        };
        self.done += share;
        self.observer.progress(self.done.min(1.0));
        Ok(part)
    }

    /// Removes the stored parts of a completed experiment.
    pub(crate) fn finish(self) {
        // A part that stays behind costs only space.
        let _ = fs::remove_dir_all(&self.parts);
    }
}
