//! Velocity Verlet for translation and its rotational twin, with the velocities predicted for the laws.
//!
//! A step from n to n+1 with the acceleration a_n known:
//!
//! - predict: `x += dt v + dt²/2 a_n`, `v* = v + dt a_n`; the orientation turns freely for dt with the angular
//!   momentum of the half step, `L + dt/2 T_n`, and `L* = L + dt T_n`;
//! - the contacts are evaluated at x_{n+1} with v*, which is right to second order: damping then costs no order;
//! - correct: `v = v* + dt/2 (a_{n+1} - a_n)`, `L = L* + dt/2 (T_{n+1} - T_n)`.

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use crate::pipeline::pair_list::PairList;
use crate::rotation::{self, InertiaKind};
use crate::state::bodies::{Account, Bodies, Place, Twist, Wrench};
use crate::state::contacts::{ContactGroup, Contacts};
use crate::state::{Contact, DrivenBody, Phase, World};

/// Distance from the origin, in radii, beyond which a step is a few last digits of the position: what is rounded off is
/// then kept for the next step. It always is for a body that is not a ball, beside whose rotation that costs nothing.
const FAR: f64 = 1e3;

/// Bodies in a block of parallel work.
const BLOCK: usize = 512;

/// Moves every body one step on, and adds to `travelled` at least as far as any point of a bounded body has moved, m. Returns
/// the largest distance a centre moved, m.
pub fn predict(world: &mut World, travelled: &mut [f64]) -> f64 {
    let (dt, gravity) = (world.time_step(), world.gravity);
    world.clock.advance();
    let Bodies { place, remainder, orientation, kinetic, wrench, angular_momentum, inverse_moments, .. } =
        &mut world.bodies;
    let farthest = place
        .par_chunks_mut(BLOCK)
        .zip(orientation.par_chunks_mut(BLOCK))
        .zip(kinetic.par_chunks_mut(BLOCK))
        .zip(angular_momentum.par_chunks_mut(BLOCK))
        .zip(remainder.par_chunks_mut(BLOCK))
        .zip(travelled.par_chunks_mut(BLOCK))
        .zip(wrench.par_chunks(BLOCK).zip(inverse_moments.par_chunks(BLOCK)))
        .map(|((((((place, orientation), kinetic), angular), remainder), travelled), (wrench, inverse_moments))| {
            let mut farthest = 0f64;
            let moving = place.iter_mut().zip(orientation).zip(kinetic).zip(angular).zip(remainder).zip(travelled);
            for ((((((place, orientation), kinetic), angular), remainder), travelled), (wrench, &inverse_moments)) in
                moving.zip(wrench.iter().zip(inverse_moments))
            {
                if !kinetic.tag.is_dynamic() {
                    continue;
                }
                let acceleration = wrench.force * kinetic.inverse_mass + gravity;
                let twist = &mut kinetic.twist;
                let moved = dt * (twist.velocity + 0.5 * dt * acceleration);
                let distance = moved.length();
                farthest = farthest.max(distance);
                *travelled += distance;
                let before = *orientation;
                if kinetic.tag.inertia != InertiaKind::Spherical
                    || place.centre.abs().max_element() > FAR * place.radius
                {
                    let wanted = moved + *remainder;
                    let centre = place.centre + wanted;
                    *remainder = wanted - (centre - place.centre);
                    place.centre = centre;
                } else {
                    place.centre += moved;
                }
                twist.velocity += dt * acceleration;
                if kinetic.tag.inertia == InertiaKind::Spherical {
                    let gained = dt * inverse_moments.x * wrench.torque;
                    *orientation = rotation::turn(*orientation, dt * (twist.spin + 0.5 * gained));
                    twist.spin += gained;
                } else {
                    let half_way = *angular + 0.5 * dt * wrench.torque;
                    *orientation = rotation::rotate(*orientation, half_way, inverse_moments, kinetic.tag.inertia, dt);
                    *angular += dt * wrench.torque;
                    twist.spin = rotation::spin(*orientation, *angular, inverse_moments);
                }
                if !kinetic.tag.is_ball {
                    *travelled += by_turning(place.radius, before, *orientation);
                }
            }
            farthest
        })
        .reduce(|| 0.0, f64::max);
    farthest.max(drive(world, world.time(), travelled))
}

/// At least how far a turn moves any point within `radius` of the centre, m: by at most `2 R sin(angle/2)`, while the
/// quaternions differ by `2 sin(angle/4)`.
#[inline]
fn by_turning(radius: f64, from: DQuat, to: DQuat) -> f64 {
    2.0 * radius * (to - from).length()
}

/// Puts driven bodies where their motions say at a time, s, and adds to `travelled`. Returns the largest distance one moved, m.
pub fn drive(world: &mut World, time: f64, travelled: &mut [f64]) -> f64 {
    let bodies = &mut world.bodies;
    let mut farthest = 0f64;
    for driven in &mut world.driven {
        let k = bodies.index[driven.id.0 as usize] as usize;
        let (pose, twist) = driven.drive.at(time - driven.since, &driven.start);
        let distance = (pose.position - bodies.place[k].centre).length();
        farthest = farthest.max(distance);
        travelled[k] += distance + by_turning(bodies.place[k].radius, bodies.orientation[k], pose.orientation);
        bodies.place[k].centre = pose.position;
        bodies.orientation[k] = pose.orientation;
        bodies.kinetic[k].twist = twist;
        driven.twist = twist;
    }
    farthest
}

