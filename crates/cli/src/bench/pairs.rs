//! `granum bench pairs`: time and error of the pair routines on files of nearly touching pairs.
//!
//! A file `NAME.bin` holds 17 little-endian doubles a pair: quaternion a (xyzw), quaternion b (xyzw), position of b
//! apart, position of b overlapping, normal from a to b. Body a is at the origin; the gap is ±[`GAP`].

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::{DQuat, DVec3};
use granum_geometry::contact::{Routine, routine};
use granum_geometry::{ContactPoint, Manifold, Pair, Shape, Status};
use granum_reference::benchmark::shape_of_file;
use serde::Serialize;

use super::planar;
use super::regions::{self, Region};
use crate::Failure;
use crate::table::{Align, Table};

/// The true distance of a pair that is apart, and the true depth of one that overlaps, m.
const GAP: f64 = 2e-3;

/// Size of the bodies, to which errors are relative, m.
const SIZE: f64 = 2.0;

/// An answer that is farther off than this counts as a failure, m: a tenth of the gap.
const FAILURE: f64 = 2e-4;

/// Difference of two gaps, relative to the size, that is no more than rounding.
const ROUNDING: f64 = 1e-12;

/// Margin of the queries, m; the peers' programs use the same.
const MARGIN: f64 = 0.1;

/// Numbers a pair takes in a file.
const NUMBERS: usize = 17;

/// How far a quaternion or a normal of a file may be from unit length: more is not rounding but another format.
const UNIT_TOLERANCE: f64 = 1e-6;

/// Time the pair routines on files of nearly touching pairs.
///
/// Reads DIR/NAME.bin for every shape that granum knows and runs the routine that the dispatch table holds for it,
/// cold and started from the true normal. Prints nanoseconds a pair (the best of several runs), the largest error of
/// the gap relative to the size of the bodies, the number of failures (not converged, or wrong by a tenth of the gap), and
/// the number of pairs that are less deep in each other than their file says, as their normal proves. Pairs whose own normal
/// is off by a whole gap are not judged. Other files are listed as skipped. Where bodies know the volume that they share, a
/// second table has the time of a whole contact by volume (`energy`) and of each way to the region, with its error. Without DIR, ellipses made here are measured,
/// warm from 1e-3 rad off the normal, and beside them the curvature method of the thesis with Brent's method as printed.
#[derive(clap::Args)]
#[command(after_long_help = "\
A file holds 17 little-endian doubles a pair: quaternion a (xyzw), quaternion b (xyzw), position of b 2e-3 m apart,
position of b 2e-3 m overlapping, normal from a to b; a is at the origin.

Example:
  granum bench pairs data/pairs --shape sphere --repeat 9")]
pub struct Args {
    /// Folder of the pair files; without it, ellipses made here are measured
    dir: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Measure only this shape
    #[arg(long, value_name = "NAME")]
    shape: Option<String>,
    /// Runs, of which the fastest counts
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(5..))]
    repeat: u32,
}

/// One pair, in one of its two states.
struct Placed {
    orientation_a: DQuat,
    orientation_b: DQuat,
    offset: DVec3,
    normal: DVec3,
}

/// A state of the pairs of a file: its name, where the position of b is, and the true gap.
const STATES: [(&str, usize, f64); 2] = [("separated", 8, GAP), ("overlapping", 11, -GAP)];

#[derive(Serialize)]
struct Report {
    repeat: u32,
    results: Vec<Measured>,
    regions: Vec<Region>,
    skipped: Vec<String>,
}

/// A row of the report.
#[derive(Serialize)]
pub(super) struct Measured {
    pub shape: String,
    pub routine: &'static str,
    pub state: &'static str,
    pub start: &'static str,
    pub pairs: usize,
    pub ns_per_pair: f64,
    /// Largest error of the gap, relative to the size.
    pub max_error: f64,
    pub failures: usize,
    /// Pairs whose bodies part by a shorter way than that of the file, which the answer's normal proves.
    pub shallower: usize,
}

