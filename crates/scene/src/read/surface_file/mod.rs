//! Surface files: STL, OBJ and PLY, height grids (`.asc`), and point clouds (XYZ, CSV and LAS).
//!
//! One function reads all of them, for grains and for walls. Normals, colours and materials are
//! ignored. All coordinates must be finite. A damaged file gives one message with the line of a
//! text or the byte of a binary file at which the fault was found.
//!
//! The memory for a file is bounded by its size: a count in a header is compared with the bytes
//! that follow before anything is allocated for it.

mod asc;
mod las;
mod obj;
mod ply;
mod points;
mod polygon;
pub mod solid;
mod stl;

use std::path::Path;

use glam::DVec3;
use granum_geometry::TriangleMesh;
use granum_geometry::surface::delaunay;
use granum_geometry::surface::repair::{joined_vertices, without_unused_vertices};

/// Endings of the names of files that can be read.
pub const ENDINGS: [&str; 7] = ["stl", "obj", "ply", "asc", "xyz", "csv", "las"];

/// Length by which the coordinates of a file are multiplied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Metre.
    #[default]
    M,
    /// Centimetre.
    Cm,
    /// Millimetre.
    Mm,
    /// Inch, 25.4 mm.
    In,
    /// Foot, 304.8 mm.
    Ft,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 5] = [Self::M, Self::Cm, Self::Mm, Self::In, Self::Ft];

    /// Returns the unit in metres.
    pub fn metres(self) -> f64 {
        match self {
            Self::M => 1.0,
            Self::Cm => 0.01,
            Self::Mm => 0.001,
            Self::In => 0.0254,
            Self::Ft => 0.3048,
        }
    }

    /// Returns the name of the unit in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Self::M => "m",
            Self::Cm => "cm",
            Self::Mm => "mm",
            Self::In => "in",
            Self::Ft => "ft",
        }
    }
}

/// The contents of a file, in its unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The distinct vertices, in the order of the file.
    pub vertices: Vec<DVec3>,
    /// The vertices of each triangle. A face with more corners has been divided.
    pub triangles: Vec<[u32; 3]>,
    /// True for a point cloud, which has no triangles.
    pub is_cloud: bool,
}

/// Returns the surface of a file, or the reason for which the file cannot be read.
pub fn read(path: &Path) -> Result<Surface, String> {
    let name = path.display();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
    let surface = match extension.as_str() {
        "stl" => stl::surface,
        "obj" => obj::surface,
        "ply" => ply::surface,
        "asc" => asc::surface,
        "xyz" | "csv" => points::surface,
        "las" => las::surface,
        _ => {
            let endings = ENDINGS.map(|ending| format!(".{ending}")).join(", ");
            return Err(format!("the format of {name} is unknown; the name must end with one of {endings}"));
        }
    };
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    let surface = surface(&bytes).and_then(Surface::joined);
    surface.map_err(|reason| format!("cannot read {name}: {reason}"))
}

impl Surface {
    /// Joins vertices with equal coordinates, and drops triangles that have fewer than three
    /// distinct vertices. STL files repeat a vertex in each of its triangles, so that these are not
    /// connected before.
    fn joined(mut self) -> Result<Self, String> {
        if self.vertices.len().max(self.triangles.len()) > TriangleMesh::MOST {
            return Err(format!("the file has more than {} vertices or triangles", TriangleMesh::MOST));
        }
        let (vertices, joined) = joined_vertices(&self.vertices, 0.0);
        self.vertices = vertices;
        self.triangles.iter_mut().flatten().for_each(|index| *index = joined[*index as usize]);
        self.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        Ok(self)
    }

    /// Returns the mesh of the surface in metres. The points of a cloud are triangulated in the
    /// plane z = 0, with normals upward; of several points above each other one is used.
    pub fn mesh(mut self, unit: Unit) -> Result<TriangleMesh, String> {
        if self.is_cloud {
            let plane: Vec<[f64; 2]> = self.vertices.iter().map(|vertex| [vertex.x, vertex.y]).collect();
            self.triangles = delaunay::triangles(&plane);
            if self.triangles.is_empty() {
                return Err("the points make no surface: seen from above, they lie on one line".to_owned());
            }
        }
        if self.triangles.is_empty() {
            return Err("the file has no triangle with an area".to_owned());
        }
        let mesh = TriangleMesh::new(self.vertices, self.triangles).and_then(without_unused_vertices);
        mesh.and_then(|mesh| mesh.scaled(DVec3::splat(unit.metres()))).map_err(|error| error.to_string())
    }
}

/// Returns the bytes of a file as text.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("byte {}: the text is not in UTF-8", error.valid_up_to()))
}

/// Reads a finite number of a line.
fn number(word: &str, line: usize) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(number) => Err(format!("line {line}: a coordinate is {number}, which is not finite")),
        Err(_) => Err(format!("line {line}: `{word}` is not a number")),
    }
}

/// Reads a vertex from the first three words of a line.
fn vertex<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<DVec3, String> {
    let mut vertex = [0.0; 3];
    let mut count = 0;
    for (coordinate, word) in vertex.iter_mut().zip(words) {
        *coordinate = number(word, line)?;
        count += 1;
    }
    if count == 3 {
        Ok(DVec3::from_array(vertex))
    } else {
        Err(format!("line {line}: a vertex needs three coordinates, not {count}"))
    }
}

/// Returns `N` bytes of a file from a position, or the reason why they are missing.
fn bytes_at<const N: usize>(bytes: &[u8], start: usize) -> Result<[u8; N], String> {
    let found = bytes.get(start..).and_then(|rest| rest.first_chunk::<N>());
    found.copied().ok_or_else(|| format!("byte {}: the file ends too early", bytes.len()))
}

#[cfg(test)]
mod tests;
