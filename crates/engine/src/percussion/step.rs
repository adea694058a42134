//! One time step by percussions: half a step of free flight, all collisions at one instant, half a step of free flight.
//!
//! Broad and narrow phase are those of the smooth response; contacts are looked for as far ahead as bodies come in a step.

use glam::DVec3;
use rayon::prelude::*;

use super::builder::Setting;
use super::collision::{Outcome, collide};
use super::correction;
use super::flight::{fly, looks, reaches};
use super::island::{Island, islands};
use super::law::{Percussion, Record};
use super::problem::Motion;
use crate::integrate;
use crate::narrow_phase::{self, Look};
use crate::rotation::{self, Top};
use crate::simulation::{Stage, Workspace};
use crate::world::bodies::Mover;
use crate::world::{Phase, World};

/// Moves a world that answers by percussions one time step on.
pub fn step(world: &mut World, ws: &mut Workspace) {
    let half = 0.5 * world.time_step;
    let moved = ws.timed(Stage::Predict, |ws| {
        world.step += 1;
        fly(world, half).max(integrate::drive(world, world.time() - half, ws.neighbours.travelled(world)))
    });
    ws.timed(Stage::BroadPhase, |ws| {
        let farthest = reaches(world).into_iter().fold(0.0, f64::max);
        ws.neighbours.update_ahead(world, moved, 2.0 * farthest);
    });
    ws.timed(Stage::NarrowPhase, |ws| {
        // Bodies may be stored in another order than before the list was made.
        let ahead = looks(world, &ws.neighbours.list.pairs);
        let World { bodies, shapes, contacts, .. } = &mut *world;
        let look = Look::Ahead(&ahead);
        narrow_phase::find_contacts(bodies, shapes, false, &mut ws.neighbours.list, contacts, look, |_, _| {});
    });
    ws.timed(Stage::Response, |ws| respond(world, ws));
    let moved = ws.timed(Stage::Correct, |ws| {
        fly(world, half).max(integrate::drive(world, world.time(), ws.neighbours.travelled(world)))
    });
    ws.neighbours.note_moved(moved);
}

/// The collisions of this instant.
fn respond(world: &mut World, ws: &mut Workspace) {
    let Some(percussion) = world.percussion.take() else { return };
    let setting = Setting { dt: world.time_step, gravity: world.gravity };
    let islands = islands(world, &ws.neighbours.list, &percussion);
    let outcomes: Vec<(Outcome, Option<Vec<Motion>>)> =
        islands.par_iter().map(|island| (collide(island, &percussion, &setting), correction::shift(island))).collect();
    fall(world);
    for group in &mut world.contacts {
        for contact in group.records.iter_mut().filter(|contact| contact.phase != Phase::Gone) {
            contact.phase = Phase::Slack;
        }
    }
    let mut record = Record::default();
    for (island, (outcome, shift)) in islands.iter().zip(&outcomes) {
        apply(world, island, outcome);
        if let Some(shift) = shift {
            ws.neighbours.note_moved(correction::apply(world, island, shift));
            record.corrected = 1;
        }
        record = record.join(outcome.record);
    }
    finish(world, percussion, &record);
}

fn finish(world: &mut World, mut percussion: Percussion, record: &Record) {
    percussion.record.add(record);
    world.percussion = Some(percussion);
}

/// Gravity on every body; those that collide get their contacts' percussions besides.
fn fall(world: &mut World) {
    let gained = world.gravity * world.time_step;
    for kinetic in world.bodies.kinetic.iter_mut().filter(|kinetic| kinetic.tag.is_dynamic()) {
        kinetic.twist.velocity += gained;
    }
}

/// Gives an island its percussions, in the order of its contacts, and books what they lost and what driven bodies gave.
fn apply(world: &mut World, island: &Island, outcome: &Outcome) {
    let dt = world.time_step;
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
        let contact = &mut contacts[touch.record.0 as usize].records[touch.record.1 as usize];
        contact.force = p / dt;
        contact.damping = outcome.lasting[k].dot(touch.normal);
        contact.slide = outcome.lasting[k] - contact.damping * touch.normal;
        contact.phase = if p.dot(touch.normal) > 0.0 { Phase::Holds } else { Phase::Slack };
    }
    for (member, &(force, torque)) in island.members.iter().zip(&given) {
        let k = member.index as usize;
        let kinetic = &mut bodies.kinetic[k];
        kinetic.twist.velocity += kinetic.inverse_mass * force;
        if kinetic.tag.top == Top::Ball {
            kinetic.twist.spin += bodies.inverse_moments[k].x * torque;
        } else {
            bodies.angular_momentum[k] += torque;
            kinetic.twist.spin =
                rotation::spin(bodies.orientation[k], bodies.angular_momentum[k], bodies.inverse_moments[k]);
        }
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
        let work =
            if bodies.kinetic[if of_a { b } else { a }].tag.mover == Mover::Drive { p.dot(touch.drift) } else { 0.0 };
        let account = &mut bodies.account[if of_a { a } else { b }];
        account.damping -= along;
        account.friction -= p.dot(relative) - along;
        account.drive -= work;
    }
}
