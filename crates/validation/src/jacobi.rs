//! The closed form of free rotation by Jacobi's elliptic functions, the reference of case F2.
//!
//! All formulas use `1 - k²` instead of k², so that no digits cancel near the separatrix.

use glam::DVec3;

/// Largest number of arithmetic-geometric means in double precision.
const MOST_MEANS: usize = 9;

/// Returns the arithmetic-geometric means of 1 and `sqrt(1 - k²)` as pairs (a, b). The last pair is
/// equal.
fn means(complement: f64) -> [(f64, f64); MOST_MEANS] {
    let mut pairs = [(1.0, complement.sqrt()); MOST_MEANS];
    for n in 1..MOST_MEANS {
        let (a, b) = pairs[n - 1];
        pairs[n] = (0.5 * (a + b), (a * b).sqrt());
    }
    pairs
}

/// Returns the complete elliptic integral K for `complement = 1 - k²`.
fn quarter_period(complement: f64) -> f64 {
    std::f64::consts::FRAC_PI_2 / means(complement)[MOST_MEANS - 1].0
}

/// Returns sn, cn and dn of `u`.
fn sn_cn_dn(u: f64, complement: f64) -> (f64, f64, f64) {
    let pairs = means(complement);
    let mut phi = u * pairs[MOST_MEANS - 1].0 * 2f64.powi(MOST_MEANS as i32 - 1);
    for n in (1..MOST_MEANS).rev() {
        let c = 0.5 * (pairs[n - 1].0 - pairs[n - 1].1);
        phi = 0.5 * (phi + (c / pairs[n].0 * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    (sn, cn, (complement * sn * sn + cn * cn).sqrt())
}

/// Returns the incomplete elliptic integral F at the amplitude `phi`.
fn incomplete(mut phi: f64, complement: f64) -> f64 {
    use std::f64::consts::PI;
    let pairs = means(complement);
    for (a, b) in &pairs[..MOST_MEANS - 1] {
        phi += (b / a * phi.tan()).atan() + PI * (phi / PI).round();
    }
    phi / (pairs[MOST_MEANS - 1].0 * 2f64.powi(MOST_MEANS as i32 - 1))
}

/// Free rotation of a body with `moments` in ascending order, off the separatrix.
pub struct FreeRotation {
    /// Axes (a, b, c) along which the spin is proportional to cn, sn and dn.
    axes: [usize; 3],
    amplitudes: [f64; 3],
    complement: f64,
    rate: f64,
    start: f64,
}

impl FreeRotation {
    /// Creates the motion with the spin `w` in body axes at time 0.
    pub fn new(moments: DVec3, w: DVec3) -> Self {
        let ([i1, i2, i3], s) = (moments.to_array(), (w * w).to_array());
        let d1 = i2 * (i2 - i1) * s[1] + i3 * (i3 - i1) * s[2];
        let d2 = i3 * (i3 - i2) * s[2] - i1 * (i2 - i1) * s[0];
        let d3 = i1 * (i3 - i1) * s[0] + i2 * (i3 - i2) * s[1];
        // The axis of the mean spin comes last.
        let (axes, [ia, ib, ic], da, dc) =
            if d2 >= 0.0 { ([0, 1, 2], [i1, i2, i3], d3, d1) } else { ([2, 1, 0], [i3, i2, i1], d1, d3) };
        let (ca, cb) = ((ic - ia).abs(), (ic - ib).abs());
        // The handedness of (a, b, c) and the sign of Ic - Ib agree in both cases, so that their
        // product is 1.
        let sign = w[axes[2]].signum();
        let amplitudes = [(da / (ia * ca)).sqrt(), sign * (da / (ib * cb)).sqrt(), sign * (dc / (ic * ca)).sqrt()];
        let complement = ca * d2.abs() / (cb * dc);
        let phi = (w[axes[1]] / amplitudes[1]).atan2(w[axes[0]] / amplitudes[0]);
        Self {
            axes,
            amplitudes,
            complement,
            rate: (cb * dc / (ia * ib * ic)).sqrt(),
            start: incomplete(phi, complement),
        }
    }

    /// Returns the period of the spin, s.
    pub fn period(&self) -> f64 {
        4.0 * quarter_period(self.complement) / self.rate
    }

    /// Returns the spin in body axes at time `t`, rad/s.
    pub fn spin(&self, t: f64) -> DVec3 {
        let (sn, cn, dn) = sn_cn_dn(self.rate * t + self.start, self.complement);
        let mut spin = DVec3::ZERO;
        for (k, value) in [cn, sn, dn].into_iter().enumerate() {
            spin[self.axes[k]] = self.amplitudes[k] * value;
        }
        spin
    }
}
