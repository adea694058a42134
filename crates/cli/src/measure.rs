//! `granum measure`: measured quantities of a run.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use glam::DVec3;
use granum_geometry::Aabb;
use granum_output::measure::{Drum, Measurement, Options, around_grains, is_planar, spread, write_tables};
use granum_output::{Frame, RunFolder, run_folder};
use granum_picture::chart;
use granum_scene::Scene;

use crate::Failure;
use crate::plot::write_chart;
use crate::table::{Align, Table};

/// Folder of the tables and charts in the folder of a run.
const MEASURES: &str = "measure";

/// Default number of layers of the profiles along the vertical axis.
const LAYERS: usize = 20;

/// Measure the grains of a run: packing, contacts, orientational order, stress, profiles; of a drum
/// also the surface.
///
/// Writes tables (CSV) and charts (PNG, SVG) and prints the values of the last frame. The packing
/// fraction excludes the volume of walls in the box. Coordination and stress need frames with
/// contacts.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  granum measure out/drum
  granum measure out/pour --region 0,0,0,0.16,0.08,0.05 --grid 1,1,20 --from 0.3")]
pub struct Args {
    /// Folder of a run
    dir: PathBuf,
    /// Box of the measurement, m: x, y, z of its lowest and of its highest corner; x, y, x, y in a
    /// planar run [default: around all grains]
    #[arg(long, value_name = "X,Y,Z,X,Y,Z", allow_hyphen_values = true)]
    region: Option<Numbers<f64>>,
    /// Number of cells of the profiles along x, y and z; along x and y in a planar run [default: 20
    /// layers along the vertical axis: 1,1,20, or 1,20 in a planar run]
    #[arg(long, value_name = "NX,NY,NZ")]
    grid: Option<Numbers<usize>>,
    /// Ignore frames before this time, s
    #[arg(long, value_name = "T")]
    from: Option<f64>,
    /// Ignore frames after this time, s
    #[arg(long, value_name = "T")]
    to: Option<f64>,
    /// Folder for tables and charts [default: DIR/measure]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

/// Numbers separated by commas.
#[derive(Clone)]
struct Numbers<T>(Vec<T>);

impl<T: FromStr> FromStr for Numbers<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse().map_err(|_| format!("`{}` is not a valid number", part.trim()));
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

/// Measures the frames, writes tables and charts, and prints the last values.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folder = RunFolder::open(&args.dir)?;
    let interval = args.from.unwrap_or(f64::NEG_INFINITY)..=args.to.unwrap_or(f64::INFINITY);
    let frames: Vec<_> = folder.frames().iter().filter(|frame| interval.contains(&frame.time)).collect();
    let Some(last) = frames.last() else {
        return Err(Failure::Input(format!("{} has no frames in this interval of time", args.dir.display())));
    };
    // The default box of the profiles is that of the grains in the last frame.
    let last = folder.frame(last.number)?;
    let planar = is_planar(&last);
    let scene = Scene::load(&args.dir.join(run_folder::SCENE)).ok();
    let gravity = scene.map_or(DVec3::ZERO, |scene| scene.gravity);
    let options = Options { region: args.region(planar)?, cells: args.cells(planar)?, gravity };
    let mut measurement = Measurement::new(options, around_grains(&last));
    for entry in &frames {
        measurement.add(&folder.frame(entry.number)?);
    }
    if measurement.rows().is_empty() {
        return Err(Failure::Input(format!("{} has no grains", args.dir.display())));
    }
    let out = args.out.clone().unwrap_or_else(|| args.dir.join(MEASURES));
    let unwritable = |error: io::Error| Failure::unwritable(&out, &error);
    fs::create_dir_all(&out).map_err(unwritable)?;
    let mut paths = write_tables(&measurement, &out).map_err(unwritable)?;
    let mut charts = vec![("observables".to_owned(), chart::observables(measurement.rows()))];
    if let Some(profile) = measurement.profile() {
        let axes = (0..3).filter(|&axis| profile.grid().counts[axis] > 1);
        charts.extend(axes.map(|axis| {
            let name = ["profile_x", "profile_y", "profile_z"][axis].to_owned();
            (name, chart::profile(&profile.along(axis), axis))
        }));
    }
    if !measurement.drum().rows().is_empty() {
        charts.push(("drum".to_owned(), chart::drum(measurement.drum())));
    }
    for (name, chart) in charts {
        paths.extend(write_chart(&chart, &out.join(name))?);
    }
    if args.quiet {
        return Ok(());
    }
    print_last_values(&measurement, &last)?;
    for path in paths {
        writeln!(io::stdout(), "{}", path.display())?;
    }
    Ok(())
}

