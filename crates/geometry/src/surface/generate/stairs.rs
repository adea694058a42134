//! Stairs.

use super::{Builder, check_count, check_triangles};
use crate::TriangleMesh;
use crate::shape::{InvalidShape, check_length};

/// Stairs that begin at the origin and climb along x. The normals point up and against x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stairs {
    /// Number of steps.
    pub steps: u32,
    /// Height of a step, m.
    pub rise: f64,
    /// Depth of a step along x, m.
    pub run: f64,
    /// Width along y, m. The stairs lie evenly on both sides of the plane y = 0.
    pub width: f64,
}

impl Stairs {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        check_count("steps", self.steps, 1)?;
        check_triangles("steps", 4 * u64::from(self.steps))?;
        check_length("rise", self.rise)?;
        check_length("run", self.run)?;
        check_length("width", self.width)?;
        let half = 0.5 * self.width;
        let mut builder = Builder::default();
        let mut line = |x: f64, z: f64| [builder.vertex(x, -half, z), builder.vertex(x, half, z)];
        let mut lines = vec![line(0.0, 0.0)];
        for step in 0..self.steps {
            let height = f64::from(step + 1) * self.rise;
            lines.extend([line(f64::from(step) * self.run, height), line(f64::from(step + 1) * self.run, height)]);
        }
        for pair in lines.windows(2) {
            builder.quad(pair[0][0], pair[1][0], pair[1][1], pair[0][1]);
        }
        builder.mesh()
    }
}
