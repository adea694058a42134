//! Bodies as triangulated surfaces: `surfaces_000000.vtp`. The files are large and serve display
//! only, therefore they are in single precision. Triangulated walls are in other files
//! (`walls.rs`).

use std::io;
use std::path::Path;

use granum_engine::BodyState;
use granum_geometry::Shape;

use super::poly_data::{PolyData, Section};
use crate::frame_surfaces::surfaces;

/// Writes the surfaces of all bodies, except triangulated walls, with the id, the material and the
/// speed of each.
pub(crate) fn write(
    path: &Path,
    step: u64,
    time: f64,
    bodies: &[BodyState],
    shapes: &[Shape],
    level: u32,
) -> io::Result<()> {
    use Section::{CellData, PointData, Points, Polys};
    let (mut vertices, mut normals, mut corners) = (Vec::new(), Vec::new(), Vec::new());
    // Index of the body of each triangle.
    let mut owners: Vec<&BodyState> = Vec::new();
    let is_other = |body: &&BodyState| !matches!(shapes[body.shape.0 as usize], Shape::Surface(_));
    let others: Vec<BodyState> = bodies.iter().filter(is_other).copied().collect();
    for (body, mesh) in surfaces(&others, shapes, level) {
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices.iter().map(|vertex| vertex.as_vec3().to_array()));
        normals.extend(mesh.normals.iter().map(|normal| normal.as_vec3().to_array()));
        // The check below rejects too many corners.
        corners.extend(mesh.triangles.iter().flatten().map(|&corner| first.wrapping_add(corner)));
        owners.extend(mesh.triangles.iter().map(|_| body));
    }
    let mut file = PolyData::new(step, time, r#" Normals="normals""#);
    file.array(Points, "points", vertices.into_iter());
    file.array(PointData, "normals", normals.into_iter());
    file.array(CellData, "id", owners.iter().map(|body| [body.id.0]));
    file.array(CellData, "material", owners.iter().map(|body| [body.material.0]));
    file.array(CellData, "speed", owners.iter().map(|body| [body.velocity.length() as f32]));
    file.cells(Polys, owners.len(), 3, corners.into_iter())?;
    file.write(path)
}
