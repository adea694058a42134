//! From listed pairs to contacts, matched with those of the last step.
//!
//! A pair's contacts stay where they are as long as the same features touch, so that a step at rest copies nothing.
//! A contact is kept for one evaluation after its surfaces part: the law needs it to end the contact inside the step.

use granum_geometry::{Manifold, Pair, Shape};
use rayon::prelude::*;

use crate::pair_list::{CHUNK, Chunk, NO_CONTACT, PairList, room_for};
use crate::world::bodies::Bodies;
use crate::world::{Contact, Phase};

/// Brings the contacts of every listed pair to the present poses, and hands each chunk of them to `then` while it is
/// still in the cache.
pub fn find_contacts(
    bodies: &Bodies,
    shapes: &[Shape],
    list: &mut PairList,
    contacts: &mut [Vec<Contact>],
    then: impl Fn(&mut [Contact]) + Sync,
) {
    list.chunks
        .par_iter()
        .zip(list.pairs.par_chunks(CHUNK))
        .zip(list.slots.par_chunks_mut(CHUNK))
        .zip(contacts.par_iter_mut())
        .for_each_init(Manifold::default, |manifold, (((chunk, pairs), slots), contacts)| {
            let mut work = ChunkWork { chunk, bodies, shapes, manifold, contacts };
            let gone = work.run(&pairs[..chunk.len], slots);
            if gone > work.contacts.len() / 4 {
                work.close_ranks(&pairs[..chunk.len], slots);
            }
            then(contacts);
        });
}

struct ChunkWork<'a> {
    chunk: &'a Chunk,
    bodies: &'a Bodies,
    shapes: &'a [Shape],
    manifold: &'a mut Manifold,
    contacts: &'a mut Vec<Contact>,
}

impl ChunkWork<'_> {
    /// Returns how many records are free afterwards.
    fn run(&mut self, pairs: &[[u32; 2]], slots: &mut [u16]) -> usize {
        let mut used = 0;
        for (&[a, b], slot) in pairs.iter().zip(slots) {
            let (place_a, place_b) = (&self.bodies.place[a as usize], &self.bodies.place[b as usize]);
            let offset = place_b.centre - place_a.centre;
            let reach = place_a.radius + place_b.radius;
            if *slot == NO_CONTACT {
                if offset.length_squared() > reach * reach {
                    continue;
                }
                self.collide(a, b, offset, 0.0, None);
                self.begin(a, b, slot);
            } else {
                let first = *slot as usize;
                let before = &self.contacts[first..first + self.contacts[first].points as usize];
                let held = before.iter().any(|contact| contact.phase == Phase::Holds);
                let margin = if held { f64::INFINITY } else { 0.0 };
                let warm = Some(before[0].normal);
                self.collide(a, b, offset, margin, warm);
                self.carry_on(a, b, slot);
            }
            if *slot != NO_CONTACT {
                used += self.contacts[*slot as usize].points as usize;
            }
        }
        self.contacts.len() - used
    }

    #[inline]
    fn collide(&mut self, a: u32, b: u32, offset: glam::DVec3, margin: f64, warm: Option<glam::DVec3>) {
        let pair = Pair {
            a: &self.shapes[self.bodies.tag[a as usize].shape.0 as usize],
            b: &self.shapes[self.bodies.tag[b as usize].shape.0 as usize],
            offset,
            orientation_a: self.bodies.orientation[a as usize],
            orientation_b: self.bodies.orientation[b as usize],
            margin,
            warm,
        };
        self.manifold.clear();
        (self.chunk.collide)(&pair, self.manifold);
    }

    /// Makes records for a pair that had none.
    fn begin(&mut self, a: u32, b: u32, slot: &mut u16) {
        let first = self.contacts.len();
        for point in self.manifold.points().iter().filter(|point| point.gap <= 0.0) {
            push_tightly(self.contacts, Contact::beginning(a, b, point));
        }
        *slot = seal(self.contacts, first);
    }

    /// Moves a pair's records on.
    #[inline]
    fn carry_on(&mut self, a: u32, b: u32, slot: &mut u16) {
        let first = *slot as usize;
        let points = self.manifold.points();
        let count = self.contacts[first].points as usize;
        let before = &mut self.contacts[first..first + count];
        let stays = |old: &Contact, gap: f64| gap <= 0.0 || old.phase == Phase::Holds;
        let same = points.len() == before.len()
            && points.iter().zip(&*before).all(|(p, old)| p.feature == old.feature && stays(old, p.gap));
        if same {
            for (old, point) in before.iter_mut().zip(points) {
                old.advance(point);
            }
            return;
        }
        self.regroup(a, b, slot);
    }

    /// Other features touch than before: new records, with the history of those that remain.
    fn regroup(&mut self, a: u32, b: u32, slot: &mut u16) {
        let old_first = *slot as usize;
        let count = self.contacts[old_first].points as usize;
        let first = self.contacts.len();
        for point in self.manifold.points() {
            let old = self.contacts[old_first..old_first + count].iter().find(|old| old.feature == point.feature);
            match old {
                Some(&old) if point.gap <= 0.0 || old.phase == Phase::Holds => {
                    let mut contact = old;
                    contact.advance(point);
                    push_tightly(self.contacts, contact);
                }
                None if point.gap <= 0.0 => push_tightly(self.contacts, Contact::beginning(a, b, point)),
                _ => {}
            }
        }
        for old in &mut self.contacts[old_first..old_first + count] {
            old.phase = Phase::Gone;
        }
        *slot = seal(self.contacts, first);
    }

    /// Drops free records.
    fn close_ranks(&mut self, pairs: &[[u32; 2]], slots: &mut [u16]) {
        let old = std::mem::take(self.contacts);
        self.contacts.reserve_exact(room_for(old.len()));
        for slot in slots[..pairs.len()].iter_mut().filter(|slot| **slot != NO_CONTACT) {
            let first = *slot as usize;
            *slot = self.contacts.len() as u16;
            self.contacts.extend_from_slice(&old[first..first + old[first].points as usize]);
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

/// Adds a record, and no more room than [`room_for`] says.
fn push_tightly(contacts: &mut Vec<Contact>, contact: Contact) {
    if contacts.len() == contacts.capacity() {
        contacts.reserve_exact(room_for(contacts.len()) - contacts.len());
    }
    contacts.push(contact);
}
