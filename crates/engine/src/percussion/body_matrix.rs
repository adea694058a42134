//! Symmetric matrices of 6 x 6 blocks, a row of them a body, and conjugate gradients with them.
//!
//! Off its diagonal a matrix has a block for every two bodies that touch, whatever the number of their contacts. The
//! preconditioner is its factorisation (`factor.rs`), which is exact unless bodies have many neighbours: one iteration is then enough. All sums are in a fixed order.

use super::factor::Factor;

/// Six components of a body's motion.
pub type Six = [f64; 6];
/// A block, column by column.
pub type Block = [Six; 6];

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
    /// Its factors.
    factor: Factor,
    /// Blocks off the diagonal that are not zero, with the earlier of their bodies, and the first of each later one.
    live: Vec<[u32; 2]>,
    first: Vec<u32>,
}

/// `to += block x`.
#[inline(always)]
pub fn add_product(block: &Block, x: &Six, to: &mut Six) {
    for column in 0..6 {
        for row in 0..6 {
            to[row] += block[column][row] * x[column];
        }
    }
}

/// `to += block' x`.
#[inline(always)]
pub fn add_transposed(block: &Block, x: &Six, to: &mut Six) {
    for column in 0..6 {
        let mut sum = 0.0;
        for row in 0..6 {
            sum += block[column][row] * x[row];
        }
        to[column] += sum;
    }
}

/// Inverse of a symmetric block, if it is positive definite.
pub fn inverse(block: &Block) -> Option<Block> {
    // By the symmetric sweep of one pivot after the other.
    let mut m = *block;
    for pivot in 0..6 {
        let d = m[pivot][pivot];
        if d <= SINGULAR * block[pivot][pivot] {
            return None;
        }
        let column = m[pivot];
        for j in 0..6 {
            if j != pivot {
                let share = column[j] / d;
                for i in 0..6 {
                    m[j][i] -= share * column[i];
                }
                m[j][pivot] = share;
            }
        }
        for i in 0..6 {
            m[pivot][i] = column[i] / d;
        }
        m[pivot][pivot] = -1.0 / d;
    }
    for column in &mut m {
        for entry in column {
            *entry = -*entry;
        }
    }
    Some(m)
}

/// Part of a diagonal entry that a pivot must keep: below it, the factorisation has lost the block.
const SINGULAR: f64 = 1e-8;

impl BodyMatrix {
    /// The unit matrix.
    pub fn unit(pattern: &Pattern) -> Self {
        let zero = [[0.0; 6]; 6];
        let mut made = Self {
            diagonal: vec![zero; pattern.count],
            off: vec![zero; pattern.edges.len()],
            factor: Factor::default(),
            live: Vec::new(),
            first: Vec::new(),
        };
        made.reset();
        made
    }

    /// Makes it the unit matrix again.
    pub fn reset(&mut self) {
        self.off.fill([[0.0; 6]; 6]);
        for block in &mut self.diagonal {
            *block = [[0.0; 6]; 6];
            for (k, column) in block.iter_mut().enumerate() {
                column[k] = 1.0;
            }
        }
    }

    /// Blocks of a body with earlier ones: their numbers and those bodies.
    #[inline]
    fn earlier(&self, body: usize) -> impl Iterator<Item = (usize, usize)> {
        let range = self.first[body] as usize..self.first[body + 1] as usize;
        self.live[range].iter().map(|&[edge, earlier]| (edge as usize, earlier as usize))
    }

    /// Notes which blocks are there: most contacts ahead do not act.
    fn note_live(&mut self, pattern: &Pattern) {
        self.live.clear();
        self.first.clear();
        self.first.push(0);
        for body in 0..pattern.count {
            for edge in pattern.first[body]..pattern.first[body + 1] {
                if self.off[edge as usize] != [[0.0; 6]; 6] {
                    self.live.push([edge, pattern.edges[edge as usize][1]]);
                }
            }
            self.first.push(self.live.len() as u32);
        }
    }

    /// Prepares products and the factors. These are analysed anew where a block has come that had no place in them.
    pub fn factorise(&mut self, pattern: &Pattern) {
        self.note_live(pattern);
        if !self.factor.is_of(pattern.count) || !self.live.iter().all(|live| self.factor.has(live[0])) {
            let live: Vec<(u32, [u32; 2])> =
                self.live.iter().map(|&[edge, _]| (edge, pattern.edges[edge as usize])).collect();
            self.factor.analyse(pattern.count, pattern.edges.len(), &live);
        }
        self.factor.factorise(&self.diagonal, &self.off);
    }

    /// `to = self x`.
    pub fn times(&self, pattern: &Pattern, x: &[Six], to: &mut [Six]) {
        for body in 0..pattern.count {
            let mut sum = [0.0; 6];
            add_product(&self.diagonal[body], &x[body], &mut sum);
            for (edge, earlier) in self.earlier(body) {
                add_product(&self.off[edge], &x[earlier], &mut sum);
                add_transposed(&self.off[edge], &x[body], &mut to[earlier]);
            }
            to[body] = sum;
        }
    }
}

/// Products of all components.
pub fn dot(a: &[Six], b: &[Six]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (0..6).map(|k| a[k] * b[k]).sum::<f64>()).sum()
}

/// Vectors of conjugate gradients.
#[derive(Default)]
pub struct Krylov {
    residual: Vec<Six>,
    answer: Vec<Six>,
    direction: Vec<Six>,
    image: Vec<Six>,
}

impl Krylov {
    /// Solves `matrix x = right`, from zero, until the residual, in the scale of the preconditioner, is `part` of the first. Returns
    /// the iterations.
    pub fn solve(
        &mut self,
        (pattern, matrix): (&Pattern, &mut BodyMatrix),
        right: &[Six],
        x: &mut Vec<Six>,
        part: f64,
        most: u32,
    ) -> u32 {
        let count = pattern.count;
        let Self { residual, answer, direction, image } = self;
        for vector in [&mut *answer, &mut *image, &mut *x] {
            vector.clear();
            vector.resize(count, [0.0; 6]);
        }
        residual.clear();
        residual.extend_from_slice(right);
        matrix.factor.solve(residual, answer);
        direction.clear();
        direction.extend_from_slice(answer);
        let mut slope = dot(residual, answer);
        let enough = part * part * slope;
        let mut iterations = 0;
        while iterations < most && slope > enough {
            matrix.times(pattern, direction, image);
            iterations += 1;
            let length = slope / dot(direction, image);
            for body in 0..count {
                for k in 0..6 {
                    x[body][k] += length * direction[body][k];
                    residual[body][k] -= length * image[body][k];
                }
            }
            matrix.factor.solve(residual, answer);
            let next = dot(residual, answer);
            let share = next / slope;
            slope = next;
            for body in 0..count {
                for k in 0..6 {
                    direction[body][k] = answer[body][k] + share * direction[body][k];
                }
            }
        }
        iterations
    }
}

#[cfg(test)]
mod tests {
    use granum_geometry::random::Random;

    use super::*;

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
        let mut x = Vec::new();
        let done = Krylov::default().solve((&pattern, &mut matrix), &right, &mut x, 1e-10, 1000);
        let mut image = vec![[0.0; 6]; count as usize];
        matrix.times(&pattern, &x, &mut image);
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
