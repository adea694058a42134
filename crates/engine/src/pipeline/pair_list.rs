//! The neighbour list: pairs of bodies that may touch soon, sorted by pair routine, and the pairs
//! of each body.
//!
//! Input: candidate pairs of the broad phase. Output: pairs sorted by the kinds of their shapes,
//! cut into chunks that one routine serves, and for every grain its pairs in the order of the
//! partners' ids, which is the order in which forces are added. The list is scratch: no result
//! depends on it.

use glam::Vec3;
use granum_geometry::{Kind, Measure, PairTable, Routine};
use rayon::prelude::*;

use crate::execution::Execution;
use crate::pipeline::broad_phase::Candidates;
use crate::state::World;
use crate::state::bodies::Bodies;
use crate::state::contacts::PAIRS_PER_GROUP;

/// Bodies in a block of parallel sorting.
const BODIES_PER_BLOCK: usize = 4096;

/// Pairs that one routine serves. A chunk has room for [`PAIRS_PER_GROUP`] pairs, whose contacts
/// form one group of the state.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// Pair routine.
    pub routine: Routine,
    /// Number of pairs. The rest of the chunk is padding.
    pub len: usize,
    /// True if body a of each pair is a triangulated surface.
    pub is_on_surface: bool,
}

/// A pair in the row of one of its bodies: number of the pair, and side of the body in the lowest
/// bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry(u32);

impl Entry {
    fn new(pair: usize, side: usize) -> Self {
        Self((pair as u32) << 1 | side as u32)
    }

    /// Returns the number of the pair.
    #[inline]
    pub fn pair(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns whether the body is body a of the pair.
    #[inline]
    pub fn is_a(self) -> bool {
        self.0 & 1 == 0
    }
}

/// The neighbour list.
#[derive(Clone, Debug, Default)]
pub struct PairList {
    /// Chunks of pairs.
    pub chunks: Vec<Chunk>,
    /// Storage indices of the two bodies of each pair, chunk after chunk, each padded to
    /// [`PAIRS_PER_GROUP`] pairs.
    pub pairs: Vec<[u32; 2]>,
    /// By body: upper bound on the distance that any of its points has moved since the list was
    /// built, m. Not used for unbounded bodies.
    pub travelled: Vec<f64>,
    /// By pair without contact: distance that its bodies together may have travelled until the pair
    /// has to be evaluated, m.
    pub separation_limits: Vec<f32>,
    /// By chunk and pair: direction along which the two bodies were separate at their last
    /// evaluation, or zero. Empty for a chunk of which no pair has one.
    pub separating_directions: Vec<Vec<Vec3>>,
    row_start: Vec<u32>,
    row: Vec<Entry>,
}

impl PairList {
    /// Returns the number of listed pairs.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len).sum()
    }

    /// Returns the pairs of a body, in the order of the partners' ids. A wall has none, unless forces
    /// move it.
    #[inline]
    pub fn row(&self, body: usize) -> &[Entry] {
        &self.row[self.row_start[body] as usize..self.row_start[body + 1] as usize]
    }

    /// Returns the number of the pair (a, b), if it is listed.
    pub fn number_of(&self, a: u32, b: u32) -> Option<usize> {
        // A wall has no row, or a long one: the pair is also in the row of the grain.
        let [row_a, row_b] = [a, b].map(|k| self.row(k as usize));
        let row = if row_b.is_empty() || (!row_a.is_empty() && row_a.len() < row_b.len()) { row_a } else { row_b };
        row.iter().map(|entry| entry.pair()).find(|&pair| self.pairs[pair] == [a, b])
    }

    /// Lists the candidates.
    pub fn rebuild(&mut self, execution: Execution, table: &PairTable, world: &World, candidates: &Candidates) {
        self.sort_into_batches(table, world.contact_measure(), &world.bodies, candidates);
        self.fill_rows(execution, &world.bodies);
    }

