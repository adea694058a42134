//! Profiles: what the cells of a grid hold, in the mean over frames.

use glam::{DMat3, DVec3};

use super::order::outer;
use super::stress::branch;
use super::{Grid, Sampling, grains, part_inside};
use crate::run_folder::Frame;

/// Sums over the frames of one cell.
#[derive(Clone, Copy, Default)]
struct Cell {
    grains: usize,
    mass: f64,
    momentum: DVec3,
    /// Mass times velocity times velocity.
    flux: DMat3,
    moment: DMat3,
    solid: f64,
    room: f64,
}

/// Gathers frames.
pub struct Profile {
    grid: Grid,
    cells: Vec<Cell>,
    frames: usize,
}

/// Means of one cell. What no grain or no room tells is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileRow {
    /// Middle of the cell, m.
    pub centre: DVec3,
    /// Grains whose centre lies in it.
    pub grains: f64,
    /// Volume of grains over volume without walls.
    pub fraction: f64,
    /// Mass of those grains over volume without walls, kg/m³.
    pub density: f64,
    /// Mean velocity by mass, m/s.
    pub velocity: DVec3,
    /// Granular temperature, m²/s²: a third of the mean square of the velocity against the mean.
    pub temperature: f64,
    /// Stress, Pa; compression is positive.
    pub stress: DMat3,
}

impl Profile {
    /// No frames yet.
    pub fn new(grid: Grid) -> Self {
        Self { grid, cells: vec![Cell::default(); grid.len()], frames: 0 }
    }

    /// Adds a frame, with its sampled points.
    pub fn add(&mut self, frame: &Frame, sampling: &Sampling) {
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

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The means, cell by cell.
    pub fn rows(&self) -> Vec<ProfileRow> {
        let row = |(index, cell): (usize, &Cell)| {
            let bounds = self.grid.cell(index);
            let velocity = cell.momentum / cell.mass;
            // The mean motion carries no stress.
            let motion = if cell.mass > 0.0 { cell.flux - outer(velocity, velocity) * cell.mass } else { DMat3::ZERO };
            let trace = motion.x_axis.x + motion.y_axis.y + motion.z_axis.z;
            ProfileRow {
                centre: 0.5 * (bounds.min + bounds.max),
                grains: cell.grains as f64 / self.frames as f64,
                fraction: cell.solid / cell.room,
                density: cell.mass / cell.room,
                velocity,
                temperature: trace / (3.0 * cell.mass),
                stress: (cell.moment + motion) * (1.0 / cell.room),
            }
        };
        self.cells.iter().enumerate().map(row).collect()
    }

    /// The means over all cells that share their place along an axis (0, 1, 2).
    pub fn along(&self, axis: usize) -> Vec<ProfileRow> {
        let counts = std::array::from_fn(|other| if other == axis { self.grid.counts[axis] } else { 1 });
        let grid = Grid { counts, ..self.grid };
        let mut merged = Profile { cells: vec![Cell::default(); grid.len()], grid, frames: self.frames };
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
