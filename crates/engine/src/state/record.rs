//! Copies of the stored state in an order that does not depend on storage: for checksums, and for
//! estimates of memory.

use glam::{DQuat, DVec3};

use super::bodies::{Account, BoundingSphere, Kinetic, Wrench};
use super::{Contact, ContactLosses, RollingState, StoredPercussion, Twist, World};

/// All numbers of a body that change during a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyRecord {
    /// Centre, m.
    pub position: DVec3,
    /// Part of the centre's displacement that rounding has not added to it yet, m.
    pub remainder: DVec3,
    /// Rotation from body axes to world axes.
    pub orientation: DQuat,
    /// Velocity and spin.
    pub twist: Twist,
    /// Sum of contact forces and torques at the last evaluation.
    pub wrench: Wrench,
    /// Stored angular momentum in world axes, kg m²/s.
    pub angular_momentum: DVec3,
    /// Energy account.
    pub account: Account,
}

impl World {
    /// Returns the stored numbers of all bodies, in the order of ids.
    pub fn ordered_body_records(&self) -> impl Iterator<Item = BodyRecord> + '_ {
        let bodies = &self.bodies;
        bodies.index.iter().map(|&index| {
            let k = index as usize;
            BodyRecord {
                position: bodies.sphere[k].centre,
                remainder: bodies.remainder[k],
                orientation: bodies.orientation[k],
                twist: bodies.kinetic[k].twist,
                wrench: bodies.wrench[k],
                angular_momentum: bodies.angular_momentum[k],
                account: bodies.account[k],
            }
        })
    }

    /// Returns all stored contact records in the order of their bodies' ids, with ids in the place
    /// of storage indices.
    pub fn ordered_contact_records(&self) -> Vec<(Contact, ContactLosses, RollingState)> {
        let id = |index: u32| self.bodies.id[index as usize];
        let by_id = |contact: &Contact| Contact { a: id(contact.a), b: id(contact.b), ..*contact };
        let mut records: Vec<_> =
            self.contact_records().map(|(contact, losses, rolling)| (by_id(contact), *losses, rolling)).collect();
        records.sort_unstable_by_key(|(contact, ..)| (contact.a, contact.b, contact.feature));
        records
    }

    /// Returns the last percussions of all contacts in the same order. Empty with the smooth
    /// response.
    pub fn ordered_percussions(&self) -> Vec<StoredPercussion> {
        let id = |index: u32| self.bodies.id[index as usize];
        let mut stored: Vec<_> = self.contacts.percussions().collect();
        stored.sort_unstable_by_key(|(contact, _)| (id(contact.a), id(contact.b), contact.feature));
        stored.into_iter().map(|(_, &percussion)| percussion).collect()
    }

    /// Returns the memory of one body, bytes.
    pub fn bytes_per_body() -> usize {
        // Bounding sphere, remainder, orientation, kinetic, wrench, angular momentum, inverse
        // moments, account, id and index.
        size_of::<(BoundingSphere, DQuat, Kinetic, Wrench, [DVec3; 3], Account, [u32; 2])>()
    }

    /// Returns the memory of one contact without rolling resistance, bytes.
    pub fn bytes_per_contact() -> usize {
        size_of::<(Contact, ContactLosses)>()
    }
}
