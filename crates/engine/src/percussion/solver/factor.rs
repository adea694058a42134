//! Factorisation of a symmetric matrix of 6 x 6 blocks: `L D L'`, with the bodies in an order of least degree.
//!
//! Contacts that act in a heap are few, a little more than one a body: eliminated in this order they fill in little. All depends on
//! the pattern alone, so that the same matrix has the same bits.

use super::blocks::{
    Block, Six, ZERO, add_product, add_transposed, diagonal, inverse, take_product, take_times_transposed, times,
    transposed,
};

/// Products of blocks for each body up to which a matrix is factorised: more cost more than the iterations that they save.
const MOST_PRODUCTS: usize = 64;
/// No block.
const NONE: u32 = u32::MAX;

/// Where the blocks of the factors are, and the factors.
#[derive(Default)]
pub struct Factor {
    /// Place in the order of elimination of each body, and the body of each place.
    place: Vec<u32>,
    bodies: Vec<u32>,
    /// First block of each place's column, and the end; the row of each block, a later place.
    first: Vec<u32>,
    rows: Vec<u32>,
    /// For each column and every two of its blocks, the block that their product goes to.
    targets: Vec<u32>,
    /// For each edge of the matrix its block, and whether it is stored the other way round.
    sources: Vec<(u32, bool)>,
    /// Blocks of L: first of the matrix, then `A_ij D_j⁻¹`.
    lower: Vec<Block>,
    /// Inverses of D, in the order of elimination.
    inverses: Vec<Block>,
    /// The column that is being eliminated, and the solution in the order of elimination.
    column: Vec<Block>,
    x: Vec<Six>,
}

impl Factor {
    /// Looks for an order and the places of the blocks, for edges given by their numbers and their two bodies, of `edges` in all.
    /// Whether that takes few products.
    pub fn analyse(&mut self, count: usize, edges: usize, live: &[(u32, [u32; 2])]) -> bool {
        let Some(columns) = self.eliminate(count, live) else { return false };
        self.bodies.clear();
        self.bodies.resize(count, 0);
        for (body, &place) in self.place.iter().enumerate() {
            self.bodies[place as usize] = body as u32;
        }
        self.first.clear();
        self.rows.clear();
        for column in &columns {
            self.first.push(self.rows.len() as u32);
            self.rows.extend(column.iter().map(|&body| self.place[body as usize]));
            let from = self.first[self.first.len() - 1] as usize;
            self.rows[from..].sort_unstable();
        }
        self.first.push(self.rows.len() as u32);
        self.targets.clear();
        for j in 0..count {
            let (from, to) = (self.first[j] as usize, self.first[j + 1] as usize);
            for k in from..to {
                // Rows and blocks are both sorted: one passes along the other.
                let column = self.rows[k] as usize;
                let mut at = self.first[column];
                for i in k + 1..to {
                    while self.rows[at as usize] < self.rows[i] {
                        at += 1;
                    }
                    self.targets.push(at);
                }
            }
        }
        self.sources.clear();
        self.sources.resize(edges, (NONE, false));
        for &(edge, [later, earlier]) in live {
            let (row, column) = (self.place[later as usize], self.place[earlier as usize]);
            let (low, high) = (row.min(column), row.max(column));
            let (from, to) = (self.first[low as usize] as usize, self.first[low as usize + 1] as usize);
            let at = from + self.rows[from..to].partition_point(|&row| row < high);
            self.sources[edge as usize] = (at as u32, row < column);
        }
        self.lower.clear();
        self.lower.resize(self.rows.len(), ZERO);
        true
    }

    /// Whether an edge has a block.
    pub fn has(&self, edge: u32) -> bool {
        self.sources.get(edge as usize).is_some_and(|source| source.0 != NONE)
    }

