//! One time step by percussions: half a step of free flight, all collisions at one instant, half a step of free flight.
//!
//! Broad and narrow phase are those of the smooth response; contacts are looked for as far ahead as bodies come in a step.

use glam::DVec3;
use rayon::prelude::*;

use super::builder::Setting;
use super::collision::{Outcome, collide};
use super::correction;
use super::field;
use super::flight::{fly, looks, reaches};
use super::island::{Island, islands};
use super::law::{Percussion, Record};
use super::problem::Motion;
use crate::pipeline::broad_phase::neighbours;
use crate::pipeline::integrate;
use crate::pipeline::narrow_phase::{self, SearchRange};
use crate::rotation::{self, InertiaKind};
use crate::simulation::{Stage, Workspace};
use crate::state::bodies::{Bodies, MotionKind, Twist, Wrench};
use crate::state::contact::StoredPercussion;
use crate::state::{Phase, World};

/// Moves a world that answers by percussions one time step on.
pub fn step(world: &mut World, ws: &mut Workspace) {
    let half = 0.5 * world.time_step();
    let moved = ws.timed(Stage::Predict, |ws| {
        world.clock.advance();
        fly(world, half).max(integrate::drive(world, world.time() - half, ws.neighbours.travelled(world)))
    });
    ws.timed(Stage::BroadPhase, |ws| {
        let farthest = reaches(world).into_iter().fold(0.0, f64::max);
        neighbours::update_with_range(&mut ws.neighbours, &ws.table, world, moved, 2.0 * farthest);
    });
    ws.timed(Stage::NarrowPhase, |ws| {
        // Bodies may be stored in another order than before the list was made.
        let ahead = looks(world, &ws.neighbours.list.pairs);
        let World { bodies, shapes, contacts, .. } = &mut *world;
        let look = SearchRange::Ahead(&ahead);
        narrow_phase::find_contacts(bodies, shapes, &mut ws.neighbours.list, contacts, look, |_, _| {});
    });
    ws.timed(Stage::Response, |ws| respond(world, ws));
    let moved = ws.timed(Stage::Correct, |ws| {
        fly(world, half).max(integrate::drive(world, world.time(), ws.neighbours.travelled(world)))
    });
    ws.neighbours.add_moved(moved);
}

/// The collisions of this instant.
fn respond(world: &mut World, ws: &mut Workspace) {
    let Some(percussion) = world.percussion.take() else { return };
    let setting = Setting { dt: world.time_step(), gravity: world.gravity };
    let loads = field::loads(world, &percussion.fields, ws.user_force.as_ref(), &mut ws.surfaces);
    let mut islands = islands(world, &ws.neighbours.list, &percussion);
    for member in islands.iter_mut().flat_map(|island| &mut island.members) {
        let load = loads.get(member.index as usize).copied().unwrap_or_default();
        member.gained.velocity = setting.dt * (setting.gravity + member.inverse_mass * load.force);
        member.gained.spin = setting.dt * (member.inverse_inertia * load.torque);
    }
    let before: Vec<Twist> = loads.iter().enumerate().map(|(k, _)| world.bodies.kinetic[k].twist).collect();
    let outcomes: Vec<(Outcome, Option<Vec<Motion>>)> =
        islands.par_iter().map(|island| (collide(island, &percussion, &setting), correction::shift(island))).collect();
    fall(world, &loads);
    world.contacts.records_mut().for_each(|contact| contact.phase = Phase::Slack);
    let mut record = Record::default();
    for (island, (outcome, shift)) in islands.iter().zip(&outcomes) {
        apply(world, island, outcome);
        if let Some(shift) = shift {
            ws.neighbours.add_moved(correction::apply(world, island, shift));
            record.corrected = 1;
        }
        record = record.join(outcome.record);
    }
    book(world, &loads, &before);
    finish(world, percussion, &record);
}

fn finish(world: &mut World, mut percussion: Percussion, record: &Record) {
    percussion.record.add(record);
    world.percussion = Some(percussion);
}

