//! Hilly terrain.

use super::{check_count, check_length_or_zero, check_triangles};
use crate::TriangleMesh;
use crate::random::Random;
use crate::shape::{InvalidShape, check_length};
use crate::surface::HeightGrid;

/// Bounds of the height and of the width of a hill, relative to the given ones.
const HEIGHTS: [f64; 2] = [0.3, 1.0];
const WIDTHS: [f64; 2] = [0.5, 1.5];

/// Random hills over a rectangle about the origin. The normals point up.
///
/// The height is a sum of Gaussian hills with random centres, heights and widths. Where hills
/// overlap, it can exceed that of a single hill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terrain {
    /// Lengths along x and y, m.
    pub size: [f64; 2],
    /// Numbers of cells along x and y. Each cell has two triangles.
    pub cells: [u32; 2],
    /// Number of hills.
    pub hills: u32,
    /// Height of the highest hills, m; the lowest have 0.3 of it. With height 0 the terrain is flat.
    pub height: f64,
    /// Standard deviation of the shape of a hill of mean width, m. Widths vary by a half.
    pub radius: f64,
    /// Seed of the hills.
    pub seed: u64,
}

impl Terrain {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        self.size.iter().try_for_each(|&length| check_length("size", length))?;
        self.cells.iter().try_for_each(|&count| check_count("cells", count, 1))?;
        let [columns, rows] = self.cells.map(u64::from);
        check_triangles("cells", columns.saturating_mul(rows).saturating_mul(2))?;
        check_length_or_zero("height", self.height)?;
        check_length("radius", self.radius)?;
        let mut random = Random::new(self.seed);
        let hills: Vec<[f64; 4]> = (0..self.hills)
            .map(|_| {
                let [x, y] = self.size.map(|length| 0.5 * length * random.signed());
                let height = self.height * random.range(HEIGHTS[0], HEIGHTS[1]);
                [x, y, height, self.radius * random.range(WIDTHS[0], WIDTHS[1])]
            })
            .collect();
        let step = [0, 1].map(|axis| self.size[axis] / f64::from(self.cells[axis]));
        let first = self.size.map(|length| -0.5 * length);
        let mut heights = Vec::with_capacity(((columns + 1) * (rows + 1)) as usize);
        for row in 0..=self.cells[1] {
            for column in 0..=self.cells[0] {
                let (x, y) = (first[0] + step[0] * f64::from(column), first[1] + step[1] * f64::from(row));
                let hill = |&[at_x, at_y, height, width]: &[f64; 4]| {
                    let (dx, dy) = ((x - at_x) / width, (y - at_y) / width);
                    height * libm::exp(-0.5 * (dx * dx + dy * dy))
                };
                heights.push(hills.iter().map(hill).sum());
            }
        }
        let grid = HeightGrid { columns: self.cells[0] + 1, first, step, heights };
        grid.mesh().map_err(|error| InvalidShape { field: "size", reason: format!("makes no surface: {error}") })
    }
}
