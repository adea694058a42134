//! What can go wrong in a command, and the exit code it means.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Exit code: a run, a check or an output failed.
const FAILED: u8 = 1;

/// Exit code: the input is at fault. The same as for bad arguments.
const BAD_INPUT: u8 = 2;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input is at fault; the message says where and why.
    #[error("{0}")]
    Input(String),
    /// The answer could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// A check or a run failed; the message says which and why.
    #[error("{0}")]
    Failed(String),
    /// A signal stopped it; the exit code tells which.
    #[error("{1}")]
    Interrupted(u8, String),
}

impl Failure {
    /// A file or folder that cannot be read.
    pub fn unreadable(path: &std::path::Path, error: &io::Error) -> Self {
        Self::Input(format!("cannot read {}: {error}", path.display()))
    }

    /// A file that cannot be written.
    pub fn unwritable(path: &std::path::Path, error: &io::Error) -> Self {
        Self::Failed(format!("cannot write {}: {error}", path.display()))
    }

    /// Writes the message to standard error and gives the exit code.
    ///
    /// A reader that has seen enough (`granum ... | head`) is no failure.
    pub fn report(self) -> ExitCode {
        let code = match &self {
            Self::Input(_) => BAD_INPUT,
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Self::Output(_) | Self::Failed(_) => FAILED,
            Self::Interrupted(code, _) => *code,
        };
        // If standard error is gone too, the exit code still tells.
        let _ = writeln!(io::stderr(), "{self}");
        ExitCode::from(code)
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
