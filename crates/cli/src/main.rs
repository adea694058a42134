//! The granum program: command-line access to the granum crates.
//!
//! Each command is a module with its `Args` and a function `run`, which returns a [`Failure`] if it
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
mod run;
mod schema;
mod surface;
mod sweep;
mod table;
mod validate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

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
    Render(render::Args),
    Plot(plot::Args),
    Measure(measure::Args),
    Info(info::Args),
    Sweep(sweep::Args),
    Export(export::Args),
    Validate(validate::Args),
    Contact(contact::Args),
    Surface(surface::Args),
    Bench(bench::Args),
    Completions(manual::CompletionArgs),
    Man(manual::ManArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::run(&args),
        Command::New(args) => new::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Measure(args) => measure::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Contact(args) => contact::run(&args),
        Command::Surface(args) => surface::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    };
    result.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
