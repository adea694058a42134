//! All measured quantities of a run, frame by frame.

use glam::DVec3;
use granum_geometry::Aabb;

use super::{Coordination, Drum, Grid, Heap, Order, Packing, Profile, Sampling, Stress, Turning, around_grains};
use crate::run_folder::Frame;

/// Parameters of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The measurement box; by default the bounding box of all grains of each frame.
    pub region: Option<Aabb>,
    /// Number of cells of the profiles along x, y and z.
    pub cells: [usize; 3],
    /// Gravity, m/s², which defines the vertical direction.
    pub gravity: DVec3,
}

/// The measured quantities of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureRow {
    /// Time, s.
    pub time: f64,
    /// Packing fraction of the box.
    pub packing: Packing,
    /// Coordination number.
    pub coordination: Coordination,
    /// Orientational order.
    pub order: Order,
    /// Mean stress.
    pub stress: Stress,
    /// Height and radius of the heap.
    pub heap: Heap,
}

/// Accumulates frames.
pub struct Measurement {
    options: Options,
    rows: Vec<MeasureRow>,
    profile: Option<Profile>,
    drum: Drum,
}

impl Measurement {
    /// Creates an empty measurement. `region` is the box of the profiles for all frames.
    pub fn new(options: Options, region: Option<Aabb>) -> Self {
        let grid = options.region.or(region).map(|bounds| Grid { bounds, counts: options.cells });
        Self { options, rows: Vec::new(), profile: grid.map(Profile::new), drum: Drum::default() }
    }

    /// Adds a frame. A frame without grains is skipped.
    pub fn add(&mut self, frame: &Frame) {
        let Some(bounds) = self.options.region.or_else(|| around_grains(frame)) else { return };
        let sampling = Sampling::of(frame, bounds);
        let packing = sampling.packing();
        self.rows.push(MeasureRow {
            time: frame.time,
            packing,
            coordination: Coordination::of(frame, &bounds),
            order: Order::of(frame, &bounds),
            stress: Stress::of(frame, &bounds, packing.room),
            heap: Heap::of(frame, &bounds, self.options.gravity),
        });
        if let Some(profile) = &mut self.profile {
            let of_grid = profile.grid().bounds;
            match of_grid == bounds {
                true => profile.add(frame, &sampling),
                false => profile.add(frame, &Sampling::of(frame, of_grid)),
            }
        }
        if let Some(turning) = Turning::find(frame, self.options.gravity) {
            // The free surface of a drum is that of the whole bed, even if the box is smaller.
            match (self.options.region, around_grains(frame)) {
                (Some(_), Some(all)) => self.drum.add(frame, &turning, &Sampling::of(frame, all)),
                _ => self.drum.add(frame, &turning, &sampling),
            }
        }
    }

    /// Returns one row per frame.
    pub fn rows(&self) -> &[MeasureRow] {
        &self.rows
    }

    /// Returns the profiles, if a box was given.
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    /// Returns the drum measurements, which have no rows if no drum rotated.
    pub fn drum(&self) -> &Drum {
        &self.drum
    }
}
