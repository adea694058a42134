//! `granum plot`: charts of a run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use granum_output::RunFolder;
use granum_picture::Chart;
use granum_picture::chart;
use granum_picture::film::write_png;

use crate::Failure;

/// Folder of the charts in the folder of a run.
const CHARTS: &str = "charts";

/// Draw charts of a run: energies, contacts, forces on walls, flow, and computing time by stage.
///
/// Each chart is written as PNG and as SVG. A run that is still running has no summary yet, and
/// therefore no chart of its computing time. A run without walls has no chart of forces, and one
/// without flow planes and outlets none of the flow.
#[derive(clap::Args)]
#[command(after_help = "Example: granum plot out/first_run")]
pub struct Args {
    /// Folder of the run
    dir: PathBuf,
    /// Folder for the charts [default: DIR/charts]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

/// Draws and writes the charts.
pub fn run(args: &Args) -> Result<(), Failure> {
    let bad = |error: granum_output::ReadError| Failure::Input(error.to_string());
    let folder = RunFolder::open(&args.dir).map_err(bad)?;
    let rows = folder.energy().map_err(bad)?;
    if rows.is_empty() {
        return Err(Failure::Input(format!("energy.csv in {} has no rows", args.dir.display())));
    }
    let out = args.out.clone().unwrap_or_else(|| args.dir.join(CHARTS));
    fs::create_dir_all(&out).map_err(|error| Failure::unwritable(&out, &error))?;
    let mut charts = vec![("energies", chart::energies(&rows)), ("contacts", chart::contacts(&rows))];
    if args.dir.join(granum_output::run_folder::WALLS).exists() {
        let walls = folder.walls().map_err(bad)?;
        if !walls.is_empty() {
            charts.push(("walls", chart::walls(&walls)));
        }
    }
    if args.dir.join(granum_output::run_folder::FLOW).exists() {
        let flow = folder.flow().map_err(bad)?;
        if !flow.is_empty() {
            charts.push(("flow", chart::flow(&flow)));
        }
    }
    if args.dir.join(granum_output::run_folder::SUMMARY).exists() {
        charts.push(("stages", chart::stages(&folder.summary().map_err(bad)?)));
    }
    for (name, chart) in charts {
        for path in write_chart(&chart, &out.join(name))? {
            if !args.quiet {
                let _ = writeln!(io::stdout(), "{}", path.display());
            }
        }
    }
    Ok(())
}

/// Writes a chart as PNG and SVG and returns the two paths.
pub fn write_chart(chart: &Chart, path: &Path) -> Result<[PathBuf; 2], Failure> {
    let (png, svg) = (path.with_extension("png"), path.with_extension("svg"));
    let mut bytes = Vec::new();
    let written = write_png(&chart.image(), &mut bytes).and_then(|()| fs::write(&png, bytes));
    written.map_err(|error| Failure::unwritable(&png, &error))?;
    fs::write(&svg, chart.svg()).map_err(|error| Failure::unwritable(&svg, &error))?;
    Ok([png, svg])
}
