//! Update of the neighbour list: when it is rebuilt, and with which skin.
//!
//! A list with the skin s holds all pairs of bodies that are nearer than s to each other. It is
//! valid until a body has moved by s/2; where slender bodies are listed by their boxes, until a
//! point of a body has. Where a wall turns, the path of its farthest point counts, too. Skin and time of a rebuild change the speed of a run, never its result.

use glam::{DQuat, DVec3};
use granum_geometry::PairTable;

use super::boxes::Boxes;
use super::grid::Grid;
use super::{Candidates, turns_slowly, unbounded};
use crate::execution::Execution;
use crate::pipeline::integrate::by_turning;
use crate::pipeline::pair_list::PairList;
use crate::state::World;
use crate::state::bodies::BoundingSphere;
use crate::state::contacts::StoredData;

/// First skin, relative to the smallest bounding radius.
const FIRST_SKIN: f64 = 0.2;
/// Least and greatest skin, relative to the smallest bounding radius. A thinner skin causes
/// rebuilds by every vibration, a thicker one lists pairs that never meet.
const SKIN_RANGE: (f64, f64) = (0.02, 0.5);
/// Steps that a list should last. The skin grows after a list that lasted fewer, and shrinks after
/// one that lasted more.
const WANTED_STEPS: (u64, u64) = (30, 90);
/// Factor by which the skin grows or shrinks.
const SKIN_CHANGE: f64 = 1.25;
/// Rebuilds from one sorting of the bodies in space to the next. Sorting costs as much as a
/// rebuild, and neighbours in space drift apart slowly.
const REBUILDS_PER_SORT: u64 = 16;

/// The neighbour list, with the data that decide when it is rebuilt.
#[derive(Default)]
pub struct Neighbours {
    /// The list.
    pub list: PairList,
    grid: Grid,
    candidates: Candidates,
    boxes: Boxes,
    /// Present skin, m.
    skin: f64,
    /// Distance of bounding spheres up to which pairs are listed, m.
    cutoff: f64,
    /// Centres at the last rebuild, m, by storage index. Empty if the list is not valid.
    centres: Vec<DVec3>,
    /// Upper bound on the distance that any body has moved since, m.
    moved: f64,
    /// Unbounded walls of finite size that may turn and were listed by their distance.
    turning: Vec<TurningWall>,
    /// True if pairs were omitted because their boxes are separate.
    by_boxes: bool,
    /// Number of steps done at the last rebuild.
    built_at: u64,
    rebuilds: u64,
}

/// A wall that may turn.
struct TurningWall {
    /// Storage index.
    wall: usize,
    /// Orientation at the last rebuild.
    orientation: DQuat,
    /// Distance of its farthest point from its centre, m.
    radius: f64,
}

/// Rebuilds the neighbour list if a body may have left its skin. `moved` is the greatest distance
/// that a body has moved since the last call, m.
pub fn update(execution: Execution, neighbours: &mut Neighbours, table: &PairTable, world: &mut World, moved: f64) {
    update_list(execution, neighbours, table, world, moved, 0.0, true);
}

/// Rebuilds a list that must contain every pair of bodies closer to each other than `range`, m, if
/// a body may have left its skin. Pairs are not omitted by their boxes.
pub fn update_with_range(
    execution: Execution,
    neighbours: &mut Neighbours,
    table: &PairTable,
    world: &mut World,
    moved: f64,
    range: f64,
) {
    update_list(execution, neighbours, table, world, moved, range, false);
}

/// Rebuilds the storage order and the list from the scratch, and applies them to the state. No
/// other function of the neighbour search has mutable access to the world.
fn update_list(
    execution: Execution,
    neighbours: &mut Neighbours,
    table: &PairTable,
    world: &mut World,
    moved: f64,
    range: f64,
    use_boxes: bool,
) {
    if neighbours.is_valid(world, moved, range) {
        return;
    }
    if let Some(order) = neighbours.begin_rebuild(execution, world, range) {
        world.reorder_bodies(&order).expect("the grid returns a permutation of the bodies");
    }
    neighbours.rebuild(execution, table, world, use_boxes);
    let list = &neighbours.list;
    let stored = StoredData { torques: world.has_contact_torques(table), percussions: world.percussion.is_some() };
    world.contacts.arrange(list.pairs.len(), stored, |a, b| list.number_of(a, b));
}

impl Neighbours {
    /// Returns whether the list still holds every pair that may touch.
    fn is_valid(&mut self, world: &World, moved: f64, range: f64) -> bool {
        self.moved += moved;
        // Bodies were added, or the contacts were arranged by another list.
        let is_of_world =
            self.centres.len() == world.bodies.len() && world.contacts.are_arranged_by(self.list.pairs.len());
        if !is_of_world {
            return false;
        }
        let range = range + self.swept(world);
        // The factor 2: two bodies may approach each other. Centres do not bound boxes that turn.
        if 2.0 * self.moved + range < self.cutoff && !self.by_boxes {
            return true;
        }
        // The sum of the greatest distances of each step overestimates. The exact distance costs
        // little in comparison with a rebuild.
        self.moved = self.greatest_displacement(world);
        2.0 * self.moved + range < self.cutoff
    }

