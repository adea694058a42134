//! A triangulated surface in its body axes: `shape_3.vtp`. granum reads it back with all bits.

use std::io;
use std::path::Path;

use glam::DVec3;
use granum_geometry::TriangleMesh;

use super::poly_data::{PolyData, Section};
use super::read::{Damage, Document};

/// Writes a surface with the height z of its points.
pub(crate) fn write(path: &Path, mesh: &TriangleMesh) -> io::Result<()> {
    use Section::{PointData, Points, Polys};
    let mut file = PolyData::new(0, 0.0, r#" Scalars="height""#);
    file.array(Points, "position", mesh.vertices().iter().map(|vertex| vertex.to_array()));
    file.array(PointData, "height", mesh.vertices().iter().map(|vertex| [vertex.z as f32]));
    file.cells(Polys, mesh.triangles().len(), 3, mesh.triangles().iter().flatten().copied())?;
    file.write(path)
}

/// Reads a surface back.
pub(crate) fn read(path: &Path) -> Result<TriangleMesh, Damage> {
    use Section::{Points, Polys};
    let file = Document::open(path)?;
    let vertices = file.array::<f64, 3>(Points, "position", file.head.points)?.map(DVec3::from).collect();
    let mut corners = file.array::<i32, 1>(Polys, "connectivity", file.head.polys.saturating_mul(3))?;
    // A negative number becomes one that is too large, which the mesh rejects.
    let mut corner = || corners.next().map(|[corner]| corner as u32);
    let triangles = (0..file.head.polys).map_while(|_| Some([corner()?, corner()?, corner()?])).collect();
    TriangleMesh::new(vertices, triangles).map_err(|error| Damage(format!("is damaged: {error}")))
}
