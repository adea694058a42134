//! The energy ledger: what there is, what was lost and how, and whether the sums agree.
//!
//! Losses are what the laws say they took, contact by contact; they are never found as a difference. So the residual
//! is a true check: it holds the error of the time integration and any mistake.

use serde::{Deserialize, Serialize};

use crate::smooth::response::Response;
use crate::state::{BodyId, World};

/// Energies of a world at one instant, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Kinetic energy of translation.
    pub kinetic_translational: f64,
    /// Kinetic energy of rotation.
    pub kinetic_rotational: f64,
    /// Potential energy in gravity, with zero at the origin.
    pub potential: f64,
    /// Energy stored in contacts.
    pub elastic: f64,
    /// Lost to normal damping since the start.
    pub dissipated_damping: f64,
    /// Lost to friction since the start.
    pub dissipated_friction: f64,
    /// Work of driven bodies since the start, and energy that came in with poured bodies and other changes.
    pub work: f64,
}

impl Energy {
    /// Energy present now.
    pub fn total(&self) -> f64 {
        self.kinetic_translational + self.kinetic_rotational + self.potential + self.elastic
    }

    /// All that was lost.
    pub fn dissipated(&self) -> f64 {
        self.dissipated_damping + self.dissipated_friction
    }

    /// What is missing or too much against the ledger at the start: zero if nothing was lost track of.
    pub fn residual(&self, start: &Energy) -> f64 {
        let now = self.total() + self.dissipated() - self.work;
        let then = start.total() + start.dissipated() - start.work;
        now - then
    }

    /// Energy that has changed its form since the start, roughly: what a residual is to be measured by.
    pub fn turned_over(&self, start: &Energy) -> f64 {
        let kinetic = self.kinetic_translational + self.kinetic_rotational;
        let stored = (self.potential - start.potential).abs() + (self.elastic - start.elastic).abs();
        self.dissipated() + self.work.abs() + kinetic + stored
    }
}

impl World {
    /// Returns the energy balance at this instant.
    pub fn energy(&self) -> Energy {
        ledger(self)
    }
}

/// Adds up the ledger, body by body in the order of ids, so that it has the same bits however bodies are stored.
pub(crate) fn ledger(world: &World) -> Energy {
    let bodies = &world.bodies;
    let mut energy = Energy { work: world.booked_work, ..Energy::default() };
    for &index in &bodies.index {
        let k = index as usize;
        if !bodies.kinetic[k].tag.is_dynamic() {
            continue;
        }
        let mass = 1.0 / bodies.kinetic[k].inverse_mass;
        let twist = &bodies.kinetic[k].twist;
        energy.kinetic_translational += 0.5 * mass * twist.velocity.length_squared();
        energy.kinetic_rotational += 0.5 * twist.spin.dot(world.angular_momentum(BodyId(bodies.id[k])));
        energy.potential -= mass * world.gravity.dot(bodies.place[k].centre);
        energy.dissipated_damping += bodies.account[k].damping;
        energy.dissipated_friction += bodies.account[k].friction;
        energy.work += bodies.account[k].drive;
    }
    if world.percussion.is_some() {
        // Percussions store nothing, and are booked when they act.
        return energy;
    }
    // Contacts likewise, in the order of their bodies' ids.
    let World { bodies, laws, .. } = world;
    let response = Response { bodies, laws, dt: world.time_step(), moving: true };
    let id = |body: u32| bodies.id[body as usize];
    let mut entries: Vec<_> = world
        .contact_records()
        .map(|(c, losses, rolling)| ((id(c.a), id(c.b), c.feature), response.ledger_entries(c, losses, &rolling)))
        .collect();
    entries.sort_unstable_by_key(|&(key, _)| key);
    for (_, entry) in entries {
        energy.elastic += entry.stored;
        energy.dissipated_damping += entry.lost_to_damping;
        energy.dissipated_friction += entry.lost_to_friction;
        energy.work -= entry.work_ahead;
    }
    energy
}
