//! Start of a world from the state of another one: the motion of bodies that both contain, and the
//! history of the contacts among them.

use super::bodies::MotionKind;
use super::contacts::ContactEntry;
use super::{BodyId, ContactLosses, World, WorldError};

/// A body of another world, and the same body of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inherited {
    /// Its id in the other world.
    pub from: BodyId,
    /// Its id in this world.
    pub to: BodyId,
}

impl World {
    /// Takes over bodies from another world, with all digits of their state: pose and motion of
    /// grains, and the contacts among the bodies. Returns the number of contacts.
    ///
    /// A contact keeps its history (springs, last percussion) if it has the same response, measure
    /// of overlap and law in both worlds. Other contacts begin anew at the first evaluation. The
    /// losses of the other world are not taken over.
    ///
    /// It is an error if a simulation of this world has begun, or if a body differs in its shape.
    pub fn inherit(&mut self, from: &World, bodies: &[Inherited]) -> Result<usize, WorldError> {
        if self.has_begun() {
            return Err(WorldError::HasBegun("the state that a world inherits"));
        }
        // Storage index in this world, by storage index in the other.
        let mut new_index = vec![None; from.bodies.len()];
        for &Inherited { from: old, to: new } in bodies {
            let j = *from.bodies.index.get(old.0 as usize).ok_or(WorldError::UnknownBody(old))? as usize;
            let k = *self.bodies.index.get(new.0 as usize).ok_or(WorldError::UnknownBody(new))? as usize;
            let (theirs, ours) = (from.bodies.kinetic[j].tag, self.bodies.kinetic[k].tag);
            if from.shape(theirs.shape) != self.shape(ours.shape) || theirs.is_dynamic() != ours.is_dynamic() {
                return Err(WorldError::Value(format!("body {} is not body {} of the other world", new.0, old.0)));
            }
            new_index[j] = Some(k as u32);
        }
        for (j, k) in new_index.iter().enumerate().filter_map(|(j, k)| Some((j, (*k)? as usize))) {
            self.inherit_motion(from, j, k);
        }
        self.reset_flow_meters();
        if self.percussion.is_some() != from.percussion.is_some() || self.measure != from.measure {
            return Ok(0);
        }
        let entries: Vec<ContactEntry> = from
            .contacts
            .entries()
            .filter_map(|entry| {
                let [a, b] = [entry.record.a, entry.record.b].map(|j| new_index[j as usize]);
                self.inherited_contact(from, entry, [a?, b?])
            })
            .collect();
        let count = entries.iter().filter(|entry| self.carries(&entry.record)).count();
        self.contacts.add(entries);
        Ok(count)
    }

    /// Copies the state of body `j` of another world to body `k`, both by storage index.
    fn inherit_motion(&mut self, from: &World, j: usize, k: usize) {
        if self.bodies.kinetic[k].tag.motion != MotionKind::Dynamic {
            return;
        }
        let (theirs, ours) = (&from.bodies, &mut self.bodies);
        ours.sphere[k].centre = theirs.sphere[j].centre;
        ours.remainder[k] = theirs.remainder[j];
        ours.orientation[k] = theirs.orientation[j];
        ours.kinetic[k].twist = theirs.kinetic[j].twist;
        if ours.inverse_moments[k] == theirs.inverse_moments[j] {
            ours.angular_momentum[k] = theirs.angular_momentum[j];
        } else {
            let spin = theirs.kinetic[j].twist.spin;
            ours.rotation_mut(k).set_spin(spin);
        }
    }

    /// Returns a contact of another world as one of the bodies `a` and `b` of this world; `None` if
    /// its history has no meaning here.
    fn inherited_contact(&self, from: &World, entry: ContactEntry, [a, b]: [u32; 2]) -> Option<ContactEntry> {
        let tag = |k: u32| self.bodies.kinetic[k as usize].tag;
        // Body a of a contact is that with the lower kind and id (`pair_list.rs`).
        let key = |k: u32| (tag(k).kind, self.bodies.id[k as usize]);
        let old = [entry.record.a, entry.record.b].map(|j| from.bodies.kinetic[j as usize].tag.material);
        let same_law = self.percussion.is_some()
            || self.laws.get(tag(a).material, tag(b).material) == from.laws.get(old[0], old[1]);
        if key(a) > key(b) || !same_law {
            return None;
        }
        let mut entry = entry;
        entry.record.a = a;
        entry.record.b = b;
        entry.record.moves_a = tag(a).is_dynamic();
        entry.losses = ContactLosses { kick: 1.0, lost_to_damping: 0.0, lost_to_friction: 0.0, ..entry.losses };
        Some(entry)
    }
}
