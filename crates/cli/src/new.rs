//! `granum new`: a small scene to start from.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use crate::Failure;

/// The scene that is written; it is one of the repository's own, so that it is tested with them.
const SCENE: &str = include_str!("../../../scenes/new.toml");

/// Write a small commented scene to start from.
#[derive(clap::Args)]
#[command(after_help = "Example: granum new drum && granum run drum.toml")]
pub struct Args {
    /// Name of the scene; the file is NAME.toml
    name: PathBuf,
}

/// Writes the scene; a file that is there already is left alone.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut path = args.name.clone();
    if path.extension().is_none_or(|extension| extension != "toml") {
        path.as_mut_os_string().push(".toml");
    }
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::Input(format!("{} is there already; it is left as it is: choose another name", path.display()))
        }
        _ => Failure::Input(format!("cannot make {}: {error}", path.display())),
    })?;
    file.write_all(SCENE.as_bytes()).map_err(|error| Failure::unwritable(&path, &error))?;
    let path = path.display();
    writeln!(io::stdout(), "{path} is written; see what it does with `granum check {path}`, and `granum run {path}`")?;
    Ok(())
}