    /// Eliminates bodies, those with the fewest neighbours first. Gives the bodies that remain beside each, in the order of
    /// elimination; nothing if that takes too many products.
    fn eliminate(&mut self, count: usize, live: &[(u32, [u32; 2])]) -> Option<Vec<Vec<u32>>> {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); count];
        for &(_, [a, b]) in live {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        // Bodies by their number of neighbours; one that has changed stands there again, and its old place is passed over.
        let mut waiting: Vec<Vec<u32>> = Vec::new();
        fn wait(waiting: &mut Vec<Vec<u32>>, degree: usize, body: u32) {
            if waiting.len() <= degree {
                waiting.resize(degree + 1, Vec::new());
            }
            waiting[degree].push(body);
        }
        for body in (0..count).rev() {
            near[body].sort_unstable();
            wait(&mut waiting, near[body].len(), body as u32);
        }
        self.place.clear();
        self.place.resize(count, NONE);
        let mut columns = Vec::with_capacity(count);
        let mut merged = Vec::new();
        let (mut degree, mut products) = (0, 0);
        while columns.len() < count {
            let Some(body) = waiting[degree].pop() else {
                degree += 1;
                continue;
            };
            let b = body as usize;
            if self.place[b] != NONE || near[b].len() != degree {
                continue;
            }
            products += degree * (degree + 3) / 2;
            if products > MOST_PRODUCTS * count {
                return None;
            }
            self.place[b] = columns.len() as u32;
            let ties = std::mem::take(&mut near[b]);
            for &other in &ties {
                let list = &mut near[other as usize];
                let before = list.len();
                merge(list, &ties, [body, other], &mut merged);
                std::mem::swap(list, &mut merged);
                if list.len() != before {
                    let now = list.len();
                    wait(&mut waiting, now, other);
                    degree = degree.min(now);
                }
            }
            columns.push(ties);
        }
        Some(columns)
    }

    /// Factorises the matrix of these blocks: of the diagonal, and of the edges that were analysed.
    pub fn factorise(&mut self, diagonal: &[Block], off: &[Block]) {
        let count = diagonal.len();
        self.lower.fill(ZERO);
        for (&(at, swapped), block) in self.sources.iter().zip(off) {
            if at != NONE {
                self.lower[at as usize] = if swapped { transposed(block) } else { *block };
            }
        }
        self.inverses.clear();
        self.inverses.resize(count, ZERO);
        for (body, block) in diagonal.iter().enumerate() {
            self.inverses[self.place[body] as usize] = *block;
        }
        let mut target = 0;
        for j in 0..count {
            // Where too much was taken away, the block alone stands for itself.
            let own = &diagonal[self.bodies[j] as usize];
            let made = inverse(&self.inverses[j]).or_else(|| inverse(own));
            let inverse = made.unwrap_or_else(|| diagonal_inverse(own));
            self.inverses[j] = inverse;
            let (from, to) = (self.first[j] as usize, self.first[j + 1] as usize);
            // W_i = A_ij D_j⁻¹, and then A_ik -= W_i A_kj'.
            self.column.clear();
            for block in &self.lower[from..to] {
                self.column.push(times(block, &inverse));
            }
            for k in from..to {
                let a = self.lower[k];
                let own = &mut self.inverses[self.rows[k] as usize];
                take_times_transposed(own, &self.column[k - from], &a);
                for i in k + 1..to {
                    let block = &mut self.lower[self.targets[target] as usize];
                    take_times_transposed(block, &self.column[i - from], &a);
                    target += 1;
                }
            }
            self.lower[from..to].copy_from_slice(&self.column);
        }
    }

    /// `to` = the factors' answer to r.
    pub fn solve(&mut self, r: &[Six], to: &mut [Six]) {
        let count = r.len();
        let mut x = std::mem::take(&mut self.x);
        x.clear();
        x.resize(count, [0.0; 6]);
        for (body, r) in r.iter().enumerate() {
            x[self.place[body] as usize] = *r;
        }
        for j in 0..count {
            let own = x[j];
            for k in self.first[j] as usize..self.first[j + 1] as usize {
                take_product(&self.lower[k], &own, &mut x[self.rows[k] as usize]);
            }
        }
        for j in (0..count).rev() {
            let mut sum = [0.0; 6];
            for k in self.first[j] as usize..self.first[j + 1] as usize {
                add_transposed(&self.lower[k], &x[self.rows[k] as usize], &mut sum);
            }
            let mut own = [0.0; 6];
            add_product(&self.inverses[j], &x[j], &mut own);
            x[j] = std::array::from_fn(|k| own[k] - sum[k]);
        }
        for (body, to) in to.iter_mut().enumerate() {
            *to = x[self.place[body] as usize];
        }
        self.x = x;
    }
}

/// The union of two sorted lists without two bodies.
fn merge(one: &[u32], other: &[u32], without: [u32; 2], to: &mut Vec<u32>) {
    to.clear();
    let (mut i, mut j) = (0, 0);
    while i < one.len() || j < other.len() {
        let (a, b) = (one.get(i).copied().unwrap_or(NONE), other.get(j).copied().unwrap_or(NONE));
        let least = a.min(b);
        i += usize::from(a == least);
        j += usize::from(b == least);
        if !without.contains(&least) {
            to.push(least);
        }
    }
}

/// The inverse of a block's diagonal, all of whose entries are one or more.
fn diagonal_inverse(block: &Block) -> Block {
    diagonal(std::array::from_fn(|k| 1.0 / block[k][k]))
}
