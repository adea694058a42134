//! From listed pairs to contacts, matched with those of the last step.
//!
//! A pair's contacts stay where they are as long as the same features touch, so that a step at rest copies nothing.
//! A contact is kept for one evaluation after its surfaces part: the law needs it to end the contact inside the step.

use glam::{DQuat, DVec3, Vec3};
use granum_geometry::{ContactPatch, ContactPoint, GapJacobian, Manifold, Pair, Shape};
use rayon::prelude::*;

use crate::pipeline::pair_list::{CHUNK, Chunk, NO_CONTACT, PairList};
use crate::state::bodies::{Bodies, Tag};
use crate::state::contact::{ContactEntry, ContactGroup, PreviousEvaluation, StoredPercussion, room_for};
use crate::state::{Contact, Phase, RollingState};

/// Distance, in sums of radii, from which two bodies are apart whatever the rounding.
const SURELY: f64 = 1e-9;

/// What is left of a distance after rounding to single precision, and then some.
const ROUNDED_DOWN: f64 = 1.0 - 1e-6;
/// How far ahead contacts are looked for.
#[derive(Clone, Copy)]
pub enum SearchRange<'a> {
    /// Not at all: bodies touch or do not. A contact that carried a force is kept for one evaluation more.
    Touching,
    /// As far as the two bodies come in a step together, m, by storage index.
    Ahead(&'a [f64]),
}

/// Brings the contacts of every listed pair to the present poses, and hands each group of them to `then` while it is
/// still in the cache, with what is to be known of the evaluation before.
pub fn find_contacts(
    bodies: &Bodies,
    shapes: &[Shape],
    list: &mut PairList,
    contacts: &mut [ContactGroup],
    look: SearchRange,
    then: impl Fn(&mut ContactGroup, &[PreviousEvaluation]) + Sync,
) {
    // Looking ahead, what is near enough changes with the velocities.
    let couples = list.couples;
    let travelled = matches!(look, SearchRange::Touching).then_some(list.travelled.as_slice());
    list.chunks
        .par_iter()
        .zip(list.pairs.par_chunks(CHUNK))
        .zip(list.slots.par_chunks_mut(CHUNK))
        .zip(list.until.par_chunks_mut(CHUNK).zip(list.apart.par_iter_mut()))
        .zip(contacts.par_iter_mut())
        .for_each_init(Scratch::default, |scratch, ((((chunk, pairs), slots), (until, directions)), group)| {
            let apart = Apart { travelled, until, directions };
            let mut work = ChunkWork { chunk, bodies, shapes, couples, look, margin: 0.0, scratch, group, apart };
            let gone = work.run(&pairs[..chunk.len], slots);
            if gone > work.group.records.len() / 4 {
                work.close_ranks(&pairs[..chunk.len], slots);
            }
            then(group, &scratch.before);
        });
}

/// What a thread needs for a chunk, kept from one to the next.
#[derive(Default)]
struct Scratch {
    manifold: Manifold,
    /// An entry for each record of the group.
    before: Vec<PreviousEvaluation>,
}

struct ChunkWork<'a> {
    chunk: &'a Chunk,
    bodies: &'a Bodies,
    shapes: &'a [Shape],
    couples: bool,
    look: SearchRange<'a>,
    /// Gap up to which the present pair has contacts, m.
    margin: f64,
    scratch: &'a mut Scratch,
    group: &'a mut ContactGroup,
    apart: Apart<'a>,
}

/// What is known of pairs that do not touch. It spares asking their routine, which would say the same: what is found here is
/// right to far better than [`SURELY`], so nothing depends on which of them was asked.
struct Apart<'a> {
    /// How far bodies have travelled; nothing where each pair is to be looked at.
    travelled: Option<&'a [f64]>,
    until: &'a mut [f32],
    directions: &'a mut Vec<Vec3>,
}

impl Apart<'_> {
    /// Whether pair `number`, of these bodies, has not moved enough since it was last looked at to touch.
    #[inline]
    fn is_certain(&self, number: usize, bodies: [u32; 2]) -> bool {
        self.travelled(bodies).is_some_and(|travelled| f64::from(self.until[number]) > travelled)
    }

    #[inline]
    fn travelled(&self, [a, b]: [u32; 2]) -> Option<f64> {
        self.travelled.map(|travelled| travelled[a as usize] + travelled[b as usize])
    }

    /// Notes that the bodies, `reach` the sum of their radii, are this much farther apart than they need be; whether that is
    /// enough to be sure.
    #[inline]
    fn note(&mut self, number: usize, bodies: [u32; 2], distance: f64, reach: f64) -> bool {
        let sure = distance > SURELY * reach;
        if let (true, Some(travelled)) = (sure, self.travelled(bodies)) {
            self.until[number] = ((travelled + distance) * ROUNDED_DOWN) as f32;
        }
        sure
    }

    /// Whether the bodies are still apart along the direction that showed it before.
    #[inline]
    fn still(&mut self, number: usize, bodies: [u32; 2], pair: &Pair, reach: f64) -> bool {
        match self.directions.get(number) {
            Some(&direction) if direction != Vec3::ZERO => {
                self.note(number, bodies, pair.distance_along(direction.as_dvec3()) - pair.margin, reach)
            }
            _ => false,
        }
    }

    /// Notes what the routine has found out about a pair without contact: perhaps a direction along which it is apart.
    fn learn(&mut self, number: usize, bodies: [u32; 2], pair: &Pair, reach: f64, direction: Option<DVec3>) {
        let Some(direction) = direction.or_else(|| pair.offset.try_normalize()).filter(|_| reach.is_finite()) else {
            return;
        };
        if self.note(number, bodies, pair.distance_along(direction) - pair.margin, reach) {
            self.directions.resize(self.until.len(), Vec3::ZERO);
            self.directions[number] = direction.as_vec3();
        }
    }
}

