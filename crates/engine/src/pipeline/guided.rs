//! Motion of guided walls along their axes: servos and free walls. The equations are in
//! docs/theory/moving_walls.md.

use crate::pipeline::integrate::{Gather, Rare};
use crate::pipeline::pair_list::PairList;
use crate::smooth::response::Response;
use crate::state::{GuideKind, World, Wrench};

/// Advances the guided walls along their axes by one step, from the forces of the last evaluation.
/// `integrate::drive` places them.
pub fn predict(world: &mut World) {
    let (dt, gravity) = (world.time_step(), world.gravity);
    let World { bodies, driven, .. } = world;
    for wall in driven {
        let Some(guide) = wall.motion.guide else { continue };
        let k = bodies.index[wall.id.0 as usize] as usize;
        let axis = guide.direction();
        let load = -axis.dot(bodies.wrench[k].force);
        let (state, work) = (&mut wall.guide, &mut bodies.account[k].drive);
        match guide.kind {
            GuideKind::Servo { force, max_speed, gain } => {
                let missing = force - load;
                let speed = gain.map_or(missing / state.resistance, |gain| gain * missing);
                // Without contacts the resistance is zero. Zero over zero stands for no motion.
                state.speed = if missing == 0.0 { 0.0 } else { speed.clamp(-max_speed, max_speed) };
                state.displacement += dt * state.speed;
                *work += 0.5 * dt * load * state.speed;
            }
            GuideKind::Free { mass, force, .. } => {
                let acceleration = (force - load) / mass + gravity.dot(axis);
                let moved = dt * (state.speed + 0.5 * dt * acceleration);
                state.displacement += moved;
                state.speed += dt * acceleration;
                *work += force * moved;
            }
        }
    }
}

/// Sums the contact forces of the guided walls. With `moving` it corrects the speed of free walls
/// by them, and books the second half of the work of servos.
pub fn correct(world: &mut World, list: &PairList, moving: bool) {
    if !world.driven.iter().any(|wall| wall.motion.is_guided()) {
        return;
    }
    let half = 0.5 * world.time_step();
    let sums: Vec<Option<Sum>> = (0..world.driven.len()).map(|number| Sum::of(world, list, number)).collect();
    let World { bodies, driven, .. } = world;
    for (wall, sum) in driven.iter_mut().zip(sums) {
        let (Some(guide), Some(sum)) = (wall.motion.guide, sum) else { continue };
        let k = bodies.index[wall.id.0 as usize] as usize;
        let axis = guide.direction();
        let old = std::mem::replace(&mut bodies.wrench[k], sum.wrench);
        wall.guide.resistance = sum.resistance;
        if !moving {
            continue;
        }
        let kick = sum.wrench.force + sum.correction.force;
        match guide.kind {
            GuideKind::Servo { .. } => bodies.account[k].drive -= half * axis.dot(kick) * wall.guide.speed,
            GuideKind::Free { mass, .. } => {
                let change = half * axis.dot(kick - old.force) / mass;
                wall.guide.speed += change;
                bodies.kinetic[k].twist.velocity += change * axis;
            }
        }
    }
}

/// Sums over the contacts of a guided wall.
struct Sum {
    /// Force and torque on the wall.
    wrench: Wrench,
    /// Correction of the half kick that ends this step.
    correction: Wrench,
    /// Inverse of the automatic gain, N s/m.
    resistance: f64,
}

impl Sum {
    /// Returns the sums of a driven body; `None` if it has no guide.
    fn of(world: &World, list: &PairList, number: usize) -> Option<Self> {
        let wall = &world.driven[number];
        wall.motion.guide?;
        let k = world.bodies.index[wall.id.0 as usize] as usize;
        let gathered = Gather::new(world, list).of(k);
        let response = Response::of(world);
        let pairs = list.row(k).iter().filter_map(|entry| world.contacts.of_pair(entry.pair()));
        let contacts = pairs.flat_map(|pair| pair.indices().map(move |index| (pair.group, index)));
        // The row is in the order of the partners' ids.
        let resistance = contacts.map(|(group, index)| {
            let rolling = group.rolling.get(index).copied().unwrap_or_default();
            response.resistance(&group.records[index], &group.losses[index], &rolling)
        });
        // Not `sum`, which is -0 without contacts.
        let resistance = resistance.fold(0.0, |sum, of_contact| sum + of_contact);
        let correction = gathered.rare.map_or_else(Wrench::default, |Rare { correction, .. }| correction);
        Some(Self { wrench: gathered.wrench, correction, resistance })
    }
}
