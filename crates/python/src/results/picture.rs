//! Pictures: views from keyword arguments, images as arrays and PNG.

use std::str::FromStr;

use glam::DVec3;
use granum_picture::film::write_png;
use granum_picture::render::{cut_from_text, place_from_text};
use granum_picture::{ColourMap, Framing, Image, Lens, Subject, View, render};
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{self, GranumError};

/// Largest width or height of a picture, pixels.
const LARGEST: usize = 20_000;

/// Width and height of a picture in a notebook, pixels.
const INLINE: [usize; 2] = [800, 600];

/// A picture or a chart.
#[pyclass(module = "granum", frozen)]
pub struct Picture {
    image: Image,
    svg: Option<String>,
}

impl Picture {
    pub fn new(image: Image, svg: Option<String>) -> Self {
        Self { image, svg }
    }
}

#[pymethods]
impl Picture {
    /// The pixels: (height, width, 3) of `uint8`.
    #[getter]
    pub fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let bytes: Vec<u8> = self.image.pixels.iter().flatten().copied().collect();
        PyArray1::from_vec(py, bytes).reshape([self.image.height, self.image.width, 3])
    }

    /// The picture as a PNG file.
    #[getter]
    pub fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        let written = py.detach(|| write_png(&self.image, &mut bytes));
        written.map_err(|error| GranumError::new_err(format!("cannot write the picture: {error}")))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A chart as the text of an SVG file; None for a picture of grains.
    #[getter]
    fn svg(&self) -> Option<&str> {
        self.svg.as_deref()
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py)
    }

    fn __repr__(&self) -> String {
        format!("Picture({} x {})", self.image.width, self.image.height)
    }
}

/// Draws a picture of a frame or a state.
pub fn draw(py: Python<'_>, subject: &Subject<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Picture> {
    let view = options.map_or_else(|| Ok(View::default()), view)?;
    let image = py.detach(|| render(subject, &view, &Framing::of(subject, &view)));
    image.map(|image| Picture::new(image, None)).map_err(|error| GranumError::new_err(error.to_string()))
}

/// Draws a picture for a notebook.
pub fn inline(py: Python<'_>, subject: &Subject<'_>) -> PyResult<Picture> {
    let options = PyDict::new(py);
    options.set_item("size", INLINE)?;
    draw(py, subject, Some(&options))
}

/// Returns the view of keyword arguments, which are the options of `granum render`.
fn view(options: &Bound<'_, PyDict>) -> PyResult<View> {
    let py = options.py();
    let mut view = View::default();
    for (key, value) in options.iter() {
        let key: String = key.extract()?;
        let wrong = |reason: String| errors::input_error(py, &key, &reason);
        match key.as_str() {
            "size" => {
                let size: [usize; 2] =
                    value.extract().map_err(|_| wrong("must be width and height in pixels".into()))?;
                if !size.iter().all(|side| (1..=LARGEST).contains(side)) {
                    return Err(wrong(format!("must be from 1 to {LARGEST} pixels, not {size:?}")));
                }
                view.size = size;
            }
            "camera" => view.from = word(&value).map_err(wrong)?,
            "look_at" => view.look_at = Some(place_from_text(&text(&value)?).map_err(wrong)?),
            "zoom" => {
                view.zoom = value.extract()?;
                if !(view.zoom.is_finite() && view.zoom > 0.0) {
                    return Err(wrong(format!("must be a positive number, not {}", view.zoom)));
                }
            }
            "orthographic" => view.lens = if value.extract()? { Lens::Orthographic } else { Lens::Perspective },
            "cut" => view.cut = Some(cut_from_text(&text(&value)?).map_err(wrong)?) as Option<(DVec3, f64)>,
            "colour" => view.colour = word(&value).map_err(wrong)?,
            "colours" => view.map = colour_map(&value).map_err(wrong)?,
            "range" => view.range = Some(range(&value).map_err(wrong)?),
            "surface_colour" => view.surface_colour = word(&value).map_err(wrong)?,
            "surface_colours" => view.surface_map = Some(colour_map(&value).map_err(wrong)?),
            "surface_range" => view.surface_range = Some(range(&value).map_err(wrong)?),
            "legend" => view.legend = value.extract()?,
            "walls" => view.walls = value.extract()?,
            _ => {
                return Err(wrong(
                    "is unknown; expected size, camera, look_at, zoom, orthographic, cut, colour, colours, range, \
                     surface_colour, surface_colours, surface_range, legend or walls"
                        .into(),
                ));
            }
        }
    }
    Ok(view)
}

/// Returns a text, or the numbers of a sequence as a text with commas.
fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.extract::<String>() {
        Ok(text) => Ok(text),
        Err(_) => {
            let numbers: Vec<f64> = value.extract()?;
            Ok(numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(","))
        }
    }
}

fn word<T: FromStr<Err = String>>(value: &Bound<'_, PyAny>) -> Result<T, String> {
    text(value).map_err(|error| error.to_string())?.parse()
}

fn colour_map(value: &Bound<'_, PyAny>) -> Result<ColourMap, String> {
    let name = text(value).map_err(|error| error.to_string())?;
    ColourMap::ALL.into_iter().find(|map| map.name() == name).ok_or_else(|| {
        let names: Vec<&str> = ColourMap::ALL.iter().map(|map| map.name()).collect();
        format!("must be one of {}, not {name}", names.join(", "))
    })
}

fn range(value: &Bound<'_, PyAny>) -> Result<[f64; 2], String> {
    match value.extract::<[f64; 2]>() {
        Ok([min, max]) if min.is_finite() && max.is_finite() && min < max => Ok([min, max]),
        _ => Err("must be two numbers, the smaller first".into()),
    }
}