impl<'a> ChunkWork<'a> {
    /// Returns how many records are free afterwards.
    fn run(&mut self, pairs: &[[u32; 2]], slots: &mut [u16]) -> usize {
        self.scratch.before.resize(self.group.records.len(), PreviousEvaluation::default());
        let mut used = 0;
        for (number, (&[a, b], slot)) in pairs.iter().zip(slots).enumerate() {
            if *slot == NO_CONTACT && self.apart.is_certain(number, [a, b]) {
                continue;
            }
            let (place_a, place_b) = (&self.bodies.place[a as usize], &self.bodies.place[b as usize]);
            let offset = place_b.centre - place_a.centre;
            if let SearchRange::Ahead(reach) = self.look {
                self.margin = reach[a as usize] + reach[b as usize];
            }
            if *slot == NO_CONTACT {
                let reach = place_a.radius + place_b.radius + self.margin;
                let square = offset.length_squared();
                if square > reach * reach {
                    self.apart.note(number, [a, b], square.sqrt() - reach, reach);
                    continue;
                }
                let pair = self.pair(a, b, offset, self.margin, None);
                if self.apart.still(number, [a, b], &pair, reach) {
                    continue;
                }
                self.scratch.manifold.clear();
                self.chunk.routine.evaluate(&pair, &mut self.scratch.manifold);
                if self.scratch.manifold.points().is_empty() {
                    self.apart.learn(number, [a, b], &pair, reach, self.scratch.manifold.apart);
                    continue;
                }
                self.begin(a, b, slot);
            } else {
                let first = *slot as usize;
                let before = &self.group.records[first..first + self.group.records[first].points as usize];
                let held = before.iter().any(|contact| contact.phase == Phase::Holds);
                let margin = if held && self.keeps() { f64::INFINITY } else { self.margin };
                let warm = Some(before[0].normal);
                let pair = self.pair(a, b, offset, margin, warm);
                self.scratch.manifold.clear();
                self.chunk.routine.evaluate(&pair, &mut self.scratch.manifold);
                self.carry_on(a, b, slot);
            }
            if *slot != NO_CONTACT {
                used += self.group.records[*slot as usize].points as usize;
            }
        }
        self.group.records.len() - used
    }

    /// Whether a contact that carried a force is kept for one evaluation more.
    fn keeps(&self) -> bool {
        matches!(self.look, SearchRange::Touching)
    }

