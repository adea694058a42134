//! Consistency checks: of a world that was read from a file, and of the laws before a run.

use super::bodies::Kinetic;
use super::{BodyId, MaterialId, World, WorldError};

impl World {
    /// Checks that every two materials that can meet have a law.
    pub fn check_laws(&self) -> Result<(), WorldError> {
        self.check_laws_with(&[])
    }

    /// Checks the same for a world to which many bodies of each of these materials will be added.
    pub fn check_laws_with(&self, incoming: &[MaterialId]) -> Result<(), WorldError> {
        let mut counts = self.count_material_use();
        for &material in incoming {
            let of_material = counts.get_mut(material.0 as usize).ok_or(WorldError::UnknownMaterial(material))?;
            // Two new bodies represent many: they can touch each other.
            (0..2).for_each(|_| of_material.count(true));
        }
        for a in 0..counts.len() {
            for b in a..counts.len() {
                let can_meet = match a == b {
                    // A body does not touch itself.
                    true => counts[a].grains > 0 && counts[a].bodies > 1,
                    false => {
                        (counts[a].grains > 0 && counts[b].bodies > 0) || (counts[b].grains > 0 && counts[a].bodies > 0)
                    }
                };
                let (one, other) = (MaterialId(a as u16), MaterialId(b as u16));
                if can_meet && !self.has_law(one, other) {
                    return Err(self.missing_law(one, other));
                }
            }
        }
        Ok(())
    }

    /// Checks a world that was read from a file, so that no index in it is out of range. A world
    /// that was built by [`World::add_body`] and the like passes.
    pub fn check(&self) -> Result<(), WorldError> {
        let fault = |reason: &str| Err(WorldError::Value(format!("the state does not hold together: {reason}")));
        let bodies = &self.bodies;
        let count = bodies.id.len();
        let lengths = [
            bodies.sphere.len(),
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
        let is_driven = |id: BodyId| {
            let index = bodies.index.get(id.0 as usize);
            index.is_some_and(|&index| bodies.kinetic[index as usize].tag.is_driven())
        };
        if !self.driven.iter().all(|driven| is_driven(driven.id)) {
            return fault("a body that is not there is driven");
        }
        if self.driven.iter().any(|driven| driven.motion.check().is_err()) {
            return fault("the motion of a wall is impossible");
        }
        if self.groups.iter().flat_map(|group| &group.ids).any(|ids| ids.end as usize > count) {
            return fault("a group has a body that is not there");
        }
        if !self.has_valid_flow_meters() {
            return fault("a flow plane does not belong to its bodies");
        }
        if !self.has_valid_wear() {
            return fault("the wear of a surface does not belong to its triangles");
        }
        if let Err(reason) = self.contacts.check(count) {
            return fault(reason);
        }
        if !self.clock.is_valid() {
            return fault("its time step is not positive");
        }
        if !self.gravity.is_finite() || (self.planar && self.gravity.z != 0.0) {
            return fault("its gravity is not finite, or not in the plane of a planar world");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;
    use crate::Simulation;

    #[test]
    fn a_world_that_does_not_hold_together_is_refused() {
        let mut simulation = Simulation::new(crate::test_worlds::shaken_box(), 1).unwrap();
        simulation.run(2000);
        let good = simulation.into_world();
        good.check().unwrap();
        assert!(good.contacts().count() > 0);
        let bad = |change: fn(&mut World)| {
            let mut world = good.clone();
            change(&mut world);
            world.check().unwrap_err().to_string()
        };
        assert!(bad(|world| world.bodies.kinetic.clear()).ends_with("its lists of bodies differ in length"));
        assert!(bad(|world| world.bodies.index[0] = 99).ends_with("its ids and its bodies do not match"));
        assert!(bad(|world| world.shapes.clear()).ends_with("a shape or a material that is not there"));
        let foreign_body = |world: &mut World| world.contacts.records_mut().for_each(|record| record.b = 9999);
        assert!(bad(foreign_body).ends_with("a body that is not there"));
        assert!(bad(|world| world.clock = Clock::default()).ends_with("its time step is not positive"));
    }
}
