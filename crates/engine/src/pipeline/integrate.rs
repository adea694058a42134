//! Time integration: velocity Verlet \[Swope1982\] for translation and its analogue for rotation,
//! with predicted velocities for the contact laws.
//!
//! One step from n to n+1, with the acceleration a_n and the torque T_n of the last evaluation:
//!
//! - predict: `x += dt v + dt²/2 a_n`, `v* = v + dt a_n`. The orientation rotates freely for dt
//!   with the angular momentum at the middle of the step, `L + dt/2 T_n`, and `L* = L + dt T_n`;
//! - the contacts are evaluated at x_{n+1} with v*, which is accurate to second order, so that
//!   damping does not reduce the order of the method;
//! - correct: `v = v* + dt/2 (a_{n+1} - a_n)`, `L = L* + dt/2 (T_{n+1} - T_n)`.

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use crate::execution::Execution;
use crate::pipeline::pair_list::PairList;
use crate::rotation::RotationalState;
use crate::state::bodies::{Account, Bodies, BoundingSphere, Twist, Wrench};
use crate::state::contacts::{ContactGroup, Contacts};
use crate::state::{Contact, DrivenBody, Phase, World};

/// Distance from the origin, in bounding radii, beyond which the rounding error of a position is
/// not small in comparison with the displacement of a step. The error is then added in the next
/// step. For bodies whose rotation needs more than a spherical tensor the error is always added,
/// because this costs little beside the rotation.
const FAR: f64 = 1e3;

/// Bodies in a block of parallel work.
const BLOCK: usize = 512;

/// Advances all bodies by one step, and adds to `travelled` an upper bound on the distance that any
/// point of each bounded body has moved, m. Returns the greatest distance that a centre has moved,
/// m.
pub fn predict(execution: Execution, world: &mut World, travelled: &mut [f64]) -> f64 {
    let (dt, gravity) = (world.time_step(), world.gravity);
    world.clock.advance();
    let Bodies { sphere, remainder, orientation, kinetic, wrench, angular_momentum, inverse_moments, .. } =
        &mut world.bodies;
    let blocks = sphere
        .par_chunks_mut(BLOCK)
        .zip(orientation.par_chunks_mut(BLOCK))
        .zip(kinetic.par_chunks_mut(BLOCK))
        .zip(angular_momentum.par_chunks_mut(BLOCK))
        .zip(remainder.par_chunks_mut(BLOCK))
        .zip(travelled.par_chunks_mut(BLOCK))
        .zip(wrench.par_chunks(BLOCK).zip(inverse_moments.par_chunks(BLOCK)));
    let farthest = execution.greatest(
        blocks,
        |((((((sphere, orientation), kinetic), angular), remainder), travelled), (wrench, inverse_moments))| {
            let mut farthest = 0f64;
            let moving = sphere.iter_mut().zip(orientation).zip(kinetic).zip(angular).zip(remainder).zip(travelled);
            for ((((((sphere, orientation), kinetic), angular), remainder), travelled), (wrench, inverse_moments)) in
                moving.zip(wrench.iter().zip(inverse_moments))
            {
                if !kinetic.tag.is_dynamic() {
                    continue;
                }
                let acceleration = wrench.force * kinetic.inverse_mass + gravity;
                let twist = &mut kinetic.twist;
                // Velocity Verlet: the acceleration of the last evaluation acts over the whole
                // step.
                let moved = dt * (twist.velocity + 0.5 * dt * acceleration);
                let distance = moved.length();
                farthest = farthest.max(distance);
                *travelled += distance;
                let before = *orientation;
                if kinetic.tag.inertia.is_costly_to_rotate() || sphere.centre.abs().max_element() > FAR * sphere.radius
                {
                    // Compensated sum: the part that rounding removes is added in the next step.
                    let displacement = moved + *remainder;
                    let centre = sphere.centre + displacement;
                    *remainder = displacement - (centre - sphere.centre);
                    sphere.centre = centre;
                } else {
                    sphere.centre += moved;
                }
                twist.velocity += dt * acceleration;
                let mut rotation = RotationalState {
                    inertia: kinetic.tag.inertia,
                    orientation,
                    spin: &mut twist.spin,
                    angular_momentum: angular,
                    inverse_moments,
                };
                // The rotation is free: the torque acts as two impulses, one at each end of the
                // step.
                rotation.predict(wrench.torque, dt);
                // A rotation does not move the surface of a ball.
                if !kinetic.tag.is_ball {
                    *travelled += by_turning(sphere.radius, before, *orientation);
                }
            }
            farthest
        },
    );
    farthest.max(drive(world, world.time(), travelled))
}