/// Measures every file and prints the report.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut report = Report { repeat: args.repeat, results: Vec::new(), regions: Vec::new(), skipped: Vec::new() };
    let Some(dir) = &args.dir else {
        report.results = planar::measure(args.repeat);
        return report.print(args.json);
    };
    for (name, path) in pair_files(args, dir)? {
        let Some(shape) = shape_of_file(&name) else {
            report.skipped.push(name);
            continue;
        };
        let bytes = fs::read(&path).map_err(|error| Failure::unreadable(&path, &error))?;
        for (state, position, gap) in STATES {
            let pairs = read_pairs(&bytes, position)
                .map_err(|reason| Failure::Input(format!("{}: {reason}", path.display())))?;
            for start in ["cold", "warm"] {
                let routine = routine(shape.kind(), shape.kind());
                let queries = || pairs.iter().map(|placed| placed.query(&shape, start == "warm"));
                let told = queries().zip(&pairs).filter(|(pair, placed)| placed.tells(pair, gap));
                let Checked { max_error, failures, shallower } = check(routine, told.map(|(pair, _)| pair), gap);
                let ns_per_pair = time(routine, queries, args.repeat) / pairs.len() as f64;
                let (shape, routine) = (name.clone(), routine.name);
                let pairs = pairs.len();
                report.results.push(Measured {
                    shape,
                    routine,
                    state,
                    start,
                    pairs,
                    ns_per_pair,
                    max_error,
                    failures,
                    shallower,
                });
            }
            if gap < 0.0 {
                let queries: Vec<Pair> = pairs.iter().map(|placed| placed.query(&shape, true)).collect();
                report.regions.extend(regions::measure(&name, &queries, args.repeat));
            }
        }
    }
    if report.results.is_empty() {
        let skipped = report.skipped.join(", ");
        let reason = format!("{}: no pair file of a shape that granum knows, only {skipped}", dir.display());
        return Err(Failure::Input(reason));
    }
    report.print(args.json)
}

/// The pair files to look at, by name.
fn pair_files(args: &Args, dir: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let unreadable = |error| Failure::unreadable(dir, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if let Some(name) = pair_file_name(&path) {
            files.push((name, path));
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Failure::Input(format!("{}: no pair file (NAME.bin) in it", dir.display())));
    }
    if let Some(shape) = &args.shape {
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        files.retain(|(name, _)| name == shape);
        if files.is_empty() {
            let (dir, names) = (dir.display(), names.join(", "));
            return Err(Failure::Input(format!("--shape {shape}: no {shape}.bin in {dir}, only {names}")));
        }
    }
    Ok(files)
}

/// `NAME` of a path `.../NAME.bin`.
fn pair_file_name(path: &Path) -> Option<String> {
    (path.extension()? == "bin").then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
}

/// The pairs of a file; `position` is the index of the number at which the position of b begins.
fn read_pairs(bytes: &[u8], position: usize) -> Result<Vec<Placed>, String> {
    const NUMBER: usize = size_of::<f64>();
    let size = NUMBERS * NUMBER;
    if bytes.is_empty() || !bytes.len().is_multiple_of(size) {
        return Err(format!("{} bytes is not a whole number of pairs of {size} bytes", bytes.len()));
    }
    let (records, _) = bytes.as_chunks::<{ NUMBERS * NUMBER }>();
    let read = |(index, record): (usize, &[u8; NUMBERS * NUMBER])| {
        let (numbers, _) = record.as_chunks::<NUMBER>();
        let at = |i: usize| f64::from_le_bytes(numbers[i]);
        let vector = |i: usize| DVec3::new(at(i), at(i + 1), at(i + 2));
        let quaternion = |i: usize| DQuat::from_xyzw(at(i), at(i + 1), at(i + 2), at(i + 3));
        let placed = Placed {
            orientation_a: quaternion(0),
            orientation_b: quaternion(4),
            offset: vector(position),
            normal: vector(14),
        };
        let is_unit = |length: f64| (length - 1.0).abs() < UNIT_TOLERANCE;
        let units = [placed.orientation_a.length(), placed.orientation_b.length(), placed.normal.length()];
        if units.into_iter().all(is_unit) && placed.offset.is_finite() {
            Ok(placed)
        } else {
            Err(format!("pair {index} is not two unit quaternions, two positions and a unit normal"))
        }
    };
    records.iter().enumerate().map(read).collect()
}

