//! `granum bench`: speed of the parts of granum, with checks of their results.

mod checkpoint;
mod cpu_time;
mod pairs;
mod percussion_profile;
mod percussions;
mod planar;
mod regions;
mod steps;

use clap::Subcommand;

use crate::Failure;

/// Measure the speed of the parts of granum.
#[derive(clap::Args)]
#[command(after_help = "Example: granum bench steps --threads 1")]
pub struct Args {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    Checkpoint(checkpoint::Args),
    Pairs(pairs::Args),
    Percussions(percussions::Args),
    Steps(steps::Args),
}

/// Runs one benchmark.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.bench {
        Bench::Checkpoint(args) => checkpoint::run(args),
        Bench::Pairs(args) => pairs::run(args),
        Bench::Percussions(args) => percussions::run(args),
        Bench::Steps(args) => steps::run(args),
    }
}
