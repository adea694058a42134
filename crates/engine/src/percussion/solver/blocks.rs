//! 6 x 6 blocks, a body's part of a matrix, and what is done with them.

/// Six components of a body's motion.
pub type Six = [f64; 6];
/// A block, column by column.
pub type Block = [Six; 6];

/// Nothing.
pub const ZERO: Block = [[0.0; 6]; 6];
/// One.
pub const UNIT: Block = diagonal([1.0; 6]);

/// Part of a diagonal entry that a pivot must keep: below it, the factorisation has lost the block.
const SINGULAR: f64 = 1e-8;

/// A diagonal block.
pub const fn diagonal(entries: Six) -> Block {
    let mut block = ZERO;
    let mut k = 0;
    while k < 6 {
        block[k][k] = entries[k];
        k += 1;
    }
    block
}

/// Products of all components.
pub fn dot(a: &[Six], b: &[Six]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (0..6).map(|k| a[k] * b[k]).sum::<f64>()).sum()
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

/// `from -= block x`.
#[inline(always)]
pub fn take_product(block: &Block, x: &Six, from: &mut Six) {
    for column in 0..6 {
        for row in 0..6 {
            from[row] -= block[column][row] * x[column];
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

/// `from -= a b'`.
#[inline(always)]
pub fn take_times_transposed(from: &mut Block, a: &Block, b: &Block) {
    for column in 0..6 {
        for k in 0..6 {
            let share = b[k][column];
            for row in 0..6 {
                from[column][row] -= a[k][row] * share;
            }
        }
    }
}

/// `a b`.
#[inline(always)]
pub fn times(a: &Block, b: &Block) -> Block {
    let mut made = ZERO;
    for (column, b) in made.iter_mut().zip(b) {
        add_product(a, b, column);
    }
    made
}

/// `block'`.
pub fn transposed(block: &Block) -> Block {
    std::array::from_fn(|column| std::array::from_fn(|row| block[row][column]))
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

/// Inverse of the lower triangular root of a symmetric block, if it is positive definite.
pub fn inverse_root(block: &Block) -> Option<Block> {
    let mut root = ZERO;
    for c in 0..6 {
        let sum = (0..c).map(|k| root[k][c] * root[k][c]).sum::<f64>();
        let square = block[c][c] - sum;
        if square <= SINGULAR * block[c][c] {
            return None;
        }
        root[c][c] = square.sqrt();
        for r in c + 1..6 {
            let sum = (0..c).map(|k| root[k][r] * root[k][c]).sum::<f64>();
            root[c][r] = (block[c][r] - sum) / root[c][c];
        }
    }
    let mut made = ZERO;
    for c in 0..6 {
        made[c][c] = 1.0 / root[c][c];
        for r in c + 1..6 {
            let sum = (c..r).map(|k| root[k][r] * made[c][k]).sum::<f64>();
            made[c][r] = -sum / root[r][r];
        }
    }
    Some(made)
}
