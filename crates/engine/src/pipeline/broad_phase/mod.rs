//! Which bodies are near enough to touch soon.
//!
//! The answer holds until a body has moved half the skin, so it is found anew only then. The grid is the method
//! in use; brute force is the oracle of its tests.

pub mod boxes;
#[cfg(test)]
pub mod brute_force;
pub mod grid;
pub mod neighbours;
#[cfg(test)]
mod tests;

use crate::state::bodies::{Bodies, MotionKind, Place};
use crate::state::{BodyId, World};

/// Candidate pairs: for each body (storage index) a run of partners.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Partners of body k are `partners[start[k]..start[k + 1]]`.
    start: Vec<u32>,
    partners: Vec<u32>,
}

impl Candidates {
    /// The pairs, in storage order of the first body.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.start.windows(2).enumerate().flat_map(move |(body, ends)| {
            self.partners[ends[0] as usize..ends[1] as usize].iter().map(move |&partner| (body as u32, partner))
        })
    }

    /// The pairs as (lower, higher) storage indices, sorted: to compare two methods.
    #[cfg(test)]
    pub fn sorted(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<_> = self.iter().map(|(i, j)| (i.min(j), i.max(j))).collect();
        pairs.sort_unstable();
        pairs
    }
}

impl World {
    /// Returns the pairs of bodies whose bounding spheres come within `margin` of each other, m. At
    /// least one body of a pair is a grain. The pairs are in storage order, which for a world that has
    /// not moved yet is the order of ids.
    pub fn near_pairs(&self, margin: f64) -> Vec<(BodyId, BodyId)> {
        let mut candidates = Candidates::default();
        grid::Grid::default().candidates(self, margin, &mut candidates);
        let id = |index: u32| BodyId(self.bodies.id[index as usize]);
        candidates.iter().map(|(a, b)| (id(a), id(b))).collect()
    }
}

/// Whether two bounded bodies come within `skin` of each other, as their bounding balls see it.
#[inline]
fn near(a: &Place, b: &Place, skin: f64) -> bool {
    let reach = a.radius + b.radius + skin;
    (a.centre - b.centre).length_squared() <= reach * reach
}

/// Storage indices of unbounded bodies (walls).
fn unbounded(bodies: &Bodies) -> Vec<u32> {
    (0..bodies.len() as u32).filter(|&k| bodies.place[k as usize].radius.is_infinite()).collect()
}

/// Whether a ball comes within `skin` of a wall.
fn near_wall(world: &World, wall: u32, ball: &Place, skin: f64) -> bool {
    let bodies = &world.bodies;
    let wall = wall as usize;
    if bodies.kinetic[wall].tag.motion == MotionKind::Removed {
        return false;
    }
    let shape = world.shapes[bodies.kinetic[wall].tag.shape.0 as usize].as_convex();
    let to_wall = bodies.orientation[wall].conjugate();
    // A wall that turns sweeps the farther the faster: no skin is thick enough. A drum about its axis sweeps nothing.
    let spin = bodies.kinetic[wall].twist.spin;
    if spin != glam::DVec3::ZERO && shape.is_swept_by(to_wall * spin) {
        return true;
    }
    let centre_in_wall = to_wall * (ball.centre - bodies.place[wall].centre);
    shape.clearance(centre_in_wall, ball.radius) <= skin
}
