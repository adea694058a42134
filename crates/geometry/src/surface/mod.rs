//! Triangulated surfaces: terrain, machine parts, anything that is read from a file.
//!
//! - [`TriangleMesh`]: vertices and triangles, checked, with transforms, area, bounds and volume;
//! - [`generate`]: surfaces without a file, such as plates, hoppers, screws and terrain;
//! - [`HeightGrid`] and [`delaunay`]: surfaces from heights on a grid and from points;
//! - [`topology`]: adjacency of triangles; [`report`]: what is wrong with a mesh;
//! - [`mod@repair`]: joins vertices, drops triangles without area, orients normals;
//! - [`inside`]: whether a point lies inside a closed surface; [`fill`]: blocks inside or between surfaces;
//! - [`tree`]: bounding-volume tree over triangles or any other boxes.
//!
//! The corners of a triangle are anticlockwise as seen from the side to which its normal points.
//! Grains are on that side. Pictures use [`crate::Mesh`] instead, which has normals at its vertices.

pub mod delaunay;
pub mod fill;
pub mod generate;
mod height_grid;
pub mod inside;
mod predicates;
pub mod repair;
pub mod report;
pub mod topology;
pub mod tree;
mod triangle_mesh;

pub use height_grid::HeightGrid;
pub use inside::{Inside, Location};
pub use repair::repair;
pub use report::Report;
pub use triangle_mesh::{InvalidMesh, TriangleMesh};

/// Height of a triangle relative to its longest side below which it counts as degenerate. Rounded
/// coordinates of double precision do not determine the normal of a thinner triangle.
pub const THINNEST: f64 = 1e-12;
