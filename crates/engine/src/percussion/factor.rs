//! Factorisation of a symmetric matrix of 6 x 6 blocks: `L D L'`, with the bodies in an order of least degree.
//!
//! Contacts that act in a heap are few, a little more than one a body: eliminated in this order they fill in little, and the
//! factors are exact. Where they would fill in too much, blocks stay as they are and only D is chosen, with the bodies in their own
//! order: nearly exact where contacts form chains and trees, and a preconditioner elsewhere. All depends on the pattern alone, so that
//! the same matrix has the same bits.

use super::body_matrix::{Block, Six, add_product, add_transposed, inverse};

/// Products of blocks for each body up to which factors are exact: more cost more than the iterations that they save.
const MOST_PRODUCTS: usize = 64;
/// No block.
const NONE: u32 = u32::MAX;
const ZERO: Block = [[0.0; 6]; 6];

/// Where the blocks of the factors are, and the factors.
#[derive(Default)]
pub struct Factor {
    /// Place in the order of elimination of each body, and the body of each place.
    place: Vec<u32>,
    bodies: Vec<u32>,
    /// First block of each place's column, and the end; the row of each block, a later place.
    first: Vec<u32>,
    rows: Vec<u32>,
    /// For each column and every two of its blocks, the block that their product goes to, if there is one.
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
    pub fn analyse(&mut self, count: usize, edges: usize, live: &[(u32, [u32; 2])]) {
        let exact = self.eliminate(count, live);
        let fills = exact.is_some();
        let columns = exact.unwrap_or_else(|| self.in_own_order(count, live));
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
                let (mut at, end) = (self.first[column], self.first[column + 1]);
                for i in k + 1..to {
                    while at < end && self.rows[at as usize] < self.rows[i] {
                        at += 1;
                    }
                    let found = at < end && self.rows[at as usize] == self.rows[i];
                    self.targets.push(if found && fills { at } else { NONE });
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
    }

    /// Whether it was analysed, for so many bodies.
    pub fn is_of(&self, count: usize) -> bool {
        self.place.len() == count
    }

    /// Whether an edge has a block.
    pub fn has(&self, edge: u32) -> bool {
        self.sources.get(edge as usize).is_some_and(|source| source.0 != NONE)
    }

    /// Takes the bodies in their own order. Gives the later neighbours of each.
    fn in_own_order(&mut self, count: usize, live: &[(u32, [u32; 2])]) -> Vec<Vec<u32>> {
        self.place.clear();
        self.place.extend(0..count as u32);
        let mut columns = vec![Vec::new(); count];
        for &(_, [a, b]) in live {
            columns[a.min(b) as usize].push(a.max(b));
        }
        columns
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
                let mut w = ZERO;
                for (column, of_inverse) in w.iter_mut().zip(&inverse) {
                    add_product(block, of_inverse, column);
                }
                self.column.push(w);
            }
            for k in from..to {
                let a = self.lower[k];
                let own = &mut self.inverses[self.rows[k] as usize];
                take_product(own, &self.column[k - from], &a);
                for i in k + 1..to {
                    let at = self.targets[target];
                    target += 1;
                    if at != NONE {
                        take_product(&mut self.lower[at as usize], &self.column[i - from], &a);
                    }
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
            let own = x[j].map(|entry| -entry);
            for k in self.first[j] as usize..self.first[j + 1] as usize {
                add_product(&self.lower[k], &own, &mut x[self.rows[k] as usize]);
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

/// `block -= w a'`.
#[inline(always)]
fn take_product(block: &mut Block, w: &Block, a: &Block) {
    for column in 0..6 {
        for k in 0..6 {
            let share = a[k][column];
            for row in 0..6 {
                block[column][row] -= w[k][row] * share;
            }
        }
    }
}

fn transposed(block: &Block) -> Block {
    std::array::from_fn(|column| std::array::from_fn(|row| block[row][column]))
}

/// The inverse of a block's diagonal, all of whose entries are one or more.
fn diagonal_inverse(block: &Block) -> Block {
    let mut made = ZERO;
    for k in 0..6 {
        made[k][k] = 1.0 / block[k][k];
    }
    made
}
