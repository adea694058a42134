//! Shapes of the vectorised contact.

use granum_geometry::{self as geometry, Pose};
use granum_reference::query::parse_query;
use pyo3::prelude::*;

use crate::errors;

/// A body to complete a query, in space and in the plane.
const PARTNERS: [&str; 2] = [
    r#"{"shape": {"type": "sphere", "radius": 1}, "position": [0, 0, 0]}"#,
    r#"{"shape": {"type": "disc", "radius": 1}, "position": [0, 0]}"#,
];

/// Positions of a query, in space and in the plane.
const POSITIONS: [&str; 2] = ["[0, 0, 0]", "[0, 0]"];

/// A shape with valid sizes, as an argument of `contact`.
///
/// >>> import granum
/// >>> granum.Shape("ellipsoid", semi_axes=[1.0, 2.0, 3.0])
/// Shape('ellipsoid', volume=25.1327)
#[pyclass(module = "granum", frozen)]
pub struct Shape {
    pub shape: geometry::Shape,
    /// Body axes of the shape relative to the axes in which it was given.
    pub frame: Pose,
    /// The shape as JSON.
    json: String,
    planar: bool,
}

#[pymethods]
impl Shape {
    /// Create a shape from JSON.
    #[staticmethod]
    fn _of_json(py: Python<'_>, json: String) -> PyResult<Self> {
        // A query reports errors with the messages of the program.
        let query = |plane: usize| {
            let (partner, position) = (PARTNERS[plane], POSITIONS[plane]);
            parse_query(&format!(r#"{{"a": {{"shape": {json}, "position": {position}}}, "b": {partner}}}"#))
        };
        let read = query(0).or_else(|in_space| query(1).map_err(|_| in_space));
        let shape = read.map_err(|error| shape_error(py, &errors::query_error(py, &error)))?.a.shape;
        let (frame, planar) = (shape.as_convex().frame(), !shape.as_convex().realm().admits(false));
        Ok(Self { shape, frame, json, planar })
    }

    /// The shape as JSON.
    #[getter]
    fn _json(&self) -> &str {
        &self.json
    }

    /// Name of the kind of shape.
    #[getter]
    fn kind(&self) -> String {
        self.shape.kind().name()
    }

    /// Volume, m³; of a planar shape the area, m². Infinite for unbounded shapes.
    #[getter]
    fn volume(&self) -> f64 {
        self.shape.as_convex().mass_properties().volume
    }

    /// Radius of the bounding sphere about the centre of mass, m.
    #[getter]
    fn bounding_radius(&self) -> f64 {
        self.shape.as_convex().bounding_radius()
    }

    /// Whether the shape lies in the plane z = 0.
    #[getter]
    fn planar(&self) -> bool {
        self.planar
    }

    fn __repr__(&self) -> String {
        let volume = self.volume();
        // Six digits, without zeros at the end.
        let digits = (5.0 - volume.abs().log10().floor()).clamp(0.0, 17.0) as usize;
        let volume = if volume.is_finite() { format!("{volume:.digits$}") } else { volume.to_string() };
        format!("Shape('{}', volume={volume})", self.kind())
    }
}

/// Returns an error of a query with the field as a part of the shape.
fn shape_error(py: Python<'_>, error: &PyErr) -> PyErr {
    let strip = |text: String| text.replacen("a.shape.", "", 1).replacen("a.shape", "shape", 1);
    let value = error.value(py);
    let field = value.getattr("field").and_then(|field| field.extract::<Option<String>>()).unwrap_or_default();
    let reason = value.getattr("reason").and_then(|reason| reason.extract::<String>()).unwrap_or_default();
    errors::contact_error(py, strip(value.to_string()), field.map(strip).as_deref(), &strip(reason))
}
