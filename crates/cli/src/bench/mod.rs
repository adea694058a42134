//! `granum bench`: how fast the parts of granum are, and whether they are right while fast.

mod pairs;

use clap::Subcommand;

use crate::Failure;

/// Measure the speed of granum's parts.
#[derive(clap::Args)]
#[command(after_help = "Example: granum bench pairs data/pairs --json")]
pub struct Args {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    Pairs(pairs::Args),
}

/// Runs one benchmark.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.bench {
        Bench::Pairs(args) => pairs::run(args),
    }
}
