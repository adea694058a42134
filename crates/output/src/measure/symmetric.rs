//! Eigenvalues of symmetric tensors by Jacobi rotations.

use glam::{DMat3, DVec3};

/// Number of sweeps that diagonalise any tensor in double precision. Five are typical.
const SWEEPS: usize = 12;

/// Returns the eigenvalues from the largest to the smallest, each with its unit eigenvector.
pub fn eigen(tensor: DMat3) -> [(f64, DVec3); 3] {
    let (mut diagonal, mut axes) = (tensor, DMat3::IDENTITY);
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = diagonal.col(q)[p];
            if off == 0.0 {
                continue;
            }
            let theta = 0.5 * (diagonal.col(q)[q] - diagonal.col(p)[p]) / off;
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = c;
            turn.col_mut(q)[q] = c;
            turn.col_mut(q)[p] = s;
            turn.col_mut(p)[q] = -s;
            diagonal = turn.transpose() * diagonal * turn;
            axes *= turn;
        }
    }
    let mut pairs = [0, 1, 2].map(|k| (diagonal.col(k)[k], axes.col(k)));
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_tensor_has_its_eigenvalues_and_axes() {
        let turn = DMat3::from_quat(glam::DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.7)));
        let tensor = turn * DMat3::from_diagonal(DVec3::new(-1.0, 4.0, 0.5)) * turn.transpose();
        let found = eigen(tensor);
        for ((value, axis), (wanted, k)) in found.into_iter().zip([(4.0, 1), (0.5, 2), (-1.0, 0)]) {
            assert!((value - wanted).abs() < 1e-14, "{value} {wanted}");
            assert!((axis.dot(turn.col(k)).abs() - 1.0).abs() < 1e-14);
        }
    }
}
