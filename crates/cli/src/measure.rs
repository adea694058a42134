//! `granum measure`: observables of a run.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use glam::DVec3;
use granum_geometry::Aabb;
use granum_output::measure::{Drum, Measurement, Options, around_grains, spread, write_tables};
use granum_output::{Frame, RunFolder, run_folder};
use granum_picture::chart;
use granum_scene::Scene;

use crate::Failure;
use crate::plot::write_chart;
use crate::table::{Align, Table};

/// The folder for observables in that of a run.
const MEASURES: &str = "measure";

/// Measure the grains of a run: packing, contacts, orientation order, stress, profiles; of a drum also its surface.
///
/// Tables (CSV) and charts (PNG, SVG) are written; the last frame is printed. Packing leaves out what walls fill of the
/// box. Coordination and stress need frames with contacts.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  granum measure out/drum
  granum measure out/pour --region 0,0,0,0.16,0.08,0.05 --grid 1,1,20 --from 0.3")]
pub struct Args {
    /// Folder of a run
    dir: PathBuf,
    /// Box to measure in, m: x, y, z of its lowest corner and of its highest [default: around all grains]
    #[arg(long, value_name = "X,Y,Z,X,Y,Z", allow_hyphen_values = true)]
    region: Option<Numbers<f64, 6>>,
    /// Cells of the profiles along x, y and z
    #[arg(long, value_name = "NX,NY,NZ", default_value = "1,1,20")]
    grid: Numbers<usize, 3>,
    /// Leave out frames before this time, s
    #[arg(long, value_name = "T")]
    from: Option<f64>,
    /// Leave out frames after this time, s
    #[arg(long, value_name = "T")]
    to: Option<f64>,
    /// Folder for tables and charts [default: DIR/measure]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

/// So many numbers with commas between them.
#[derive(Clone, Copy)]
struct Numbers<T, const N: usize>([T; N]);

impl<T: FromStr, const N: usize> FromStr for Numbers<T, N> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Result<Vec<T>, String> = text
            .split(',')
            .map(|part| part.trim().parse().map_err(|_| format!("`{}` is no such number", part.trim())))
            .collect();
        let parts = parts?;
        let count = parts.len();
        parts.try_into().map(Self).map_err(|_| format!("{N} numbers are needed, not {count}"))
    }
}

/// Measures and writes.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folder = RunFolder::open(&args.dir)?;
    let wanted = args.from.unwrap_or(f64::NEG_INFINITY)..=args.to.unwrap_or(f64::INFINITY);
    let frames: Vec<_> = folder.frames().iter().filter(|frame| wanted.contains(&frame.time)).collect();
    let Some(last) = frames.last() else {
        return Err(Failure::Input(format!("{} has no frames to measure in that time", args.dir.display())));
    };
    // The last frame says where the grains are in the end: that is the box of the profiles.
    let last = folder.frame(last.number)?;
    let scene = Scene::load(&args.dir.join(run_folder::SCENE)).ok();
    let gravity = scene.map_or(DVec3::ZERO, |scene| scene.gravity);
    let options = Options { region: args.region()?, cells: args.cells()?, gravity };
    let mut measurement = Measurement::new(options, around_grains(&last));
    for entry in &frames {
        measurement.add(&folder.frame(entry.number)?);
    }
    if measurement.rows().is_empty() {
        return Err(Failure::Input(format!("{} has no grains to measure", args.dir.display())));
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
    tell(&measurement, &last)?;
    for path in paths {
        writeln!(io::stdout(), "{}", path.display())?;
    }
    Ok(())
}

impl Args {
    fn region(&self) -> Result<Option<Aabb>, Failure> {
        let Some(Numbers([x, y, z, to_x, to_y, to_z])) = self.region else { return Ok(None) };
        let bounds = Aabb { min: DVec3::new(x, y, z), max: DVec3::new(to_x, to_y, to_z) };
        if !(bounds.min.is_finite() && bounds.max.is_finite() && bounds.min.cmplt(bounds.max).all()) {
            return Err(Failure::Input("--region: its second corner must be above the first along x, y and z".into()));
        }
        Ok(Some(bounds))
    }

    fn cells(&self) -> Result<[usize; 3], Failure> {
        // A cell needs some sampled points, and there are a quarter of a million.
        const MOST: usize = 20_000;
        let cells = self.grid.0;
        let count = cells.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        match count {
            Some(count) if count > 0 && count <= MOST => Ok(cells),
            _ => Err(Failure::Input(format!("--grid: 1 to {MOST} cells can be measured"))),
        }
    }
}

/// The last frame, for people.
fn tell(measurement: &Measurement, last: &Frame) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let Some(row) = measurement.rows().last() else { return Ok(()) };
    let mut table = Table::new([("observable", Align::Left), ("value", Align::Right)]);
    let mut tell = |name: &str, value: String| table.row([name.into(), value]);
    tell("time, s", format!("{}", row.time));
    tell("packing fraction", format!("{:.4} +- {:.4}", row.packing.fraction, row.packing.error));
    tell("grains", format!("{}", row.coordination.grains));
    if !last.contacts.is_empty() {
        tell("coordination", format!("{:.3}", row.coordination.mean));
        tell("  of grains that carry", format!("{:.3}", row.coordination.carrying));
        tell("  part that carries nothing", format!("{:.4}", row.coordination.rattlers));
        tell("pressure, Pa", format!("{:.4e}", row.stress.pressure()));
        tell("heap: height, m", format!("{:.4}", row.heap.height));
        tell("  radius, m", format!("{:.4}", row.heap.radius));
        tell("  deepest overlap, m", format!("{:.2e}", row.heap.overlap));
    }
    if row.order.grains > 0 {
        let [x, y, z] = row.order.director.to_array();
        tell("nematic order", format!("{:.4}", row.order.order));
        tell("  director", format!("{x:.3} {y:.3} {z:.3}"));
    }
    tell_drum(measurement.drum(), &mut tell);
    write!(out, "{}", table.text())
}

fn tell_drum(drum: &Drum, tell: &mut impl FnMut(&str, String)) {
    if drum.rows().is_empty() {
        return;
    }
    let angles = spread(drum.steady().iter().map(|row| row.surface));
    let masses = spread(drum.steady().iter().map(|row| row.centre_of_mass));
    tell("surface angle, degrees", format!("{:.2} +- {:.2}", angles.0, angles.1));
    tell("  by the centre of mass", format!("{:.2} +- {:.2}", masses.0, masses.1));
    let reversal = drum.reversal().map_or("none".into(), |depth| format!("{depth:.5}"));
    tell("depth of reversal, m", reversal);
}
