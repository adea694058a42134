//! Arithmetic of 6 x 6 blocks: the entry of a matrix that belongs to two bodies.
//!
//! Loops have fixed bounds and no branches, so that the compiler vectorises them.

/// Velocity and spin of a body, or their conjugate impulses.
pub type Vector6 = [f64; 6];
/// A 6 x 6 block, stored by columns.
pub type Block6 = [Vector6; 6];

/// Zero block.
pub const ZERO: Block6 = [[0.0; 6]; 6];
/// Unit block.
pub const UNIT: Block6 = diagonal([1.0; 6]);

/// Least pivot of a factorisation, relative to the diagonal entry. Below it, cancellation has
/// removed all significant digits that matter, and the block counts as singular.
const MIN_PIVOT: f64 = 1e-8;

/// Returns a diagonal block.
pub const fn diagonal(entries: Vector6) -> Block6 {
    let mut block = ZERO;
    let mut k = 0;
    while k < 6 {
        block[k][k] = entries[k];
        k += 1;
    }
    block
}

/// Returns the scalar product of two vectors.
#[inline(always)]
pub fn product(a: &Vector6, b: &Vector6) -> f64 {
    (0..6).map(|k| a[k] * b[k]).sum()
}

/// Returns the scalar product of two vectors of blocks.
pub fn dot(a: &[Vector6], b: &[Vector6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| product(a, b)).sum()
}

/// Computes `to += block x`.
#[inline(always)]
pub fn add_product(block: &Block6, x: &Vector6, to: &mut Vector6) {
    for column in 0..6 {
        for row in 0..6 {
            to[row] += block[column][row] * x[column];
        }
    }
}

/// Computes `from -= block x`.
#[inline(always)]
pub fn subtract_product(block: &Block6, x: &Vector6, from: &mut Vector6) {
    for column in 0..6 {
        for row in 0..6 {
            from[row] -= block[column][row] * x[column];
        }
    }
}

/// Computes `to += block' x`.
#[inline(always)]
pub fn add_transposed_product(block: &Block6, x: &Vector6, to: &mut Vector6) {
    for column in 0..6 {
        let mut sum = 0.0;
        for row in 0..6 {
            sum += block[column][row] * x[row];
        }
        to[column] += sum;
    }
}

/// Computes `from -= a b'`.
#[inline(always)]
pub fn subtract_times_transposed(from: &mut Block6, a: &Block6, b: &Block6) {
    for column in 0..6 {
        // The inner loop is over a column of both blocks, which is contiguous in memory.
        for k in 0..6 {
            let share = b[k][column];
            for row in 0..6 {
                from[column][row] -= a[k][row] * share;
            }
        }
    }
}

/// Returns `a b`.
#[inline(always)]
pub fn times(a: &Block6, b: &Block6) -> Block6 {
    let mut result = ZERO;
    for (column, b) in result.iter_mut().zip(b) {
        add_product(a, b, column);
    }
    result
}

/// Returns the transposed block.
pub fn transposed(block: &Block6) -> Block6 {
    std::array::from_fn(|column| std::array::from_fn(|row| block[row][column]))
}

/// Returns the inverse of a symmetric block; `None` if it is not positive definite.
pub fn inverse(block: &Block6) -> Option<Block6> {
    // Sweep operator: each pivot is exchanged with its unknown.
    let mut m = *block;
    for pivot in 0..6 {
        let d = m[pivot][pivot];
        // The pivot is compared with its original value, whose digits cancellation consumes.
        if d <= MIN_PIVOT * block[pivot][pivot] {
            return None;
        }
        let (column, reciprocal) = (m[pivot], 1.0 / d);
        for j in 0..6 {
            if j != pivot {
                let share = column[j] * reciprocal;
                for i in 0..6 {
                    m[j][i] -= share * column[i];
                }
                m[j][pivot] = share;
            }
        }
        for i in 0..6 {
            m[pivot][i] = column[i] * reciprocal;
        }
        m[pivot][pivot] = -reciprocal;
    }
    // The six sweeps leave minus the inverse.
    for column in &mut m {
        for entry in column {
            *entry = -*entry;
        }
    }
    Some(m)
}

/// Returns the inverse of the lower Cholesky factor of a symmetric block; `None` if it is not
/// positive definite.
pub fn inverse_cholesky(block: &Block6) -> Option<Block6> {
    // Cholesky factor, column by column, and then its inverse by forward substitution.
    let mut root = ZERO;
    for c in 0..6 {
        let sum = (0..c).map(|k| root[k][c] * root[k][c]).sum::<f64>();
        let square = block[c][c] - sum;
        if square <= MIN_PIVOT * block[c][c] {
            return None;
        }
        root[c][c] = square.sqrt();
        for r in c + 1..6 {
            let sum = (0..c).map(|k| root[k][r] * root[k][c]).sum::<f64>();
            root[c][r] = (block[c][r] - sum) / root[c][c];
        }
    }
    let mut result = ZERO;
    for c in 0..6 {
        result[c][c] = 1.0 / root[c][c];
        for r in c + 1..6 {
            let sum = (c..r).map(|k| root[k][r] * result[c][k]).sum::<f64>();
            result[c][r] = -sum / root[r][r];
        }
    }
    Some(result)
}
