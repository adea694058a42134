//! Broad phase: pairs of bodies that may touch soon, by their bounding spheres and boxes.
//!
//! `grid.rs` finds the pairs, `boxes.rs` omits pairs of slender bodies, `neighbours.rs` decides
//! when the list is rebuilt. `brute_force.rs` is the reference of the tests.

pub mod boxes;
#[cfg(test)]
pub mod brute_force;
pub mod grid;
pub mod neighbours;
#[cfg(test)]
mod tests;

use crate::state::bodies::{Bodies, BoundingSphere};
use crate::state::{BodyId, World};

/// Candidate pairs: the partners of each body, by storage index.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// The partners of body k are `partners[start[k]..start[k + 1]]`.
    start: Vec<u32>,
    partners: Vec<u32>,
}

impl Candidates {
    /// Returns the pairs, in the storage order of the first body.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.start.windows(2).enumerate().flat_map(move |(body, ends)| {
            self.partners[ends[0] as usize..ends[1] as usize].iter().map(move |&partner| (body as u32, partner))
        })
    }

    /// Returns the pairs as sorted (lower, higher) storage indices, to compare two methods.
    #[cfg(test)]
    pub fn sorted(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<_> = self.iter().map(|(i, j)| (i.min(j), i.max(j))).collect();
        pairs.sort_unstable();
        pairs
    }
}

impl World {
    /// Returns the pairs of bodies whose bounding spheres come within `margin` of each other, m. At
    /// least one body of a pair is a grain. The pairs are in storage order, which for a world that
    /// has not moved yet is the order of ids.
    pub fn near_pairs(&self, margin: f64) -> Vec<(BodyId, BodyId)> {
        let mut candidates = Candidates::default();
        grid::Grid::default().candidates(self, margin, &mut candidates);
        let id = |index: u32| BodyId(self.bodies.id[index as usize]);
        candidates.iter().map(|(a, b)| (id(a), id(b))).collect()
    }
}

/// Returns whether the bounding spheres of two bodies come within `skin` of each other, m.
#[inline]
fn near(a: &BoundingSphere, b: &BoundingSphere, skin: f64) -> bool {
    let cutoff = a.radius + b.radius + skin;
    (a.centre - b.centre).length_squared() <= cutoff * cutoff
}

/// Returns the storage indices of the unbounded bodies that were not removed: planes and
/// containers.
fn unbounded(bodies: &Bodies) -> Vec<u32> {
    let is_wall = |k: usize| bodies.sphere[k].radius.is_infinite() && !bodies.kinetic[k].tag.is_removed();
    (0..bodies.len() as u32).filter(|&k| is_wall(k as usize)).collect()
}

/// Returns whether a sphere comes within `skin` of an unbounded body, m.
fn near_wall(world: &World, wall: u32, ball: &BoundingSphere, skin: f64) -> bool {
    let bodies = &world.bodies;
    let wall = wall as usize;
    let shape = world.shapes[bodies.kinetic[wall].tag.shape.0 as usize].as_convex();
    let to_wall = bodies.orientation[wall].conjugate();
    // A point of a turning wall moves the faster the farther it is from the axis, so that no skin
    // is thick enough, even if the wall does not turn yet. A body of revolution that turns about
    // its axis sweeps nothing.
    if world.turns_about(wall, |axis| shape.is_swept_by(to_wall * axis)) && !turns_slowly(world, wall, skin) {
        return true;
    }
    let centre_in_wall = to_wall * (ball.centre - bodies.sphere[wall].centre);
    shape.is_near(centre_in_wall, ball.radius, skin)
}

/// Steps in which no point of a wall that turns slowly travels farther than the skin.
const SLOW: f64 = 10.0;

/// Returns whether a wall, by storage index, turns so slowly that its pairs are worth listing by
/// distance: the list is renewed when a point of it has moved by the skin. Its points must be within
/// a radius.
fn turns_slowly(world: &World, wall: usize, skin: f64) -> bool {
    let kinetic = &world.bodies.kinetic[wall];
    let radius = world.shapes[kinetic.tag.shape.0 as usize].as_convex().drawn_radius();
    SLOW * world.time_step() * kinetic.twist.spin.length() * radius < skin
}
