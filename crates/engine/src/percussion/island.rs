//! Islands: sets of bodies that contacts connect and that percussions move. Islands collide independently.
//!
//! This file and `step.rs` are the only parts of the percussion response that read the storage of
//! the world. The order of bodies and contacts in an island depends on ids only, so that every
//! solver gives the same bits for any storage order and any neighbour list.

use glam::{DMat3, DVec3};

use super::guided::{self, GuidedWall};
use super::law::{Percussion, PercussionLaw};
use super::program::{OUTSIDE, Twist};
use crate::pipeline::pair_list::PairList;
use crate::state::bodies::Bodies;
use crate::state::contacts::RecordId;
use crate::state::{Contact, World};

/// A body of an island at the instant of the collision.
#[derive(Clone, Copy, Debug)]
pub struct IslandBody {
    /// Storage index.
    pub index: u32,
    /// Inverse mass, 1/kg.
    pub inverse_mass: f64,
    /// Inverse inertia in world axes, 1/(kg m²).
    pub inverse_inertia: DMat3,
    /// Velocities before the collision.
    pub twist: Twist,
    /// Change of the velocities by gravity and other external percussions.
    pub external_change: Twist,
    /// Set if the body stands for a wall that moves along an axis.
    pub guided: Option<GuidedWall>,
}

/// A contact of an island at the instant of the collision.
#[derive(Clone, Copy, Debug)]
pub struct IslandContact {
    /// Its record.
    pub record: RecordId,
    /// Numbers of a and b in the island, or [`OUTSIDE`].
    pub bodies: [u32; 2],
    /// Storage indices of a and b.
    pub indices: [u32; 2],
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Lever arms of a and b, m.
    pub arms: [DVec3; 2],
    /// Velocity of b relative to a due to driven bodies, m/s.
    pub prescribed_velocity: DVec3,
    /// Gap, m.
    pub gap: f64,
    /// Law of the two materials.
    pub law: PercussionLaw,
    /// Percussion on b with which the solver starts, N s: that of the last step.
    pub warm_start: DVec3,
    /// Smaller bounding radius of the two bodies, m.
    pub size: f64,
}

/// A set of bodies that contacts connect: grains, and walls that move along an axis.
#[derive(Clone, Debug, Default)]
pub struct Island {
    /// Bodies, in the order in which the contacts first name them.
    pub bodies: Vec<IslandBody>,
    /// Contacts, in the order of the ids of their bodies.
    pub contacts: Vec<IslandContact>,
}

/// Returns the islands of a world at the present contacts.
pub fn islands(world: &World, list: &PairList, percussion: &Percussion) -> Vec<Island> {
    let bodies = &world.bodies;
    let found = contacts_in_order(world, list);
    let mut sets = DisjointSets::new(bodies.len());
    let is_moved = |k: u32| bodies.kinetic[k as usize].tag.needs_wrench();
    for (_, c) in &found {
        // Other walls do not connect: a percussion on one has no effect on its other contacts.
        if is_moved(c.a) && is_moved(c.b) {
            sets.join(c.a, c.b);
        }
    }
    let mut islands: Vec<Island> = Vec::new();
    let mut island_of = vec![u32::MAX; bodies.len()];
    let mut number = vec![OUTSIDE; bodies.len()];
    for &(record, c) in &found {
        // The root of either moved body identifies the island.
        let root = sets.root(if is_moved(c.a) { c.a } else { c.b }) as usize;
        if island_of[root] == u32::MAX {
            island_of[root] = islands.len() as u32;
            islands.push(Island::default());
        }
        let island = &mut islands[island_of[root] as usize];
        for k in [c.a, c.b] {
            if is_moved(k) && number[k as usize] == OUTSIDE {
                number[k as usize] = island.bodies.len() as u32;
                island.bodies.push(guided::body(world, k).unwrap_or_else(|| island_body(bodies, k)));
            }
        }
        // Other walls are outside of the program; their motion enters as a prescribed velocity.
        let numbers = [c.a, c.b].map(|k| if is_moved(k) { number[k as usize] } else { OUTSIDE });
        let contact = island_contact(world, percussion, record, c, (numbers, &island.bodies));
        island.contacts.push(contact);
    }
    islands
}

