//! `granum export`: the frames of a run in other formats.

mod view_export;

use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use granum_output::{ExportFormat, Exporter, FrameEntry, RunFolder};
use granum_picture::Quantity;

use crate::{Failure, overwriting};

/// Write frames of a run in another format.
///
/// csv: a table of bodies and one of contacts, with all digits, and one of the load and wear of
/// triangulated walls. vtp: files for ParaView, with --surfaces also the triangulated surfaces of
/// all bodies. stl: the surfaces of all grains in one file and those of triangulated walls in
/// another, in metres. html: the page of `granum view` with the frames in one file, which needs no
/// server. glb: a frame as glTF for Blender, with instances of the shapes or, with --bake, as one
/// mesh with colours; with `--frame all` an animation.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  granum export out/first_run-20260315-141500 --to csv --frame all
  granum export out/first_run-20260315-141500 --to html
  granum export out/first_run-20260315-141500 --to glb --bake --colour speed")]
pub struct Args {
    /// Folder of a run
    dir: PathBuf,
    /// Format of the files
    #[arg(long, value_enum)]
    to: Format,
    /// Frames to write: a number, `last` or `all` [default: `all` for html, else `last`]
    #[arg(long, value_name = "N")]
    frame: Option<Choice>,
    /// Folder for the files [default: DIR/export]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Overwrite files that granum has not written
    #[arg(long)]
    force: bool,
    /// Also write triangulated surfaces (vtp)
    #[arg(long)]
    surfaces: bool,
    /// Level of detail of surfaces: 320 triangles per grain at 2, four times as many at each next
    /// level
    #[arg(long, value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=6))]
    detail: u32,
    /// One mesh of all grains with the colours of a quantity, instead of instances (glb)
    #[arg(long)]
    bake: bool,
    /// Quantity of the colours with --bake
    #[arg(long, value_name = "QUANTITY", default_value_t = Quantity::Speed)]
    colour: Quantity,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Csv,
    Vtp,
    Stl,
    Html,
    Glb,
}

/// The value of `--frame`.
#[derive(Clone, Copy)]
enum Choice {
    Number(u64),
    Last,
    All,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "last" => Ok(Self::Last),
            "all" => Ok(Self::All),
            _ => text.parse().map(Self::Number).map_err(|_| "must be a number, `last` or `all`".into()),
        }
    }
}

impl Choice {
    /// Returns the chosen frames of a run.
    fn of(self, run: &RunFolder) -> Result<Vec<FrameEntry>, Failure> {
        let frames = run.frames();
        let Some(last) = frames.last() else {
            return Err(Failure::Input(match run.damaged() {
                [] => format!("{} has no frames; set `frames` in [output] of the scene", run.dir().display()),
                [first, ..] => first.to_string(),
            }));
        };
        match self {
            Self::All => Ok(frames.to_vec()),
            Self::Last => Ok(vec![*last]),
            Self::Number(number) => {
                let frame = frames.iter().find(|frame| frame.number == number);
                frame.map(|frame| vec![*frame]).ok_or_else(|| {
                    let damaged = run.damaged().iter().find(|error| {
                        error.path.file_name().is_some_and(|name| *name == *format!("frame_{number:06}.vtp"))
                    });
                    Failure::Input(damaged.map_or_else(
                        || format!("--frame {number}: unknown frame; the last is {}", last.number),
                        ToString::to_string,
                    ))
                })
            }
        }
    }
}

/// Writes the chosen frames.
pub fn run(args: &Args) -> Result<(), Failure> {
    let unused = |option: &str| {
        let format = args.to.to_possible_value().expect("no format is hidden");
        Err(Failure::Input(format!("{option} has no effect with --to {}", format.get_name())))
    };
    if args.surfaces && matches!(args.to, Format::Csv | Format::Html | Format::Glb) {
        return unused("--surfaces");
    }
    if args.bake && args.to != Format::Glb {
        return unused("--bake");
    }
    let folder = RunFolder::open(&args.dir)?;
    let usual = if args.to == Format::Html { Choice::All } else { Choice::Last };
    let frames = args.frame.unwrap_or(usual).of(&folder)?;
    let out = args.out.clone().unwrap_or_else(|| args.dir.join("export"));
    let own = [args.dir.clone(), args.dir.join("frames")];
    if own.iter().any(|own| same(own, &out)) {
        return Err(Failure::Input(format!(
            "--out {}: the files of the run must not be overwritten; choose another folder",
            out.display()
        )));
    }
    let format = match args.to {
        Format::Csv => ExportFormat::Csv,
        Format::Vtp => ExportFormat::Vtp { surfaces: args.surfaces },
        Format::Stl => ExportFormat::Stl,
        Format::Html => return view_export::html(args, &frames, &out),
        Format::Glb => return view_export::glb(args, &folder, &frames, &out),
    };
    let mut exporter = Exporter::new(&out, format, args.detail).map_err(|error| Failure::unwritable(&out, &error))?;
    let shapes = folder.catalogue()?.shapes;
    let paths: Vec<PathBuf> = frames.iter().flat_map(|entry| exporter.paths(entry.number, &shapes)).collect();
    overwriting::check(&paths, args.force)?;
    for entry in frames {
        let frame = folder.frame(entry.number)?;
        let written = exporter.record(entry.number, &frame).map_err(|error| Failure::unwritable(&out, &error))?;
        for path in written {
            writeln!(io::stdout(), "{}", path.display())?;
        }
    }
    Ok(())
}

/// Returns whether two paths lead to the same existing folder.
fn same(a: &std::path::Path, b: &std::path::Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
