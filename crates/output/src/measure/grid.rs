//! A grid of equal cells in a box.

use glam::DVec3;
use granum_geometry::Aabb;

/// Equal cells that fill a box, numbered with x fastest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The box.
    pub bounds: Aabb,
    /// Cells along x, y and z, each at least 1.
    pub counts: [usize; 3],
}

impl Grid {
    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Returns whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the edge lengths of a cell, m.
    pub fn cell_size(&self) -> DVec3 {
        (self.bounds.max - self.bounds.min) / DVec3::from_array(self.counts.map(|count| count as f64))
    }

    /// Returns the cell that contains a point of the box.
    pub fn cell_of(&self, point: DVec3) -> Option<usize> {
        self.bounds.contains(point).then(|| self.index(self.nearest(point)))
    }

    /// Returns the bounds of a cell.
    pub fn cell(&self, index: usize) -> Aabb {
        let [x, y, _] = self.counts;
        let place = [index % x, index / x % y, index / (x * y)].map(|number| number as f64);
        let min = self.bounds.min + DVec3::from_array(place) * self.cell_size();
        Aabb { min, max: min + self.cell_size() }
    }

    /// Returns the cells that a box may intersect.
    pub fn cells_around(&self, around: &Aabb) -> Vec<usize> {
        if !around.overlaps(&self.bounds) {
            return Vec::new();
        }
        let (first, last) = (self.nearest(around.min), self.nearest(around.max));
        let mut cells = Vec::new();
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                cells.extend((first[0]..=last[0]).map(|x| self.index([x, y, z])));
            }
        }
        cells
    }

    fn nearest(&self, point: DVec3) -> [usize; 3] {
        let place = (point - self.bounds.min) / self.cell_size();
        std::array::from_fn(|axis| (place[axis].max(0.0) as usize).min(self.counts[axis] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_holds_its_middle() {
        let bounds = Aabb { min: DVec3::new(-1.0, 0.0, 2.0), max: DVec3::new(1.0, 3.0, 2.5) };
        let grid = Grid { bounds, counts: [2, 5, 3] };
        for index in 0..grid.len() {
            let Aabb { min, max } = grid.cell(index);
            assert_eq!(grid.cell_of(0.5 * (min + max)), Some(index));
        }
        assert_eq!(grid.cell_of(bounds.max), Some(grid.len() - 1));
        assert_eq!(grid.cell_of(bounds.max + 1e-9), None);
        assert_eq!(grid.cells_around(&bounds).len(), grid.len());
    }
}
