//! What the outside sees of a world: plain copies, in the order of ids.

use glam::{DQuat, DVec3};

use crate::energy::{self, Energy};
use crate::state::{BodyId, MaterialId, ShapeId, World};

/// One body at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Its id.
    pub id: BodyId,
    /// Its shape.
    pub shape: ShapeId,
    /// Its material.
    pub material: MaterialId,
    /// Centre, m.
    pub position: DVec3,
    /// Body axes to world axes.
    pub orientation: DQuat,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub spin: DVec3,
    /// Mass, kg; infinite for walls.
    pub mass: f64,
}

/// One contact at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactState {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Contact point, m.
    pub point: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance, m.
    pub gap: f64,
    /// Force on b, N.
    pub force: DVec3,
    /// Couple on b, N m.
    pub couple: DVec3,
}

/// A world at one instant, as recorders get it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Steps done.
    pub step: u64,
    /// Time, s.
    pub time: f64,
    /// Bodies by id.
    pub bodies: Vec<BodyState>,
    /// Contacts that carry a force, by (a, b).
    pub contacts: Vec<ContactState>,
    /// The ledger.
    pub energy: Energy,
}

impl Snapshot {
    /// Copies a world.
    pub fn of(world: &World) -> Self {
        let bodies = &world.bodies;
        let states = bodies.index.iter().map(|&index| {
            let k = index as usize;
            BodyState {
                id: BodyId(bodies.id[k]),
                shape: bodies.kinetic[k].tag.shape,
                material: bodies.kinetic[k].tag.material,
                position: bodies.place[k].centre,
                orientation: bodies.orientation[k],
                velocity: bodies.kinetic[k].twist.velocity,
                spin: bodies.kinetic[k].twist.spin,
                mass: 1.0 / bodies.kinetic[k].inverse_mass,
            }
        });
        Self {
            step: world.step,
            time: world.time(),
            bodies: states.collect(),
            contacts: contact_states(world),
            energy: energy::ledger(world),
        }
    }

    /// Deepest overlap among the contacts, m.
    pub fn max_overlap(&self) -> f64 {
        self.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max)
    }
}

/// A few figures of a world, for the eye: quick to find, and summed in no particular order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldStatus {
    /// Steps done.
    pub step: u64,
    /// Time, s.
    pub time: f64,
    /// Contacts that carry a force.
    pub contacts: usize,
    /// Kinetic energy of translation and rotation, J.
    pub kinetic: f64,
}

impl WorldStatus {
    /// Looks at a world.
    pub fn of(world: &World) -> Self {
        let bodies = &world.bodies;
        let moving = (0..bodies.len()).filter(|&k| bodies.kinetic[k].tag.is_dynamic());
        let twice_kinetic: f64 = moving
            .map(|k| {
                let (twist, inverse_mass) = (&bodies.kinetic[k].twist, bodies.kinetic[k].inverse_mass);
                let rotational = twist.spin.dot(world.angular_momentum(BodyId(bodies.id[k])));
                twist.velocity.length_squared() / inverse_mass + rotational
            })
            .sum();
        let contacts = world.all_contacts().filter(|c| world.carries(c)).count();
        Self { step: world.step, time: world.time(), contacts, kinetic: 0.5 * twice_kinetic }
    }
}

fn contact_states(world: &World) -> Vec<ContactState> {
    let bodies = &world.bodies;
    let mut states: Vec<(u32, ContactState)> = world
        .all_with_history()
        .filter(|(c, ..)| world.carries(c))
        .map(|(c, _, roll)| {
            let state = ContactState {
                a: BodyId(bodies.id[c.a as usize]),
                b: BodyId(bodies.id[c.b as usize]),
                point: bodies.place[c.a as usize].centre + c.arm,
                normal: c.normal,
                gap: roll.jacobian.distance(c.gap),
                force: c.force,
                couple: roll.torque,
            };
            (c.feature, state)
        })
        .collect();
    states.sort_by_key(|(feature, state)| (state.a, state.b, *feature));
    states.into_iter().map(|(_, state)| state).collect()
}
