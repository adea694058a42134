//! A user-defined force on every grain, besides gravity and the contacts.
//!
//! The force is a function in the program. It is not part of the state: a program that continues a
//! saved world sets it again. Its work is booked by the trapezoidal rule, which is the work of the
//! two half kicks of a step to second order.

use rayon::prelude::*;

use crate::execution::Execution;
use crate::state::{BodyId, World, Wrench};

/// A user-defined force on a body, N, and torque about its centre, N m, in world axes.
///
/// It is evaluated in parallel, so it must depend on nothing but its arguments.
pub type UserForce = Box<dyn Fn(&World, BodyId) -> Wrench + Send + Sync>;

/// Bodies in a block of parallel work.
const BLOCK: usize = 512;

/// Returns the force on a body: none on walls.
pub fn on_body(force: &UserForce, world: &World, k: usize) -> Wrench {
    if world.bodies.kinetic[k].tag.is_dynamic() { force(world, BodyId(world.bodies.id[k])) } else { Wrench::default() }
}

/// Stores the force on every body, by storage index, in `wrenches`; empty if there is no force.
pub fn evaluate(execution: Execution, force: Option<&UserForce>, world: &World, wrenches: &mut Vec<Wrench>) {
    wrenches.clear();
    let Some(force) = force else { return };
    let bodies = (0..world.bodies.len()).into_par_iter().with_min_len(BLOCK);
    execution.collect(bodies, |k| on_body(force, world, k), wrenches);
}

/// Books the first half of a step's work, from the power at its start.
pub fn book_first_half(world: &mut World) {
    world.booked_work += 0.5 * world.time_step() * world.user_power;
}

/// Stores the power of the force at the present velocities and, with `moving`, books the second
/// half of the step's work.
pub fn book_second_half(world: &mut World, wrenches: &[Wrench], moving: bool) {
    if wrenches.is_empty() {
        world.user_power = 0.0;
        return;
    }
    // In the order of ids: the same bits in any storage order.
    let power = |&index: &u32| {
        let (wrench, twist) = (&wrenches[index as usize], &world.bodies.kinetic[index as usize].twist);
        wrench.force.dot(twist.velocity) + wrench.torque.dot(twist.spin)
    };
    world.user_power = world.bodies.index.iter().map(power).sum();
    if moving {
        world.booked_work += 0.5 * world.time_step() * world.user_power;
    }
}
