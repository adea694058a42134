//! A cylinder around grains, such as a drum.

use super::{Builder, check_count, check_triangles};
use crate::TriangleMesh;
use crate::shape::{InvalidShape, check_length};

/// A cylinder about the origin with its axis along z. The normals point inward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CylinderSurface {
    /// Radius of the circle on which the edges between the facets lie, m.
    pub radius: f64,
    /// Length along z, m.
    pub length: f64,
    /// Number of facets around the axis.
    pub facets: u32,
    /// Number of divisions along the axis. Each facet has two triangles in each of them.
    pub divisions: u32,
    /// If true, the cylinder is closed at both ends.
    pub ends: bool,
}

impl CylinderSurface {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        check_length("radius", self.radius)?;
        check_length("length", self.length)?;
        check_count("facets", self.facets, 3)?;
        check_count("divisions", self.divisions, 1)?;
        check_triangles("facets", 2 * u64::from(self.facets) * (u64::from(self.divisions) + 1))?;
        let mut builder = Builder::default();
        let height = |k: u32| self.length * (f64::from(k) / f64::from(self.divisions) - 0.5);
        let bottom = builder.ring(self.radius, height(0), self.facets);
        let mut below = bottom.clone();
        for k in 1..=self.divisions {
            let above = builder.ring(self.radius, height(k), self.facets);
            builder.band(&above, &below);
            below = above;
        }
        if self.ends {
            let (low, high) = (builder.vertex(0.0, 0.0, height(0)), builder.vertex(0.0, 0.0, height(self.divisions)));
            builder.fill_up(&bottom, low);
            builder.fill_down(&below, high);
        }
        builder.mesh()
    }
}
