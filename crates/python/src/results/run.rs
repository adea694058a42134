//! The folder of a run.

use std::fs;
use std::path::PathBuf;

use glam::DVec3;
use granum_geometry::Aabb;
use granum_output::measure::{Measurement, Options, around_grains, is_planar, write_tables};
use granum_output::{ReadError, RunFolder};
use granum_picture::{Chart, chart};
use granum_scene::Scene;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::frame::Frame;
use super::picture::Picture;
use crate::errors::{self, GranumError};

/// Layers of a profile without a grid.
const LAYERS: usize = 20;

/// Most cells of a grid: the measurement samples a quarter of a million points, and each cell needs
/// several.
const MOST_CELLS: usize = 20_000;

/// The folder of a run.
#[pyclass(module = "granum", frozen, subclass)]
pub struct Run {
    folder: RunFolder,
}

fn unreadable(error: ReadError) -> PyErr {
    errors::ReadError::new_err(error.to_string())
}

#[pymethods]
impl Run {
    #[new]
    fn new(py: Python<'_>, dir: PathBuf) -> PyResult<Self> {
        let folder = py.detach(|| RunFolder::open(&dir)).map_err(unreadable)?;
        Ok(Self { folder })
    }

    /// The folder.
    #[getter]
    fn dir(&self) -> PathBuf {
        self.folder.dir().to_owned()
    }

    /// Number, step and time of each frame.
    fn _frames(&self) -> Vec<(u64, u64, f64)> {
        self.folder.frames().iter().map(|frame| (frame.number, frame.step, frame.time)).collect()
    }

    /// Messages about damaged frames, which are left out.
    #[getter]
    fn damaged(&self) -> Vec<String> {
        self.folder.damaged().iter().map(ToString::to_string).collect()
    }

    /// Read a frame by its number in the folder.
    fn _frame(&self, py: Python<'_>, number: u64) -> PyResult<Frame> {
        let frame = py.detach(|| self.folder.frame(number)).map_err(unreadable)?;
        Ok(Frame { frame })
    }

    /// Read a table by columns: energy, walls or flow.
    fn _table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        match name {
            "energy" => super::columns(py, &self.folder.energy().map_err(unreadable)?),
            "walls" => super::columns(py, &self.folder.walls().map_err(unreadable)?),
            _ => super::columns(py, &self.folder.flow().map_err(unreadable)?),
        }
    }

    /// The summary as JSON.
    fn _summary(&self) -> PyResult<String> {
        let summary = self.folder.summary().map_err(unreadable)?;
        serde_json::to_string(&summary).map_err(|error| GranumError::new_err(error.to_string()))
    }

    /// The scene of the run with all defaults, as TOML.
    #[getter]
    fn scene_toml(&self) -> PyResult<String> {
        self.folder.scene().map_err(unreadable)
    }

    /// Draw a chart: energies, contacts, walls, flow or stages.
    #[pyo3(signature = (name = "energies"))]
    fn plot(&self, py: Python<'_>, name: &str) -> PyResult<Picture> {
        let folder = &self.folder;
        let chart = py.detach(|| -> Result<Option<Chart>, ReadError> {
            Ok(Some(match name {
                "energies" => chart::energies(&folder.energy()?),
                "contacts" => chart::contacts(&folder.energy()?),
                "walls" => chart::walls(&folder.walls()?),
                "flow" => chart::flow(&folder.flow()?),
                "stages" => chart::stages(&folder.summary()?),
                _ => return Ok(None),
            }))
        });
        let chart = chart.map_err(unreadable)?.ok_or_else(|| {
            errors::input_error(py, "name", &format!("must be energies, contacts, walls, flow or stages, not {name}"))
        })?;
        Ok(py.detach(|| Picture::new(chart.image(), Some(chart.svg()))))
    }

    /// Measure the frames between two times, and write the tables into a folder. Returns their
    /// paths.
    fn _measure(
        &self,
        py: Python<'_>,
        out: PathBuf,
        times: [f64; 2],
        region: Option<Vec<f64>>,
        grid: Option<Vec<usize>>,
    ) -> PyResult<Vec<PathBuf>> {
        let folder = &self.folder;
        let frames: Vec<_> =
            folder.frames().iter().filter(|frame| (times[0]..=times[1]).contains(&frame.time)).collect();
        let last = frames.last().ok_or_else(|| GranumError::new_err("there are no frames in this interval of time"))?;
        let last = py.detach(|| folder.frame(last.number)).map_err(unreadable)?;
        let planar = is_planar(&last);
        let scene = Scene::load(&folder.dir().join(granum_output::run_folder::SCENE)).ok();
        let gravity = scene.map_or(DVec3::ZERO, |scene| scene.gravity);
        let region = region.map(|numbers| bounds(py, &numbers, planar)).transpose()?;
        let options = Options { region, cells: cells(py, grid.as_deref(), planar)?, gravity };
        let mut measurement = Measurement::new(options, around_grains(&last));
        for entry in frames {
            py.detach(|| folder.frame(entry.number).map(|frame| measurement.add(&frame))).map_err(unreadable)?;
            py.check_signals()?;
        }
        fs::create_dir_all(&out)?;
        write_tables(&measurement, &out).map_err(|error| PyOSError::new_err(format!("{}: {error}", out.display())))
    }
}

/// Returns the box of two opposite corners.
fn bounds(py: Python<'_>, numbers: &[f64], planar: bool) -> PyResult<Aabb> {
    let wrong = |reason: &str| errors::input_error(py, "region", reason);
    let bounds = match (planar, numbers) {
        // A planar run is a metre thick.
        (true, &[x, y, to_x, to_y]) => Aabb { min: DVec3::new(x, y, -0.5), max: DVec3::new(to_x, to_y, 0.5) },
        (false, &[x, y, z, to_x, to_y, to_z]) => Aabb { min: DVec3::new(x, y, z), max: DVec3::new(to_x, to_y, to_z) },
        (true, _) => return Err(wrong("must be 4 numbers (x, y, x, y) in a planar run")),
        (false, _) => return Err(wrong("must be 6 numbers (x, y, z, x, y, z)")),
    };
    if bounds.min.is_finite() && bounds.max.is_finite() && bounds.min.cmplt(bounds.max).all() {
        Ok(bounds)
    } else {
        Err(wrong("must have a second corner above the first in each coordinate"))
    }
}

/// Returns the numbers of cells of the profiles.
fn cells(py: Python<'_>, grid: Option<&[usize]>, planar: bool) -> PyResult<[usize; 3]> {
    let wrong = |reason: &str| errors::input_error(py, "grid", reason);
    let cells = match (planar, grid) {
        (true, None) => [1, LAYERS, 1],
        (false, None) => [1, 1, LAYERS],
        (true, Some(&[x, y] | &[x, y, 1])) => [x, y, 1],
        (false, Some(&[x, y, z])) => [x, y, z],
        (true, Some(_)) => return Err(wrong("must be 2 numbers in a planar run")),
        (false, Some(_)) => return Err(wrong("must be 3 numbers")),
    };
    match cells.iter().try_fold(1usize, |product, &n| product.checked_mul(n)) {
        Some(count) if count > 0 && count <= MOST_CELLS => Ok(cells),
        _ => Err(wrong(&format!("must have 1 to {MOST_CELLS} cells"))),
    }
}
