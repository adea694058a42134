//! Motions of walls from Python, with the checks and messages of a scene.

use granum_engine::WallMotion;
use granum_scene::{Scene, wall_motion};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toml::{Table, Value};

use crate::convert;
use crate::errors;

/// A scene with one wall, in space and in the plane. It is checked, never run.
const SCENES: [&str; 2] = [
    "[time]\nend = 1\n[materials.m]\ndensity = 1\n[[walls]]\nmaterial = \"m\"\nsphere = { radius = 1 }\n\
     [[grains]]\nmaterial = \"m\"\nsphere = { radius = 1 }\npositions = [[9, 9, 9]]\n",
    "dimension = 2\n[time]\nend = 1\n[materials.m]\ndensity = 1\n[[walls]]\nmaterial = \"m\"\ndisc = { radius = 1 }\n\
     [[grains]]\nmaterial = \"m\"\ndisc = { radius = 1 }\npositions = [[9, 9]]\n",
];

/// Returns the motion that a dictionary with the keys of `motion` in a scene describes.
pub fn parse(py: Python<'_>, values: &Bound<'_, PyDict>, planar: bool) -> PyResult<WallMotion> {
    let motion = Value::Table(convert::table(values, "motion")?);
    let text = toml::to_string(&Table::from_iter([("motion".to_owned(), motion)]));
    let text = text.map_err(|error| errors::input_error(py, "motion", &error.to_string()))?;
    // The wall is the last table before the grains.
    let scene = SCENES[usize::from(planar)]
        .replace("[[grains]]", &format!("{}\n[[grains]]", text.replace("[motion", "[walls.motion")));
    let scene = Scene::parse(&scene, "motion".as_ref()).map_err(|mut error| {
        error.field = error.field.map(|field| field.replacen("walls[0].", "", 1));
        errors::scene_error(py, &error, false)
    })?;
    let motion = scene.walls.first().and_then(|wall| wall.motion.as_ref());
    let motion = motion.map_or_else(|| Ok(WallMotion::default()), |motion| wall_motion(motion, planar));
    motion.map_err(|error| errors::world_error(py, &error))
}
