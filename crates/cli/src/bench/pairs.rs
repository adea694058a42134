//! `granum bench pairs`: time and error of the pair routines on files of nearly touching pairs.
//!
//! A file `NAME.bin` contains 17 little-endian doubles per pair: quaternion a (xyzw), quaternion b
//! (xyzw), position of b when separated, position of b when overlapping, normal from a to b. Body a
//! is at the origin; the gap is ±[`GAP`].

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::{DQuat, DVec3};
use granum_geometry::{ContactPoint, Manifold, Measure, Pair, PairTable, Routine, Shape, Status};
use granum_reference::benchmark::shape_of_file;
use serde::Serialize;

use super::planar;
use super::regions::{self, Region};
use crate::Failure;
use crate::table::{Align, Table};

/// Exact distance of a separated pair, and exact depth of an overlapping one, m.
const GAP: f64 = 2e-3;

/// Size of the bodies, to which errors are relative, m.
const SIZE: f64 = 2.0;

/// Error of the gap beyond which a result is a failure, m: a tenth of the gap.
const FAILURE: f64 = 2e-4;

/// Largest difference of two equal gaps due to rounding, relative to the size.
const ROUNDING: f64 = 1e-12;

/// Margin of the queries, m, as in benchmarks of other programs.
const MARGIN: f64 = 0.1;

/// Numbers per pair in a file.
const NUMBERS: usize = 17;

/// Largest deviation of a quaternion or normal of a file from unit length. A larger one is not
/// rounding: the file has another format.
const UNIT_TOLERANCE: f64 = 1e-6;

/// Measure the pair routines on files of nearly touching pairs.
///
/// Reads DIR/NAME.bin for each shape of granum and runs its routine of the pair table, from a cold
/// start and from the exact normal (warm). Prints nanoseconds per pair (the best of several runs),
/// the largest error of the gap relative to the size of the bodies, the number of failures (not
/// converged, or an error above a tenth of the gap), and the number of pairs that are provably
/// shallower than their file states. Pairs whose normal is wrong by a whole gap are not checked.
/// Other files are listed as skipped.
///
/// For shapes with an overlap region, a second table contains the time of a contact by the region
/// (`energy`, `moments`) and the time and error of each method that computes the region. Without
/// DIR, generated ellipses are measured, warm from 1e-3 rad off the normal, and for comparison the
/// published curvature method with Brent's method.
#[derive(clap::Args)]
#[command(after_long_help = "\
A file contains 17 little-endian doubles per pair: quaternion a (xyzw), quaternion b (xyzw), position of b 2e-3 m
apart, position of b 2e-3 m overlapping, normal from a to b; a is at the origin.

Example:
  granum bench pairs data/pairs --shape sphere --repeat 9")]
pub struct Args {
    /// Folder of the pair files; without it, generated ellipses are measured
    dir: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Measure this shape only
    #[arg(long, value_name = "NAME")]
    shape: Option<String>,
    /// Number of runs; the fastest counts
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(5..))]
    repeat: u32,
}

/// A pair of a file in one of its two states.
struct FilePair {
    orientation_a: DQuat,
    orientation_b: DQuat,
    offset: DVec3,
    normal: DVec3,
}

/// States of the pairs of a file: name, index of the position of b, and exact gap.
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
    /// Number of pairs that are provably shallower than the file states.
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
                let routine = PairTable::standard().routine(Measure::Depth, shape.kind(), shape.kind());
                let queries = || pairs.iter().map(|stored| stored.query(&shape, start == "warm"));
                let valid = queries().zip(&pairs).filter(|(pair, stored)| stored.is_valid(pair, gap));
                let Checked { max_error, failures, shallower } = check(routine, valid.map(|(pair, _)| pair), gap);
                let ns_per_pair = time(routine, queries, args.repeat) / pairs.len() as f64;
                let (shape, routine) = (name.clone(), routine.name());
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
                let queries: Vec<Pair> = pairs.iter().map(|stored| stored.query(&shape, true)).collect();
                report.regions.extend(regions::measure(&name, &queries, args.repeat));
            }
        }
    }
    if report.results.is_empty() {
        let skipped = report.skipped.join(", ");
        let reason = format!("{} contains no pair file of a known shape, only of {skipped}", dir.display());
        return Err(Failure::Input(reason));
    }
    report.print(args.json)
}

