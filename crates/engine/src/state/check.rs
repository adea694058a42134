//! Whether a world that came from outside holds together, so that no index in it leads nowhere.

use super::bodies::Kinetic;
use super::contact::ContactGroup;
use super::{World, WorldError};

impl World {
    /// Checks a world that was read from a file. One that was built by [`World::add_body`] and the like passes.
    pub fn check(&self) -> Result<(), WorldError> {
        let fault = |reason: &str| Err(WorldError::Value(format!("the state does not hold together: {reason}")));
        let bodies = &self.bodies;
        let count = bodies.id.len();
        let lengths = [
            bodies.place.len(),
            bodies.remainder.len(),
            bodies.orientation.len(),
            bodies.kinetic.len(),
            bodies.wrench.len(),
            bodies.angular_momentum.len(),
            bodies.inverse_moments.len(),
            bodies.account.len(),
            bodies.index.len(),
        ];
        if lengths.iter().any(|&length| length != count) {
            return fault("its lists of bodies differ in length");
        }
        let points_back = |(id, &index): (usize, &u32)| bodies.id.get(index as usize) == Some(&(id as u32));
        if !bodies.index.iter().enumerate().all(points_back) {
            return fault("its ids and its bodies do not match");
        }
        if !self.laws.is_for(self.materials.len()) {
            return fault("its contact laws are not those of its materials");
        }
        if self.percussion.as_ref().is_some_and(|percussion| !percussion.laws.is_for(self.materials.len())) {
            return fault("its percussion laws are not those of its materials");
        }
        for material in &self.materials {
            material.validate()?;
        }
        for Kinetic { tag, .. } in &bodies.kinetic {
            let shape = self.shapes.get(tag.shape.0 as usize);
            if shape.is_none_or(|shape| shape.kind() != tag.kind) || tag.material.0 as usize >= self.materials.len() {
                return fault("a body has a shape or a material that is not there");
            }
        }
        for shape in &self.shapes {
            shape.clone().checked()?;
        }
        if self.driven.iter().any(|driven| driven.id.0 as usize >= count) {
            return fault("a body that is not there is driven");
        }
        for ContactGroup { records, losses, rolling } in &self.contacts {
            if losses.len() != records.len() || !(rolling.is_empty() || rolling.len() == records.len()) {
                return fault("contacts and their histories are not as many");
            }
            if records.iter().any(|contact| contact.a.max(contact.b) as usize >= count) {
                return fault("a contact is of a body that is not there");
            }
        }
        if !(self.time_step.is_finite() && self.time_step > 0.0) {
            return fault("its time step is not positive");
        }
        Ok(())
    }
}
