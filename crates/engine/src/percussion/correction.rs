//! Positions of bodies that overlap: they are put apart along their contacts, by the least displacement in the sense of masses.
//!
//! Contacts bound velocities so that surfaces do not pass each other; what curvature and other contacts of the same instant leave
//! is small. Velocities are not touched, so that no correction gives kinetic energy; what it lifts against gravity is booked as
//! work.

use glam::DVec3;

use super::island::{Island, Touch};
use super::problem::{Motion, Normal, Tangential};
use super::solver::block_descent::{self, Limits};
use crate::rotation::{self, InertiaKind};
use crate::state::{BodyId, World};

/// Overlap that is left alone, as a part of the smaller body's radius: bodies at rest have less, and stay where they are.
const LEFT: f64 = 1e-4;
/// Part of the rest that is taken away in a step: the gaps of neighbours change as a body moves.
const PART: f64 = 0.5;
/// A displacement need not be exact: what it leaves is seen again in the next step.
const LIMITS: Limits = Limits { tolerance: 1e-2, sweeps: 100 };

/// Displacements and small rotations of the members, if a contact is too deep.
pub fn shift(island: &Island) -> Option<Vec<Motion>> {
    let is_deep = |touch: &Touch| touch.gap < -LEFT * touch.size;
    if !island.touches.iter().any(is_deep) {
        return None;
    }
    let law = |_: usize, touch: &Touch| {
        let wanted = if is_deep(touch) { -PART * (touch.gap + LEFT * touch.size) } else { -touch.gap.max(0.0) };
        (Normal { bound: wanted, stiffness: 0.0, pulls: false }, Tangential::Smooth)
    };
    let mut program = island.program(1.0, |_| Motion::default(), law);
    for (contact, touch) in program.contacts.iter_mut().zip(&island.touches) {
        // Residuals are relative to the free velocities at contacts: here to the displacements wanted.
        contact.drift = -contact.along.bound.max(0.0) * touch.normal;
        contact.along.bound = contact.along.bound.min(0.0);
    }
    let solution = block_descent::solve(&program, &vec![DVec3::ZERO; island.touches.len()], LIMITS);
    Some(program.velocities(&solution.percussions))
}

/// Moves the members. Returns the largest distance a centre moved, m.
pub fn apply(world: &mut World, island: &Island, shift: &[Motion]) -> f64 {
    let gravity = world.gravity;
    let mut farthest = 0f64;
    for (member, by) in island.members.iter().zip(shift) {
        let k = member.index as usize;
        let kinetic = |world: &World| {
            let id = BodyId(world.bodies.id[k]);
            0.5 * world.bodies.kinetic[k].twist.spin.dot(world.angular_momentum(id))
        };
        let before = kinetic(world);
        let bodies = &mut world.bodies;
        bodies.place[k].centre += by.velocity;
        farthest = farthest.max(by.velocity.length());
        bodies.orientation[k] = rotation::turn(bodies.orientation[k], by.spin);
        if bodies.kinetic[k].tag.inertia != InertiaKind::Spherical {
            bodies.kinetic[k].twist.spin =
                rotation::spin(bodies.orientation[k], bodies.angular_momentum[k], bodies.inverse_moments[k]);
        }
        let lifted = -gravity.dot(by.velocity) / bodies.kinetic[k].inverse_mass;
        let gained = kinetic(world) - before;
        world.bodies.account[k].drive += lifted + gained;
    }
    farthest
}