/// Returns the pair files of a folder with their names, in alphabetical order.
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
        return Err(Failure::Input(format!("{} contains no pair file (NAME.bin)", dir.display())));
    }
    if let Some(shape) = &args.shape {
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        files.retain(|(name, _)| name == shape);
        if files.is_empty() {
            let (dir, names) = (dir.display(), names.join(", "));
            return Err(Failure::Input(format!("--shape {shape}: {dir} contains no {shape}.bin, only {names}")));
        }
    }
    Ok(files)
}

/// Returns `NAME` of a path `.../NAME.bin`.
fn pair_file_name(path: &Path) -> Option<String> {
    (path.extension()? == "bin").then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
}

/// Reads the pairs of a file; `position` is the index of the first number of the position of b.
fn read_pairs(bytes: &[u8], position: usize) -> Result<Vec<FilePair>, String> {
    const NUMBER: usize = size_of::<f64>();
    let size = NUMBERS * NUMBER;
    if bytes.is_empty() || !bytes.len().is_multiple_of(size) {
        return Err(format!("the size, {} bytes, is not a multiple of {size} bytes, the size of a pair", bytes.len()));
    }
    let (records, _) = bytes.as_chunks::<{ NUMBERS * NUMBER }>();
    let read = |(index, record): (usize, &[u8; NUMBERS * NUMBER])| {
        let (numbers, _) = record.as_chunks::<NUMBER>();
        let at = |i: usize| f64::from_le_bytes(numbers[i]);
        let vector = |i: usize| DVec3::new(at(i), at(i + 1), at(i + 2));
        let quaternion = |i: usize| DQuat::from_xyzw(at(i), at(i + 1), at(i + 2), at(i + 3));
        let pair = FilePair {
            orientation_a: quaternion(0),
            orientation_b: quaternion(4),
            offset: vector(position),
            normal: vector(14),
        };
        let is_unit = |length: f64| (length - 1.0).abs() < UNIT_TOLERANCE;
        let units = [pair.orientation_a.length(), pair.orientation_b.length(), pair.normal.length()];
        if units.into_iter().all(is_unit) && pair.offset.is_finite() {
            Ok(pair)
        } else {
            Err(format!("pair {index} must be two unit quaternions, two finite positions and a unit normal"))
        }
    };
    records.iter().enumerate().map(read).collect()
}

impl FilePair {
    /// Returns the query of the pair; with `warm`, it starts from the exact normal.
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

    /// Returns whether the normal of the file belongs to the pair. The iteration that computed it
    /// may have failed, and then the exact gap is not known.
    fn is_valid(&self, pair: &Pair, gap: f64) -> bool {
        (pair.distance_along(self.normal) - gap).abs() <= GAP
    }
}

/// Errors of the results.
#[derive(Default)]
struct Checked {
    max_error: f64,
    failures: usize,
    shallower: usize,
}

/// Evaluates all pairs and compares the gaps with the exact one. A missing result is an error of
/// the size of the gap.
///
/// An overlapping pair was constructed by a translation of b along the contact normal. Bodies with
/// corners may then be separated by a shorter translation. The distance along any direction is a
/// lower bound of the gap. If this bound is equal to the computed gap along the computed normal,
/// the computed gap is right, even if it is larger than that of the file.
fn check<'a>(routine: Routine, queries: impl Iterator<Item = Pair<'a>>, gap: f64) -> Checked {
    let mut manifold = Manifold::default();
    let mut checked = Checked::default();
    for pair in queries {
        manifold.clear();
        routine.evaluate(&pair, &mut manifold);
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
        // Comparisons with NaN are false, so that a NaN would count as no error.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        checked.failures += usize::from(error > FAILURE || manifold.status != Status::Converged);
        checked.max_error = checked.max_error.max(error / SIZE);
    }
    checked
}

/// Returns the time of the fastest of `repeat` runs over all pairs, ns.
pub(super) fn time<'a, I: Iterator<Item = Pair<'a>>>(routine: Routine, queries: impl Fn() -> I, repeat: u32) -> f64 {
    let mut manifold = Manifold::default();
    fastest(repeat, || {
        for pair in queries() {
            manifold.clear();
            routine.evaluate(black_box(&pair), &mut manifold);
            black_box(&manifold);
        }
    })
}

/// Returns the time of the fastest of `repeat` runs, ns.
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

    /// Returns the report as text tables.
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
        let _ = writeln!(
            table,
            "\nbest of {} runs; max error: error of the gap, relative to the size {SIZE} m",
            self.repeat
        );
        if !self.regions.is_empty() {
            let _ = writeln!(table, "\n{}", regions::table(&self.regions));
        }
        if !self.skipped.is_empty() {
            let _ = writeln!(table, "skipped, unknown shape: {}", self.skipped.join(", "));
        }
        table
    }
}
