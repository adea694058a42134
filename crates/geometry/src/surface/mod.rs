//! Triangulated surfaces: terrain, machine parts, anything that is read from a file.
//!
//! - [`TriangleMesh`]: vertices and triangles, checked, with transforms, area, bounds and volume.
//!
//! The corners of a triangle are anticlockwise as seen from the side to which its normal points.
//! Grains are on that side. Pictures use [`crate::Mesh`] instead, which has normals at its vertices.

mod triangle_mesh;

pub use triangle_mesh::{InvalidMesh, TriangleMesh};
