//! Triangulated surfaces: terrain, machine parts, anything that is read from a file.
//!
//! - [`TriangleMesh`]: vertices and triangles, checked, with transforms, area, bounds and volume;
//! - [`generate`]: surfaces without a file, such as plates, hoppers, screws and terrain;
//! - [`HeightGrid`] and [`delaunay`]: surfaces from heights on a grid and from points;
//! - [`topology`]: adjacency of triangles; [`report`]: the faults of a mesh;
//! - [`mod@repair`]: joins vertices, drops triangles without area, orients normals;
//! - [`inside`]: test whether a point lies inside a closed surface; [`fill`]: grains inside or between surfaces;
//! - [`tree`]: bounding-volume tree over triangles or any other boxes.
//!
//! The corners of a triangle are anticlockwise as seen from the side to which its normal points.
//! Grains are on that side. Pictures use [`crate::Mesh`] instead, which has normals at its vertices.

mod corners;
pub mod delaunay;
pub(crate) mod features;
pub mod fill;
pub mod generate;
mod height_grid;
pub mod inside;
mod nearest;
mod predicates;
pub mod repair;
pub mod report;
pub mod topology;
pub mod tree;
mod triangle_mesh;

use glam::DVec3;

pub use height_grid::HeightGrid;
pub use inside::{Inside, Location};
pub use repair::repair;
pub use report::Report;
pub use triangle_mesh::{InvalidMesh, TriangleMesh};

/// Height of a triangle relative to its longest side below which it counts as degenerate. Rounded
/// coordinates of double precision do not determine the normal of a thinner triangle.
pub const THINNEST: f64 = 1e-12;

/// Returns the point of a triangle that is closest to `point`.
pub(crate) fn closest_point([a, b, c]: [DVec3; 3], point: DVec3) -> DVec3 {
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared();
    let sides = [(a, b), (b, c), (c, a)];
    if square > 0.0 && sides.iter().all(|&(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0) {
        return point - normal * (normal.dot(point - a) / square);
    }
    let on_side = |(from, to): (DVec3, DVec3)| {
        let along = to - from;
        let part = (point - from).dot(along) / along.length_squared();
        from + if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) } * along
    };
    let nearer = |p: &DVec3, q: &DVec3| (*p - point).length_squared().total_cmp(&(*q - point).length_squared());
    sides.map(on_side).into_iter().min_by(nearer).expect("a triangle has sides")
}
