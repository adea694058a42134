//! Sparse factorisation `L D L'` of a symmetric matrix of 6 x 6 blocks, in minimum-degree order.
//!
//! The active contacts of a heap are few, a little more than one pair per body, so that this order
//! gives little fill-in. The order depends on the pattern only, so that equal matrices give equal
//! bits.

use super::block6::{
    Block6, Vector6, ZERO, add_product, add_transposed_product, diagonal, inverse, subtract_product,
    subtract_times_transposed, times, transposed,
};

/// Largest number of block products per body in a factorisation. A denser matrix is solved faster
/// by conjugate gradients.
const MAX_PRODUCTS: usize = 64;
/// No block.
const NONE: u32 = u32::MAX;

/// Pattern and values of the factors.
#[derive(Default)]
pub struct BlockLdl {
    /// Position of each body in the elimination order, and the body at each position.
    position: Vec<u32>,
    bodies: Vec<u32>,
    /// First block of each column, and the number of blocks; row of each block, a later position.
    first: Vec<u32>,
    rows: Vec<u32>,
    /// Block from which the product of two blocks of a column is subtracted, for all columns.
    targets: Vec<u32>,
    /// Block of each edge of the matrix, and whether it is transposed.
    sources: Vec<(u32, bool)>,
    /// Blocks of L: first those of the matrix, then `A_ij D_j⁻¹`.
    lower: Vec<Block6>,
    /// Inverses of the blocks of D, in elimination order.
    inverses: Vec<Block6>,
    /// Scratch: the column being eliminated, and the solution in elimination order.
    column: Vec<Block6>,
    x: Vec<Vector6>,
}

