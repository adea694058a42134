//! Hoppers and cones.

use super::{Builder, check_count, check_length_or_zero, check_triangles, invalid};
use crate::TriangleMesh;
use crate::shape::{InvalidShape, check_length};

/// A hopper about the z axis: a funnel with an outlet at z = 0 and, above it, a vertical bin. The
/// normals point inward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hopper {
    /// Width of the outlet, m: its diameter, or the side of a square. An outlet of width 0 makes a
    /// closed cone or pyramid.
    pub outlet: f64,
    /// Width at the top of the funnel, m; larger than the outlet.
    pub inlet: f64,
    /// Height of the funnel, m.
    pub height: f64,
    /// Height of the vertical bin above the funnel, m; 0 for none.
    pub bin_height: f64,
    /// If true, the cross-sections are squares with sides along x and y.
    pub square: bool,
    /// Number of facets around a round hopper, whose edges lie on the circle.
    pub facets: u32,
}

impl Hopper {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        check_length_or_zero("outlet", self.outlet)?;
        check_length("inlet", self.inlet)?;
        check_length("height", self.height)?;
        check_length_or_zero("bin_height", self.bin_height)?;
        if self.inlet <= self.outlet {
            return invalid("inlet", format!("must be wider than the outlet, not {} m", self.inlet));
        }
        check_count("facets", self.facets, 3)?;
        check_triangles("facets", 4 * u64::from(self.facets))?;
        let mut builder = Builder::default();
        let outlet = self.ring(&mut builder, self.outlet, 0.0);
        let inlet = self.ring(&mut builder, self.inlet, self.height);
        builder.band(&inlet, &outlet);
        if self.bin_height > 0.0 {
            let top = self.ring(&mut builder, self.inlet, self.height + self.bin_height);
            builder.band(&top, &inlet);
        }
        builder.mesh()
    }

    fn ring(&self, builder: &mut Builder, width: f64, z: f64) -> Vec<u32> {
        if !self.square {
            return builder.ring(0.5 * width, z, self.facets);
        }
        if width == 0.0 {
            return builder.ring(0.0, z, 4);
        }
        let half = 0.5 * width;
        [[half, half], [-half, half], [-half, -half], [half, -half]].map(|[x, y]| builder.vertex(x, y, z)).to_vec()
    }
}
