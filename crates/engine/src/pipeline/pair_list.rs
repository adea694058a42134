//! The pairs near enough to touch soon, in batches of one pair routine, and each body's row of them.
//!
//! Input: candidate pairs from the broad phase. Output: pairs sorted by (kinds, storage order), cut into chunks of
//! one batch each, and for every moving body the list of its pairs in the order of the partners' ids: the order in
//! which forces are added. The list is scratch: it holds nothing that the motion depends on.

use glam::Vec3;
use granum_geometry::{Measure, PairTable, Routine};
use rayon::prelude::*;

use crate::pipeline::broad_phase::Candidates;
use crate::state::bodies::Bodies;
use crate::state::contact::{ContactGroup, room_for};
use crate::state::{Phase, World};

/// Pairs in a chunk: the unit of parallel work. Small enough to balance, large enough to pay.
pub const CHUNK: usize = 1024;

/// Slot of a pair that has no contact.
pub const NO_CONTACT: u16 = u16::MAX;

/// A run of pairs that one routine serves.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// The routine.
    pub routine: Routine,
    /// How many of its `CHUNK` pairs are real; the rest is padding.
    pub len: usize,
}

/// Where a contact goes, and where it is: sorted by pair, the points of one manifold in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    pair: u32,
    chunk: u32,
    place: u32,
}

/// A pair in the row of one of its bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry(u32);

impl Entry {
    fn new(pair: usize, side: usize) -> Self {
        Self((pair as u32) << 1 | side as u32)
    }

    /// Which pair.
    #[inline]
    pub fn pair(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the body is the pair's a.
    #[inline]
    pub fn is_a(self) -> bool {
        self.0 & 1 == 0
    }
}

/// The neighbour list.
#[derive(Clone, Debug, Default)]
pub struct PairList {
    /// Whether contacts have room for a couple and the history of rolling resistance.
    pub couples: bool,
    /// What each chunk holds.
    pub chunks: Vec<Chunk>,
    /// Storage indices of the two bodies, chunk after chunk, each padded to `CHUNK`.
    pub pairs: Vec<[u32; 2]>,
    /// Where a pair's contacts start in its chunk of `World::contacts`.
    pub slots: Vec<u16>,
    /// By body, at least as far as any of its points has moved since the list was made, m; nothing to go by for unbounded ones.
    pub travelled: Vec<f64>,
    /// How far the bodies of a pair without contact may have travelled together before it need be looked at, m.
    pub until: Vec<f32>,
    /// For each chunk and pair a direction along which the two bodies were apart when last looked at, or zero; empty where
    /// no pair of a chunk has one.
    pub apart: Vec<Vec<Vec3>>,
    row_start: Vec<u32>,
    row: Vec<Entry>,
}

impl PairList {
    /// Number of listed pairs.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len).sum()
    }

    /// Whether no pair is listed.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The pairs of a body, in the order of partners' ids.
    #[inline]
    pub fn row(&self, body: usize) -> &[Entry] {
        &self.row[self.row_start[body] as usize..self.row_start[body + 1] as usize]
    }

    /// Lists the candidates anew and hands last step's contacts over to their new chunks.
    pub fn rebuild(&mut self, table: &PairTable, world: &mut World, candidates: &Candidates) {
        self.couples = world.has_contact_torques(table);
        self.sort_into_batches(table, world.contact_measure(), &world.bodies, candidates);
        self.fill_rows(&world.bodies);
        self.hand_over(world);
    }

    fn sort_into_batches(&mut self, table: &PairTable, measure: Measure, bodies: &Bodies, candidates: &Candidates) {
        const KINDS: usize = granum_geometry::Kind::ALL.len();
        // Of two bodies, a is the one with the lower (kind, id): the same whatever the storage order.
        let ordered = |i: u32, j: u32| {
            let key = |k: u32| (bodies.kinetic[k as usize].tag.kind, bodies.id[k as usize]);
            if key(i) < key(j) { [i, j] } else { [j, i] }
        };
        let batch_of = |pair: [u32; 2]| {
            let [a, b] = pair.map(|k| bodies.kinetic[k as usize].tag.kind as usize);
            a * KINDS + b
        };
        let mut count = [[0usize; KINDS]; KINDS];
        for (i, j) in candidates.iter() {
            let batch = batch_of(ordered(i, j));
            count[batch / KINDS][batch % KINDS] += 1;
        }
        self.chunks.clear();
        let mut next = [[0usize; KINDS]; KINDS];
        for &a in granum_geometry::Kind::ALL {
            for &b in granum_geometry::Kind::ALL {
                next[a as usize][b as usize] = self.chunks.len() * CHUNK;
                let mut left = count[a as usize][b as usize];
                while left > 0 {
                    let len = left.min(CHUNK);
                    self.chunks.push(Chunk { routine: table.routine(measure, a, b), len });
                    left -= len;
                }
            }
        }
        self.pairs.clear();
        self.pairs.resize(self.chunks.len() * CHUNK, [u32::MAX; 2]);
        self.slots.clear();
        self.slots.resize(self.chunks.len() * CHUNK, NO_CONTACT);
        self.travelled.clear();
        self.travelled.resize(bodies.len(), 0.0);
        self.until.clear();
        self.until.resize(self.chunks.len() * CHUNK, 0.0);
        self.apart.resize_with(self.chunks.len(), Vec::new);
        self.apart.iter_mut().for_each(Vec::clear);
        for (i, j) in candidates.iter() {
            let pair = ordered(i, j);
            let batch = batch_of(pair);
            let place = &mut next[batch / KINDS][batch % KINDS];
            self.pairs[*place] = pair;
            *place += 1;
        }
    }

