//! Pairs of vectors and matrices in SIMD registers. Every operation acts on both members.

use std::ops::{Add, Mul};

use glam::{DMat3, DQuat, DVec3};
use wide::f64x2;

/// A pair of vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoVectors {
    pub x: f64x2,
    pub y: f64x2,
    pub z: f64x2,
}

impl TwoVectors {
    #[inline(always)]
    pub fn new([a, b]: [DVec3; 2]) -> Self {
        Self { x: f64x2::new([a.x, b.x]), y: f64x2::new([a.y, b.y]), z: f64x2::new([a.z, b.z]) }
    }

    /// Creates a pair with two equal members.
    #[inline(always)]
    pub fn both(v: DVec3) -> Self {
        Self::new([v, v])
    }

    #[inline(always)]
    pub fn split(self) -> [DVec3; 2] {
        let [x, y, z] = [self.x, self.y, self.z].map(f64x2::to_array);
        [DVec3::new(x[0], y[0], z[0]), DVec3::new(x[1], y[1], z[1])]
    }

    #[inline(always)]
    pub fn dot(self, other: Self) -> f64x2 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Returns the smallest component of each vector.
    #[inline(always)]
    pub fn least(self) -> f64x2 {
        self.x.fast_min(self.y).fast_min(self.z)
    }

    /// Returns the absolute values of the components.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    /// Returns the components with the signs of those of another pair. All components must be
    /// positive.
    #[inline(always)]
    pub fn with_signs(self, others: Self) -> Self {
        let with = |size: f64x2, other: f64x2| size | (other & f64x2::splat(-0.0));
        Self { x: with(self.x, others.x), y: with(self.y, others.y), z: with(self.z, others.z) }
    }
}

impl Add for TwoVectors {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

/// Componentwise product.
impl Mul for TwoVectors {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }
}

impl Mul<f64x2> for TwoVectors {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64x2) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

/// A pair of matrices, stored by columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoMatrices([TwoVectors; 3]);

impl TwoMatrices {
    /// Returns the rotation matrices of two unit quaternions.
    #[inline(always)]
    pub fn rotations([a, b]: [DQuat; 2]) -> Self {
        let one = f64x2::ONE;
        let [x, y, z, w] = [[a.x, b.x], [a.y, b.y], [a.z, b.z], [a.w, b.w]].map(f64x2::new);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Self([
            TwoVectors { x: one - (yy + zz), y: xy + wz, z: xz - wy },
            TwoVectors { x: xy - wz, y: one - (xx + zz), z: yz + wx },
            TwoVectors { x: xz + wy, y: yz - wx, z: one - (xx + yy) },
        ])
    }

    /// Creates a pair with two equal members.
    #[inline(always)]
    pub fn both(matrix: &DMat3) -> Self {
        Self([matrix.x_axis, matrix.y_axis, matrix.z_axis].map(TwoVectors::both))
    }

    /// Scales the columns by the components of vectors.
    #[inline(always)]
    pub fn scaled(&self, sizes: TwoVectors) -> Self {
        let [x, y, z] = self.0;
        Self([x * sizes.x, y * sizes.y, z * sizes.z])
    }

    /// Returns the two matrices.
    pub fn split(&self) -> [DMat3; 2] {
        let [x, y, z] = self.0.map(TwoVectors::split);
        [0, 1].map(|k| DMat3::from_cols(x[k], y[k], z[k]))
    }

    /// Multiplies the matrices by vectors.
    #[inline(always)]
    pub fn times(&self, v: TwoVectors) -> TwoVectors {
        let [x, y, z] = self.0;
        x * v.x + y * v.y + z * v.z
    }

    /// Multiplies the transposed matrices by vectors.
    #[inline(always)]
    pub fn transposed_times(&self, v: TwoVectors) -> TwoVectors {
        let [x, y, z] = self.0;
        TwoVectors { x: x.dot(v), y: y.dot(v), z: z.dot(v) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rotations_are_those_of_two_quaternions() {
        let quaternions = [DVec3::new(0.3, -1.0, 0.5), DVec3::new(2.0, 0.1, -0.7)].map(DQuat::from_scaled_axis);
        let turns = TwoMatrices::rotations(quaternions);
        assert_eq!(turns.split(), quaternions.map(DMat3::from_quat));
        let (v, sizes) = (DVec3::new(0.2, 0.9, -1.4), DVec3::new(1.0, 2.0, 3.0));
        for (k, q) in quaternions.into_iter().enumerate() {
            let scaled = turns.scaled(TwoVectors::both(sizes));
            assert!((scaled.times(TwoVectors::both(v)).split()[k] - q * (sizes * v)).length() < 1e-14);
            assert!((turns.transposed_times(TwoVectors::both(v)).split()[k] - q.inverse() * v).length() < 1e-15);
        }
    }

    #[test]
    fn signs_come_from_others() {
        let [v, _] = TwoVectors::both(DVec3::new(1.0, 2.0, 0.0))
            .with_signs(TwoVectors::both(DVec3::new(-3.0, 4.0, -0.0)))
            .split();
        assert_eq!(v.to_array().map(f64::to_bits), [-1.0f64, 2.0, -0.0].map(f64::to_bits));
    }
}
