//! Symmetric matrices of 6 x 6 blocks, a row of them a body, and conjugate gradients with them.
//!
//! Off its diagonal a matrix has a block for every two bodies that touch, whatever the number of their contacts. The
//! preconditioner is an incomplete factorisation `(D + L) D⁻¹ (D + L')` that keeps the blocks L and chooses D, which is nearly
//! exact where contacts form chains and trees. All sums are in a fixed order.

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
    /// Inverses of D.
    inverse: Vec<Block>,
    /// Blocks off the diagonal that are not zero, with the earlier of their bodies, and the first of each later one.
    live: Vec<[u32; 2]>,
    first: Vec<u32>,
}

/// `to += block x`.
#[inline(always)]
fn add_product(block: &Block, x: &Six, to: &mut Six) {
    for column in 0..6 {
        for row in 0..6 {
            to[row] += block[column][row] * x[column];
        }
    }
}

/// `to += block' x`.
#[inline(always)]
fn add_transposed(block: &Block, x: &Six, to: &mut Six) {
    for column in 0..6 {
        let mut sum = 0.0;
        for row in 0..6 {
            sum += block[column][row] * x[row];
        }
        to[column] += sum;
    }
}

/// Inverse of a symmetric block, if it is positive definite.
fn inverse(block: &Block) -> Option<Block> {
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
            inverse: Vec::new(),
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

    /// Prepares products and the preconditioner.
    pub fn factorise(&mut self, pattern: &Pattern) {
        self.note_live(pattern);
        self.inverse.clear();
        for body in 0..pattern.count {
            let mut d = self.diagonal[body];
            for (edge, earlier) in self.earlier(body) {
                let off = &self.off[edge];
                // D_i = A_ii - sum A_ij D_j⁻¹ A_ij'
                let mut half = [[0.0; 6]; 6];
                for (column, of_inverse) in half.iter_mut().zip(&self.inverse[earlier]) {
                    add_product(off, of_inverse, column);
                }
                for column in 0..6 {
                    for k in 0..6 {
                        let share = off[k][column];
                        for row in 0..6 {
                            d[column][row] -= share * half[k][row];
                        }
                    }
                }
            }
            // Where too much was taken away, the block alone stands for itself.
            let made = inverse(&d).or_else(|| inverse(&self.diagonal[body]));
            self.inverse.push(made.unwrap_or_else(|| Self::diagonal_inverse(&self.diagonal[body])));
        }
    }

    fn diagonal_inverse(block: &Block) -> Block {
        let mut made = [[0.0; 6]; 6];
        for k in 0..6 {
            made[k][k] = 1.0 / block[k][k];
        }
        made
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

    /// `to` = the preconditioner's answer to r.
    pub fn precondition(&self, pattern: &Pattern, r: &[Six], to: &mut [Six], later: &mut [Six]) {
        for body in 0..pattern.count {
            let mut rest = [0.0; 6];
            for (edge, earlier) in self.earlier(body) {
                add_product(&self.off[edge], &to[earlier], &mut rest);
            }
            for k in 0..6 {
                rest[k] = r[body][k] - rest[k];
            }
            to[body] = [0.0; 6];
            add_product(&self.inverse[body], &rest, &mut to[body]);
        }
        later.fill([0.0; 6]);
        for body in (0..pattern.count).rev() {
            let mut less = [0.0; 6];
            add_product(&self.inverse[body], &later[body], &mut less);
            for k in 0..6 {
                to[body][k] -= less[k];
            }
            for (edge, earlier) in self.earlier(body) {
                add_transposed(&self.off[edge], &to[body], &mut later[earlier]);
            }
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
    later: Vec<Six>,
}

impl Krylov {
    /// Solves `matrix x = right`, from zero, until the residual, in the scale of the preconditioner, is `part` of the first. Returns
    /// the iterations.
    pub fn solve(
        &mut self,
        (pattern, matrix): (&Pattern, &BodyMatrix),
        right: &[Six],
        x: &mut Vec<Six>,
        part: f64,
        most: u32,
    ) -> u32 {
        let count = pattern.count;
        let Self { residual, answer, direction, image, later } = self;
        for vector in [&mut *answer, &mut *image, &mut *later, &mut *x] {
            vector.clear();
            vector.resize(count, [0.0; 6]);
        }
        residual.clear();
        residual.extend_from_slice(right);
        matrix.precondition(pattern, residual, answer, later);
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
            matrix.precondition(pattern, residual, answer, later);
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