    /// Returns the greatest distance that the rotation of a wall has moved one of its points since the
    /// last rebuild, m.
    fn swept(&self, world: &World) -> f64 {
        let of = |turning: &TurningWall| {
            by_turning(turning.radius, turning.orientation, world.bodies.orientation[turning.wall])
        };
        self.turning.iter().map(of).fold(0.0, f64::max)
    }

    fn find_turning(&mut self, world: &World) {
        let cutoff = self.cutoff;
        self.turning.clear();
        self.turning.extend(unbounded(&world.bodies).into_iter().filter_map(|wall| {
            let wall = wall as usize;
            let shape = world.shapes[world.bodies.kinetic[wall].tag.shape.0 as usize].as_convex();
            let orientation = world.bodies.orientation[wall];
            let is_swept = world.turns_about(wall, |axis| shape.is_swept_by(orientation.conjugate() * axis));
            let turning = TurningWall { wall, orientation, radius: shape.drawn_radius() };
            (is_swept && turns_slowly(world, wall, cutoff)).then_some(turning)
        }));
    }

    /// Adds to the distance that bodies have moved, m.
    pub fn add_moved(&mut self, moved: f64) {
        self.moved += moved;
    }

    /// Returns the distances that the bodies have travelled since the list was built, m, to be
    /// added to.
    pub fn travelled(&mut self, world: &World) -> &mut [f64] {
        // New bodies are not in the list yet.
        self.list.travelled.resize(world.bodies.len(), 0.0);
        &mut self.list.travelled
    }

    /// Returns the number of rebuilds.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// Makes the next update rebuild the list.
    pub fn invalidate(&mut self) {
        self.centres.clear();
        self.boxes = Boxes::default();
    }

    /// Sets skin and cutoff, and returns a storage order by position in space if one is due.
    fn begin_rebuild(&mut self, execution: Execution, world: &World, range: f64) -> Option<Vec<u32>> {
        // The range is added on both sides: either body may travel that far.
        self.adapt_skin(world);
        self.cutoff = self.skin + 2.0 * range;
        let is_due = self.rebuilds.is_multiple_of(REBUILDS_PER_SORT);
        is_due.then(|| self.grid.storage_order(execution, &world.bodies, self.cutoff))
    }

    fn rebuild(&mut self, execution: Execution, table: &PairTable, world: &World, use_boxes: bool) {
        self.by_boxes = use_boxes && self.boxes.update(world);
        let boxes = self.by_boxes.then_some(&self.boxes);
        self.grid.candidates_by(execution, world, self.cutoff, boxes, &mut self.candidates);
        self.list.rebuild(execution, table, world, &self.candidates);
        self.find_turning(world);
        self.centres.clear();
        self.centres.extend(world.bodies.sphere.iter().map(|sphere| sphere.centre));
        self.moved = 0.0;
        self.built_at = world.steps();
        self.rebuilds += 1;
    }

    fn adapt_skin(&mut self, world: &World) {
        let spheres = world.bodies.sphere.iter();
        let smallest = spheres.map(|sphere| sphere.radius).fold(f64::INFINITY, f64::min);
        if smallest.is_infinite() {
            // Without bounded bodies all pairs are with walls and never change.
            self.skin = f64::INFINITY;
            return;
        }
        if self.skin == 0.0 || self.skin.is_infinite() {
            self.skin = FIRST_SKIN * smallest;
            return;
        }
        let lasted = world.steps().saturating_sub(self.built_at);
        // A thicker skin lists more pairs, each of which costs a test per step; a thinner one is
        // rebuilt more often.
        if lasted < WANTED_STEPS.0 {
            self.skin *= SKIN_CHANGE;
        } else if lasted > WANTED_STEPS.1 {
            self.skin /= SKIN_CHANGE;
        }
        self.skin = self.skin.clamp(SKIN_RANGE.0 * smallest, SKIN_RANGE.1 * smallest);
    }

    /// Returns the greatest distance of a body from its position at the last rebuild, m. With boxes
    /// it is an upper bound on the distance of any of its points.
    fn greatest_displacement(&self, world: &World) -> f64 {
        let moves = world.bodies.sphere.iter().zip(&self.centres).zip(&self.list.travelled);
        let square = |((sphere, centre), travelled): ((&BoundingSphere, &DVec3), &f64)| match self.by_boxes {
            true if sphere.radius.is_finite() => travelled * travelled,
            _ => (sphere.centre - *centre).length_squared(),
        };
        moves.map(square).fold(0.0, f64::max).sqrt()
    }
}
