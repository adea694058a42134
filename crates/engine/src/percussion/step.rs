//! One time step with percussions: half a step of free flight, all collisions at one instant, half
//! a step of free flight.
//!
//! Broad and narrow phase are those of the smooth response. Contacts are searched within the
//! distance that the bodies may travel in a step.

use glam::DVec3;
use rayon::prelude::*;

use super::builder::StepParameters;
use super::collision::{CollisionResult, CollisionSettings, collide};
use super::field;
use super::flight::{fly, search_distances, travel_distances};
use super::guided;
use super::island::{Island, IslandBody, islands};
use super::law::SolverStatistics;
use super::position_correction::{self, Displacements};
use super::profile::ProgramKind;
use crate::pipeline::broad_phase::neighbours;
use crate::pipeline::integrate;
use crate::pipeline::narrow_phase::{self, SearchRange, SearchSettings};
use crate::simulation::{Stage, StageTimer, Workspace};
use crate::state::bodies::Bodies;
use crate::state::contact::StoredPercussion;
use crate::state::{Phase, Twist, WearEntry, World, Wrench, wear};
use crate::wear_log::{self, Triangles};

/// Advances a world with the percussion response by one time step.
pub fn step(world: &mut World, ws: &mut Workspace) {
    let half = 0.5 * world.time_step();
    let moved = ws.timed(Stage::Predict, |ws| {
        world.clock.advance();
        guided::fly(world, half);
        fly(ws.execution, world, half).max(integrate::drive(world, world.time() - half, ws.neighbours.travelled(world)))
    });
    ws.timed(Stage::BroadPhase, |ws| {
        let farthest = travel_distances(world).into_iter().fold(0.0, f64::max);
        // Both bodies of a pair may approach each other by the distance of the fastest one.
        neighbours::update_with_range(ws.execution, &mut ws.neighbours, &ws.table, world, moved, 2.0 * farthest);
    });
    ws.timed(Stage::NarrowPhase, |ws| {
        // The broad phase may have changed the storage order, so distances are computed again.
        let ahead = search_distances(world, &ws.neighbours.list.pairs);
        let World { bodies, shapes, contacts, .. } = &mut *world;
        let timer = StageTimer::default();
        let range = SearchRange::Ahead(&ahead);
        let settings = SearchSettings { execution: ws.execution, range, on_surfaces: &timer };
        narrow_phase::find_contacts(settings, bodies, shapes, &mut ws.neighbours.list, contacts, |_, _| {});
        ws.add_time_on_surfaces(&timer);
    });
    ws.timed(Stage::Response, |ws| respond(world, ws));
    let moved = ws.timed(Stage::Correct, |ws| {
        guided::fly(world, half);
        fly(ws.execution, world, half).max(integrate::drive(world, world.time(), ws.neighbours.travelled(world)))
    });
    ws.neighbours.add_moved(moved);
}

/// Computes the collisions of this instant and applies them.
fn respond(world: &mut World, ws: &mut Workspace) {
    let Some(mut percussion) = world.percussion.take() else { return };
    let parameters = StepParameters { dt: world.time_step(), gravity: world.gravity };
    let wrenches = field::wrenches(world, &percussion.fields, ws.user_force.as_ref(), &mut ws.surfaces);
    let mut islands = islands(world, &ws.neighbours.list, &percussion);
    for body in islands.iter_mut().flat_map(|island| &mut island.bodies).filter(|body| body.guided.is_none()) {
        let wrench = wrenches.get(body.index as usize).copied().unwrap_or_default();
        body.external_change.velocity = parameters.dt * (parameters.gravity + body.inverse_mass * wrench.force);
        body.external_change.spin = parameters.dt * (body.inverse_inertia * wrench.torque);
    }
    // Needed only for the work of external forces; empty without them.
    let before: Vec<Twist> = wrenches.iter().enumerate().map(|(k, _)| world.bodies.kinetic[k].twist).collect();
    // Islands have no body in common, so that they are solved in parallel.
    let mut results: Vec<(CollisionResult, Option<Displacements>)> = Vec::new();
    let observer = ws.program_observer.as_ref();
    let settings = CollisionSettings { percussion: &percussion, parameters: &parameters, observer };
    let solve = |island| (collide(island, settings), position_correction::displacements(island));
    ws.execution.collect(islands.par_iter(), solve, &mut results);
    apply_external_percussions(world, &wrenches);
    let speeds = guided::apply_external(world);
    // Contacts without a percussion carry no force.
    world.contacts.records_mut().for_each(|contact| contact.phase = Phase::Slack);
    // Results are applied in the order of the islands, whatever thread computed them.
    let mut statistics = SolverStatistics::default();
    let mut worn = Vec::new();
    for (island, (result, displacements)) in islands.iter().zip(&results) {
        apply_collision(world, island, result, &mut worn);
        if let Some(displacements) = displacements {
            ws.neighbours.add_moved(position_correction::apply(world, island, displacements));
            ws.programs.add_program(ProgramKind::Correction, &displacements.effort);
            statistics.corrected = 1;
        }
        ws.programs.add(&result.profile);
        statistics = statistics.join(result.statistics);
    }
    wear::add(&mut world.wear, worn);
    book_external_work(world, &wrenches, &before);
    guided::book_work(world, &speeds);
    percussion.statistics.add(&statistics);
    world.percussion = Some(percussion);
}

