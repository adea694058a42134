//! The Hessian of Newton's method: a sparse symmetric matrix of 6 x 6 blocks, one block row per
//! body.
//!
//! Off its diagonal it has a block for every two bodies in contact, whatever the number of their
//! contacts. Equations are solved by sparse factorisation (`block_ldl.rs`) or, if the factors would
//! have too many blocks, by conjugate gradients (`conjugate_gradients.rs`). All sums are in a fixed
//! order.

use std::time::Instant;

use super::block_ldl::BlockLdl;
use super::block6::{Block6, UNIT, Vector6, ZERO};
use super::conjugate_gradients::ConjugateGradients;
use crate::percussion::profile::{Effort, Part};

/// Number of blocks, relative to that of the last matrix with too much fill-in, below which the
/// factorisation is analysed again. The analysis costs more than a few iterations.
const RETRY_FRACTION: f64 = 0.8;

/// Sparsity pattern of a block matrix.
pub struct Pattern {
    /// Number of bodies.
    pub count: usize,
    /// Bodies of each off-diagonal block (an edge), the later one first; sorted.
    edges: Vec<[u32; 2]>,
    /// First edge of each body as the later one, and the number of edges.
    first: Vec<u32>,
}

impl Pattern {
    /// Returns the pattern of pairs of bodies, in any order and with repetitions.
    pub fn new(count: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut edges: Vec<[u32; 2]> = pairs.map(|[a, b]| [a.max(b), a.min(b)]).collect();
        // One block for each pair of bodies, in an order that does not depend on the contacts.
        edges.sort_unstable();
        edges.dedup();
        let mut first = vec![0u32; count + 1];
        for [later, _] in &edges {
            first[*later as usize + 1] += 1;
        }
        // The running sum turns the counts into first positions.
        for body in 0..count {
            first[body + 1] += first[body];
        }
        Self { count, edges, first }
    }

    /// Returns the number of the block of two bodies.
    pub fn edge(&self, later: u32, earlier: u32) -> usize {
        let range = self.first[later as usize] as usize..self.first[later as usize + 1] as usize;
        let of_later = &self.edges[range.clone()];
        range.start + of_later.partition_point(|edge| edge[1] < earlier)
    }
}

/// A symmetric block matrix on a pattern.
pub struct Hessian {
    /// Diagonal blocks.
    pub diagonal: Vec<Block6>,
    /// Off-diagonal blocks, with rows of the later body.
    pub off_diagonal: Vec<Block6>,
    /// Off-diagonal blocks that are not zero: edge and earlier body.
    nonzero: Vec<[u32; 2]>,
    /// First of them for each body as the later one, and their number.
    first: Vec<u32>,
    method: Method,
    ldl: BlockLdl,
    conjugate_gradients: ConjugateGradients,
}

/// Method by which equations are solved.
#[derive(Clone, Copy)]
enum Method {
    /// Sparse factorisation.
    Direct,
    /// Conjugate gradients, because this number of off-diagonal blocks had too much fill-in.
    Iterative(usize),
}

impl Hessian {
    /// Returns the unit matrix.
    pub fn unit(pattern: &Pattern) -> Self {
        Self {
            diagonal: vec![UNIT; pattern.count],
            off_diagonal: vec![ZERO; pattern.edges.len()],
            nonzero: Vec::new(),
            first: Vec::new(),
            // This block count never occurs, so that the first matrix is always analysed.
            method: Method::Iterative(usize::MAX),
            ldl: BlockLdl::default(),
            conjugate_gradients: ConjugateGradients::default(),
        }
    }

    /// Resets it to the unit matrix.
    pub fn reset(&mut self) {
        self.off_diagonal.fill(ZERO);
        self.diagonal.fill(UNIT);
    }

    /// Finds the blocks that are not zero. Most contacts do not act.
    fn find_nonzero(&mut self, pattern: &Pattern) {
        self.nonzero.clear();
        self.first.clear();
        self.first.push(0);
        for body in 0..pattern.count {
            for edge in pattern.first[body]..pattern.first[body + 1] {
                if self.off_diagonal[edge as usize] != ZERO {
                    self.nonzero.push([edge, pattern.edges[edge as usize][1]]);
                }
            }
            self.first.push(self.nonzero.len() as u32);
        }
    }