    #[inline]
    fn pair(&self, a: u32, b: u32, offset: DVec3, margin: f64, warm: Option<DVec3>) -> Pair<'a> {
        let (tag_a, tag_b) = (&self.bodies.kinetic[a as usize].tag, &self.bodies.kinetic[b as usize].tag);
        // How a ball is turned does not matter: what is not read need not come from memory.
        let orientation = |tag: &Tag, k: u32| match tag.is_ball {
            true => DQuat::IDENTITY,
            false => self.bodies.orientation[k as usize],
        };
        Pair {
            a: &self.shapes[tag_a.shape.0 as usize],
            b: &self.shapes[tag_b.shape.0 as usize],
            offset,
            orientation_a: orientation(tag_a, a),
            orientation_b: orientation(tag_b, b),
            margin,
            warm,
        }
    }

    /// Makes records for a pair that had none.
    fn begin(&mut self, a: u32, b: u32, slot: &mut u16) {
        let first = self.group.records.len();
        for k in 0..self.scratch.manifold.points().len() {
            if self.scratch.manifold.points()[k].gap <= self.margin {
                self.push_new(a, b, k);
            }
        }
        *slot = seal(&mut self.group.records, first);
    }

    /// Moves a pair's records on.
    #[inline]
    fn carry_on(&mut self, a: u32, b: u32, slot: &mut u16) {
        let (keeps, margin) = (self.keeps(), self.margin);
        let ContactGroup { records, losses, rolling, percussions } = &mut *self.group;
        let first = *slot as usize;
        let manifold = &self.scratch.manifold;
        let points = manifold.points();
        let stays = |old: &Contact, p: &ContactPoint| {
            p.feature == old.feature && (p.gap <= margin || (keeps && old.phase == Phase::Holds))
        };
        let same = records[first].points as usize == points.len()
            && points.iter().zip(&records[first..]).all(|(p, old)| stays(old, p));
        if !same {
            return self.regroup(a, b, slot);
        }
        for (k, point) in points.iter().enumerate() {
            let place = first + k;
            let old = &mut records[place];
            let roll = rolling.get_mut(place);
            self.scratch.before[place] = old.before(&losses[place], roll.as_deref());
            old.advance(&mut losses[place], roll, percussions.get_mut(place), point, manifold.jacobian(k));
        }
    }

    /// Other features touch than before: new records, with the history of those that remain.
    fn regroup(&mut self, a: u32, b: u32, slot: &mut u16) {
        let old_first = *slot as usize;
        let old = old_first..old_first + self.group.records[old_first].points as usize;
        let first = self.group.records.len();
        for k in 0..self.scratch.manifold.points().len() {
            let point = self.scratch.manifold.points()[k];
            match old.clone().find(|&place| self.group.records[place].feature == point.feature) {
                Some(place)
                    if point.gap <= self.margin
                        || (self.keeps() && self.group.records[place].phase == Phase::Holds) =>
                {
                    let (jacobian, &patch) = self.scratch.manifold.jacobian(k);
                    self.push_moved(place, &point, (jacobian, &patch));
                }
                None if point.gap <= self.margin => self.push_new(a, b, k),
                _ => {}
            }
        }
        for place in old {
            let Contact { feature, phase, arm, normal, .. } = self.group.records[place];
            let found = self.scratch.manifold.points().iter().any(|point| point.feature == feature);
            if phase == Phase::Holds && !found && self.keeps() {
                // Its features no longer meet: the law ends it at the end of this step.
                let curvature = self.group.losses[place].curvature;
                let roll = self.group.rolling.get(place).copied().unwrap_or_default();
                let point = ContactPoint { arm, normal, gap: 0.0, curvature, feature };
                self.push_moved(place, &point, (roll.jacobian, &roll.patch));
            }
            self.group.records[place].phase = Phase::Gone;
        }
        *slot = seal(&mut self.group.records, first);
    }

    /// A record for the point of the manifold with this number.
    fn push_new(&mut self, a: u32, b: u32, number: usize) {
        let point = &self.scratch.manifold.points()[number];
        let moves_a = self.bodies.kinetic[a as usize].tag.is_dynamic();
        let (record, losses) = Contact::beginning([a, b], moves_a, point);
        let before = PreviousEvaluation { gap: point.gap, load: 0.0, curvature: point.curvature, normal: point.normal };
        let (jacobian, &patch) = self.scratch.manifold.jacobian(number);
        let rolling = self.couples.then(|| RollingState { jacobian, patch, ..RollingState::default() });
        // Only the percussion response looks ahead.
        let percussion = matches!(self.look, SearchRange::Ahead(_)).then(StoredPercussion::default);
        self.push(ContactEntry { record, losses, rolling, percussion }, before);
    }

    fn push_moved(&mut self, place: usize, point: &ContactPoint, now: (GapJacobian, &ContactPatch)) {
        let mut entry = self.group.get(place);
        let ContactEntry { record, losses, rolling, percussion } = &mut entry;
        let before = record.before(losses, rolling.as_ref());
        record.advance(losses, rolling.as_mut(), percussion.as_mut(), point, now);
        self.push(entry, before);
    }

    fn push(&mut self, entry: ContactEntry, before: PreviousEvaluation) {
        self.group.push(entry);
        self.scratch.before.push(before);
    }

    /// Drops free records.
    fn close_ranks(&mut self, pairs: &[[u32; 2]], slots: &mut [u16]) {
        let old = std::mem::take(self.group);
        let old_before = std::mem::take(&mut self.scratch.before);
        self.group.reserve(room_for(old.records.len()), self.couples);
        for slot in slots[..pairs.len()].iter_mut().filter(|slot| **slot != NO_CONTACT) {
            let first = *slot as usize;
            *slot = self.group.records.len() as u16;
            let kept = &old_before[first..first + old.records[first].points as usize];
            for (place, &before) in (first..).zip(kept) {
                self.push(old.get(place), before);
            }
        }
    }
}

/// Notes in the first of the records from `first` on how many they are; the slot of the pair they belong to.
fn seal(contacts: &mut [Contact], first: usize) -> u16 {
    let count = contacts.len() - first;
    match contacts.get_mut(first) {
        Some(contact) => {
            contact.points = count as u8;
            first as u16
        }
        None => NO_CONTACT,
    }
}
