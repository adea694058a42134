//! Exports of the viewer: one HTML file, and glTF.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use granum_output::{Frame, FrameEntry, RunFolder};
use granum_viewer::glb::{self, Style};
use granum_viewer::{Run, html};

use super::Args;
use crate::{Failure, overwriting};

/// Name of the page.
const PAGE: &str = "view.html";

/// Name of an animation.
const ANIMATION: &str = "animation.glb";

/// Writes the page with the frames.
pub fn html(args: &Args, frames: &[FrameEntry], out: &Path) -> Result<(), Failure> {
    let run = Run::open(&args.dir)?;
    let numbers: Vec<u64> = frames.iter().map(|entry| entry.number).collect();
    let path = prepared(args, out, PAGE)?;
    let unwritable = |error: io::Error| Failure::unwritable(&path, &error);
    let mut file = BufWriter::new(File::create(&path).map_err(unwritable)?);
    html::write(&run, &numbers, &mut file).map_err(|error| match error {
        html::ExportError::Write(error) => unwritable(error),
        html::ExportError::Missing(missing) => Failure::Input(missing.to_string()),
    })?;
    file.flush().map_err(unwritable)?;
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}

/// Writes a frame or an animation as glTF.
pub fn glb(args: &Args, folder: &RunFolder, frames: &[FrameEntry], out: &Path) -> Result<(), Failure> {
    let (name, bytes) = match frames {
        [entry] => {
            let style = Style { level: args.detail, baked: args.bake, colour: args.colour };
            (format!("frame_{:06}.glb", entry.number), glb::frame(&folder.frame(entry.number)?, style))
        }
        _ if args.bake => {
            let reason = "--bake is for one frame: an animation has a node per grain, which every program reads";
            return Err(Failure::Input(reason.into()));
        }
        _ => {
            let frames: Vec<Frame> = frames.iter().map(|entry| folder.frame(entry.number)).collect::<Result<_, _>>()?;
            (ANIMATION.to_owned(), glb::animation(&frames, args.detail))
        }
    };
    let path = prepared(args, out, &name)?;
    fs::write(&path, bytes).map_err(|error| Failure::unwritable(&path, &error))?;
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}

/// Creates the folder and returns the path of a file in it that may be written.
fn prepared(args: &Args, out: &Path, name: &str) -> Result<PathBuf, Failure> {
    fs::create_dir_all(out).map_err(|error| Failure::unwritable(out, &error))?;
    let path = out.join(name);
    overwriting::check(std::slice::from_ref(&path), args.force)?;
    Ok(path)
}
