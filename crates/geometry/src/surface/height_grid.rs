//! Surfaces from heights on a regular grid.

use glam::DVec3;

use super::{InvalidMesh, TriangleMesh};

/// Heights on a regular grid in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightGrid {
    /// Number of points along x.
    pub columns: u32,
    /// Coordinates x and y of the first point, m.
    pub first: [f64; 2],
    /// Distances between neighbouring points along x and y, m.
    pub step: [f64; 2],
    /// Height of each point, m, row by row along x, beginning with the smallest y. A number that is
    /// not finite marks a point without a height.
    pub heights: Vec<f64>,
}

impl HeightGrid {
    /// Returns the surface with its normals up. Four points make two triangles, three points one.
    /// Points without a height leave holes.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidMesh> {
        const NONE: u32 = u32::MAX;
        let columns = self.columns.max(1) as usize;
        let rows = self.heights.len() / columns;
        if self.heights.len() > TriangleMesh::MOST / 2 {
            return Err(InvalidMesh::TooMany(self.heights.len()));
        }
        let mut numbers = vec![NONE; rows * columns];
        let mut vertices = Vec::new();
        for (k, number) in numbers.iter_mut().enumerate().filter(|(k, _)| self.heights[*k].is_finite()) {
            *number = vertices.len() as u32;
            let (x, y) = ((k % columns) as f64, (k / columns) as f64);
            vertices.push(DVec3::new(
                self.first[0] + self.step[0] * x,
                self.first[1] + self.step[1] * y,
                self.heights[k],
            ));
        }
        let mut triangles = Vec::new();
        for row in 1..rows {
            for column in 1..columns {
                let above = row * columns + column;
                let below = above - columns;
                let ring = [numbers[below - 1], numbers[below], numbers[above], numbers[above - 1]];
                match ring.iter().filter(|&&number| number == NONE).count() {
                    0 => triangles.extend([[ring[0], ring[1], ring[2]], [ring[0], ring[2], ring[3]]]),
                    1 => {
                        let gap = ring.iter().position(|&number| number == NONE).unwrap_or_default();
                        triangles.push([1, 2, 3].map(|k| ring[(gap + k) % 4]));
                    }
                    _ => {}
                }
            }
        }
        TriangleMesh::new(vertices, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_height_leaves_a_hole() {
        let mut grid = HeightGrid { columns: 4, first: [1.0, 2.0], step: [1.0, 2.0], heights: vec![0.0; 16] };
        let whole = grid.mesh().expect("a grid");
        assert_eq!((whole.triangles().len(), whole.area()), (18, 18.0));
        grid.heights[5] = f64::NAN;
        let holed = grid.mesh().expect("a grid with a hole");
        // Four cells lose one of their two triangles each.
        assert_eq!((holed.vertices().len(), holed.triangles().len(), holed.area()), (15, 14, 14.0));
        assert!((0..14).all(|triangle| holed.normal(triangle) == Some(DVec3::Z)));
        grid.heights.fill(f64::NAN);
        assert_eq!(grid.mesh(), Err(InvalidMesh::Empty));
    }
}
