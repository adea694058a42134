//! When to look for neighbours anew, and with how thick a skin.
//!
//! The list is right as long as no body has moved more than half the skin since it was made; where slim bodies are listed by
//! their boxes, no point of a body. How thick the skin is and when the list is made changes how fast a run is, never its result.

use glam::DVec3;
use granum_geometry::PairTable;

use super::Candidates;
use super::boxes::Boxes;
use super::grid::Grid;
use crate::pipeline::pair_list::PairList;
use crate::state::World;
use crate::state::bodies::Place;

/// Thickness of the first skin, as a part of the smallest radius.
const FIRST_SKIN: f64 = 0.2;
/// Bounds of the skin, as parts of the smallest radius: thinner ones are rebuilt at every breath, thicker ones list
/// pairs that never meet.
const SKIN_RANGE: (f64, f64) = (0.02, 0.5);
/// A list that lasts fewer steps gets a thicker skin, one that lasts more a thinner one.
const WANTED_STEPS: (u64, u64) = (30, 90);
/// How much thicker or thinner.
const SKIN_CHANGE: f64 = 1.25;
/// Rebuilds between two sortings of the bodies along space.
const REBUILDS_PER_SORT: u64 = 16;

/// The neighbour list and what tells when it is out of date.
#[derive(Default)]
pub struct Neighbours {
    /// The list.
    pub list: PairList,
    grid: Grid,
    candidates: Candidates,
    boxes: Boxes,
    skin: f64,
    /// Gap of bounding balls up to which pairs are listed, m.
    listed: f64,
    /// Centres when the list was made, by storage index.
    centres: Vec<DVec3>,
    /// At least as far as any body has moved since.
    moved: f64,
    /// Whether pairs were left out whose boxes are apart.
    by_boxes: bool,
    /// Step at which the list was made.
    made_at: u64,
    rebuilds: u64,
}

impl Neighbours {
    /// Makes the list anew if a body may have left its skin; `moved` is the farthest any has moved since last asked.
    pub fn update(&mut self, table: &PairTable, world: &mut World, moved: f64) {
        self.look(table, world, moved, 0.0, true);
    }

    /// The same for a list that must hold every pair of bodies nearer to each other than `ahead`, m. What bodies have travelled is not
    /// asked.
    pub fn update_ahead(&mut self, table: &PairTable, world: &mut World, moved: f64, ahead: f64) {
        self.look(table, world, moved, ahead, false);
    }

    fn look(&mut self, table: &PairTable, world: &mut World, moved: f64, ahead: f64, boxes: bool) {
        self.moved += moved;
        if self.centres.len() == world.bodies.len() {
            // Twice, since two bodies may approach each other. Centres tell nothing of boxes that turn.
            if 2.0 * self.moved + ahead < self.listed && !self.by_boxes {
                return;
            }
            // The sum of the largest moves overestimates; look before paying for a new list.
            self.moved = self.farthest_from_start(world);
            if 2.0 * self.moved + ahead < self.listed {
                return;
            }
        }
        self.rebuild(table, world, ahead, boxes);
    }

    /// Notes that bodies have moved by this much at most.
    pub fn note_moved(&mut self, moved: f64) {
        self.moved += moved;
    }

    /// How far each body of the world has travelled since the list was made, to be added to.
    pub fn travelled(&mut self, world: &World) -> &mut [f64] {
        // Bodies that are new have no list yet.
        self.list.travelled.resize(world.bodies.len(), 0.0);
        &mut self.list.travelled
    }

    /// How often the list was made.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// Present thickness of the skin, m.
    pub fn skin(&self) -> f64 {
        self.skin
    }

    /// Makes the list anew at the next update.
    pub fn invalidate(&mut self) {
        self.centres.clear();
        self.boxes = Boxes::default();
    }

    fn rebuild(&mut self, table: &PairTable, world: &mut World, ahead: f64, boxes: bool) {
        self.adapt_skin(world);
        self.listed = self.skin + 2.0 * ahead;
        if self.rebuilds.is_multiple_of(REBUILDS_PER_SORT) {
            self.sort_bodies(world);
        }
        self.by_boxes = boxes && self.boxes.place(world);
        let boxes = self.by_boxes.then_some(&self.boxes);
        self.grid.candidates_by(world, self.listed, boxes, &mut self.candidates);
        self.list.rebuild(table, world, &self.candidates);
        self.centres.clear();
        self.centres.extend(world.bodies.place.iter().map(|place| place.centre));
        self.moved = 0.0;
        self.made_at = world.steps();
        self.rebuilds += 1;
    }

    fn adapt_skin(&mut self, world: &World) {
        let places = world.bodies.place.iter();
        let smallest = places.map(|place| place.radius).fold(f64::INFINITY, f64::min);
        if smallest.is_infinite() {
            self.skin = f64::INFINITY;
            return;
        }
        if self.skin == 0.0 || self.skin.is_infinite() {
            self.skin = FIRST_SKIN * smallest;
            return;
        }
        let lasted = world.steps().saturating_sub(self.made_at);
        if lasted < WANTED_STEPS.0 {
            self.skin *= SKIN_CHANGE;
        } else if lasted > WANTED_STEPS.1 {
            self.skin /= SKIN_CHANGE;
        }
        self.skin = self.skin.clamp(SKIN_RANGE.0 * smallest, SKIN_RANGE.1 * smallest);
    }

    fn sort_bodies(&mut self, world: &mut World) {
        let order = self.grid.storage_order(&world.bodies, self.listed);
        world.reorder_bodies(&order).expect("the grid returns a permutation of the bodies");
    }

    /// How far any body is from where it was when the list was made; where boxes matter, at least how far any of its points is.
    fn farthest_from_start(&self, world: &World) -> f64 {
        let moves = world.bodies.place.iter().zip(&self.centres).zip(&self.list.travelled);
        let square = |((place, centre), travelled): ((&Place, &DVec3), &f64)| match self.by_boxes {
            true if place.radius.is_finite() => travelled * travelled,
            _ => (place.centre - *centre).length_squared(),
        };
        moves.map(square).fold(0.0, f64::max).sqrt()
    }
}
