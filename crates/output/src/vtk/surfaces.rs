//! Bodies as triangulated surfaces: `surfaces_000000.vtp`. Large, and only for the eye: single precision.

use std::io;
use std::path::Path;

use granum_engine::BodyState;
use granum_geometry::Shape;

use super::poly_data::{PolyData, Section};
use crate::frame_surfaces::surfaces;

/// Writes the surfaces of all bodies with the id, the material and the speed of each.
pub(crate) fn write(
    path: &Path,
    step: u64,
    time: f64,
    bodies: &[BodyState],
    shapes: &[Shape],
    level: u32,
) -> io::Result<()> {
    use Section::{CellData, PointData, Points, Polys};
    let meshes: Vec<_> = surfaces(bodies, shapes, level).collect();
    let vertices = || meshes.iter().flat_map(|(_, mesh)| &mesh.vertices);
    let normals = || meshes.iter().flat_map(|(_, mesh)| &mesh.normals);
    let of_triangles = || meshes.iter().flat_map(|(body, mesh)| mesh.triangles.iter().map(move |_| *body));
    let mut file = PolyData::new(step, time, r#" Normals="normals""#);
    file.array(Points, "points", vertices().map(|vertex| vertex.as_vec3().to_array()));
    file.array(PointData, "normals", normals().map(|normal| normal.as_vec3().to_array()));
    file.array(CellData, "id", of_triangles().map(|body| [body.id.0]));
    file.array(CellData, "material", of_triangles().map(|body| [body.material.0]));
    file.array(CellData, "speed", of_triangles().map(|body| [body.velocity.length() as f32]));
    let triangles = meshes.iter().map(|(_, mesh)| mesh.triangles.len()).sum();
    let first = meshes.iter().scan(0, |sum, (_, mesh)| {
        let first = *sum;
        *sum += mesh.vertices.len();
        Some(first as u32)
    });
    let corners = meshes
        .iter()
        .zip(first)
        .flat_map(|((_, mesh), first)| mesh.triangles.iter().flatten().map(move |&corner| first.wrapping_add(corner)));
    file.cells(Polys, triangles, 3, corners)?;
    file.write(path)
}