    /// Sorts the pairs by the kinds of their shapes, and cuts them into chunks.
    fn sort_into_batches(&mut self, table: &PairTable, measure: Measure, bodies: &Bodies, candidates: &Candidates) {
        const KINDS: usize = Kind::ALL.len();
        // Body a is the one with the lower (kind, id), which does not depend on the storage order.
        let ordered = |i: u32, j: u32| {
            let key = |k: u32| (bodies.kinetic[k as usize].tag.kind, bodies.id[k as usize]);
            if key(i) < key(j) { [i, j] } else { [j, i] }
        };
        let batch_of = |pair: [u32; 2]| {
            let [a, b] = pair.map(|k| bodies.kinetic[k as usize].tag.kind as usize);
            a * KINDS + b
        };
        // Counting sort by the two kinds.
        let mut count = [[0usize; KINDS]; KINDS];
        for (i, j) in candidates.iter() {
            let batch = batch_of(ordered(i, j));
            count[batch / KINDS][batch % KINDS] += 1;
        }
        self.chunks.clear();
        let mut next = [[0usize; KINDS]; KINDS];
        // Chunks of one batch are consecutive, so that a routine runs on many pairs in turn.
        for &a in Kind::ALL {
            for &b in Kind::ALL {
                next[a as usize][b as usize] = self.chunks.len() * PAIRS_PER_GROUP;
                let mut left = count[a as usize][b as usize];
                while left > 0 {
                    let len = left.min(PAIRS_PER_GROUP);
                    let routine = table.routine(measure, a, b);
                    self.chunks.push(Chunk { routine, len, is_on_surface: a == Kind::Surface });
                    left -= len;
                }
            }
        }
        self.pairs.clear();
        // Padding keeps the number of a pair equal to chunk times group size plus position.
        self.pairs.resize(self.chunks.len() * PAIRS_PER_GROUP, [u32::MAX; 2]);
        self.travelled.clear();
        self.travelled.resize(bodies.len(), 0.0);
        // Zero: every pair of a new list has to be evaluated.
        self.separation_limits.clear();
        self.separation_limits.resize(self.chunks.len() * PAIRS_PER_GROUP, 0.0);
        self.separating_directions.resize_with(self.chunks.len(), Vec::new);
        self.separating_directions.iter_mut().for_each(Vec::clear);
        for (i, j) in candidates.iter() {
            let pair = ordered(i, j);
            let batch = batch_of(pair);
            let slot = &mut next[batch / KINDS][batch % KINDS];
            self.pairs[*slot] = pair;
            *slot += 1;
        }
    }

    /// Collects the pairs of each grain by counting, and sorts them by the ids of the partners.
    fn fill_rows(&mut self, execution: Execution, bodies: &Bodies) {
        let n = bodies.len();
        self.row_start.clear();
        self.row_start.resize(n + 1, 0);
        let listed = || {
            self.chunks.iter().enumerate().flat_map(|(c, chunk)| c * PAIRS_PER_GROUP..c * PAIRS_PER_GROUP + chunk.len)
        };
        // Counting sort by body. Most walls have no row, because their forces are not added.
        for p in listed() {
            for k in self.pairs[p] {
                if bodies.kinetic[k as usize].tag.needs_wrench() {
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
                if bodies.kinetic[k as usize].tag.needs_wrench() {
                    row[next[k as usize] as usize] = Entry::new(p, side);
                    next[k as usize] += 1;
                }
            }
        }
        let pairs = &self.pairs;
        let partner = |entry: Entry| bodies.id[pairs[entry.pair()][usize::from(entry.is_a())] as usize];
        let blocks = rows_of_blocks(&mut row, &self.row_start).into_par_iter();
        execution.for_each_with_scratch(blocks, |keyed: &mut Vec<u64>, (block, starts)| {
            for ends in starts.windows(2) {
                let of_body = &mut block[(ends[0] - starts[0]) as usize..(ends[1] - starts[0]) as usize];
                // The key holds the partner's id in its upper half and the entry in its lower half,
                // so that plain integers are sorted and each id is read once.
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
}

/// Splits the rows into blocks of bodies, each with the starts of its rows, for parallel sorting.
fn rows_of_blocks<'a>(mut row: &'a mut [Entry], starts: &'a [u32]) -> Vec<(&'a mut [Entry], &'a [u32])> {
    let mut blocks = Vec::new();
    let mut first = 0;
    while first + 1 < starts.len() {
        let last = (first + BODIES_PER_BLOCK).min(starts.len() - 1);
        let (block, rest) = row.split_at_mut((starts[last] - starts[first]) as usize);
        blocks.push((block, &starts[first..=last]));
        row = rest;
        first = last;
    }
    blocks
}