/// Returns the contacts in the order of the ids of their bodies and, within a pair, of storage.
fn contacts_in_order<'w>(world: &'w World, list: &PairList) -> Vec<(RecordId, &'w Contact)> {
    let bodies = &world.bodies;
    let mut found = Vec::new();
    // In the order of ids, independent of storage.
    for &index in &bodies.index {
        if !bodies.kinetic[index as usize].tag.is_dynamic() {
            continue;
        }
        for entry in list.row(index as usize) {
            let partner = list.pairs[entry.pair()][usize::from(entry.is_a())];
            let earlier = bodies.id[partner as usize] < bodies.id[index as usize];
            // A pair of dynamic bodies is in the rows of both.
            if earlier && bodies.kinetic[partner as usize].tag.is_dynamic() {
                continue;
            }
            found.extend(world.contacts.records_of_pair(entry.pair()));
        }
    }
    found
}

fn island_body(bodies: &Bodies, k: u32) -> IslandBody {
    let index = k as usize;
    let axes = DMat3::from_quat(bodies.orientation[index]);
    let kinetic = &bodies.kinetic[index];
    IslandBody {
        index: k,
        inverse_mass: kinetic.inverse_mass,
        inverse_inertia: axes * DMat3::from_diagonal(bodies.inverse_moments[index]) * axes.transpose(),
        twist: kinetic.twist,
        external_change: Twist::default(),
        guided: None,
    }
}

fn island_contact(
    world: &World,
    percussion: &Percussion,
    record: RecordId,
    c: &Contact,
    (numbers, members): ([u32; 2], &[IslandBody]),
) -> IslandContact {
    let bodies = &world.bodies;
    let (a, b) = (c.a as usize, c.b as usize);
    let arm_b = c.arm - (bodies.sphere[b].centre - bodies.sphere[a].centre);
    let prescribed = |k: usize, arm: DVec3| match bodies.kinetic[k].tag.is_dynamic() {
        true => DVec3::ZERO,
        false => bodies.kinetic[k].twist.velocity + bodies.kinetic[k].twist.spin.cross(arm),
    };
    let guided = numbers.map(|number| members.get(number as usize).and_then(|body| body.guided));
    let along_axis = |wall: Option<GuidedWall>| wall.map_or(DVec3::ZERO, |wall| wall.velocity(world));
    let stored = world.contacts.percussion(record);
    let law = percussion.laws.get(bodies.kinetic[a].tag.material, bodies.kinetic[b].tag.material);
    IslandContact {
        record,
        bodies: numbers,
        indices: [c.a, c.b],
        normal: c.normal,
        arms: [guided[0].map_or(c.arm, |wall| wall.arm()), guided[1].map_or(arm_b, |wall| wall.arm())],
        prescribed_velocity: prescribed(b, arm_b) - along_axis(guided[1]) - prescribed(a, c.arm)
            + along_axis(guided[0]),
        // Percussions use the depth, so the overlap is minus the gap.
        gap: -c.overlap,
        law: *law.expect("the laws were checked when the simulation was made"),
        warm_start: stored.along(c.normal),
        size: bodies.sphere[a].radius.min(bodies.sphere[b].radius),
    }
}

/// Disjoint sets of bodies: a forest in which every tree is a set (union-find).
struct DisjointSets(Vec<u32>);

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// Returns the root of a body's tree.
    fn root(&mut self, mut k: u32) -> u32 {
        while self.0[k as usize] != k {
            // Halving the path keeps the trees flat.
            self.0[k as usize] = self.0[self.0[k as usize] as usize];
            k = self.0[k as usize];
        }
        k
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a as usize] = b;
    }
}
