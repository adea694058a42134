//! The granum program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(granum_cli::run_command_line(std::env::args_os()))
}
