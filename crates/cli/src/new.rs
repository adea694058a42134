//! `granum new`: writes a small scene as a starting point.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use crate::Failure;
use crate::quote::quoted;

/// Text of the scene: a copy of `scenes/new.toml`, which is tested with the scenes of the
/// repository.
const SCENE: &str = include_str!("../scenes/new.toml");

/// Write a small commented scene as a starting point.
#[derive(clap::Args)]
#[command(after_help = "Example: granum new drum && granum run drum.toml")]
pub struct Args {
    /// Name of the scene; the file is NAME.toml
    name: PathBuf,
}

/// Writes the scene. An existing file is never overwritten.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut path = args.name.clone();
    if path.extension().is_none_or(|extension| extension != "toml") {
        path.as_mut_os_string().push(".toml");
    }
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::Input(format!("{} already exists and is not overwritten; choose another name", path.display()))
        }
        _ => Failure::Input(format!("cannot create {}: {error}", path.display())),
    })?;
    file.write_all(SCENE.as_bytes()).map_err(|error| Failure::unwritable(&path, &error))?;
    let (shown, path) = (path.display(), quoted(&path));
    writeln!(io::stdout(), "wrote {shown}; check it with `granum check {path}`, run it with `granum run {path}`")?;
    Ok(())
}
