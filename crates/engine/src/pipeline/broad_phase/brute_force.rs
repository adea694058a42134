//! Comparison of all pairs: slow, and simple enough to serve as the reference of the tests.

use super::{Candidates, near, near_wall};
use crate::state::World;

/// Returns all pairs that come within `skin` of each other, m, with at least one grain.
pub fn candidates(world: &World, skin: f64) -> Candidates {
    let bodies = &world.bodies;
    let mut found = Candidates { start: vec![0], partners: Vec::new() };
    for i in 0..bodies.len() {
        for j in 0..i {
            if !bodies.kinetic[i].tag.is_dynamic() && !bodies.kinetic[j].tag.is_dynamic() {
                continue;
            }
            let is_near = match (bodies.sphere[i].radius.is_infinite(), bodies.sphere[j].radius.is_infinite()) {
                (false, false) => near(&bodies.sphere[i], &bodies.sphere[j], skin),
                (true, false) => near_wall(world, i as u32, &bodies.sphere[j], skin),
                (false, true) => near_wall(world, j as u32, &bodies.sphere[i], skin),
                (true, true) => false,
            };
            if is_near {
                found.partners.push(j as u32);
            }
        }
        found.start.push(found.partners.len() as u32);
    }
    found
}
