//! Changes of a world between two steps: what stages and inlets of a scene do.
//!
//! Each leaves a world whose contacts and wrenches agree, with the same bits in any storage order. Energy that comes
//! or goes with a change is booked as work, so that the ledger closes.

use std::ops::Range;

use granum_geometry::Pose;
use serde::{Deserialize, Serialize};

use super::bodies::{MotionKind, Twist, Wrench};
use super::contact::ContactGroup;
use super::{BodyId, BodySpec, Contact, DrivenBody, Motion, Phase, World, WorldError};
use crate::energy;

/// Bodies with one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// For people and for outputs.
    pub name: String,
    /// Ids of its bodies, in runs, in rising order.
    pub ids: Vec<Range<u32>>,
}

impl World {
    /// Adds a body while time goes on. It must touch nothing. Its energy is booked as work.
    pub fn pour(&mut self, spec: BodySpec) -> Result<BodyId, WorldError> {
        let id = self.add_body(spec)?;
        let k = self.index_of(id);
        if self.bodies.kinetic[k].tag.is_dynamic() {
            let (mass, twist) = (self.mass(id), self.twist(id));
            let kinetic =
                0.5 * mass * twist.velocity.length_squared() + 0.5 * twist.spin.dot(self.angular_momentum(id));
            self.booked_work += kinetic - mass * self.gravity.dot(self.position(id));
        }
        Ok(id)
    }

    /// Makes changes that no force makes, and books the energy that they bring or take as work.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut Self) -> R) -> R {
        let before = energy::ledger(self);
        let result = change(self);
        self.booked_work += energy::ledger(self).residual(&before);
        result
    }

    /// Gives a wall another motion, from where it is. A grain keeps its own: forces move it.
    pub fn set_motion(&mut self, id: BodyId, motion: Motion) {
        let k = self.index_of(id);
        if matches!(self.bodies.kinetic[k].tag.motion, MotionKind::Dynamic | MotionKind::Removed)
            || motion == Motion::Dynamic
        {
            return;
        }
        self.driven.retain(|driven| driven.id != id);
        let pose = Pose { position: self.bodies.place[k].centre, orientation: self.bodies.orientation[k] };
        let (motion, twist) = match motion {
            Motion::Driven(drive) => {
                // An oscillation that does not start in the middle swings about another point.
                let (displaced, twist) = drive.at(0.0, &pose);
                let start = Pose { position: pose.position - (displaced.position - pose.position), ..pose };
                self.driven.push(DrivenBody { id, drive, start, since: self.time(), twist });
                (MotionKind::Driven, twist)
            }
            _ => (MotionKind::Fixed, Twist::default()),
        };
        self.bodies.kinetic[k].tag.motion = motion;
        self.bodies.kinetic[k].twist = twist;
    }

    /// Takes a wall away: nothing touches it any more. Its id is not used again.
    pub fn remove_wall(&mut self, id: BodyId) {
        let k = self.index_of(id);
        if self.bodies.kinetic[k].tag.is_dynamic() {
            return;
        }
        self.driven.retain(|driven| driven.id != id);
        self.bodies.kinetic[k].tag.motion = MotionKind::Removed;
        self.bodies.kinetic[k].twist = Twist::default();
        // No neighbour search finds it as a bounded body, and as an unbounded one it is passed over.
        self.bodies.place[k].radius = f64::INFINITY;
        self.release(k as u32);
    }

    /// Drops the contacts of a body and takes their forces from its partners, in the order of ids.
    fn release(&mut self, body: u32) {
        let bodies = &mut self.bodies;
        let mut lost = Vec::new();
        let is_of_body = |contact: &Contact| contact.a == body || contact.b == body;
        for (contact, losses, roll) in self.contacts.iter().flat_map(ContactGroup::iter) {
            if !is_of_body(contact) || contact.phase != Phase::Holds {
                continue;
            }
            let (partner, force, couple, arm) = if contact.b == body {
                (contact.a, -contact.force, -roll.torque, contact.arm)
            } else {
                let offset = bodies.place[contact.b as usize].centre - bodies.place[contact.a as usize].centre;
                (contact.b, contact.force, roll.torque, contact.arm - offset)
            };
            let key = (bodies.id[partner as usize], contact.feature);
            lost.push((key, partner, Wrench { force, torque: arm.cross(force) + couple }, *losses));
        }
        lost.sort_unstable_by_key(|&(key, ..)| key);
        for (_, partner, Wrench { force, torque }, losses) in lost {
            let wrench = &mut bodies.wrench[partner as usize];
            wrench.force -= force;
            wrench.torque -= torque;
            let account = &mut bodies.account[partner as usize];
            account.damping += losses.lost_to_damping;
            account.friction += losses.lost_to_friction;
        }
        for group in &mut self.contacts {
            group.retain(|contact| !is_of_body(contact));
        }
    }

    /// Notes bodies as those of a name, after any that it has.
    pub fn note_group(&mut self, name: &str, ids: Range<u32>) {
        if ids.is_empty() {
            return;
        }
        let index = self.groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
            self.groups.push(Group { name: name.to_owned(), ids: Vec::new() });
            self.groups.len() - 1
        });
        let runs = &mut self.groups[index].ids;
        match runs.last_mut() {
            Some(last) if last.end == ids.start => last.end = ids.end,
            _ => runs.push(ids),
        }
    }

    /// The bodies of a name, in the order of ids; none if there is no such name.
    pub fn bodies_named(&self, name: &str) -> impl Iterator<Item = BodyId> + '_ {
        let group = self.groups.iter().find(|group| group.name == name);
        group.into_iter().flat_map(|group| group.ids.iter().cloned().flatten().map(BodyId))
    }
}
