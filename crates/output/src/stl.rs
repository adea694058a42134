//! Surfaces as binary STL: the triangles of all bodies in world axes, in m, in the single precision
//! of the format.

use std::io::{self, Write};

use glam::DVec3;
use granum_geometry::{Mesh, TriangleMesh};

/// Length of the header, bytes. Its contents are arbitrary but must not begin with `solid`.
const HEAD: usize = 80;

/// Beginning of the header.
pub const TITLE: &[u8] = b"surfaces by granum, m";

/// Writes all surfaces into one file.
pub fn write(meshes: &[Mesh], file: &mut dyn Write) -> io::Result<()> {
    write_head(meshes.iter().map(|mesh| mesh.triangles.len()).sum(), file)?;
    for mesh in meshes {
        mesh.triangles.iter().try_for_each(|triangle| write_triangle(mesh.corners(triangle), file))?;
    }
    Ok(())
}

/// Writes a triangulated surface.
pub fn write_surface(mesh: &TriangleMesh, file: &mut dyn Write) -> io::Result<()> {
    let count = mesh.triangles().len();
    write_head(count, file)?;
    (0..count).try_for_each(|triangle| write_triangle(mesh.corners(triangle), file))
}

fn write_head(count: usize, file: &mut dyn Write) -> io::Result<()> {
    let count =
        u32::try_from(count).map_err(|_| io::Error::other(format!("{count} triangles are too many for STL")))?;
    let mut head = [0; HEAD];
    head[..TITLE.len()].copy_from_slice(TITLE);
    file.write_all(&head)?;
    file.write_all(&count.to_le_bytes())
}

fn write_triangle([a, b, c]: [DVec3; 3], file: &mut dyn Write) -> io::Result<()> {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    for number in [normal, a, b, c].iter().flat_map(|v| v.as_vec3().to_array()) {
        file.write_all(&number.to_le_bytes())?;
    }
    file.write_all(&[0; 2])
}
