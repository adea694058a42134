//! Changes of a world between two steps.
//!
//! Each change leaves contacts and wrenches that agree, with the same bits in any storage order.
//! During a run the energy that a change adds or removes is booked as work, so that the energy
//! balance stays closed. Before a run nothing is booked: the balance starts with the first step.

use std::ops::Range;

use glam::DVec3;
use granum_geometry::Pose;
use serde::{Deserialize, Serialize};

use super::bodies::{MotionKind, Twist, Wrench};
use super::body_spec::{is_about_z, is_in_plane};
use super::clock::is_valid_time_step;
use super::{
    BodyId, Contact, DrivenBody, Elasticity, Evaluation, Material, MaterialId, Motion, Phase, World, WorldError,
};
use crate::energy::{self, Energy};
use crate::percussion::Percussion;
use crate::rotation::InertiaKind;
use crate::smooth::response::Response;

/// Bodies with one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Name in scenes and outputs.
    pub name: String,
    /// Ids of the bodies as ranges, in rising order.
    pub ids: Vec<Range<u32>>,
}

impl World {
    /// Makes several changes and books the energy of all of them together, with one summation.
    ///
    /// Each method that changes a world books the energy of its own change; this method only saves
    /// time where there are many.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut Self) -> R) -> R {
        // An outer change books for this one too; before a run there is nothing to book.
        if self.is_booking || !self.has_begun() {
            return change(self);
        }
        let before = energy::ledger(self);
        self.is_booking = true;
        let result = change(self);
        self.is_booking = false;
        self.book(&before);
        result
    }

    /// Books the energy that was added since `before` as work.
    pub(crate) fn book(&mut self, before: &Energy) {
        self.booked_work += energy::ledger(self).residual(before);
    }

    /// Sets the length of the steps to come, s. The time and the poses of driven bodies stay as
    /// they are.
    pub fn set_time_step(&mut self, time_step: f64) -> Result<(), WorldError> {
        if !is_valid_time_step(time_step) {
            return Err(WorldError::Value(format!("the time step must be positive, not {time_step} s")));
        }
        // Contacts book losses and work half a step ahead, which depends on the step length.
        self.change(|world| world.clock.set_time_step(time_step));
        Ok(())
    }

    /// Sets the acceleration of gravity, m/s². During a run the change of potential energy is
    /// booked as work.
    pub fn set_gravity(&mut self, gravity: DVec3) -> Result<(), WorldError> {
        if !gravity.is_finite() {
            return Err(WorldError::Value(format!("gravity must be finite, not {gravity} m/s²")));
        }
        if self.planar && !is_in_plane(gravity) {
            return Err(WorldError::Value("in a planar world gravity must lie in the plane z = 0".into()));
        }
        self.change(|world| world.gravity = gravity);
        Ok(())
    }

    /// Sets velocity, m/s, and spin, rad/s in world axes, of a grain. During a run the change of
    /// kinetic energy is booked as work.
    pub fn set_velocity(&mut self, id: BodyId, velocity: DVec3, spin: DVec3) -> Result<(), WorldError> {
        let k = self.checked_index(id)?;
        if !self.bodies.kinetic[k].tag.is_dynamic() {
            let reason = format!("body {} is not moved by forces: its motion gives its velocity", id.0);
            return Err(WorldError::Value(reason));
        }
        if !(velocity.is_finite() && spin.is_finite()) {
            return Err(WorldError::Value("velocity and spin must be finite numbers".into()));
        }
        if self.planar && !(is_in_plane(velocity) && is_about_z(spin)) {
            return Err(WorldError::Value("in a planar world a body moves and turns in the plane z = 0".into()));
        }
        self.change(|world| {
            world.bodies.kinetic[k].twist.velocity = velocity;
            world.bodies.rotation_mut(k).set_spin(spin);
        });
        Ok(())
    }

    /// Sets the elastic constants of a material. They enter the laws of Hertz and Mindlin when
    /// these are made, so that present laws do not change.
    pub fn set_elasticity(&mut self, id: MaterialId, elasticity: Option<Elasticity>) -> Result<(), WorldError> {
        let material = self.materials.get_mut(id.0 as usize).ok_or(WorldError::UnknownMaterial(id))?;
        let changed = Material { elasticity, ..material.clone() };
        changed.validate()?;
        *material = changed;
        Ok(())
    }

    /// Changes the settings of the percussion response and its force fields. Laws and statistics
    /// stay as they are.
    pub fn change_percussion(&mut self, settings: &Percussion) -> Result<(), WorldError> {
        let Some(percussion) = &mut self.percussion else {
            return Err(WorldError::Value("the world does not have the percussion response".into()));
        };
        settings.check_settings()?;
        percussion.friction = settings.friction;
        percussion.solver = settings.solver;
        percussion.tolerance = settings.tolerance;
        percussion.fields.clone_from(&settings.fields);
        Ok(())
    }

    /// Multiplies velocity and angular momentum of every grain by a factor. During a run the change
    /// of kinetic energy is booked as work.
    pub fn scale_velocities(&mut self, factor: f64) -> Result<(), WorldError> {
        if !factor.is_finite() {
            return Err(WorldError::Value(format!("the factor of velocities must be finite, not {factor}")));
        }
        self.change(|world| {
            for k in 0..world.bodies.len() {
                if world.bodies.kinetic[k].tag.is_dynamic() {
                    world.bodies.kinetic[k].twist.velocity *= factor;
                    world.bodies.rotation_mut(k).scale(factor);
                }
            }
        });
        Ok(())
    }

    /// Multiplies all positions by a factor. The contact forces are outdated then, and the caller
    /// books the energy after it has evaluated them.
    pub(crate) fn scale_positions(&mut self, factor: f64) -> Result<(), WorldError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(WorldError::Value(format!("the factor of positions must be positive, not {factor}")));
        }
        self.bodies.sphere.iter_mut().for_each(|sphere| sphere.centre *= factor);
        for driven in &mut self.driven {
            driven.start.position *= factor;
            driven.motion.scale_positions(factor);
            driven.guide.displacement *= factor;
        }
        self.reset_flow_meters();
        self.evaluation = Evaluation::Outdated;
        Ok(())
    }

    /// Gives a wall another motion, which begins at its present pose. The motion of a grain cannot
    /// be prescribed, and a wall cannot become a grain.
    pub fn set_motion(&mut self, id: BodyId, motion: Motion) -> Result<(), WorldError> {
        let k = self.checked_index(id)?;
        let present = self.bodies.kinetic[k].tag.motion;
        if matches!(present, MotionKind::Dynamic | MotionKind::Removed) || motion == Motion::Dynamic {
            return Err(WorldError::Value(format!("body {} is not a wall that can be moved", id.0)));
        }
        motion.check()?;
        if self.planar && !motion.lies_in_plane() {
            return Err(WorldError::Value("in a planar world a wall moves and turns in the plane z = 0".into()));
        }
        self.change(|world| world.replace_motion(id, k, motion));
        Ok(())
    }

    fn replace_motion(&mut self, id: BodyId, k: usize, motion: Motion) {
        self.driven.retain(|driven| driven.id != id);
        let pose = Pose { position: self.bodies.sphere[k].centre, orientation: self.bodies.orientation[k] };
        let (kind, twist) = match motion {
            Motion::Driven(motion) => {
                let start = motion.start_of(&pose);
                let (_, twist) = motion.prescribed_at(0.0, &start);
                let kind = if motion.is_guided() { MotionKind::Guided } else { MotionKind::Driven };
                let driven = DrivenBody::new(id, motion, (start, self.time()), twist);
                (kind, self.add_driven(driven, pose).1)
            }
            _ => (MotionKind::Fixed, Twist::default()),
        };
        self.bodies.kinetic[k].tag.motion = kind;
        self.bodies.kinetic[k].twist = twist;
        // Percussions do not add up to wrenches, and a world that has not begun has no forces.
        if kind == MotionKind::Guided && self.percussion.is_none() {
            self.sum_on_wall(k);
        } else {
            self.bodies.wrench[k] = Wrench::default();
        }
    }

    /// Adds a driven body at the pose of its prescribed motion, and returns its pose and velocities.
    pub(super) fn add_driven(&mut self, driven: DrivenBody, mut pose: Pose) -> (Pose, Twist) {
        let mut twist = driven.twist;
        driven.add_guide(&mut pose, &mut twist);
        self.driven.push(driven);
        (pose, twist)
    }

    /// Sums the contacts of a wall that begins to be guided: no step has summed them.
    fn sum_on_wall(&mut self, k: usize) {
        let is_of_wall =
            |contact: &Contact| contact.phase == Phase::Holds && [contact.a, contact.b].contains(&(k as u32));
        let response = Response::of(self);
        let mut contacts: Vec<_> = self
            .contact_records()
            .filter(|(contact, ..)| is_of_wall(contact))
            .map(|(contact, losses, rolling)| {
                let is_a = contact.a == k as u32;
                let partner = if is_a { contact.b } else { contact.a };
                let force = if is_a { -contact.force } else { contact.force };
                let torque = if is_a { -rolling.torque } else { rolling.torque };
                let arm = self.bodies.sphere[contact.a as usize].centre + contact.arm - self.bodies.sphere[k].centre;
                let key = (self.bodies.id[partner as usize], contact.feature);
                (
                    key,
                    Wrench { force, torque: arm.cross(force) + torque },
                    response.resistance(contact, losses, &rolling),
                )
            })
            .collect();
        contacts.sort_unstable_by_key(|&(key, ..)| key);
        let mut sum = Wrench::default();
        for (_, wrench, _) in &contacts {
            sum.force += wrench.force;
            sum.torque += wrench.torque;
        }
        let resistance = contacts.iter().fold(0.0, |sum, (.., of_contact)| sum + of_contact);
        self.bodies.wrench[k] = sum;
        let id = BodyId(self.bodies.id[k]);
        if let Some(wall) = self.driven.iter_mut().find(|wall| wall.id == id) {
            wall.guide.resistance = resistance;
        }
    }

    /// Removes a wall: nothing touches it any more. Its id is not used again.
    pub fn remove_wall(&mut self, id: BodyId) -> Result<(), WorldError> {
        let k = self.checked_index(id)?;
        if self.bodies.kinetic[k].tag.is_dynamic() {
            return Err(WorldError::Value(format!("body {} is a grain; only walls can be removed", id.0)));
        }
        self.change(|world| world.take_out(&[k as u32]));
        Ok(())
    }

    /// Removes grains: nothing touches them any more, and their ids are not used again. Their
    /// energy and that of their contacts is booked as (negative) work. What they have dissipated so
    /// far stays in the energy balance.
    ///
    /// A removed grain still takes the memory of a body.
    pub fn remove_grains(&mut self, ids: &[BodyId]) -> Result<(), WorldError> {
        let mut indices = Vec::with_capacity(ids.len());
        for &id in ids {
            let k = self.checked_index(id)?;
            if !self.bodies.kinetic[k].tag.is_dynamic() {
                return Err(WorldError::Value(format!("body {} is not a grain that can be removed", id.0)));
            }
            indices.push(k as u32);
        }
        self.change(|world| world.take_out(&indices));
        Ok(())
    }

    /// Removes the bodies with these storage indices.
    fn take_out(&mut self, indices: &[u32]) {
        let bodies = &mut self.bodies;
        for &index in indices {
            let k = index as usize;
            bodies.kinetic[k].tag.motion = MotionKind::Removed;
            bodies.kinetic[k].tag.inertia = InertiaKind::of(DVec3::ZERO);
            bodies.kinetic[k].inverse_mass = 0.0;
            bodies.kinetic[k].twist = Twist::default();
            bodies.angular_momentum[k] = DVec3::ZERO;
            bodies.inverse_moments[k] = DVec3::ZERO;
            bodies.remainder[k] = DVec3::ZERO;
            // The neighbour search finds bounded bodies by their radius, and skips unbounded ones
            // that were removed.
            bodies.sphere[k].radius = f64::INFINITY;
        }
        let World { driven, bodies, .. } = &mut *self;
        driven.retain(|driven| !bodies.kinetic[bodies.index[driven.id.0 as usize] as usize].tag.is_removed());
        self.drop_wear_of_removed();
        let is_removed: Vec<bool> = self.bodies.kinetic.iter().map(|kinetic| kinetic.tag.is_removed()).collect();
        self.release(&is_removed);
        for &index in indices {
            self.bodies.wrench[index as usize] = Wrench::default();
        }
    }

    /// Drops the contacts of bodies by storage index and subtracts their forces from their partners,
    /// in the order of ids. The partner keeps the account of what a contact has lost, or the
    /// released body if no force moves the partner.
    pub(super) fn release(&mut self, is_body_released: &[bool]) {
        let is_percussion = self.percussion.is_some();
        let bodies = &mut self.bodies;
        let mut lost = Vec::new();
        let is_released =
            |contact: &Contact| is_body_released[contact.a as usize] || is_body_released[contact.b as usize];
        for (contact, losses, roll) in self.contacts.iter() {
            if !is_released(contact) || contact.phase != Phase::Holds {
                continue;
            }
            let (a, b) = (contact.a as usize, contact.b as usize);
            let (partner, other, force, torque, arm) = if bodies.kinetic[a].tag.is_dynamic() || is_body_released[b] {
                (a, b, -contact.force, -roll.torque, contact.arm)
            } else {
                let offset = bodies.sphere[b].centre - bodies.sphere[a].centre;
                (b, a, contact.force, roll.torque, contact.arm - offset)
            };
            let key = (bodies.id[partner], bodies.id[other], contact.feature);
            lost.push((key, partner, other, Wrench { force, torque: arm.cross(force) + torque }, *losses));
        }
        lost.sort_unstable_by_key(|&(key, ..)| key);
        for (_, partner, other, Wrench { force, torque }, losses) in lost {
            // Percussions do not add up to wrenches.
            if bodies.kinetic[partner].tag.needs_wrench() && !is_percussion {
                let wrench = &mut bodies.wrench[partner];
                wrench.force -= force;
                wrench.torque -= torque;
            }
            let is_wall = !matches!(bodies.kinetic[partner].tag.motion, MotionKind::Dynamic | MotionKind::Removed);
            let account = &mut bodies.account[if is_wall { other } else { partner }];
            account.damping += losses.lost_to_damping;
            account.friction += losses.lost_to_friction;
        }
        self.contacts.retain(|contact| !is_released(contact));
    }

    /// Changes the storage order of the bodies: body `k` of the new order is body `order[k]` of the
    /// present one. No result depends on the storage order; it only changes the speed.
    pub fn reorder_bodies(&mut self, order: &[u32]) -> Result<(), WorldError> {
        let mut new_index = vec![u32::MAX; self.bodies.len()];
        for (new, &old) in order.iter().enumerate() {
            match new_index.get_mut(old as usize) {
                Some(index) if *index == u32::MAX => *index = new as u32,
                _ => return Err(WorldError::Value("a storage order must name every body once".into())),
            }
        }
        if order.len() != new_index.len() {
            return Err(WorldError::Value("a storage order must name every body once".into()));
        }
        self.bodies.reorder(order);
        self.contacts.rename_bodies(&new_index);
        Ok(())
    }

    /// Gives a name to a range of bodies, in addition to the bodies that already have it.
    pub fn name_bodies(&mut self, name: &str, ids: Range<u32>) -> Result<(), WorldError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.checked_index(BodyId(ids.end - 1))?;
        let index = self.groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
            self.groups.push(Group { name: name.to_owned(), ids: Vec::new() });
            self.groups.len() - 1
        });
        let ranges = &mut self.groups[index].ids;
        match ranges.last_mut() {
            Some(last) if last.end == ids.start => last.end = ids.end,
            _ => ranges.push(ids),
        }
        Ok(())
    }

    pub(super) fn checked_index(&self, id: BodyId) -> Result<usize, WorldError> {
        let index = self.bodies.index.get(id.0 as usize);
        index.map(|&index| index as usize).ok_or(WorldError::UnknownBody(id))
    }
}
