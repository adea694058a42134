//! A user-defined force on every grain, besides gravity and the contacts.
//!
//! The force is a function in the program, of one body or of the whole world. It is not part of the state: a program that continues a
//! saved world sets it again. Its work is booked by the trapezoidal rule, which is the work of the
//! two half kicks of a step to second order.

use rayon::prelude::*;

use crate::execution::Execution;
use crate::state::{BodyId, World, Wrench};

/// A user-defined force on a body, N, and torque about its centre, N m, in world axes.
///
/// It is evaluated in parallel, so it must depend on nothing but its arguments.
pub type UserForce = Box<dyn Fn(&World, BodyId) -> Wrench + Send + Sync>;

/// User-defined forces on all bodies, in the order of ids. The function receives zeros and sets the
/// forces and torques of the bodies that it acts on. Those of walls are ignored.
///
/// It is called once per evaluation, on one thread.
pub type UserForces = Box<dyn Fn(&World, &mut [Wrench]) + Send + Sync>;

/// Bodies in a block of parallel work.
const BLOCK: usize = 512;

/// A user-defined force function of either kind.
pub(crate) enum ForceFunction {
    /// Of one body.
    One(UserForce),
    /// Of the whole world.
    All(UserForces),
}

/// A user-defined force at one instant.
pub(crate) enum ForceNow<'f> {
    /// The function of one body.
    One(&'f UserForce),
    /// The forces by id.
    All(Vec<Wrench>),
}

impl ForceFunction {
    /// Evaluates a function of the whole world at the present positions and velocities.
    pub fn now(&self, world: &World) -> ForceNow<'_> {
        match self {
            Self::One(force) => ForceNow::One(force),
            Self::All(forces) => {
                let mut wrenches = vec![Wrench::default(); world.bodies.len()];
                forces(world, &mut wrenches);
                ForceNow::All(wrenches)
            }
        }
    }
}

impl ForceNow<'_> {
    /// Returns the force on the body with storage index `k`: none on walls.
    pub fn on_body(&self, world: &World, k: usize) -> Wrench {
        if !world.bodies.kinetic[k].tag.is_dynamic() {
            return Wrench::default();
        }
        let id = world.bodies.id[k];
        match self {
            Self::One(force) => force(world, BodyId(id)),
            Self::All(wrenches) => wrenches[id as usize],
        }
    }
}

/// Stores the force on every body, by storage index, in `wrenches`; empty if there is no force.
pub fn evaluate(execution: Execution, force: Option<&ForceFunction>, world: &World, wrenches: &mut Vec<Wrench>) {
    wrenches.clear();
    let Some(force) = force else { return };
    let force = force.now(world);
    let bodies = (0..world.bodies.len()).into_par_iter().with_min_len(BLOCK);
    execution.collect(bodies, |k| force.on_body(world, k), wrenches);
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