impl Args {
    fn region(&self, planar: bool) -> Result<Option<Aabb>, Failure> {
        let Some(Numbers(numbers)) = &self.region else { return Ok(None) };
        let bounds = match (planar, &numbers[..]) {
            // A planar run is a metre thick.
            (true, &[x, y, to_x, to_y]) => Aabb { min: DVec3::new(x, y, -0.5), max: DVec3::new(to_x, to_y, 0.5) },
            (false, &[x, y, z, to_x, to_y, to_z]) => {
                Aabb { min: DVec3::new(x, y, z), max: DVec3::new(to_x, to_y, to_z) }
            }
            (true, other) => {
                return Err(wrong_count("--region", "4 numbers (x, y, x, y) in a planar run", other.len()));
            }
            (false, other) => return Err(wrong_count("--region", "6 numbers (x, y, z, x, y, z)", other.len())),
        };
        if !(bounds.min.is_finite() && bounds.max.is_finite() && bounds.min.cmplt(bounds.max).all()) {
            return Err(Failure::Input(
                "--region: each coordinate of the second corner must be above that of the first".into(),
            ));
        }
        Ok(Some(bounds))
    }

    fn cells(&self, planar: bool) -> Result<[usize; 3], Failure> {
        // The sampling uses a quarter of a million points, and each cell needs several.
        const MOST: usize = 20_000;
        let cells = match (planar, self.grid.as_ref().map(|grid| &grid.0[..])) {
            (true, None) => [1, LAYERS, 1],
            (false, None) => [1, 1, LAYERS],
            // All grains of a planar run lie at z = 0, so that more layers would be empty.
            (true, Some(&[x, y] | &[x, y, 1])) => [x, y, 1],
            (false, Some(&[x, y, z])) => [x, y, z],
            (true, Some(&[_, _, _])) => {
                return Err(Failure::Input("--grid: a planar run has one layer along z; give NX,NY".into()));
            }
            (true, Some(other)) => return Err(wrong_count("--grid", "2 numbers (NX,NY) in a planar run", other.len())),
            (false, Some(other)) => return Err(wrong_count("--grid", "3 numbers (NX,NY,NZ)", other.len())),
        };
        let count = cells.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        match count {
            Some(count) if count > 0 && count <= MOST => Ok(cells),
            _ => Err(Failure::Input(format!("--grid: the number of cells must be from 1 to {MOST}"))),
        }
    }
}

/// Returns the error of an option with a wrong number of values.
fn wrong_count(option: &str, expected: &str, found: usize) -> Failure {
    Failure::Input(format!("{option} must be {expected}, not {found}"))
}

/// Prints the measured quantities of the last frame.
fn print_last_values(measurement: &Measurement, last: &Frame) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let Some(values) = measurement.rows().last() else { return Ok(()) };
    let mut table = Table::new([("observable", Align::Left), ("value", Align::Right)]);
    let mut row = |name: &str, value: String| table.row([name.into(), value]);
    row("time, s", granum_scene::short_number(values.time));
    row("packing fraction", format!("{:.4} +- {:.4}", values.packing.fraction, values.packing.error));
    row("grains", format!("{}", values.coordination.grains));
    if !last.contacts.is_empty() {
        row("coordination", format!("{:.3}", values.coordination.mean));
        row("  of grains that carry load", format!("{:.3}", values.coordination.carrying));
        row("  fraction without load", format!("{:.4}", values.coordination.rattlers));
        row("pressure, Pa", format!("{:.4e}", values.stress.pressure()));
        row("heap: height, m", format!("{:.4}", values.heap.height));
        row("  radius, m", format!("{:.4}", values.heap.radius));
        row("  deepest overlap, m", format!("{:.2e}", values.heap.overlap));
    }
    if values.order.grains > 0 {
        let [x, y, z] = values.order.director.to_array();
        row("nematic order", format!("{:.4}", values.order.order));
        row("  director", format!("{x:.3} {y:.3} {z:.3}"));
    }
    print_drum(measurement.drum(), &mut row);
    write!(out, "{}", table.text())
}

/// Adds the rows of a drum, if the run is one.
fn print_drum(drum: &Drum, row: &mut impl FnMut(&str, String)) {
    if drum.rows().is_empty() {
        return;
    }
    let angles = spread(drum.steady().iter().map(|row| row.surface));
    let masses = spread(drum.steady().iter().map(|row| row.centre_of_mass));
    row("surface angle, degrees", format!("{:.2} +- {:.2}", angles.0, angles.1));
    row("  from the centre of mass", format!("{:.2} +- {:.2}", masses.0, masses.1));
    let reversal = drum.reversal().map_or("none".into(), |depth| format!("{depth:.5}"));
    row("depth of reversal, m", reversal);
}
