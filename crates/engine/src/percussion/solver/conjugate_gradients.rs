//! Preconditioned conjugate gradients for a symmetric matrix of 6 x 6 blocks, with Eisenstat's
//! trick.
//!
//! Let `K = L + K_d + L'`, with the strictly lower triangle L and the diagonal K_d. The
//! preconditioner is the incomplete factorisation `(D + L) D⁻¹ (D + L')`, with D such that its
//! diagonal blocks are those of K. After scaling to D = 1, an iteration needs the triangle L twice
//! and no product with K \[Eisenstat1981\]:
//!
//! `(1 + L)⁻¹ K (1 + L')⁻¹ z = t + (1 + L)⁻¹ (z + (K_d - 2) t)`, with `t = (1 + L')⁻¹ z`.

use super::block6::{
    Block6, UNIT, Vector6, add_product, add_transposed_product, dot, inverse_cholesky, subtract_product,
    subtract_times_transposed, times, transposed,
};

/// The scaled matrix and the vectors of the iteration.
#[derive(Default)]
pub struct ConjugateGradients {
    /// First block of each body as the later one, and the number of blocks; earlier body of each.
    first: Vec<u32>,
    earlier: Vec<u32>,
    /// Scaled blocks of L, and of `K_d - 2`.
    lower: Vec<Block6>,
    diagonal: Vec<Block6>,
    /// Inverses of the Cholesky factors of D.
    scales: Vec<Block6>,
    /// Iterate, residual, search direction and its image, and t.
    x: Vec<Vector6>,
    residual: Vec<Vector6>,
    direction: Vec<Vector6>,
    image: Vec<Vector6>,
    t: Vec<Vector6>,
}

impl ConjugateGradients {
    /// Computes the preconditioner and scales the matrix by it. `nonzero` are edge and earlier body
    /// of the nonzero blocks, `first` the first of them for each body.
    pub fn factorise(&mut self, diagonal: &[Block6], off: &[Block6], nonzero: &[[u32; 2]], first: &[u32]) {
        self.first.clear();
        self.first.extend_from_slice(first);
        self.earlier.clear();
        self.earlier.extend(nonzero.iter().map(|edge| edge[1]));
        self.lower.clear();
        self.diagonal.clear();
        self.scales.clear();
        for (body, own) in diagonal.iter().enumerate() {
            let range = first[body] as usize..first[body + 1] as usize;
            // D of this body: its own block minus the products with the earlier bodies.
            let mut pivot = *own;
            for &[edge, earlier] in &nonzero[range.clone()] {
                let scaled_block = times(&off[edge as usize], &transposed(&self.scales[earlier as usize]));
                subtract_times_transposed(&mut pivot, &scaled_block, &scaled_block);
                self.lower.push(scaled_block);
            }
            // If cancellation made the pivot singular, the block of the matrix replaces it.
            let scale = inverse_cholesky(&pivot).or_else(|| inverse_cholesky(own)).unwrap_or(UNIT);
            for block in &mut self.lower[range] {
                *block = times(&scale, block);
            }
            // K_d - 2 in the scaled system, whose D is the unit matrix.
            let mut scaled = times(&times(&scale, own), &transposed(&scale));
            for (k, column) in scaled.iter_mut().enumerate() {
                column[k] -= 2.0;
            }
            self.diagonal.push(scaled);
            self.scales.push(scale);
        }
    }

    /// Solves for x from zero, until the norm of the preconditioned residual has decreased to
    /// `forcing` times that of the start. Returns the number of iterations.
    pub fn solve(&mut self, right: &[Vector6], x: &mut [Vector6], forcing: f64, max_iterations: u32) -> u32 {
        let count = right.len();
        for vector in [&mut self.x, &mut self.residual, &mut self.image, &mut self.t] {
            vector.clear();
            vector.resize(count, [0.0; 6]);
        }
        // The right-hand side of the scaled system, by forward substitution with 1 + L.
        for (body, right) in right.iter().enumerate() {
            add_product(&self.scales[body], right, &mut self.residual[body]);
            for k in self.blocks(body) {
                let earlier = self.residual[self.earlier[k] as usize];
                subtract_product(&self.lower[k], &earlier, &mut self.residual[body]);
            }
        }
        self.direction.clone_from(&self.residual);
        let mut square = dot(&self.residual, &self.residual);
        // The squared norm avoids a square root in every iteration.
        let target = forcing * forcing * square;
        let mut iterations = 0;
        while iterations < max_iterations && square > target {
            self.apply();
            iterations += 1;
            // Minimum along the search direction.
            let alpha = square / dot(&self.direction, &self.image);
            let mut next = 0.0;
            for body in 0..count {
                for k in 0..6 {
                    self.x[body][k] += alpha * self.direction[body][k];
                    self.residual[body][k] -= alpha * self.image[body][k];
                    next += self.residual[body][k] * self.residual[body][k];
                }
            }
            let beta = next / square;
            square = next;
            for body in 0..count {
                for k in 0..6 {
                    self.direction[body][k] = self.residual[body][k] + beta * self.direction[body][k];
                }
            }
        }
        // Back to the unscaled unknowns.
        self.t.clone_from(&self.x);
        self.substitute_backwards();
        for ((x, scale), t) in x.iter_mut().zip(&self.scales).zip(&self.t) {
            *x = [0.0; 6];
            add_transposed_product(scale, t, x);
        }
        iterations
    }

    /// Computes the image of the search direction under the preconditioned matrix.
    fn apply(&mut self) {
        self.t.clone_from(&self.direction);
        self.substitute_backwards();
        for body in 0..self.t.len() {
            // z + (K_d - 2) t of the module documentation, and then the forward substitution.
            let mut sum = self.direction[body];
            add_product(&self.diagonal[body], &self.t[body], &mut sum);
            for k in self.blocks(body) {
                subtract_product(&self.lower[k], &self.image[self.earlier[k] as usize], &mut sum);
            }
            self.image[body] = sum;
        }
        for (image, t) in self.image.iter_mut().zip(&self.t) {
            for k in 0..6 {
                image[k] += t[k];
            }
        }
    }

    /// Computes `t = (1 + L')⁻¹ t` by backward substitution.
    fn substitute_backwards(&mut self) {
        for body in (0..self.t.len()).rev() {
            // A body passes its entry on to the earlier bodies of its row.
            let own = self.t[body].map(|entry| -entry);
            for k in self.blocks(body) {
                add_transposed_product(&self.lower[k], &own, &mut self.t[self.earlier[k] as usize]);
            }
        }
    }

    /// Returns the range of the blocks of L in a body's row.
    #[inline(always)]
    fn blocks(&self, body: usize) -> std::ops::Range<usize> {
        self.first[body] as usize..self.first[body + 1] as usize
    }
}
