//! From listed pairs to contacts, matched with those of the last step.
//!
//! A contact is kept for one evaluation after its surfaces part: the law needs it to end the contact inside the step.

use granum_geometry::{Manifold, Pair};
use rayon::prelude::*;

use crate::pair_list::{CHUNK, Chunk, NO_CONTACT, PairList};
use crate::world::bodies::Bodies;
use crate::world::{Contact, Phase, World};

/// Replaces the contacts of the last step by those of the present poses.
pub fn find_contacts(world: &mut World, list: &mut PairList) {
    let World { bodies, shapes, contacts, .. } = world;
    let (bodies, shapes) = (&*bodies, shapes.as_slice());
    list.chunks
        .par_iter()
        .zip(list.pairs.par_chunks(CHUNK))
        .zip(list.slots.par_chunks_mut(CHUNK))
        .zip(contacts.par_iter_mut())
        .for_each_init(Scratch::default, |scratch, (((chunk, pairs), slots), contacts)| {
            scratch.run(chunk, pairs, slots, contacts, bodies, shapes);
        });
}

/// What one worker needs to go through chunks.
#[derive(Default)]
struct Scratch {
    manifold: Manifold,
    found: Vec<Contact>,
}

impl Scratch {
    fn run(
        &mut self,
        chunk: &Chunk,
        pairs: &[[u32; 2]],
        slots: &mut [u16],
        contacts: &mut Vec<Contact>,
        bodies: &Bodies,
        shapes: &[granum_geometry::Shape],
    ) {
        self.found.clear();
        for (&[a, b], slot) in pairs[..chunk.len].iter().zip(slots) {
            let (place_a, place_b) = (&bodies.place[a as usize], &bodies.place[b as usize]);
            let offset = place_b.centre - place_a.centre;
            let reach = place_a.radius + place_b.radius;
            let before = contacts_of(contacts, *slot, a, b);
            if offset.length_squared() > reach * reach && before.is_empty() {
                continue;
            }
            *slot = NO_CONTACT;
            let held = before.iter().any(|contact| contact.phase == Phase::Holds);
            let pair = Pair {
                a: &shapes[bodies.tag[a as usize].shape.0 as usize],
                b: &shapes[bodies.tag[b as usize].shape.0 as usize],
                offset,
                orientation_a: bodies.orientation[a as usize],
                orientation_b: bodies.orientation[b as usize],
                margin: if held { f64::INFINITY } else { 0.0 },
                warm: before.first().map(|contact| contact.normal),
            };
            self.manifold.clear();
            (chunk.collide)(&pair, &mut self.manifold);
            let first = self.found.len();
            for point in self.manifold.points() {
                let old = before.iter().find(|contact| contact.feature == point.feature);
                match old {
                    Some(old) if point.gap <= 0.0 || old.phase == Phase::Holds => {
                        self.found.push(old.continued(point));
                    }
                    None if point.gap <= 0.0 => self.found.push(Contact::beginning(a, b, point)),
                    _ => {}
                }
            }
            if self.found.len() > first {
                *slot = first as u16;
            }
        }
        contacts.clear();
        reserve_tightly(contacts, self.found.len());
        contacts.extend_from_slice(&self.found);
    }
}

/// The contacts of a pair within its chunk.
#[inline]
pub fn contacts_of(contacts: &[Contact], slot: u16, a: u32, b: u32) -> &[Contact] {
    if slot == NO_CONTACT {
        return &[];
    }
    let from = &contacts[slot as usize..];
    let len = from.iter().take_while(|contact| contact.a == a && contact.b == b).count();
    &from[..len]
}

/// Room for `len` contacts and an eighth more: doubling would waste a third of the memory of a large run.
fn reserve_tightly(contacts: &mut Vec<Contact>, len: usize) {
    if contacts.capacity() < len {
        contacts.reserve_exact(len + len / 8);
    }
}
