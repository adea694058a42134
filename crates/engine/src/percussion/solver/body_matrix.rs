//! Symmetric matrices of 6 x 6 blocks, a row of them a body, and equations with them.
//!
//! Off its diagonal a matrix has a block for every two bodies that touch, whatever the number of their contacts. Equations are solved by its
//! factors (`factor.rs`), or, where bodies have many neighbours, by iteration (`incomplete.rs`). All sums are in a fixed order.

use super::blocks::{Block, Six, UNIT, ZERO};
use super::factor::Factor;
use super::incomplete::Incomplete;

/// What is to be left of the blocks that would fill in too much before they are looked at again.
const FEWER: f64 = 0.8;

/// Where the blocks of a matrix are.
pub struct Pattern {
    /// Number of bodies.
    pub count: usize,
    /// Bodies of each block off the diagonal, the later one first; sorted.
    edges: Vec<[u32; 2]>,
    /// First edge of each body as the later one, and the end.
    first: Vec<u32>,
}

impl Pattern {
    /// The pattern for pairs of bodies, in any order and any number of times.
    pub fn new(count: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut edges: Vec<[u32; 2]> = pairs.map(|[a, b]| [a.max(b), a.min(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut first = vec![0u32; count + 1];
        for [later, _] in &edges {
            first[*later as usize + 1] += 1;
        }
        for body in 0..count {
            first[body + 1] += first[body];
        }
        Self { count, edges, first }
    }

    /// Number of the block of two bodies, the later one first.
    pub fn edge(&self, later: u32, earlier: u32) -> usize {
        let range = self.first[later as usize] as usize..self.first[later as usize + 1] as usize;
        let of_later = &self.edges[range.clone()];
        range.start + of_later.partition_point(|edge| edge[1] < earlier)
    }
}

/// A symmetric matrix on a pattern.
pub struct BodyMatrix {
    /// Blocks on the diagonal.
    pub diagonal: Vec<Block>,
    /// Blocks off it, rows of the later body.
    pub off: Vec<Block>,
    /// Blocks off the diagonal that are not zero, with the earlier of their bodies, and the first of each later one.
    live: Vec<[u32; 2]>,
    first: Vec<u32>,
    way: Way,
    factor: Factor,
    incomplete: Incomplete,
}

/// How equations are solved.
#[derive(Clone, Copy)]
enum Way {
    /// By factors.
    Exact,
    /// By iteration: so many blocks off the diagonal filled in too much.
    Iterative(usize),
}

impl BodyMatrix {
    /// The unit matrix.
    pub fn unit(pattern: &Pattern) -> Self {
        Self {
            diagonal: vec![UNIT; pattern.count],
            off: vec![ZERO; pattern.edges.len()],
            live: Vec::new(),
            first: Vec::new(),
            way: Way::Iterative(usize::MAX),
            factor: Factor::default(),
            incomplete: Incomplete::default(),
        }
    }

    /// Makes it the unit matrix again.
    pub fn reset(&mut self) {
        self.off.fill(ZERO);
        self.diagonal.fill(UNIT);
    }

    /// Notes which blocks are there: most contacts ahead do not act.
    fn note_live(&mut self, pattern: &Pattern) {
        self.live.clear();
        self.first.clear();
        self.first.push(0);
        for body in 0..pattern.count {
            for edge in pattern.first[body]..pattern.first[body + 1] {
                if self.off[edge as usize] != ZERO {
                    self.live.push([edge, pattern.edges[edge as usize][1]]);
                }
            }
            self.first.push(self.live.len() as u32);
        }
    }

    /// Prepares equations. The factors are analysed anew where a block has come that had no place in them.
    pub fn factorise(&mut self, pattern: &Pattern) {
        self.note_live(pattern);
        let is_known = match self.way {
            Way::Exact => self.live.iter().all(|live| self.factor.has(live[0])),
            Way::Iterative(too_many) => self.live.len() as f64 > FEWER * too_many as f64,
        };
        if !is_known {
            let live: Vec<(u32, [u32; 2])> =
                self.live.iter().map(|&[edge, _]| (edge, pattern.edges[edge as usize])).collect();
            let fits = self.factor.analyse(pattern.count, pattern.edges.len(), &live);
            self.way = if fits { Way::Exact } else { Way::Iterative(live.len()) };
        }
        match self.way {
            Way::Exact => self.factor.factorise(&self.diagonal, &self.off),
            Way::Iterative(_) => self.incomplete.factorise(&self.diagonal, &self.off, &self.live, &self.first),
        }
    }

    /// Solves for x; by iteration, if it must be, until `part` of the residual is left. Returns the iterations.
    pub fn solve(&mut self, right: &[Six], x: &mut [Six], part: f64, most: u32) -> u32 {
        match self.way {
            Way::Exact => {
                self.factor.solve(right, x);
                1
            }
            Way::Iterative(_) => self.incomplete.solve(right, x, part, most),
        }
    }
}

#[cfg(test)]
mod tests {
    use granum_geometry::random::Random;

    use super::super::blocks::{add_product, add_transposed};
    use super::*;

    /// The matrix times x.
    fn times(pattern: &Pattern, matrix: &BodyMatrix, x: &[Six]) -> Vec<Six> {
        let mut image = vec![[0.0; 6]; pattern.count];
        for (body, to) in image.iter_mut().enumerate() {
            add_product(&matrix.diagonal[body], &x[body], to);
        }
        for (block, &[later, earlier]) in matrix.off.iter().zip(&pattern.edges) {
            add_product(block, &x[earlier as usize], &mut image[later as usize]);
            add_transposed(block, &x[later as usize], &mut image[earlier as usize]);
        }
        image
    }

    /// A matrix `1 + sum c c'` of random rows of pairs of bodies, and iterations until an equation with it is solved to 1e-10.
    fn iterations(count: u32, pairs: &[[u32; 2]]) -> u32 {
        let mut random = Random::new(3);
        let pattern = Pattern::new(count as usize, pairs.iter().copied());
        let mut matrix = BodyMatrix::unit(&pattern);
        for &[a, b] in pairs {
            let (later, earlier) = (a.max(b), a.min(b));
            let rows: [Six; 2] = std::array::from_fn(|_| std::array::from_fn(|_| random.range(-30.0, 30.0)));
            let edge = pattern.edge(later, earlier);
            for c in 0..6 {
                for r in 0..6 {
                    matrix.diagonal[later as usize][c][r] += rows[0][c] * rows[0][r];
                    matrix.diagonal[earlier as usize][c][r] += rows[1][c] * rows[1][r];
                    matrix.off[edge][c][r] += rows[1][c] * rows[0][r];
                }
            }
        }
        matrix.factorise(&pattern);
        let right: Vec<Six> = (0..count).map(|_| std::array::from_fn(|_| random.range(-1.0, 1.0))).collect();
        let mut x = vec![[0.0; 6]; count as usize];
        let done = matrix.solve(&right, &mut x, 1e-10, 1000);
        let image = times(&pattern, &matrix, &x);
        let off = image.iter().flatten().zip(right.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{off:e} after {done} iterations");
        done
    }

    #[test]
    fn factors_of_a_heap_are_exact() {
        // A lattice of 8 x 8 x 8 bodies, those beside each other tied together.
        let place = |x: u32, y: u32, z: u32| x + 8 * (y + 8 * z);
        let mut pairs = Vec::new();
        for (x, y, z) in (0..8).flat_map(|x| (0..8).flat_map(move |y| (0..8).map(move |z| (x, y, z)))) {
            let others = [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)];
            let inside = others.into_iter().filter(|(x, y, z)| x.max(y).max(z) < &8);
            pairs.extend(inside.map(|(i, j, k)| [place(x, y, z), place(i, j, k)]));
        }
        assert!(iterations(512, &pairs) > 1, "a lattice would fill in too much");
        // One of its layers does not.
        let layer: Vec<[u32; 2]> = pairs.into_iter().filter(|pair| pair.iter().all(|&k| k < 64)).collect();
        assert_eq!(iterations(64, &layer), 1);
    }

    #[test]
    fn bodies_that_all_touch_are_solved_too() {
        let pairs: Vec<[u32; 2]> = (0..90).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
        assert!(iterations(90, &pairs) < 100);
    }
}