/// Adds up the contact forces of every body and, with `moving`, corrects its velocities with them.
/// `user` is the user-defined force on each body, or empty.
pub fn correct(world: &mut World, list: &PairList, user: &[Wrench], moving: bool) {
    let dt = world.time_step();
    let World { bodies, contacts, driven, .. } = world;
    let Bodies { place, orientation, kinetic, wrench, angular_momentum, inverse_moments, account, index, .. } = bodies;
    let (place, orientation, inverse_moments, index) = (&*place, &*orientation, &*inverse_moments, &*index);
    let gather = Gather { list, contacts, place, index, driven };
    kinetic
        .par_chunks_mut(BLOCK)
        .zip(wrench.par_chunks_mut(BLOCK))
        .zip(angular_momentum.par_chunks_mut(BLOCK))
        .zip(account.par_chunks_mut(BLOCK))
        .enumerate()
        .for_each(|(block, (((kinetic, wrench), angular), account))| {
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
                if !moving {
                    continue;
                }
                let half = 0.5 * dt;
                let twist = &mut kinetic.twist;
                twist.velocity += half * kinetic.inverse_mass * (new.force - old.force + correction.force);
                let impulse = half * (new.torque - old.torque + correction.torque);
                if kinetic.tag.inertia == InertiaKind::Spherical {
                    twist.spin += inverse_moments[k].x * impulse;
                } else {
                    *angular += impulse;
                    twist.spin = rotation::spin(orientation[k], *angular, inverse_moments[k]);
                }
            }
        });
}

/// What contacts do to one body.
struct Gathered {
    /// The wrench at this evaluation, from which the next step starts.
    wrench: Wrench,
    /// What contacts do that are not steady.
    rare: Option<Rare>,
}

/// What contacts do that begin, end, or touch a driven body.
#[derive(Default)]
struct Rare {
    /// What the kick that ends this step needs more or less, for contacts that began or ended within it.
    correction: Wrench,
    /// The body's share of the energy lost by contacts that ended, and the power of driven partners.
    share: Account,
}

/// Adds up what contacts do to one body, in the order of its partners' ids, so that the sum has the same bits
/// however the work was shared out.
struct Gather<'a> {
    list: &'a PairList,
    contacts: &'a Contacts,
    place: &'a [Place],
    index: &'a [u32],
    driven: &'a [DrivenBody],
}

impl Gather<'_> {
    #[inline]
    fn of(&self, body: usize) -> Gathered {
        let mut rare = None;
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for &entry in self.list.row(body) {
            let Some(contacts) = self.contacts.of_pair(entry.pair()) else { continue };
            let group = contacts.group;
            for place in contacts.places() {
                let contact = &group.records[place];
                if contact.steady {
                    let arm = if entry.is_a() { contact.arm } else { self.arm_b(contact) };
                    let mut turn = arm.cross(contact.force);
                    if let Some(roll) = group.rolling.get(place) {
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
                    let own = self.with_history(group, place, entry.is_a(), &mut rare);
                    force += own.force;
                    torque += own.torque;
                }
            }
        }
        Gathered { wrench: Wrench { force, torque }, rare }
    }

    /// The wrench of a contact that begins or ends, or touches a driven body.
    #[inline(never)]
    fn with_history(&self, group: &ContactGroup, place: usize, is_a: bool, rare: &mut Option<Rare>) -> Wrench {
        let contact = &group.records[place];
        let (arm, sign) = if is_a { (contact.arm, -1.0) } else { (self.arm_b(contact), 1.0) };
        let couple = group.rolling.get(place).map_or(DVec3::ZERO, |roll| sign * roll.torque);
        let own = Wrench { force: sign * contact.force, torque: sign * arm.cross(contact.force) + couple };
        let rare = rare.get_or_insert_default();
        let losses = &group.losses[place];
        let holds = contact.phase == Phase::Holds;
        // What more than the wrench of this evaluation goes into the kick that ends this step.
        let more = if holds { losses.kick - 1.0 } else { 1.0 };
        if more != 0.0 {
            rare.correction.force += more * own.force;
            rare.correction.torque += more * own.torque;
        }
        // A contact that ends leaves its losses to the account of a, or of b where forces do not move a.
        if !holds && is_a == contact.moves_a {
            rare.share.damping += losses.lost_to_damping;
            rare.share.friction += losses.lost_to_friction;
        }
        let partner = if is_a { contact.b } else { contact.a };
        if let Some(twist) = self.twist_if_driven(partner) {
            // Half a step of the force on either side of the evaluation, less where it was not there.
            let weight = if holds { 0.5 + 0.5 * losses.kick } else { 0.5 };
            let arm = if is_a { self.arm_b(contact) } else { contact.arm };
            let power = own.force.dot(twist.velocity + twist.spin.cross(arm)) + couple.dot(twist.spin);
            rare.share.drive += weight * power;
        }
        if holds { own } else { Wrench::default() }
    }

    #[inline]
    fn arm_b(&self, contact: &Contact) -> DVec3 {
        contact.arm - (self.place[contact.b as usize].centre - self.place[contact.a as usize].centre)
    }

    fn twist_if_driven(&self, body: u32) -> Option<Twist> {
        self.driven.iter().find(|driven| self.index[driven.id.0 as usize] == body).map(|driven| driven.twist)
    }
}