/// Returns an upper bound on the distance that a rotation moves a point within `radius` of the
/// centre, m. The distance is at most `2 R sin(angle/2)`, and the difference of the quaternions is
/// `2 sin(angle/4)`.
#[inline]
pub fn by_turning(radius: f64, from: DQuat, to: DQuat) -> f64 {
    2.0 * radius * (to - from).length()
}

/// Moves the driven bodies to their poses at a time, s, and adds to `travelled`. Returns the
/// greatest distance that one has moved, m.
pub fn drive(world: &mut World, time: f64, travelled: &mut [f64]) -> f64 {
    let World { bodies, shapes, driven, .. } = world;
    let mut farthest = 0f64;
    for driven in driven {
        let k = bodies.index[driven.id.0 as usize] as usize;
        let (mut pose, mut twist) = driven.motion.prescribed_at(time - driven.since, &driven.start);
        driven.twist = twist;
        driven.add_guide(&mut pose, &mut twist);
        let distance = (pose.position - bodies.sphere[k].centre).length();
        farthest = farthest.max(distance);
        if pose.orientation != bodies.orientation[k] {
            // Surfaces and containers are walls without a bounding sphere, but their points are not
            // farther from the centre than this. For planes it is infinite.
            let radius = shapes[bodies.kinetic[k].tag.shape.0 as usize].as_convex().drawn_radius();
            travelled[k] += by_turning(radius, bodies.orientation[k], pose.orientation);
        }
        travelled[k] += distance;
        bodies.sphere[k].centre = pose.position;
        bodies.orientation[k] = pose.orientation;
        bodies.kinetic[k].twist = twist;
    }
    farthest
}

/// Sums the contact forces of every body. With `moving` it corrects the velocities by them.
/// `user` is the user-defined force on each body, or empty.
pub fn correct(execution: Execution, world: &mut World, list: &PairList, user: &[Wrench], moving: bool) {
    let dt = world.time_step();
    let World { bodies, contacts, driven, .. } = world;
    let Bodies { sphere, orientation, kinetic, wrench, angular_momentum, inverse_moments, account, index, .. } = bodies;
    // The poses stay as they are: only velocities and accounts change.
    let (sphere, orientation, inverse_moments, index) = (&*sphere, &*orientation, &*inverse_moments, &*index);
    let gather = Gather { list, contacts, spheres: sphere, index, driven };
    let blocks = kinetic
        .par_chunks_mut(BLOCK)
        .zip(wrench.par_chunks_mut(BLOCK))
        .zip(angular_momentum.par_chunks_mut(BLOCK))
        .zip(account.par_chunks_mut(BLOCK))
        .enumerate();
    execution.for_each(blocks, |(block, (((kinetic, wrench), angular), account))| {
        let block_of_bodies = kinetic.iter_mut().zip(wrench).zip(angular).zip(account);
        for (k, (((kinetic, wrench), angular), account)) in (block * BLOCK..).zip(block_of_bodies) {
            if !kinetic.tag.is_dynamic() {
                continue;
            }
            let Gathered { wrench: mut new, rare } = gather.of(k);
            if let Some(user) = user.get(k) {
                new.force += user.force;
                new.torque += user.torque;
            }
            // A body in free flight has no force to add, and its cache lines stay unwritten.
            if new == Wrench::default() && *wrench == new && rare.is_none() {
                continue;
            }
            let old = std::mem::replace(wrench, new);
            let mut correction = Wrench::default();
            if let Some(rare) = rare {
                correction = rare.correction;
                account.damping += rare.share.damping;
                account.friction += rare.share.friction;
                account.drive += dt * rare.share.drive;
            }
            // Before the first step there is no half kick to correct.
            if !moving {
                continue;
            }
            let half = 0.5 * dt;
            // The prediction used the old force for the second half kick as well; replace it by
            // the new one.
            kinetic.twist.velocity += half * kinetic.inverse_mass * (new.force - old.force + correction.force);
            let impulse = half * (new.torque - old.torque + correction.torque);
            let mut rotation = RotationalState {
                inertia: kinetic.tag.inertia,
                // A copy: an impulse does not change the orientation.
                orientation: &mut { orientation[k] },
                spin: &mut kinetic.twist.spin,
                angular_momentum: angular,
                inverse_moments: &inverse_moments[k],
            };
            rotation.apply_impulse(impulse);
        }
    });
}

