//! Every pair: slow, and obviously right.

use super::{Candidates, near, near_wall};
use crate::state::World;

/// All pairs that come within `skin` of each other and of which forces move at least one.
pub fn candidates(world: &World, skin: f64) -> Candidates {
    let bodies = &world.bodies;
    let mut found = Candidates { start: vec![0], partners: Vec::new() };
    for i in 0..bodies.len() {
        for j in 0..i {
            if !bodies.kinetic[i].tag.is_dynamic() && !bodies.kinetic[j].tag.is_dynamic() {
                continue;
            }
            let is_near = match (bodies.place[i].radius.is_infinite(), bodies.place[j].radius.is_infinite()) {
                (false, false) => near(&bodies.place[i], &bodies.place[j], skin),
                (true, false) => near_wall(world, i as u32, &bodies.place[j], skin),
                (false, true) => near_wall(world, j as u32, &bodies.place[i], skin),
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