impl Placed {
    /// The question to the routine, which may start from the true normal.
    fn query<'a>(&self, shape: &'a Shape, warm: bool) -> Pair<'a> {
        Pair {
            a: shape,
            b: shape,
            offset: self.offset,
            orientation_a: self.orientation_a,
            orientation_b: self.orientation_b,
            margin: MARGIN,
            warm: warm.then_some(self.normal),
        }
    }
}

impl Placed {
    /// Whether the file's normal is one of the pair: what iterated to it may have stopped short, and then there is no truth.
    fn tells(&self, pair: &Pair, gap: f64) -> bool {
        (pair.distance_along(self.normal) - gap).abs() <= GAP
    }
}

/// How right the answers are.
#[derive(Default)]
struct Checked {
    max_error: f64,
    failures: usize,
    shallower: usize,
}

/// Asks every pair. No answer is an error of the gap.
///
/// A pair that overlaps was made by pushing b into a along the normal of their touch. Bodies with corners may then part by a
/// shorter way. How far two bodies are apart along any one direction is a lower bound of their gap: where it is as large
/// along the answer's normal as the answer says, a larger gap than the file's is right and the file's is not.
fn check<'a>(routine: Routine, queries: impl Iterator<Item = Pair<'a>>, gap: f64) -> Checked {
    let mut manifold = Manifold::default();
    let mut checked = Checked::default();
    for pair in queries {
        manifold.clear();
        (routine.collide)(&pair, &mut manifold);
        let is_shallower = |point: &ContactPoint| {
            gap < 0.0 && point.gap > gap && (pair.distance_along(point.normal) - point.gap).abs() <= ROUNDING * SIZE
        };
        let error = match manifold.deepest() {
            Some(point) if is_shallower(point) => {
                checked.shallower += usize::from(point.gap - gap > ROUNDING * SIZE);
                0.0
            }
            point => point.map_or(GAP, |point| (point.gap - gap).abs()),
        };
        // An error that is not a number must not slip through the comparisons.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        checked.failures += usize::from(error > FAILURE || manifold.status != Status::Converged);
        checked.max_error = checked.max_error.max(error / SIZE);
    }
    checked
}

/// Time of the fastest of `repeat` runs over all pairs, ns.
pub(super) fn time<'a, I: Iterator<Item = Pair<'a>>>(routine: Routine, queries: impl Fn() -> I, repeat: u32) -> f64 {
    let mut manifold = Manifold::default();
    fastest(repeat, || {
        for pair in queries() {
            manifold.clear();
            (routine.collide)(black_box(&pair), &mut manifold);
            black_box(&manifold);
        }
    })
}

/// Time of the fastest of `repeat` runs, ns.
pub(super) fn fastest(repeat: u32, mut run: impl FnMut()) -> f64 {
    let mut timed = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e9
    };
    (0..repeat).map(|_| timed()).fold(f64::INFINITY, f64::min)
}

impl Report {
    fn print(&self, json: bool) -> Result<(), Failure> {
        let mut output = io::stdout().lock();
        if json {
            serde_json::to_writer_pretty(&mut output, self)?;
            writeln!(output)?;
        } else {
            output.write_all(self.table().as_bytes())?;
        }
        Ok(output.flush()?)
    }

    /// The report as lines of aligned columns.
    fn table(&self) -> String {
        use Align::{Left, Right};
        let mut rows = Table::new([
            ("shape", Left),
            ("routine", Left),
            ("state", Left),
            ("start", Left),
            ("ns/pair", Right),
            ("max error", Right),
            ("failures", Right),
            ("shallower", Right),
            ("pairs", Right),
        ]);
        for m in &self.results {
            rows.row([
                m.shape.clone(),
                m.routine.into(),
                m.state.into(),
                m.start.into(),
                format!("{:.1}", m.ns_per_pair),
                format!("{:.1e}", m.max_error),
                m.failures.to_string(),
                m.shallower.to_string(),
                m.pairs.to_string(),
            ]);
        }
        let mut table = rows.text();
        let _ = writeln!(table, "\nbest of {} runs; max error: of the gap, relative to the size {SIZE} m", self.repeat);
        if !self.regions.is_empty() {
            let _ = writeln!(table, "\n{}", regions::table(&self.regions));
        }
        if !self.skipped.is_empty() {
            let _ = writeln!(table, "skipped, shape not known: {}", self.skipped.join(", "));
        }
        table
    }
}
