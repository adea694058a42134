//! The program `granum` inside a Python process.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Executes a command line of the program and returns its exit code.
///
/// The first argument is the name of the program. `own_command` starts this program again; a sweep
/// needs it.
#[pyfunction]
pub fn run_command_line(py: Python<'_>, arguments: Vec<OsString>, own_command: Vec<OsString>) -> u8 {
    granum_cli::set_own_command(own_command);
    py.detach(|| granum_cli::run_command_line(arguments))
}