/// Sum over the contacts of one body.
pub(super) struct Gathered {
    /// Forces and torques at this evaluation, from which the next step starts.
    pub wrench: Wrench,
    /// Contributions of contacts that are not steady.
    pub rare: Option<Rare>,
}

/// Contributions of contacts that begin, end, or touch a driven body.
#[derive(Default)]
pub(super) struct Rare {
    /// Correction of the half kick that ends this step, for contacts that began or ended within it.
    pub correction: Wrench,
    /// Energy that ended contacts have lost, J, and power of driven partners, W (`drive`).
    share: Account,
}

/// Sums over the contacts of one body in the order of its partners' ids, so that the sum has the
/// same bits for any number of threads and any storage order.
pub(super) struct Gather<'a> {
    list: &'a PairList,
    contacts: &'a Contacts,
    spheres: &'a [BoundingSphere],
    index: &'a [u32],
    driven: &'a [DrivenBody],
}

impl<'a> Gather<'a> {
    /// Returns the sums of a world.
    pub fn new(world: &'a World, list: &'a PairList) -> Self {
        let World { bodies, contacts, driven, .. } = world;
        Self { list, contacts, spheres: &bodies.sphere, index: &bodies.index, driven }
    }

    /// Returns the sum for the body with this storage index.
    #[inline]
    pub fn of(&self, body: usize) -> Gathered {
        let mut rare = None;
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for &entry in self.list.row(body) {
            // A listed pair without a contact exerts no force.
            let Some(contacts) = self.contacts.of_pair(entry.pair()) else { continue };
            let group = contacts.group;
            for index in contacts.indices() {
                let contact = &group.records[index];
                // Most contacts are steady: their force is added without a look at their history.
                if contact.steady {
                    let arm = if entry.is_a() { contact.arm } else { self.arm_b(contact) };
                    let mut turn = arm.cross(contact.force);
                    if let Some(roll) = group.rolling.get(index) {
                        turn += roll.torque;
                    }
                    if entry.is_a() {
                        force -= contact.force;
                        torque -= turn;
                    } else {
                        force += contact.force;
                        torque += turn;
                    }
                } else {
                    let own = self.with_history(group, index, entry.is_a(), &mut rare);
                    force += own.force;
                    torque += own.torque;
                }
            }
        }
        Gathered { wrench: Wrench { force, torque }, rare }
    }

    /// Returns the wrench of a contact that begins or ends, or touches a driven body.
    #[inline(never)]
    fn with_history(&self, group: &ContactGroup, index: usize, is_a: bool, rare: &mut Option<Rare>) -> Wrench {
        let contact = &group.records[index];
        let (arm, sign) = if is_a { (contact.arm, -1.0) } else { (self.arm_b(contact), 1.0) };
        let rolling_torque = group.rolling.get(index).map_or(DVec3::ZERO, |roll| sign * roll.torque);
        let own = Wrench { force: sign * contact.force, torque: sign * arm.cross(contact.force) + rolling_torque };
        let rare = rare.get_or_insert_default();
        let losses = &group.losses[index];
        let holds = contact.phase == Phase::Holds;
        // Correction of the factor of the half kick, which is 1 for a steady contact.
        let more = if holds { losses.kick - 1.0 } else { 1.0 };
        if more != 0.0 {
            rare.correction.force += more * own.force;
            rare.correction.torque += more * own.torque;
        }
        // The losses of a contact that ends go to the account of a, or of b if forces do not move
        // a.
        if !holds && is_a == contact.moves_a {
            rare.share.damping += losses.lost_to_damping;
            rare.share.friction += losses.lost_to_friction;
        }
        let partner = if is_a { contact.b } else { contact.a };
        if let Some(twist) = self.twist_if_driven(partner) {
            // The force acts during half a step before and half a step after the evaluation. The
            // contact share shortens the first half.
            let weight = if holds { 0.5 + 0.5 * losses.kick } else { 0.5 };
            let arm = if is_a { self.arm_b(contact) } else { contact.arm };
            let power = own.force.dot(twist.velocity + twist.spin.cross(arm)) + rolling_torque.dot(twist.spin);
            rare.share.drive += weight * power;
        }
        if holds { own } else { Wrench::default() }
    }

    /// Returns the vector from the centre of b to the contact point, m.
    #[inline]
    fn arm_b(&self, contact: &Contact) -> DVec3 {
        contact.arm - (self.spheres[contact.b as usize].centre - self.spheres[contact.a as usize].centre)
    }

    fn twist_if_driven(&self, body: u32) -> Option<Twist> {
        self.driven.iter().find(|driven| self.index[driven.id.0 as usize] == body).map(|driven| driven.twist)
    }
}
