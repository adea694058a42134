//! `shapes.json`: the shapes and materials to which the ids in the frames refer.
//!
//! Triangulated surfaces are in binary files beside it, `shape_ID.vtp`: as text, a million
//! triangles would take 100 MB.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use granum_geometry::Shape;
use granum_geometry::shape::Surface;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::atomic_file;
use crate::run_folder::ReadError;
use crate::vtk::mesh;
use crate::vtk::read::Damage;

/// Key of a shape that is in another file.
const IN_FILE: &str = "surface_file";

/// The materials and shapes of a run, by their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Shapes in body axes, SI units.
    pub shapes: Vec<Shape>,
}

/// The contents of the file as they are written.
#[derive(Serialize)]
struct Written<'a> {
    materials: &'a [String],
    shapes: Vec<WrittenShape<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WrittenShape<'a> {
    Whole(&'a Shape),
    InFile { surface_file: SurfaceFile },
}

/// The contents of the file as they are read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    materials: Vec<String>,
    shapes: Vec<Value>,
}

/// A triangulated surface in a file of its own.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SurfaceFile {
    /// Name of the file, in the same folder.
    file: String,
    is_two_sided: bool,
}

/// Returns the name of the file of a triangulated surface, by the id of its shape.
pub(crate) fn surface_file(shape: usize) -> String {
    format!("shape_{shape}.vtp")
}

/// Returns the surfaces among some shapes, with their ids.
pub(crate) fn surfaces_of(shapes: &[Shape]) -> impl Iterator<Item = (usize, &Surface)> {
    shapes.iter().enumerate().filter_map(|(id, shape)| match shape {
        Shape::Surface(surface) => Some((id, surface)),
        _ => None,
    })
}

impl Catalogue {
    /// Writes the file and those of the surfaces, each atomically. The surfaces among the first
    /// `known` shapes were written before. Returns the paths of all files that were written.
    pub(crate) fn write(path: &Path, materials: &[String], shapes: &[Shape], known: usize) -> io::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        for (id, surface) in surfaces_of(shapes).filter(|(id, _)| *id >= known) {
            let path = path.with_file_name(surface_file(id));
            mesh::write(&path, surface.mesh())?;
            written.push(path);
        }
        let entries = shapes.iter().enumerate().map(|(id, shape)| match shape {
            Shape::Surface(surface) => WrittenShape::InFile {
                surface_file: SurfaceFile { file: surface_file(id), is_two_sided: surface.is_two_sided() },
            },
            shape => WrittenShape::Whole(shape),
        });
        let contents = Written { materials, shapes: entries.collect() };
        atomic_file::write_buffered(path, |file| {
            serde_json::to_writer(&mut *file, &contents)?;
            file.write_all(b"\n")
        })?;
        written.push(path.to_owned());
        Ok(written)
    }

    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let fault = |reason: String| ReadError { path: path.to_owned(), reason };
        let bytes = fs::read(path).map_err(|error| fault(format!("cannot be read: {error}")))?;
        Self::parse(&bytes, path.parent().unwrap_or(Path::new(""))).map_err(fault)
    }

    /// Parses the text of the file in a folder. It rejects invalid shapes.
    pub(crate) fn parse(text: &[u8], folder: &Path) -> Result<Self, String> {
        let Read { materials, shapes } =
            serde_json::from_slice(text).map_err(|error| format!("is damaged: {error}"))?;
        let shape = |(id, value): (usize, Value)| {
            let wrong = |reason: String| format!("is damaged: shape {id}: {reason}");
            match value.get(IN_FILE) {
                Some(entry) => {
                    let entry = SurfaceFile::deserialize(entry).map_err(|error| wrong(error.to_string()))?;
                    read_surface(&entry, folder).map_err(wrong)
                }
                None => {
                    let shape = Shape::deserialize(value).map_err(|error| wrong(error.to_string()))?;
                    shape.checked().map_err(|error| wrong(error.to_string()))
                }
            }
        };
        let shapes = shapes.into_iter().enumerate().map(shape).collect::<Result<_, _>>()?;
        Ok(Self { materials, shapes })
    }
}

/// Reads a surface from its file in a folder.
fn read_surface(SurfaceFile { file, is_two_sided }: &SurfaceFile, folder: &Path) -> Result<Shape, String> {
    // The file must be in the same folder, whatever the text says.
    if Path::new(file).file_name().is_none_or(|name| name != file.as_str()) {
        return Err(format!("`{file}` is not the name of a file"));
    }
    let mesh = mesh::read(&folder.join(file)).map_err(|Damage(reason)| format!("{file} {reason}"))?;
    Surface::new(mesh, *is_two_sided).map(Shape::from).map_err(|error| format!("{file}: {error}"))
}
