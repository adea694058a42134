//! The energy balance: energy present, energy dissipated, work done, and their residual.
//!
//! The laws report the loss of each contact; no loss is computed as a difference. The residual is
//! therefore an independent check: it contains the error of the time integration and any
//! programming error.

use serde::{Deserialize, Serialize};

use crate::smooth::response::Response;
use crate::state::World;

/// Energy balance of a world at one instant, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Kinetic energy of translation.
    pub kinetic_translational: f64,
    /// Kinetic energy of rotation.
    pub kinetic_rotational: f64,
    /// Potential energy in gravity. It is zero at the origin.
    pub potential: f64,
    /// Elastic energy of the contacts.
    pub elastic: f64,
    /// Energy dissipated by normal damping since the start.
    pub dissipated_damping: f64,
    /// Energy dissipated by friction since the start.
    pub dissipated_friction: f64,
    /// Work since the start: of driven bodies, of user-defined forces, and of changes between
    /// steps.
    pub work: f64,
}

impl Energy {
    /// Returns the energy that is present.
    pub fn total(&self) -> f64 {
        self.kinetic_translational + self.kinetic_rotational + self.potential + self.elastic
    }

    /// Returns the energy that was dissipated since the start.
    pub fn dissipated(&self) -> f64 {
        self.dissipated_damping + self.dissipated_friction
    }

    /// Returns the error of the balance relative to `start`, J. It is zero if all energy is
    /// accounted for.
    pub fn residual(&self, start: &Energy) -> f64 {
        let now = self.total() + self.dissipated() - self.work;
        let then = start.total() + start.dissipated() - start.work;
        now - then
    }

    /// Returns an estimate of the energy that has changed its form since `start`, J. Residuals are
    /// given relative to it.
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

/// Sums the energy balance in the order of ids, so that it has the same bits in any storage order.
pub(crate) fn ledger(world: &World) -> Energy {
    let bodies = &world.bodies;
    let mut energy = Energy { work: world.booked_work, ..Energy::default() };
    for &index in &bodies.index {
        let k = index as usize;
        // The accounts of removed grains remain.
        energy.dissipated_damping += bodies.account[k].damping;
        energy.dissipated_friction += bodies.account[k].friction;
        energy.work += bodies.account[k].drive;
        if !bodies.kinetic[k].tag.is_dynamic() {
            continue;
        }
        let mass = 1.0 / bodies.kinetic[k].inverse_mass;
        let twist = &bodies.kinetic[k].twist;
        energy.kinetic_translational += 0.5 * mass * twist.velocity.length_squared();
        energy.kinetic_rotational += 0.5 * twist.spin.dot(bodies.angular_momentum_of(k));
        energy.potential -= mass * world.gravity.dot(bodies.sphere[k].centre);
    }
    for wall in &world.driven {
        let Some((axis, mass)) = wall.motion.guide.and_then(|guide| Some((guide.direction(), guide.mass()?))) else {
            continue;
        };
        let centre = bodies.sphere[bodies.index[wall.id.0 as usize] as usize].centre;
        energy.kinetic_translational += 0.5 * mass * wall.guide.speed * wall.guide.speed;
        energy.potential -= mass * world.gravity.dot(axis) * axis.dot(centre);
    }
    if world.percussion.is_some() {
        // Percussions store no energy, and their losses are booked when they act.
        return energy;
    }
    // Contacts are summed in the order of their bodies' ids.
    let response = Response::of(world);
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
