//! Conjugate gradients for a symmetric matrix of 6 x 6 blocks whose factors would fill in too much.
//!
//! `K = L + K_d + L'`, where L has the blocks of every body with earlier ones. The preconditioner is `(D + L) D⁻¹ (D + L')` with D such that
//! its diagonal blocks are those of K. In the scale in which D is one, an iteration needs L twice and K not at all (Eisenstat, 1981):
//!
//! `(1 + L)⁻¹ K (1 + L')⁻¹ z = t + (1 + L)⁻¹ (z + (K_d - 2) t)`, with `t = (1 + L')⁻¹ z`.

use super::blocks::{
    Block, Six, UNIT, add_product, add_transposed, dot, inverse_root, take_product, take_times_transposed, times,
    transposed,
};

/// The matrix in the scale of its preconditioner, and the vectors of the iteration.
#[derive(Default)]
pub struct Incomplete {
    /// First block of each body as the later one, and the end; the earlier bodies.
    first: Vec<u32>,
    earlier: Vec<u32>,
    /// Blocks of L, and `K_d - 2`.
    lower: Vec<Block>,
    diagonal: Vec<Block>,
    /// Inverses of the roots of D.
    scales: Vec<Block>,
    /// The solution so far, what is left of the equations, the direction and its image, and t.
    x: Vec<Six>,
    residual: Vec<Six>,
    direction: Vec<Six>,
    image: Vec<Six>,
    t: Vec<Six>,
}

impl Incomplete {
    /// Scales the matrix of these blocks: of the diagonal, and of the edges in `live`, given by their numbers and their earlier
    /// bodies, of which each body has those from `first`.
    pub fn factorise(&mut self, diagonal: &[Block], off: &[Block], live: &[[u32; 2]], first: &[u32]) {
        self.first.clear();
        self.first.extend_from_slice(first);
        self.earlier.clear();
        self.earlier.extend(live.iter().map(|edge| edge[1]));
        self.lower.clear();
        self.diagonal.clear();
        self.scales.clear();
        for (body, own) in diagonal.iter().enumerate() {
            let range = first[body] as usize..first[body + 1] as usize;
            let mut left = *own;
            for &[edge, earlier] in &live[range.clone()] {
                let half = times(&off[edge as usize], &transposed(&self.scales[earlier as usize]));
                take_times_transposed(&mut left, &half, &half);
                self.lower.push(half);
            }
            // Where too much was taken away, the block alone stands for itself.
            let scale = inverse_root(&left).or_else(|| inverse_root(own)).unwrap_or(UNIT);
            for block in &mut self.lower[range] {
                *block = times(&scale, block);
            }
            let mut scaled = times(&times(&scale, own), &transposed(&scale));
            for (k, column) in scaled.iter_mut().enumerate() {
                column[k] -= 2.0;
            }
            self.diagonal.push(scaled);
            self.scales.push(scale);
        }
    }

    /// Solves for x, from zero, until the residual, in the scale of the preconditioner, is `part` of the first. Returns the
    /// iterations.
    pub fn solve(&mut self, right: &[Six], x: &mut [Six], part: f64, most: u32) -> u32 {
        let count = right.len();
        for vector in [&mut self.x, &mut self.residual, &mut self.image, &mut self.t] {
            vector.clear();
            vector.resize(count, [0.0; 6]);
        }
        for (body, right) in right.iter().enumerate() {
            add_product(&self.scales[body], right, &mut self.residual[body]);
            for k in self.blocks(body) {
                let earlier = self.residual[self.earlier[k] as usize];
                take_product(&self.lower[k], &earlier, &mut self.residual[body]);
            }
        }
        self.direction.clone_from(&self.residual);
        let mut square = dot(&self.residual, &self.residual);
        let enough = part * part * square;
        let mut iterations = 0;
        while iterations < most && square > enough {
            self.apply();
            iterations += 1;
            let length = square / dot(&self.direction, &self.image);
            let mut next = 0.0;
            for body in 0..count {
                for k in 0..6 {
                    self.x[body][k] += length * self.direction[body][k];
                    self.residual[body][k] -= length * self.image[body][k];
                    next += self.residual[body][k] * self.residual[body][k];
                }
            }
            let share = next / square;
            square = next;
            for body in 0..count {
                for k in 0..6 {
                    self.direction[body][k] = self.residual[body][k] + share * self.direction[body][k];
                }
            }
        }
        self.t.clone_from(&self.x);
        self.backwards();
        for ((x, scale), t) in x.iter_mut().zip(&self.scales).zip(&self.t) {
            *x = [0.0; 6];
            add_transposed(scale, t, x);
        }
        iterations
    }

    /// Makes the image of the direction.
    fn apply(&mut self) {
        self.t.clone_from(&self.direction);
        self.backwards();
        for body in 0..self.t.len() {
            let mut sum = self.direction[body];
            add_product(&self.diagonal[body], &self.t[body], &mut sum);
            for k in self.blocks(body) {
                take_product(&self.lower[k], &self.image[self.earlier[k] as usize], &mut sum);
            }
            self.image[body] = sum;
        }
        for (image, t) in self.image.iter_mut().zip(&self.t) {
            for k in 0..6 {
                image[k] += t[k];
            }
        }
    }

    /// `t = (1 + L')⁻¹ t`.
    fn backwards(&mut self) {
        for body in (0..self.t.len()).rev() {
            let own = self.t[body].map(|entry| -entry);
            for k in self.blocks(body) {
                add_transposed(&self.lower[k], &own, &mut self.t[self.earlier[k] as usize]);
            }
        }
    }

    /// A body's blocks of L.
    #[inline(always)]
    fn blocks(&self, body: usize) -> std::ops::Range<usize> {
        self.first[body] as usize..self.first[body + 1] as usize
    }
}
