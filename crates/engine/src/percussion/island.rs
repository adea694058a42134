//! From a world to the collisions of one step: contacts in the order of ids, cut into islands that do not feel each other.
//!
//! This and `write.rs` are the only parts that see the world's storage. The order of bodies and contacts in an island depends on
//! ids alone, so that every solver gives the same bits however bodies are stored and listed.

use glam::{DMat3, DVec3};

use super::law::{Percussion, PercussionLaw};
use super::problem::{Motion, OUTSIDE};
use crate::pipeline::pair_list::PairList;
use crate::state::bodies::Bodies;
use crate::state::contacts::RecordId;
use crate::state::{Contact, World};

/// A body of an island at the instant of the collision.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Storage index.
    pub index: u32,
    /// 1/kg.
    pub inverse_mass: f64,
    /// World axes, 1/(kg m²).
    pub inverse_inertia: DMat3,
    /// Before the collision.
    pub motion: Motion,
    /// What gravity and other external percussions add to it.
    pub gained: Motion,
}

/// A contact of an island at the instant of the collision.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Its record.
    pub record: RecordId,
    /// Numbers of a and b in the island, or [`OUTSIDE`].
    pub bodies: [u32; 2],
    /// Storage indices of a and b.
    pub indices: [u32; 2],
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// From the centres to the point, m.
    pub arms: [DVec3; 2],
    /// Velocity of b against a due to driven bodies, m/s.
    pub drift: DVec3,
    /// Distance, m.
    pub gap: f64,
    /// What the materials do.
    pub law: PercussionLaw,
    /// Percussion on b from which to start, N s.
    pub start: DVec3,
    /// Smaller bounding radius, m.
    pub size: f64,
}

/// Bodies that contacts tie together.
#[derive(Clone, Debug, Default)]
pub struct Island {
    /// The bodies, by id.
    pub members: Vec<Member>,
    /// The contacts, by ids.
    pub touches: Vec<Touch>,
}

/// The islands of a world whose contacts have just been found.
pub fn islands(world: &World, list: &PairList, percussion: &Percussion) -> Vec<Island> {
    let bodies = &world.bodies;
    let found = contacts_in_order(world, list);
    let mut roots = Roots::new(bodies.len());
    let is_dynamic = |k: u32| bodies.kinetic[k as usize].tag.is_dynamic();
    for (_, c) in &found {
        if is_dynamic(c.a) && is_dynamic(c.b) {
            roots.join(c.a, c.b);
        }
    }
    let mut islands: Vec<Island> = Vec::new();
    let mut island_of = vec![u32::MAX; bodies.len()];
    let mut number = vec![OUTSIDE; bodies.len()];
    for &(record, c) in &found {
        let root = roots.of(if is_dynamic(c.a) { c.a } else { c.b }) as usize;
        if island_of[root] == u32::MAX {
            island_of[root] = islands.len() as u32;
            islands.push(Island::default());
        }
        let island = &mut islands[island_of[root] as usize];
        for k in [c.a, c.b] {
            if is_dynamic(k) && number[k as usize] == OUTSIDE {
                number[k as usize] = island.members.len() as u32;
                island.members.push(member(bodies, k));
            }
        }
        let numbers = [c.a, c.b].map(|k| if is_dynamic(k) { number[k as usize] } else { OUTSIDE });
        island.touches.push(touch(world, percussion, record, c, numbers));
    }
    islands
}

/// The contacts, ordered by the ids of their bodies and, within a pair, as they are stored.
fn contacts_in_order<'w>(world: &'w World, list: &PairList) -> Vec<(RecordId, &'w Contact)> {
    let bodies = &world.bodies;
    let mut found = Vec::new();
    for &index in &bodies.index {
        if !bodies.kinetic[index as usize].tag.is_dynamic() {
            continue;
        }
        for entry in list.row(index as usize) {
            let partner = list.pairs[entry.pair()][usize::from(entry.is_a())];
            let earlier = bodies.id[partner as usize] < bodies.id[index as usize];
            if earlier && bodies.kinetic[partner as usize].tag.is_dynamic() {
                continue;
            }
            found.extend(world.contacts.records_of_pair(entry.pair()));
        }
    }
    found
}

fn member(bodies: &Bodies, k: u32) -> Member {
    let index = k as usize;
    let axes = DMat3::from_quat(bodies.orientation[index]);
    let kinetic = &bodies.kinetic[index];
    Member {
        index: k,
        inverse_mass: kinetic.inverse_mass,
        inverse_inertia: axes * DMat3::from_diagonal(bodies.inverse_moments[index]) * axes.transpose(),
        motion: Motion { velocity: kinetic.twist.velocity, spin: kinetic.twist.spin },
        gained: Motion::default(),
    }
}

fn touch(world: &World, percussion: &Percussion, record: RecordId, c: &Contact, numbers: [u32; 2]) -> Touch {
    let bodies = &world.bodies;
    let (a, b) = (c.a as usize, c.b as usize);
    let arm_b = c.arm - (bodies.place[b].centre - bodies.place[a].centre);
    let outside = |k: usize, arm: DVec3| match bodies.kinetic[k].tag.is_dynamic() {
        true => DVec3::ZERO,
        false => bodies.kinetic[k].twist.velocity + bodies.kinetic[k].twist.spin.cross(arm),
    };
    let stored = world.contacts.percussion(record);
    let law = percussion.laws.get(bodies.kinetic[a].tag.material, bodies.kinetic[b].tag.material);
    Touch {
        record,
        bodies: numbers,
        indices: [c.a, c.b],
        normal: c.normal,
        arms: [c.arm, arm_b],
        drift: outside(b, arm_b) - outside(a, c.arm),
        gap: c.gap,
        law: *law.expect("the laws were checked when the simulation was made"),
        start: stored.along(c.normal),
        size: bodies.place[a].radius.min(bodies.place[b].radius),
    }
}

/// Which bodies hang together: a forest whose roots stand for their trees.
struct Roots(Vec<u32>);

impl Roots {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn of(&mut self, mut k: u32) -> u32 {
        while self.0[k as usize] != k {
            self.0[k as usize] = self.0[self.0[k as usize] as usize];
            k = self.0[k as usize];
        }
        k
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a as usize] = b;
    }
}