/// Applies gravity and the other external percussions to all bodies.
fn apply_external_percussions(world: &mut World, wrenches: &[Wrench]) {
    let dt = world.time_step();
    let change = world.gravity * dt;
    for kinetic in world.bodies.kinetic.iter_mut().filter(|kinetic| kinetic.tag.is_dynamic()) {
        kinetic.twist.velocity += change;
    }
    for (k, wrench) in wrenches.iter().enumerate() {
        apply_impulse(&mut world.bodies, k, dt * wrench.force, dt * wrench.torque);
    }
}

/// Applies an impulse at the centre of a body, N s, and an angular impulse, N m s.
fn apply_impulse(bodies: &mut Bodies, k: usize, impulse: DVec3, angular_impulse: DVec3) {
    let kinetic = &mut bodies.kinetic[k];
    kinetic.twist.velocity += kinetic.inverse_mass * impulse;
    bodies.rotation_mut(k).apply_impulse(angular_impulse);
}

/// Books the work of the external percussions: their product with the mean of the velocities before
/// and after the collision.
fn book_external_work(world: &mut World, wrenches: &[Wrench], before: &[Twist]) {
    let half = 0.5 * world.time_step();
    for (k, (wrench, before)) in wrenches.iter().zip(before).enumerate() {
        let after = &world.bodies.kinetic[k].twist;
        let (velocity, spin) = (before.velocity + after.velocity, before.spin + after.spin);
        world.bodies.account[k].drive += half * (wrench.force.dot(velocity) + wrench.torque.dot(spin));
    }
}

/// Applies the percussions of an island, in the order of its contacts, and books the energy that
/// they lost and the work of driven bodies. `worn` receives their contributions to the wear of
/// surfaces.
fn apply_collision(world: &mut World, island: &Island, result: &CollisionResult, worn: &mut Vec<WearEntry>) {
    let dt = world.time_step();
    let World { contacts, .. } = world;
    // Impulses are summed first, so that each body changes its velocity once.
    let mut impulses = vec![(DVec3::ZERO, DVec3::ZERO); island.bodies.len()];
    for (k, contact) in island.contacts.iter().enumerate() {
        let p = result.percussions[k];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some((impulse, angular)) = impulses.get_mut(contact.bodies[side] as usize) {
                *impulse += sign * p;
                *angular += sign * contact.arms[side].cross(p);
            }
        }
        let (record, stored) = contacts.record_mut(contact.record);
        if let Some(stored) = stored {
            *stored = StoredPercussion::new(result.warm_start[k], contact.normal);
        }
        // The mean force over the step, for outputs.
        record.force = p / dt;
        record.phase = if p.dot(contact.normal) > 0.0 { Phase::Holds } else { Phase::Slack };
    }
    for (body, &(impulse, angular)) in island.bodies.iter().zip(&impulses) {
        match &body.guided {
            Some(wall) => guided::apply_percussions(world, body, wall, angular),
            None => apply_impulse(&mut world.bodies, body.index as usize, impulse, angular),
        }
    }
    let World { bodies, driven, shapes, contacts, wear, .. } = world;
    for (contact, &p) in island.contacts.iter().zip(&result.percussions).filter(|(_, p)| **p != DVec3::ZERO) {
        // A percussion changes the kinetic energy by its product with the mean of the velocities
        // before and after.
        let mean = |side: usize| match island.bodies.get(contact.bodies[side] as usize) {
            Some(IslandBody { guided: Some(wall), twist, .. }) => {
                wall.mean_velocity(twist, driven[wall.number].guide.speed)
            }
            Some(body) => {
                let after = &bodies.kinetic[body.index as usize].twist;
                let spin = 0.5 * (body.twist.spin + after.spin);
                0.5 * (body.twist.velocity + after.velocity) + spin.cross(contact.arms[side])
            }
            None => DVec3::ZERO,
        };
        let relative = mean(1) - mean(0) + contact.prescribed_velocity;
        let normal_work = p.dot(contact.normal) * relative.dot(contact.normal);
        let [a, b] = contact.indices.map(|k| k as usize);
        let of_a = bodies.kinetic[a].tag.is_dynamic();
        let work = if bodies.kinetic[if of_a { b } else { a }].tag.is_driven() {
            p.dot(contact.prescribed_velocity)
        } else {
            0.0
        };
        let account = &mut bodies.account[if of_a { a } else { b }];
        account.damping -= normal_work;
        account.friction -= p.dot(relative) - normal_work;
        account.drive -= work;
        let (record, _) = contacts.record_mut(contact.record);
        let works = [normal_work, p.dot(relative)];
        worn.extend(wear_log::of_percussion(Triangles::new(wear, bodies, shapes), record, p, works, dt));
    }
}
