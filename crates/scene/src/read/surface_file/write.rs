//! Writer of surfaces as binary STL files.

use granum_geometry::TriangleMesh;

/// Returns the bytes of a binary STL file. Its coordinates are in single precision, m.
pub fn stl(mesh: &TriangleMesh) -> Vec<u8> {
    let count = mesh.triangles().len();
    let mut bytes = Vec::with_capacity(84 + 50 * count);
    // A binary file must not begin with `solid`.
    bytes.extend(format!("{:<80}", "granum surface, coordinates in m").into_bytes());
    bytes.extend((count as u32).to_le_bytes());
    for triangle in 0..count {
        let normal = mesh.normal(triangle).unwrap_or_default();
        for vector in std::iter::once(normal).chain(mesh.corners(triangle)) {
            vector.to_array().iter().for_each(|number| bytes.extend((*number as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}
