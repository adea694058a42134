//! A box around grains.

use super::Builder;
use crate::TriangleMesh;
use crate::shape::{InvalidShape, check_length};

/// A box that stands on the plane z = 0 about the z axis. The normals point inward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxSurface {
    /// Lengths along x, y and z, m.
    pub size: [f64; 3],
    /// If true, the box is closed at the top.
    pub lid: bool,
}

impl BoxSurface {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        self.size.iter().try_for_each(|&length| check_length("size", length))?;
        let [x, y, height] = [0.5 * self.size[0], 0.5 * self.size[1], self.size[2]];
        let mut builder = Builder::default();
        let mut ring = |z: f64| [[-x, -y], [x, -y], [x, y], [-x, y]].map(|[x, y]| builder.vertex(x, y, z));
        let (bottom, top) = (ring(0.0), ring(height));
        builder.quad(bottom[0], bottom[1], bottom[2], bottom[3]);
        builder.band(&top, &bottom);
        if self.lid {
            builder.quad(top[3], top[2], top[1], top[0]);
        }
        builder.mesh()
    }
}
