//! Surfaces as binary STL: the triangles of all bodies in world axes, in m, in the single precision
//! of the format.

use std::io::{self, Write};

use granum_geometry::Mesh;

/// Length of the header, bytes. Its contents are arbitrary but must not begin with `solid`.
const HEAD: usize = 80;

/// Beginning of the header.
pub const TITLE: &[u8] = b"surfaces by granum, m";

/// Writes all surfaces into one file.
pub fn write(meshes: &[Mesh], file: &mut dyn Write) -> io::Result<()> {
    let count: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    let count =
        u32::try_from(count).map_err(|_| io::Error::other(format!("{count} triangles are too many for STL")))?;
    let mut head = [0; HEAD];
    head[..TITLE.len()].copy_from_slice(TITLE);
    file.write_all(&head)?;
    file.write_all(&count.to_le_bytes())?;
    for mesh in meshes {
        for triangle in &mesh.triangles {
            let [a, b, c] = mesh.corners(triangle);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for number in [normal, a, b, c].iter().flat_map(|v| v.as_vec3().to_array()) {
                file.write_all(&number.to_le_bytes())?;
            }
            file.write_all(&[0; 2])?;
        }
    }
    Ok(())
}
