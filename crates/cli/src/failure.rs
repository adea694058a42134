//! Failures of commands and their exit codes.

use std::io::{self, ErrorKind, Write};

/// Exit code if a run, a check or an output failed.
const FAILED: u8 = 1;

/// Exit code if the input is wrong. Clap uses the same for wrong arguments.
const BAD_INPUT: u8 = 2;

/// The reason for which a command did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input is wrong; the message contains the position and the reason.
    #[error("{0}")]
    Input(String),
    /// Standard output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// A check or a run failed; the message contains the reason.
    #[error("{0}")]
    Failed(String),
    /// A signal stopped the command; the exit code identifies the signal.
    #[error("{1}")]
    Interrupted(u8, String),
}

impl Failure {
    /// Returns the failure to read a file or folder.
    pub fn unreadable(path: &std::path::Path, error: &io::Error) -> Self {
        Self::Input(format!("cannot read {}: {error}", path.display()))
    }

    /// Returns the failure to write a file or folder.
    pub fn unwritable(path: &std::path::Path, error: &io::Error) -> Self {
        // Only the creation of a folder fails in this way.
        if error.kind() == ErrorKind::AlreadyExists && path.is_file() {
            return Self::Input(format!("{} is a file; give the name of a folder", path.display()));
        }
        Self::Failed(format!("cannot write {}: {error}", path.display()))
    }

    /// Writes the message to standard error and returns the exit code.
    ///
    /// A closed pipe, as in `granum ... | head`, is not a failure.
    pub fn report(self) -> u8 {
        let code = match &self {
            Self::Input(_) => BAD_INPUT,
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => return crate::SUCCESS,
            Self::Output(_) | Self::Failed(_) => FAILED,
            Self::Interrupted(code, _) => *code,
        };
        // If standard error is closed too, the exit code still shows the failure.
        let _ = writeln!(io::stderr(), "{self}");
        code
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}

impl From<granum_scene::SceneError> for Failure {
    fn from(error: granum_scene::SceneError) -> Self {
        Self::Input(error.report())
    }
}

impl From<granum_output::ReadError> for Failure {
    fn from(error: granum_output::ReadError) -> Self {
        Self::Input(error.to_string())
    }
}