    fn fill_rows(&mut self, bodies: &Bodies) {
        let n = bodies.len();
        self.row_start.clear();
        self.row_start.resize(n + 1, 0);
        let listed = || self.chunks.iter().enumerate().flat_map(|(c, chunk)| c * CHUNK..c * CHUNK + chunk.len);
        for p in listed() {
            for k in self.pairs[p] {
                if bodies.kinetic[k as usize].tag.is_dynamic() {
                    self.row_start[k as usize + 1] += 1;
                }
            }
        }
        for k in 0..n {
            self.row_start[k + 1] += self.row_start[k];
        }
        let mut next = self.row_start.clone();
        let mut row = std::mem::take(&mut self.row);
        row.resize(self.row_start[n] as usize, Entry::default());
        for p in listed() {
            for (side, k) in self.pairs[p].into_iter().enumerate() {
                if bodies.kinetic[k as usize].tag.is_dynamic() {
                    row[next[k as usize] as usize] = Entry::new(p, side);
                    next[k as usize] += 1;
                }
            }
        }
        let pairs = &self.pairs;
        let partner = |entry: Entry| bodies.id[pairs[entry.pair()][usize::from(entry.is_a())] as usize];
        rows_of_blocks(&mut row, &self.row_start).into_par_iter().for_each_init(Vec::new, |keyed, (block, starts)| {
            for ends in starts.windows(2) {
                let of_body = &mut block[(ends[0] - starts[0]) as usize..(ends[1] - starts[0]) as usize];
                // Partner's id above, entry below: one look at the ids, and integers to sort.
                keyed.clear();
                keyed.extend(of_body.iter().map(|&entry| u64::from(partner(entry)) << 32 | u64::from(entry.0)));
                keyed.sort_unstable();
                for (entry, key) in of_body.iter_mut().zip(keyed.iter()) {
                    *entry = Entry(*key as u32);
                }
            }
        });
        self.row = row;
    }

    /// Finds the new pair of every contact; a contact whose bodies have moved apart is dropped.
    fn hand_over(&mut self, world: &mut World) {
        let couples = self.couples;
        let percussive = world.percussion.is_some();
        let mut old = std::mem::take(&mut world.contacts);
        // Keys are sorted, not the records: those are large.
        let mut moves: Vec<Move> = Vec::with_capacity(old.iter().map(|group| group.records.len()).sum());
        let mut last = None;
        for (chunk, group) in old.iter().enumerate() {
            let in_use = group.records.iter().enumerate().filter(|(_, contact)| contact.phase != Phase::Gone);
            for (place, contact) in in_use {
                let pair = match last {
                    Some((a, b, pair)) if (a, b) == (contact.a, contact.b) => pair,
                    _ => self.find(contact.a, contact.b),
                };
                last = Some((contact.a, contact.b, pair));
                if let Some(pair) = pair {
                    moves.push(Move { pair: pair as u32, chunk: chunk as u32, place: place as u32 });
                }
            }
        }
        moves.sort_unstable();
        let mut left = vec![0u32; old.len()];
        for step in &moves {
            left[step.chunk as usize] += 1;
        }
        world.contacts.resize_with(self.chunks.len(), ContactGroup::default);
        for of_chunk in moves.chunk_by(|one, next| one.pair as usize / CHUNK == next.pair as usize / CHUNK) {
            let group = &mut world.contacts[of_chunk[0].pair as usize / CHUNK];
            group.reserve(room_for(of_chunk.len()), couples);
            for step in of_chunk {
                let slot = &mut self.slots[step.pair as usize];
                if *slot == NO_CONTACT {
                    *slot = group.records.len() as u16;
                }
                let mut entry = old[step.chunk as usize].get(step.place as usize);
                entry.record.points = 1;
                // A law that resists rolling, or the percussion response, may be new.
                entry.rolling = couples.then(|| entry.rolling.unwrap_or_default());
                entry.percussion = percussive.then(|| entry.percussion.unwrap_or_default());
                group.push(entry);
                group.records[*slot as usize].points = (group.records.len() - *slot as usize) as u8;
                // Old groups go as soon as they are empty: two copies of all contacts would be the peak of a run.
                left[step.chunk as usize] -= 1;
                if left[step.chunk as usize] == 0 {
                    old[step.chunk as usize] = ContactGroup::default();
                }
            }
        }
    }

    /// The pair (a, b), if it is listed.
    fn find(&self, a: u32, b: u32) -> Option<usize> {
        // A wall has no row of its own.
        let row = if self.row_start[a as usize] < self.row_start[a as usize + 1] { a } else { b };
        self.row(row as usize).iter().map(|entry| entry.pair()).find(|&pair| self.pairs[pair] == [a, b])
    }
}

/// Cuts the rows into blocks of bodies, each with the starts of its rows, for parallel sorting.
fn rows_of_blocks<'a>(mut row: &'a mut [Entry], starts: &'a [u32]) -> Vec<(&'a mut [Entry], &'a [u32])> {
    const BODIES: usize = 4096;
    let mut blocks = Vec::new();
    let mut first = 0;
    while first + 1 < starts.len() {
        let last = (first + BODIES).min(starts.len() - 1);
        let (block, rest) = row.split_at_mut((starts[last] - starts[first]) as usize);
        blocks.push((block, &starts[first..=last]));
        row = rest;
        first = last;
    }
    blocks
}
