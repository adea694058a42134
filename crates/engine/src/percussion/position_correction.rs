//! Position correction: separates bodies that overlap by the displacement of least kinetic norm.
//!
//! Contacts bound the normal velocities, so that only curvature and other contacts of the same
//! instant leave small overlaps. Velocities do not change, so a correction adds no translational
//! energy. The work against gravity is booked as work of driven bodies.

use glam::{DMat3, DVec3};

use super::island::{Island, IslandContact};
use super::profile::Effort;
use super::program::{NormalPotential, TangentialPotential, Twist};
use super::solver::block_descent::{self, Limits};
use crate::state::World;

/// Overlap that is not corrected, in radii of the smaller body. Bodies at rest have less, so that
/// they do not move.
const TOLERATED_OVERLAP: f64 = 1e-4;
/// Part of the excess overlap that is removed in a step. A full correction would overshoot, because
/// the gaps of the neighbours change too.
const CORRECTED_PART: f64 = 0.5;
/// Accuracy of the displacements. Errors are corrected in the next step.
const LIMITS: Limits = Limits { tolerance: 1e-2, max_iterations: 100 };

/// Displacements of the bodies of an island.
pub struct Displacements {
    /// Displacement, m, and small rotation, rad, of each body.
    of_bodies: Vec<Twist>,
    /// Work of the solver.
    pub effort: Effort,
}

/// Returns the displacements, m, and small rotations, rad, of the bodies; `None` if no overlap
/// needs a correction.
///
/// They are the solution of a program in which displacements replace velocities.
pub fn displacements(island: &Island) -> Option<Displacements> {
    let is_deep = |contact: &IslandContact| contact.gap < -TOLERATED_OVERLAP * contact.size;
    if !island.contacts.iter().any(is_deep) {
        return None;
    }
    let potentials = |_: usize, contact: &IslandContact| {
        let required = if is_deep(contact) {
            -CORRECTED_PART * (contact.gap + TOLERATED_OVERLAP * contact.size)
        } else {
            -contact.gap.max(0.0)
        };
        (NormalPotential::stop(required), TangentialPotential::Frictionless)
    };
    let mut program = island.program(1.0, |_| Twist::default(), potentials);
    // Walls that move along an axis stay in place.
    for (body, member) in program.bodies.iter_mut().zip(&island.bodies) {
        if member.guided.is_some() {
            body.inverse_inertia = DMat3::ZERO;
        }
    }
    for (program_contact, contact) in program.contacts.iter_mut().zip(&island.contacts) {
        // Residuals are relative to the prescribed velocities. Therefore the required displacement
        // moves from the bound to the prescribed velocity.
        let bound = &mut program_contact.normal_potential.min_velocity;
        program_contact.prescribed_velocity = -bound.max(0.0) * contact.normal;
        *bound = bound.min(0.0);
    }
    let solution = block_descent::solve(&program, &vec![DVec3::ZERO; island.contacts.len()], LIMITS);
    Some(Displacements { of_bodies: program.velocities(&solution.percussions), effort: solution.effort })
}

/// Displaces the bodies of an island. Returns the largest displacement of a centre, m.
pub fn apply(world: &mut World, island: &Island, displacements: &Displacements) -> f64 {
    let gravity = world.gravity;
    let mut farthest = 0f64;
    let moved = island.bodies.iter().zip(&displacements.of_bodies).filter(|(body, _)| body.guided.is_none());
    for (body, displacement) in moved {
        let k = body.index as usize;
        let rotational_energy =
            |world: &World| 0.5 * world.bodies.kinetic[k].twist.spin.dot(world.bodies.angular_momentum_of(k));
        let before = rotational_energy(world);
        let bodies = &mut world.bodies;
        bodies.sphere[k].centre += displacement.velocity;
        farthest = farthest.max(displacement.velocity.length());
        bodies.rotation_mut(k).turn_by(displacement.spin);
        let lifted = -gravity.dot(displacement.velocity) / bodies.kinetic[k].inverse_mass;
        let gained = rotational_energy(world) - before;
        world.bodies.account[k].drive += lifted + gained;
    }
    farthest
}
