//! `granum schema`: the JSON schema of scene files.

use std::io::{self, Write};

use crate::Failure;

/// Print the JSON schema of scene files, for editors with validation and completion.
#[derive(clap::Args)]
#[command(after_help = "Example: granum schema > granum.schema.json\n\
    Then begin a scene with the line  #:schema ./granum.schema.json  for editors with TOML support.")]
pub struct Args {}

/// Prints the schema.
pub fn run(_: &Args) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &granum_scene::schema())?;
    writeln!(out)?;
    Ok(())
}
