//! All observables of a run, frame by frame.

use glam::DVec3;
use granum_geometry::Aabb;

use super::{Coordination, Drum, Grid, Heap, Order, Packing, Profile, Sampling, Stress, Turning, around_grains};
use crate::run_folder::Frame;

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The box; that around all grains of each frame if not given.
    pub region: Option<Aabb>,
    /// Cells of the profiles along x, y and z.
    pub cells: [usize; 3],
    /// Gravity, m/s²: it says where up is.
    pub gravity: DVec3,
}

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureRow {
    /// Time, s.
    pub time: f64,
    /// Packing of the box.
    pub packing: Packing,
    /// Contacts a grain.
    pub coordination: Coordination,
    /// Order of orientations.
    pub order: Order,
    /// Mean stress.
    pub stress: Stress,
    /// Height and width of what lies.
    pub heap: Heap,
}

/// Gathers frames.
pub struct Measurement {
    options: Options,
    rows: Vec<MeasureRow>,
    profile: Option<Profile>,
    drum: Drum,
}

impl Measurement {
    /// No frames yet. `region` is the box of the profiles: one for all frames.
    pub fn new(options: Options, region: Option<Aabb>) -> Self {
        let grid = options.region.or(region).map(|bounds| Grid { bounds, counts: options.cells });
        Self { options, rows: Vec::new(), profile: grid.map(Profile::new), drum: Drum::default() }
    }

    /// Adds a frame. One without grains is passed over.
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
            // The surface is that of the whole bed, whatever the box.
            match (self.options.region, around_grains(frame)) {
                (Some(_), Some(all)) => self.drum.add(frame, &turning, &Sampling::of(frame, all)),
                _ => self.drum.add(frame, &turning, &sampling),
            }
        }
    }

    /// A row for each frame.
    pub fn rows(&self) -> &[MeasureRow] {
        &self.rows
    }

    /// The profiles, if there was a box.
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    /// The drum; it has no rows if none turned.
    pub fn drum(&self) -> &Drum {
        &self.drum
    }
}
