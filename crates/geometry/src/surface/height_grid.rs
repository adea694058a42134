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

/// Deviation of the points of a mesh from a regular grid, relative to a step, that counts as
/// rounding: coordinates of files have about seven digits.
const IRREGULAR: f64 = 1e-5;

/// Difference of areas of a surface that counts as rounding, relative to the area.
const SAME_AREA: f64 = 1e-9;

impl HeightGrid {
    /// Returns the grid whose surface is a mesh: the points of the mesh lie on a regular grid seen
    /// along z, and its triangles are those of [`HeightGrid::mesh`]. Otherwise the error says what
    /// is different.
    pub fn of(mesh: &TriangleMesh) -> Result<Self, &'static str> {
        let axis = |axis: usize| -> Result<(Vec<f64>, f64), &'static str> {
            let mut all: Vec<f64> = mesh.vertices().iter().map(|vertex| vertex[axis]).collect();
            all.sort_unstable_by(f64::total_cmp);
            let range = all[all.len() - 1] - all[0];
            let mut lines: Vec<f64> = Vec::new();
            for x in all {
                if lines.last().is_none_or(|last| x - last > IRREGULAR * range / mesh.vertices().len() as f64) {
                    lines.push(x);
                }
            }
            if lines.len() < 2 {
                return Err("its points lie on one line");
            }
            let step = range / (lines.len() - 1) as f64;
            let is_regular = |(k, x): (usize, &f64)| (x - lines[0] - step * k as f64).abs() <= IRREGULAR * step;
            if !lines.iter().enumerate().all(is_regular) {
                return Err("its points do not lie on a regular grid along x and y");
            }
            Ok((lines, step))
        };
        let ((columns, dx), (rows, dy)) = (axis(0)?, axis(1)?);
        if columns.len().saturating_mul(rows.len()) > TriangleMesh::MOST / 2 {
            return Err("its points do not lie on a regular grid along x and y");
        }
        let mut heights = vec![f64::NAN; columns.len() * rows.len()];
        for vertex in mesh.vertices() {
            let [column, row] = [(vertex.x - columns[0]) / dx, (vertex.y - rows[0]) / dy].map(|k| k.round() as usize);
            let height = &mut heights[row * columns.len() + column];
            if height.is_finite() && *height != vertex.z {
                return Err("it has two points above each other");
            }
            *height = vertex.z;
        }
        let (first, step) = ([columns[0], rows[0]], [dx, dy]);
        let grid = Self { columns: columns.len() as u32, first, step, heights };
        match grid.mesh() {
            Ok(same)
                if same.triangles().len() == mesh.triangles().len()
                    && (same.area() - mesh.area()).abs() <= SAME_AREA * mesh.area() =>
            {
                Ok(grid)
            }
            _ => Err("its triangles are not those of a grid of heights"),
        }
    }

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
        assert_eq!(HeightGrid::of(&holed).map(|grid| grid.mesh()), Ok(Ok(holed)));
        grid.heights.fill(f64::NAN);
        assert_eq!(grid.mesh(), Err(InvalidMesh::Empty));
    }

    #[test]
    fn a_mesh_is_a_grid_only_if_its_triangles_are() {
        let heights = (0..20).map(|k| f64::from(k * k % 7)).collect();
        let grid = HeightGrid { columns: 5, first: [-1.0, 3.0], step: [0.1, 0.3], heights };
        let mesh = grid.mesh().expect("a grid");
        let found = HeightGrid::of(&mesh).expect("the same grid");
        assert_eq!((found.columns, &found.heights), (5, &grid.heights));
        assert!((found.step[0] - 0.1).abs() < 1e-15 && found.first == grid.first);
        let turned = mesh.clone().rotated(glam::DQuat::from_rotation_z(0.3)).expect("finite");
        assert!(HeightGrid::of(&turned).is_err_and(|reason| reason.contains("regular grid")));
        let twice = mesh.clone().with(&mesh.clone().translated(DVec3::Z).expect("finite")).expect("small");
        assert_eq!(HeightGrid::of(&twice), Err("it has two points above each other"));
        let (vertices, mut triangles) = mesh.into_parts();
        triangles.pop();
        let cut = TriangleMesh::new(vertices, triangles).expect("a mesh");
        assert_eq!(HeightGrid::of(&cut), Err("its triangles are not those of a grid of heights"));
    }
}