    /// Factorises the matrix, or its preconditioner, and adds the time since `time`. The sparsity is analysed again if a block is
    /// nonzero that the factors have no room for.
    pub fn factorise(&mut self, pattern: &Pattern, effort: &mut Effort, time: &mut Instant) {
        self.find_nonzero(pattern);
        let is_analysed = match self.method {
            // Factors with room for more blocks than are nonzero are valid, too.
            Method::Direct => self.nonzero.iter().all(|nonzero| self.ldl.has(nonzero[0])),
            Method::Iterative(too_many) => self.nonzero.len() as f64 > RETRY_FRACTION * too_many as f64,
        };
        if !is_analysed {
            let nonzero: Vec<(u32, [u32; 2])> =
                self.nonzero.iter().map(|&[edge, _]| (edge, pattern.edges[edge as usize])).collect();
            // The analysis fails if elimination would fill too many blocks.
            let is_sparse = self.ldl.analyse(pattern.count, pattern.edges.len(), &nonzero);
            self.method = if is_sparse { Method::Direct } else { Method::Iterative(nonzero.len()) };
            effort.analyses += 1;
        }
        effort.lap(Part::Analysis, time);
        effort.factorisations += 1;
        match self.method {
            Method::Direct => self.ldl.factorise(&self.diagonal, &self.off_diagonal),
            Method::Iterative(_) => {
                self.conjugate_gradients.factorise(&self.diagonal, &self.off_diagonal, &self.nonzero, &self.first);
            }
        }
        effort.lap(Part::Factorisation, time);
    }

    /// Returns whether the last matrix was factorised, and not only its preconditioner.
    pub fn is_direct(&self) -> bool {
        matches!(self.method, Method::Direct)
    }

    /// Solves for x. The iterative method ends at a relative residual of `forcing`. Returns the
    /// number of iterations.
    pub fn solve(&mut self, right: &[Vector6], x: &mut [Vector6], forcing: f64, max_iterations: u32) -> u32 {
        match self.method {
            Method::Direct => {
                self.ldl.solve(right, x);
                1
            }
            Method::Iterative(_) => self.conjugate_gradients.solve(right, x, forcing, max_iterations),
        }
    }
}

#[cfg(test)]
mod tests {
    use granum_geometry::random::Random;

    use super::super::block6::{add_product, add_transposed_product};
    use super::*;

    /// Returns the matrix times x.
    fn times(pattern: &Pattern, matrix: &Hessian, x: &[Vector6]) -> Vec<Vector6> {
        let mut image = vec![[0.0; 6]; pattern.count];
        for (body, to) in image.iter_mut().enumerate() {
            add_product(&matrix.diagonal[body], &x[body], to);
        }
        for (block, &[later, earlier]) in matrix.off_diagonal.iter().zip(&pattern.edges) {
            add_product(block, &x[earlier as usize], &mut image[later as usize]);
            add_transposed_product(block, &x[later as usize], &mut image[earlier as usize]);
        }
        image
    }

    /// Returns the iterations until an equation is solved to 1e-10. Its matrix is `1 + sum c c'` of
    /// random rows of pairs of bodies.
    fn iterations(count: u32, pairs: &[[u32; 2]]) -> u32 {
        let mut random = Random::new(3);
        let pattern = Pattern::new(count as usize, pairs.iter().copied());
        let mut matrix = Hessian::unit(&pattern);
        for &[a, b] in pairs {
            let (later, earlier) = (a.max(b), a.min(b));
            let rows: [Vector6; 2] = std::array::from_fn(|_| std::array::from_fn(|_| random.range(-30.0, 30.0)));
            let edge = pattern.edge(later, earlier);
            for c in 0..6 {
                for r in 0..6 {
                    matrix.diagonal[later as usize][c][r] += rows[0][c] * rows[0][r];
                    matrix.diagonal[earlier as usize][c][r] += rows[1][c] * rows[1][r];
                    matrix.off_diagonal[edge][c][r] += rows[1][c] * rows[0][r];
                }
            }
        }
        matrix.factorise(&pattern, &mut Effort::default(), &mut Instant::now());
        let right: Vec<Vector6> = (0..count).map(|_| std::array::from_fn(|_| random.range(-1.0, 1.0))).collect();
        let mut x = vec![[0.0; 6]; count as usize];
        let done = matrix.solve(&right, &mut x, 1e-10, 1000);
        let image = times(&pattern, &matrix, &x);
        let off = image.iter().flatten().zip(right.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{off:e} after {done} iterations");
        done
    }

    #[test]
    fn a_layer_is_factorised_and_a_lattice_is_not() {
        // A lattice of 8 x 8 x 8 bodies, with an edge between neighbours.
        let index = |x: u32, y: u32, z: u32| x + 8 * (y + 8 * z);
        let mut pairs = Vec::new();
        for (x, y, z) in (0..8).flat_map(|x| (0..8).flat_map(move |y| (0..8).map(move |z| (x, y, z)))) {
            let others = [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)];
            let inside = others.into_iter().filter(|(x, y, z)| x.max(y).max(z) < &8);
            pairs.extend(inside.map(|(i, j, k)| [index(x, y, z), index(i, j, k)]));
        }
        assert!(iterations(512, &pairs) > 1, "a lattice has too much fill-in");
        // A single layer of the lattice has little fill-in.
        let layer: Vec<[u32; 2]> = pairs.into_iter().filter(|pair| pair.iter().all(|&k| k < 64)).collect();
        assert_eq!(iterations(64, &layer), 1);
    }

    #[test]
    fn a_full_matrix_is_solved_by_conjugate_gradients() {
        let pairs: Vec<[u32; 2]> = (0..90).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
        assert!(iterations(90, &pairs) < 100);
    }
}
