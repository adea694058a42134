//! The granum program as a function: command-line access to the granum crates. The binary `granum`
//! and the Python package call it.
//!
//! Each command is a module with its `Args` and a function `run`, which returns a `Failure` if it
//! does not succeed.

mod bench;
mod check;
mod compare;
mod contact;
mod estimate;
mod export;
mod failure;
mod info;
mod manual;
mod measure;
mod new;
mod overwriting;
mod plot;
mod quote;
mod render;
mod reproduce;
mod run;
mod schema;
mod surface;
mod sweep;
mod table;
mod validate;
mod view;

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Exit code of a command that has succeeded.
const SUCCESS: u8 = 0;

/// The command that starts this program again, if it is not the present executable.
static OWN_COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();

/// Simulates grains that are not spheres.
///
/// Exit code: 0 on success, 1 if a run or a check failed, 2 if the input is wrong.
#[derive(Parser)]
#[command(name = "granum", version, after_help = "Example: granum run scenes/first_run.toml")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Check(check::Args),
    New(new::Args),
    Schema(schema::Args),
    View(view::Args),
    Render(render::Args),
    Plot(plot::Args),
    Measure(measure::Args),
    Info(info::Args),
    Sweep(sweep::Args),
    Export(export::Args),
    Validate(validate::Args),
    Reproduce(reproduce::Args),
    Contact(contact::Args),
    Surface(surface::Args),
    Bench(bench::Args),
    Completions(manual::CompletionArgs),
    Man(manual::ManArgs),
}

/// Executes a command line, whose first argument is the name of the program, and returns the exit
/// code.
pub fn run_command_line(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => {
            // The help and the version are such errors too. If they cannot be printed, the exit code
            // still shows what happened.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(u8::MAX);
        }
    };
    let result = match command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::run(&args),
        Command::New(args) => new::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::View(args) => view::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Measure(args) => measure::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Contact(args) => contact::run(&args),
        Command::Surface(args) => surface::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    };
    result.map_or_else(Failure::report, |()| SUCCESS)
}

/// Sets the command that starts this program again, for a process of another executable such as a
/// Python interpreter. Only the first call has an effect.
pub fn set_own_command(command: Vec<OsString>) {
    let _ = OWN_COMMAND.set(command);
}

/// Returns the executable and the first arguments that start this program again.
fn own_command() -> io::Result<(PathBuf, Vec<OsString>)> {
    match OWN_COMMAND.get().and_then(|command| command.split_first()) {
        Some((program, arguments)) => Ok((program.into(), arguments.to_vec())),
        None => Ok((env::current_exe()?, Vec::new())),
    }
}