impl BlockLdl {
    /// Symbolic factorisation: finds the elimination order and the pattern of L. `nonzero` are the
    /// numbers and the two bodies of the edges with nonzero blocks, of `edges` in all. Returns
    /// false if the factorisation would take too many products.
    pub fn analyse(&mut self, count: usize, edges: usize, nonzero: &[(u32, [u32; 2])]) -> bool {
        let Some(columns) = self.eliminate(count, nonzero) else { return false };
        self.bodies.clear();
        self.bodies.resize(count, 0);
        // The inverse permutation.
        for (body, &position) in self.position.iter().enumerate() {
            self.bodies[position as usize] = body as u32;
        }
        self.first.clear();
        self.rows.clear();
        for column in &columns {
            self.first.push(self.rows.len() as u32);
            self.rows.extend(column.iter().map(|&body| self.position[body as usize]));
            let from = self.first[self.first.len() - 1] as usize;
            // Sorted rows let the solution visit memory in order.
            self.rows[from..].sort_unstable();
        }
        self.first.push(self.rows.len() as u32);
        // For every product of two blocks of a column, the block that it changes.
        self.targets.clear();
        for j in 0..count {
            let (from, to) = (self.first[j] as usize, self.first[j + 1] as usize);
            for k in from..to {
                // Both row lists are sorted, so one pass finds all targets.
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
        for &(edge, [later, earlier]) in nonzero {
            let (row, column) = (self.position[later as usize], self.position[earlier as usize]);
            let (low, high) = (row.min(column), row.max(column));
            let (from, to) = (self.first[low as usize] as usize, self.first[low as usize + 1] as usize);
            // The edge may be above the diagonal in the elimination order. Its block is then
            // transposed.
            let at = from + self.rows[from..to].partition_point(|&row| row < high);
            self.sources[edge as usize] = (at as u32, row < column);
        }
        self.lower.clear();
        self.lower.resize(self.rows.len(), ZERO);
        true
    }

    /// Returns whether L has a block for an edge.
    pub fn has(&self, edge: u32) -> bool {
        self.sources.get(edge as usize).is_some_and(|source| source.0 != NONE)
    }

    /// Eliminates the bodies in minimum-degree order. Returns the remaining neighbours of each body
    /// at its elimination, in elimination order; `None` if that takes too many products.
    fn eliminate(&mut self, count: usize, nonzero: &[(u32, [u32; 2])]) -> Option<Vec<Vec<u32>>> {
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); count];
        for &(_, [a, b]) in nonzero {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        // Bodies by degree. A body whose degree changes is added again; its old entry is then
        // skipped.
        let mut by_degree: Vec<Vec<u32>> = Vec::new();
        fn add_by_degree(by_degree: &mut Vec<Vec<u32>>, degree: usize, body: u32) {
            if by_degree.len() <= degree {
                by_degree.resize(degree + 1, Vec::new());
            }
            by_degree[degree].push(body);
        }
        // In reverse, so that bodies of equal degree are taken in the order of their numbers.
        for body in (0..count).rev() {
            neighbours[body].sort_unstable();
            add_by_degree(&mut by_degree, neighbours[body].len(), body as u32);
        }
        self.position.clear();
        self.position.resize(count, NONE);
        let mut columns = Vec::with_capacity(count);
        let mut merged = Vec::new();
        let (mut degree, mut products) = (0, 0);
        while columns.len() < count {
            let Some(body) = by_degree[degree].pop() else {
                degree += 1;
                continue;
            };
            let b = body as usize;
            // An old entry: the body is eliminated, or its degree has changed since.
            if self.position[b] != NONE || neighbours[b].len() != degree {
                continue;
            }
            // Products of the elimination of a body with this many neighbours, its own row
            // included.
            products += degree * (degree + 3) / 2;
            if products > MAX_PRODUCTS * count {
                return None;
            }
            self.position[b] = columns.len() as u32;
            // Elimination connects all remaining neighbours with each other.
            let remaining = std::mem::take(&mut neighbours[b]);
            for &other in &remaining {
                let list = &mut neighbours[other as usize];
                let before = list.len();
                merge(list, &remaining, [body, other], &mut merged);
                std::mem::swap(list, &mut merged);
                if list.len() != before {
                    let now = list.len();
                    add_by_degree(&mut by_degree, now, other);
                    // The merged neighbour may now have the least degree.
                    degree = degree.min(now);
                }
            }
            columns.push(remaining);
        }
        Some(columns)
    }

    /// Numeric factorisation of a matrix with the analysed pattern.
    pub fn factorise(&mut self, diagonal: &[Block6], off: &[Block6]) {
        let count = diagonal.len();
        self.lower.fill(ZERO);
        for (&(at, swapped), block) in self.sources.iter().zip(off) {
            if at != NONE {
                self.lower[at as usize] = if swapped { transposed(block) } else { *block };
            }
        }
        self.inverses.clear();
        self.inverses.resize(count, ZERO);
        // The inverses hold the blocks of D until each is inverted.
        for (body, block) in diagonal.iter().enumerate() {
            self.inverses[self.position[body] as usize] = *block;
        }
        let mut target = 0;
        for j in 0..count {
            // If cancellation made the pivot singular, the block of the matrix replaces it.
            let own = &diagonal[self.bodies[j] as usize];
            let made = inverse(&self.inverses[j]).or_else(|| inverse(own));
            let inverse = made.unwrap_or_else(|| diagonal_inverse(own));
            self.inverses[j] = inverse;
            let (from, to) = (self.first[j] as usize, self.first[j + 1] as usize);
            // L_ij = A_ij D_j⁻¹, and then A_ik -= L_ij A_kj'.
            self.column.clear();
            for block in &self.lower[from..to] {
                self.column.push(times(block, &inverse));
            }
            for k in from..to {
                let a = self.lower[k];
                let own = &mut self.inverses[self.rows[k] as usize];
                subtract_times_transposed(own, &self.column[k - from], &a);
                for i in k + 1..to {
                    let block = &mut self.lower[self.targets[target] as usize];
                    subtract_times_transposed(block, &self.column[i - from], &a);
                    target += 1;
                }
            }
            self.lower[from..to].copy_from_slice(&self.column);
        }
    }

    /// Solves `L D L' to = r`.
    pub fn solve(&mut self, r: &[Vector6], to: &mut [Vector6]) {
        // The vector is permuted to the elimination order, and back at the end.
        let count = r.len();
        let mut x = std::mem::take(&mut self.x);
        x.clear();
        x.resize(count, [0.0; 6]);
        for (body, r) in r.iter().enumerate() {
            x[self.position[body] as usize] = *r;
        }
        // Forward substitution with L.
        for j in 0..count {
            let own = x[j];
            for k in self.first[j] as usize..self.first[j + 1] as usize {
                subtract_product(&self.lower[k], &own, &mut x[self.rows[k] as usize]);
            }
        }
        // Division by D and backward substitution with L'.
        for j in (0..count).rev() {
            let mut sum = [0.0; 6];
            for k in self.first[j] as usize..self.first[j + 1] as usize {
                add_transposed_product(&self.lower[k], &x[self.rows[k] as usize], &mut sum);
            }
            let mut own = [0.0; 6];
            add_product(&self.inverses[j], &x[j], &mut own);
            x[j] = std::array::from_fn(|k| own[k] - sum[k]);
        }
        for (body, to) in to.iter_mut().enumerate() {
            *to = x[self.position[body] as usize];
        }
        self.x = x;
    }
}

/// Computes the union of two sorted lists without two bodies.
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

/// Returns the inverse of the diagonal of a block. All its entries are at least 1, that of the unit
/// matrix in the Hessian.
fn diagonal_inverse(block: &Block6) -> Block6 {
    diagonal(std::array::from_fn(|k| 1.0 / block[k][k]))
}
