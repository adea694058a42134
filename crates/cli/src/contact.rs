//! `granum contact`: the contact of two bodies, a JSON object a line in and one out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use granum_reference::query::{answer, parse_query};

use crate::Failure;
use crate::compare::compare;

/// Find the contact of two bodies.
///
/// Reads one JSON object a line and answers each with one line: gap (negative is penetration), normal from a to b,
/// the points on both surfaces, all contact points, and how the answer was found. Lengths are in metres, points in
/// world coordinates. A bad line ends the program with code 2 and a message that names the line and the field;
/// the lines before it are answered.
#[derive(clap::Args)]
#[command(after_long_help = "\
A line of input:
  {\"a\": BODY, \"b\": BODY, \"method\": NAME}
  BODY    {\"shape\": SHAPE, \"position\": [x,y,z], \"orientation\": [w,x,y,z]}
          The orientation may be left out; it is normalised (norm 1e-6 to 1e6).
          In the plane: {\"shape\": SHAPE, \"position\": [x,y], \"angle_deg\": d}
  SHAPE   {\"type\": \"sphere\", \"radius\": r}, {\"type\": \"ellipse\", \"semi_axes\": [a,b]}, ... An unknown type is answered with the list of types.
  NAME    auto      the best routine for the two shapes (the default)
          general   the routine for any two bounded convex shapes
          common-normal, potential, curvature, intersection   for planar grains; potential and curvature also
          with -as-printed behind: Brent's method on [0, 2 pi], with its false minima

Example:
  echo '{\"a\":{\"shape\":{\"type\":\"sphere\",\"radius\":1},\"position\":[0,0,0]},\"b\":{\"shape\":{\"type\":\"sphere\",\"radius\":1},\"position\":[0,0,1.9]}}' | granum contact -")]
pub struct Args {
    /// File of queries, one JSON object a line; - for standard input
    file: PathBuf,
    /// Answer each query with a table of all methods that serve it, with their iterations and times
    #[arg(long)]
    all: bool,
}

/// Answers the lines of the file in their order.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.file == Path::new("-") {
        return answer_lines(io::stdin().lock(), Path::new("stdin"), args.all);
    }
    let file = File::open(&args.file).map_err(|error| Failure::unreadable(&args.file, &error))?;
    answer_lines(BufReader::new(file), &args.file, args.all)
}

/// Answers line by line: standard output is flushed at each newline, so that a program may converse with this one.
fn answer_lines(mut input: impl BufRead, name: &Path, all: bool) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    let mut answered = false;
    for number in 1.. {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(|error| Failure::unreadable(name, &error))? == 0 {
            break;
        }
        let fault = |reason: String| Failure::Input(format!("{}:{number}: {reason}", name.display()));
        let text = str::from_utf8(&line).map_err(|error| fault(format!("not UTF-8 text: {error}")))?;
        let text = text.trim_end();
        if text.is_empty() {
            continue;
        }
        let query = parse_query(text).map_err(|error| fault(error.to_string()))?;
        if all {
            let table = compare(&query).map_err(|error| fault(error.to_string()))?;
            writeln!(output, "{table}")?;
        } else {
            let answer = answer(&query).map_err(|error| fault(error.to_string()))?;
            serde_json::to_writer(&mut output, &answer)?;
            writeln!(output)?;
        }
        answered = true;
    }
    if answered { Ok(()) } else { Err(Failure::Input(format!("{}: no query in it", name.display()))) }
}
