//! The granum program: a thin shell around the crates that do the work.
//!
//! Each command is a module with its `Args` and a `run`; what goes wrong in it is a [`Failure`].

mod bench;
mod compare;
mod contact;
mod failure;
mod run;
mod table;
mod validate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Simulates grains that are not spheres.
///
/// Exit code: 0 if all went well, 1 if something failed, 2 if the input is at fault.
#[derive(Parser)]
#[command(name = "granum", version, after_help = "Example: granum run scenes/first_pour.toml")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Validate(validate::Args),
    Contact(contact::Args),
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Contact(args) => contact::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    result.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