/// Gravity and other external percussions on every body; those that collide get their contacts' percussions besides.
fn fall(world: &mut World, loads: &[Wrench]) {
    let dt = world.time_step();
    let gained = world.gravity * dt;
    for kinetic in world.bodies.kinetic.iter_mut().filter(|kinetic| kinetic.tag.is_dynamic()) {
        kinetic.twist.velocity += gained;
    }
    for (k, load) in loads.iter().enumerate() {
        push(&mut world.bodies, k, dt * load.force, dt * load.torque);
    }
}

/// Gives a body a percussion at its centre and a moment of percussions.
fn push(bodies: &mut Bodies, k: usize, percussion: DVec3, moment: DVec3) {
    let kinetic = &mut bodies.kinetic[k];
    kinetic.twist.velocity += kinetic.inverse_mass * percussion;
    if kinetic.tag.inertia == InertiaKind::Spherical {
        kinetic.twist.spin += bodies.inverse_moments[k].x * moment;
    } else {
        bodies.angular_momentum[k] += moment;
        kinetic.twist.spin =
            rotation::spin(bodies.orientation[k], bodies.angular_momentum[k], bodies.inverse_moments[k]);
    }
}

/// Books what external percussions did, with the mean of the velocities before and after, as work.
fn book(world: &mut World, loads: &[Wrench], before: &[Twist]) {
    let half = 0.5 * world.time_step();
    for (k, (load, before)) in loads.iter().zip(before).enumerate() {
        let after = &world.bodies.kinetic[k].twist;
        let (velocity, spin) = (before.velocity + after.velocity, before.spin + after.spin);
        world.bodies.account[k].drive += half * (load.force.dot(velocity) + load.torque.dot(spin));
    }
}

/// Gives an island its percussions, in the order of its contacts, and books what they lost and what driven bodies gave.
fn apply(world: &mut World, island: &Island, outcome: &Outcome) {
    let dt = world.time_step();
    let World { bodies, contacts, .. } = world;
    let mut given = vec![(DVec3::ZERO, DVec3::ZERO); island.members.len()];
    for (k, touch) in island.touches.iter().enumerate() {
        let p = outcome.percussions[k];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some((force, torque)) = given.get_mut(touch.bodies[side] as usize) {
                *force += sign * p;
                *torque += sign * touch.arms[side].cross(p);
            }
        }
        let (contact, stored) = contacts.record_mut(touch.record);
        if let Some(stored) = stored {
            *stored = StoredPercussion::new(outcome.lasting[k], touch.normal);
        }
        contact.force = p / dt;
        contact.phase = if p.dot(touch.normal) > 0.0 { Phase::Holds } else { Phase::Slack };
    }
    for (member, &(force, torque)) in island.members.iter().zip(&given) {
        push(bodies, member.index as usize, force, torque);
    }
    for (touch, &p) in island.touches.iter().zip(&outcome.percussions).filter(|(_, p)| **p != DVec3::ZERO) {
        // A percussion changes kinetic energy by its product with the mean of the velocities before and after.
        let mean = |side: usize| match island.members.get(touch.bodies[side] as usize) {
            Some(member) => {
                let after = &bodies.kinetic[member.index as usize].twist;
                let spin = 0.5 * (member.motion.spin + after.spin);
                0.5 * (member.motion.velocity + after.velocity) + spin.cross(touch.arms[side])
            }
            None => DVec3::ZERO,
        };
        let relative = mean(1) - mean(0) + touch.drift;
        let along = p.dot(touch.normal) * relative.dot(touch.normal);
        let [a, b] = touch.indices.map(|k| k as usize);
        let of_a = bodies.kinetic[a].tag.is_dynamic();
        let work = if bodies.kinetic[if of_a { b } else { a }].tag.motion == MotionKind::Driven {
            p.dot(touch.drift)
        } else {
            0.0
        };
        let account = &mut bodies.account[if of_a { a } else { b }];
        account.damping -= along;
        account.friction -= p.dot(relative) - along;
        account.drive -= work;
    }
}
