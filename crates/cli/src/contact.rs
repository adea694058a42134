//! `granum contact`: the contact of two bodies, with one JSON object per line as input and output.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use granum_reference::drawing::drawing;
use granum_reference::query::{answer, parse_query};

use crate::Failure;
use crate::compare::compare;

/// Compute the contact of two bodies.
///
/// Reads one JSON object per line and prints one line for each: the gap (negative for penetration),
/// the normal from a to b, the points on both surfaces, all contact points, and the routine with
/// its status. Lengths are in metres, points in world coordinates. An invalid line ends the program
/// with exit code 2 and a message with the line and the field; the lines before it are processed.
#[derive(clap::Args)]
#[command(after_long_help = "\
A line of input:
  {\"a\": BODY, \"b\": BODY, \"method\": NAME, \"tolerance\": t}
  BODY    {\"shape\": SHAPE, \"position\": [x,y,z], \"orientation\": [w,x,y,z]}
          The orientation is optional; it is normalised (norm 1e-6 to 1e6).
          Planar: {\"shape\": SHAPE, \"position\": [x,y], \"angle_deg\": d}
  SHAPE   {\"type\": \"sphere\", \"radius\": r}, {\"type\": \"ellipse\", \"semi_axes\": [a,b]}, ...
          The error for an unknown type lists all types.
  NAME    auto      the best routine for the two shapes (the default)
          general   the routine for any two bounded convex shapes in space
          Discs, ellipses, superellipses:
            common-normal, potential, curvature
            potential-as-printed, curvature-as-printed   by Brent's method on [0, 2 pi] as published,
                    which can return false minima; \"tolerance\" is that of its angle (1e-5 rad)
          Discs, ellipses: intersection
          Spheres, ellipsoids, superellipsoids: support, common-normal
          Spheres, ellipsoids: perram-wertheim, algebraic, potential; the last two also in a hollow
                    sphere or ellipsoid
          Boxes, polyhedra: vertex-edge
          Cylinders: layers, edges

Example:
  echo '{\"a\":{\"shape\":{\"type\":\"sphere\",\"radius\":1},\"position\":[0,0,0]},\"b\":{\"shape\":{\"type\":\"sphere\",\"radius\":1},\"position\":[0,0,1.9]}}' | granum contact -")]
pub struct Args {
    /// File of queries, one JSON object per line; - for standard input
    file: PathBuf,
    /// Print a table of all methods that support the query, with their iterations and times
    #[arg(long)]
    all: bool,
    /// Write a drawing of the last query: curves, points, osculating circles and normals
    #[arg(long, value_name = "FILE.svg", conflicts_with = "all")]
    draw: Option<PathBuf>,
}

/// Processes the lines of the file in order.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.file == Path::new("-") {
        return process_lines(io::stdin().lock(), Path::new("stdin"), args);
    }
    let file = File::open(&args.file).map_err(|error| Failure::unreadable(&args.file, &error))?;
    process_lines(BufReader::new(file), &args.file, args)
}

/// Processes queries line by line.
///
/// Standard output is flushed after each line, so that another program can send queries and read
/// results in turn.
fn process_lines(mut input: impl BufRead, name: &Path, args: &Args) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    let mut has_query = false;
    for number in 1.. {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(|error| Failure::unreadable(name, &error))? == 0 {
            break;
        }
        let error_of = |reason: String| Failure::Input(format!("{}:{number}: {reason}", name.display()));
        let text = str::from_utf8(&line).map_err(|error| error_of(format!("not text in UTF-8: {error}")))?;
        let text = text.trim_end();
        if text.is_empty() {
            continue;
        }
        let query = parse_query(text).map_err(|error| error_of(error.to_string()))?;
        if args.all {
            let table = compare(&query).map_err(|error| error_of(error.to_string()))?;
            writeln!(output, "{table}")?;
        } else {
            let answer = answer(&query).map_err(|error| error_of(error.to_string()))?;
            serde_json::to_writer(&mut output, &answer)?;
            writeln!(output)?;
            if let Some(file) = &args.draw {
                let svg = drawing(&query).map_err(|error| error_of(error.to_string()))?;
                fs::write(file, svg).map_err(|error| Failure::unwritable(file, &error))?;
            }
        }
        has_query = true;
    }
    if has_query { Ok(()) } else { Err(Failure::Input(format!("{} contains no query", name.display()))) }
}
