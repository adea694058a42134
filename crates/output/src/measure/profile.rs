//! Profiles: averages over frames in the cells of a grid.

use glam::{DMat3, DVec3};

use super::order::outer;
use super::stress::{branch, trace};
use super::{Grid, Sampling, dimensions, grains, part_inside};
use crate::run_folder::Frame;

/// Sums over the frames of one cell. It does not derive `Default`, because the default of a
/// `DMat3` is the identity.
#[derive(Clone, Copy)]
struct Cell {
    grains: usize,
    mass: f64,
    momentum: DVec3,
    /// Mass times the outer product of the velocity with itself, J.
    flux: DMat3,
    moment: DMat3,
    solid: f64,
    room: f64,
}

impl Cell {
    /// Sums before the first frame.
    const EMPTY: Self = Self {
        grains: 0,
        mass: 0.0,
        momentum: DVec3::ZERO,
        flux: DMat3::ZERO,
        moment: DMat3::ZERO,
        solid: 0.0,
        room: 0.0,
    };
}

/// Accumulates frames.
pub struct Profile {
    grid: Grid,
    cells: Vec<Cell>,
    frames: usize,
    /// Number of dimensions in which grains move: 2 in a planar scene, else 3.
    dimensions: f64,
}

/// Averages of one cell. A value without grains or without free volume is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileRow {
    /// Centre of the cell, m.
    pub centre: DVec3,
    /// Mean number of grains whose centres lie in the cell.
    pub grains: f64,
    /// Volume of grains divided by the volume without walls.
    pub fraction: f64,
    /// Mass of those grains divided by the volume without walls, kg/m³.
    pub density: f64,
    /// Mass-weighted mean velocity, m/s.
    pub velocity: DVec3,
    /// Granular temperature, m²/s²: the mean square of the velocity fluctuations divided by the
    /// number of dimensions.
    pub temperature: f64,
    /// Stress, Pa; compression is positive.
    pub stress: DMat3,
}

impl Profile {
    /// Creates an empty profile.
    pub fn new(grid: Grid) -> Self {
        Self { grid, cells: vec![Cell::EMPTY; grid.len()], frames: 0, dimensions: 3.0 }
    }

    /// Adds a frame with its sampled points.
    pub fn add(&mut self, frame: &Frame, sampling: &Sampling) {
        self.dimensions = dimensions(frame);
        let Self { grid, cells, .. } = self;
        for body in grains(frame) {
            if let Some(index) = grid.cell_of(body.position) {
                let cell = &mut cells[index];
                cell.grains += 1;
                cell.mass += body.mass;
                cell.momentum += body.mass * body.velocity;
                cell.flux += outer(body.velocity, body.velocity) * body.mass;
            }
        }
        for contact in &frame.contacts {
            let Some((from, to)) = branch(frame, contact) else { continue };
            let around = granum_geometry::Aabb { min: from.min(to), max: from.max(to) };
            let moment = outer(contact.force, to - from);
            for index in grid.cells_around(&around) {
                cells[index].moment += moment * part_inside(from, to, &grid.cell(index));
            }
        }
        let count = cells.len();
        let packings = sampling.packing_in(|point| grid.cell_of(point).unwrap_or(count), count);
        for (cell, packing) in cells.iter_mut().zip(packings).filter(|(_, packing)| packing.room > 0.0) {
            cell.solid += packing.fraction * packing.room;
            cell.room += packing.room;
        }
        self.frames += 1;
    }

    /// Returns the grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the averages of all cells.
    pub fn rows(&self) -> Vec<ProfileRow> {
        let row = |(index, cell): (usize, &Cell)| {
            let bounds = self.grid.cell(index);
            let velocity = cell.momentum / cell.mass;
            // The mean velocity does not contribute to the kinetic stress.
            let motion = if cell.mass > 0.0 { cell.flux - outer(velocity, velocity) * cell.mass } else { DMat3::ZERO };
            ProfileRow {
                centre: 0.5 * (bounds.min + bounds.max),
                grains: cell.grains as f64 / self.frames as f64,
                fraction: cell.solid / cell.room,
                density: cell.mass / cell.room,
                velocity,
                // Rounding may make the sum negative where all grains have the same velocity.
                temperature: trace(&motion).max(0.0) / (self.dimensions * cell.mass),
                stress: (cell.moment + motion) * (1.0 / cell.room),
            }
        };
        self.cells.iter().enumerate().map(row).collect()
    }

    /// Returns the averages over all cells with the same position along an axis (0, 1, 2).
    pub fn along(&self, axis: usize) -> Vec<ProfileRow> {
        let counts = std::array::from_fn(|other| if other == axis { self.grid.counts[axis] } else { 1 });
        let grid = Grid { counts, ..self.grid };
        let mut merged = Profile { cells: vec![Cell::EMPTY; grid.len()], grid, ..*self };
        for (index, cell) in self.cells.iter().enumerate() {
            let bounds = self.grid.cell(index);
            if let Some(to) = grid.cell_of(0.5 * (bounds.min + bounds.max)) {
                let sum = &mut merged.cells[to];
                sum.grains += cell.grains;
                sum.mass += cell.mass;
                sum.momentum += cell.momentum;
                sum.flux += cell.flux;
                sum.moment += cell.moment;
                sum.solid += cell.solid;
                sum.room += cell.room;
            }
        }
        merged.rows()
    }
}
