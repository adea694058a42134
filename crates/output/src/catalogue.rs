//! `shapes.json`: the shapes and materials to which the ids in the frames refer.

use std::fs;
use std::io;
use std::path::Path;

use granum_geometry::Shape;
use serde::{Deserialize, Serialize};

use crate::atomic_file;
use crate::run_folder::ReadError;

/// The materials and shapes of a run, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Shapes in body axes, SI units.
    pub shapes: Vec<Shape>,
}

/// The same with borrowed contents, for writing.
#[derive(Serialize)]
struct Borrowed<'a> {
    materials: &'a [String],
    shapes: &'a [Shape],
}

impl Catalogue {
    /// Writes the file atomically.
    pub(crate) fn write(path: &Path, materials: &[String], shapes: &[Shape]) -> io::Result<()> {
        atomic_file::write_buffered(path, |file| {
            serde_json::to_writer(&mut *file, &Borrowed { materials, shapes })?;
            file.write_all(b"\n")
        })
    }

    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let fault = |reason: String| ReadError { path: path.to_owned(), reason };
        let bytes = fs::read(path).map_err(|error| fault(format!("cannot be read: {error}")))?;
        Self::parse(&bytes).map_err(fault)
    }

    /// Parses the text of the file. It rejects invalid shapes.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, String> {
        let catalogue: Self = serde_json::from_slice(text).map_err(|error| format!("is damaged: {error}"))?;
        for (id, shape) in catalogue.shapes.iter().enumerate() {
            shape.clone().checked().map_err(|error| format!("is damaged: shape {id}: {error}"))?;
        }
        Ok(catalogue)
    }
}
