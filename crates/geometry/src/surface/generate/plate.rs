//! Rectangles in a plane.

use super::{Builder, check_count, check_triangles};
use crate::TriangleMesh;
use crate::random::Random;
use crate::shape::{InvalidShape, check_length};
use crate::surface::delaunay;

/// A rectangle in the plane z = 0 about the origin. The normal points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plate {
    /// Lengths along x and y, m.
    pub size: [f64; 2],
    /// Numbers of cells along x and y. Each cell has two triangles.
    pub cells: [u32; 2],
}

impl Plate {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        self.size.iter().try_for_each(|&length| check_length("size", length))?;
        self.cells.iter().try_for_each(|&count| check_count("cells", count, 1))?;
        let [columns, rows] = self.cells.map(u64::from);
        check_triangles("cells", columns.saturating_mul(rows).saturating_mul(2))?;
        let mut builder = Builder::default();
        let at = |axis: usize, k: u32| self.size[axis] * (f64::from(k) / f64::from(self.cells[axis]) - 0.5);
        for row in 0..=self.cells[1] {
            (0..=self.cells[0]).for_each(|column| _ = builder.vertex(at(0, column), at(1, row), 0.0));
        }
        let width = self.cells[0] + 1;
        for row in 0..self.cells[1] {
            for column in 0..self.cells[0] {
                let first = row * width + column;
                builder.quad(first, first + 1, first + width + 1, first + width);
            }
        }
        builder.mesh()
    }
}

/// A rectangle in the plane z = 0 about the origin, cut into random triangles. The normal points
/// up. Tests compare the motion of a grain on it with that on a half-space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomPlane {
    /// Lengths along x and y, m.
    pub size: [f64; 2],
    /// Number of random points besides the four corners. There are about twice as many triangles.
    pub points: u32,
    /// Seed of the points.
    pub seed: u64,
}

impl RandomPlane {
    /// Returns the surface: the Delaunay triangulation of the points.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        self.size.iter().try_for_each(|&length| check_length("size", length))?;
        check_triangles("points", 2 * u64::from(self.points) + 2)?;
        let half = self.size.map(|length| 0.5 * length);
        let mut random = Random::new(self.seed);
        let mut points = vec![[-half[0], -half[1]], [half[0], -half[1]], half, [-half[0], half[1]]];
        points.extend((0..self.points).map(|_| half.map(|end| end * random.signed())));
        let mut builder = Builder { triangles: delaunay::triangles(&points), ..Builder::default() };
        points.iter().for_each(|&[x, y]| _ = builder.vertex(x, y, 0.0));
        builder.mesh()
    }
}
