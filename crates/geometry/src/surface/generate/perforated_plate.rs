//! A plate with holes, such as the screen of a sieve.

use super::{Builder, check_count, check_length_or_zero, check_triangles, invalid};
use crate::TriangleMesh;
use crate::shape::{InvalidShape, check_length};

/// A plate with holes in a square pattern. Its upper face lies in the plane z = 0 about the origin.
///
/// Without thickness it is a sheet whose normals point up. With thickness it is a closed body below
/// the plane, whose normals point outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerforatedPlate {
    /// Numbers of holes along x and y.
    pub holes: [u32; 2],
    /// Distance between the centres of neighbouring holes, m. The plate ends half this distance
    /// beyond the centres of the outermost holes.
    pub spacing: f64,
    /// Width of a hole, m: its diameter, or the side of a square; less than the spacing.
    pub hole: f64,
    /// If true, the holes are squares with sides along x and y.
    pub square: bool,
    /// Thickness, m; 0 for a sheet.
    pub thickness: f64,
    /// Number of sides of a round hole, whose corners lie on the circle; a multiple of 4.
    pub facets: u32,
}

/// The vertices of one face of the plate.
struct Layer {
    /// Vertices between the cells, row by row.
    corners: Vec<u32>,
    /// The ring around each hole, anticlockwise.
    rings: Vec<Vec<u32>>,
}

impl PerforatedPlate {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        self.check()?;
        let mut builder = Builder::default();
        let upper = self.layer(&mut builder, 0.0);
        for (cell, ring) in upper.rings.iter().enumerate() {
            self.fill(&mut builder, self.cell_corners(&upper, cell), ring);
        }
        if self.thickness > 0.0 {
            let count = builder.triangles.len();
            let lower = self.layer(&mut builder, -self.thickness);
            for (cell, ring) in lower.rings.iter().enumerate() {
                self.fill(&mut builder, self.cell_corners(&lower, cell), ring);
                builder.band(&upper.rings[cell], ring);
            }
            // The lower face looks down, the walls of the holes into the holes.
            let per_ring = 2 * self.sides();
            let per_cell = count / upper.rings.len() + per_ring;
            for (k, triangle) in builder.triangles[count..].iter_mut().enumerate() {
                if k % per_cell < per_cell - per_ring {
                    triangle.swap(1, 2);
                }
            }
            builder.band(&self.rim(&lower), &self.rim(&upper));
        }
        builder.mesh()
    }

    fn check(&self) -> Result<(), InvalidShape> {
        self.holes.iter().try_for_each(|&count| check_count("holes", count, 1))?;
        check_length("spacing", self.spacing)?;
        check_length("hole", self.hole)?;
        check_length_or_zero("thickness", self.thickness)?;
        if self.hole >= self.spacing {
            return invalid("hole", format!("must be narrower than the spacing, not {} m", self.hole));
        }
        if !self.square && (self.facets < 4 || !self.facets.is_multiple_of(4)) {
            return invalid("facets", format!("must be a multiple of 4, not {}", self.facets));
        }
        let cells = u64::from(self.holes[0]) * u64::from(self.holes[1]);
        check_triangles("holes", cells.saturating_mul(4 * self.sides() as u64 + 8))
    }

    /// Returns the number of sides of a hole.
    fn sides(&self) -> usize {
        if self.square { 4 } else { self.facets as usize }
    }

    fn layer(&self, builder: &mut Builder, z: f64) -> Layer {
        let at = |axis: usize, k: f64| self.spacing * (k - 0.5 * f64::from(self.holes[axis]));
        let mut corners = Vec::new();
        for row in 0..=self.holes[1] {
            for column in 0..=self.holes[0] {
                corners.push(builder.vertex(at(0, f64::from(column)), at(1, f64::from(row)), z));
            }
        }
        let mut rings = Vec::new();
        for row in 0..self.holes[1] {
            for column in 0..self.holes[0] {
                let (x, y) = (at(0, f64::from(column) + 0.5), at(1, f64::from(row) + 0.5));
                rings.push(self.ring(builder, x, y, z));
            }
        }
        Layer { corners, rings }
    }

    /// Adds the vertices around a hole: of a square in the order of the corners of its cell, of a
    /// circle from the direction of x.
    fn ring(&self, builder: &mut Builder, x: f64, y: f64, z: f64) -> Vec<u32> {
        let half = 0.5 * self.hole;
        if self.square {
            let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
            return corners.map(|[dx, dy]| builder.vertex(x + dx, y + dy, z)).to_vec();
        }
        let first = builder.ring(half, z, self.facets);
        for &vertex in &first {
            builder.vertices[vertex as usize] += glam::DVec3::new(x, y, 0.0);
        }
        first
    }

    /// Returns the corners of a cell: left front, right front, right back, left back.
    fn cell_corners(&self, layer: &Layer, cell: usize) -> [u32; 4] {
        let [columns, _] = self.holes.map(|count| count as usize);
        let first = cell / columns * (columns + 1) + cell % columns;
        [first, first + 1, first + columns + 2, first + columns + 1].map(|k| layer.corners[k])
    }

    /// Adds the triangles of a cell around its hole, seen from above.
    fn fill(&self, builder: &mut Builder, corners: [u32; 4], ring: &[u32]) {
        let count = ring.len();
        for k in 0..4 {
            let next = (k + 1) % 4;
            if self.square {
                builder.quad(corners[k], corners[next], ring[next], ring[k]);
                continue;
            }
            // The vertex of the ring at the middle of the side from corner k to the next: the first
            // side lies in the direction -y.
            let middle = count / 4 * (k + 3) % count;
            builder.triangle(corners[k], corners[next], ring[middle]);
            for step in 0..count / 4 {
                let (m, n) = ((middle + step) % count, (middle + step + 1) % count);
                builder.triangle(ring[m], corners[next], ring[n]);
            }
        }
    }

    /// Returns the vertices around the plate, anticlockwise as seen from above.
    fn rim(&self, layer: &Layer) -> Vec<u32> {
        let [columns, rows] = self.holes.map(|count| count as usize);
        let at = |column: usize, row: usize| layer.corners[row * (columns + 1) + column];
        let front = (0..columns).map(|column| at(column, 0));
        let right = (0..rows).map(|row| at(columns, row));
        let back = (1..=columns).rev().map(|column| at(column, rows));
        let left = (1..=rows).rev().map(|row| at(0, row));
        front.chain(right).chain(back).chain(left).collect()
    }
}
