//! Symmetric 2x2 matrices on the tangent plane, and the Newton step in a trust region.

use glam::DVec2;
use wide::f64x2;

/// Ratio of the smaller to the larger eigenvalue below which the smaller one counts as zero.
const LEAST_EIGENVALUE: f64 = 1e-13;

/// Eigenvalue, relative to the gradient divided by the radius, below which a step along its axis
/// ends at the boundary of the region in any case.
const LEAST_SLOPE: f64 = 1e-6;

/// Number of corrections of the shift that puts a step on the boundary of the region. Each at least
/// halves the error.
const SHIFT_STEPS: usize = 8;

/// Relative length by which a step may exceed the radius before it is shortened to it.
const OVERSHOOT: f64 = 0.05;

/// A symmetric 2x2 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Symmetric2 {
    /// First diagonal element.
    pub xx: f64,
    /// Off-diagonal element.
    pub xy: f64,
    /// Second diagonal element.
    pub yy: f64,
}

impl Symmetric2 {
    /// Creates two matrices from SIMD pairs of their elements.
    #[inline(always)]
    pub(crate) fn two(xx: f64x2, xy: f64x2, yy: f64x2) -> [Self; 2] {
        let [xx, xy, yy] = [xx, xy, yy].map(f64x2::to_array);
        [0, 1].map(|k| Self { xx: xx[k], xy: xy[k], yy: yy[k] })
    }

    /// Returns the sum.
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        Self { xx: self.xx + other.xx, xy: self.xy + other.xy, yy: self.yy + other.yy }
    }

    /// Returns the matrix with `shift` added to the diagonal.
    #[inline]
    pub fn shifted(self, shift: f64) -> Self {
        Self { xx: self.xx + shift, xy: self.xy, yy: self.yy + shift }
    }

    /// Returns the trace.
    #[inline]
    pub fn trace(self) -> f64 {
        self.xx + self.yy
    }

    /// Returns the smaller eigenvalue.
    #[inline]
    pub fn least_eigenvalue(self) -> f64 {
        let half_difference = 0.5 * (self.xx - self.yy);
        0.5 * self.trace() - (half_difference * half_difference + self.xy * self.xy).sqrt()
    }

    /// Multiplies the matrix by a vector.
    #[inline]
    pub fn times(self, v: DVec2) -> DVec2 {
        DVec2::new(self.xx * v.x + self.xy * v.y, self.xy * v.x + self.yy * v.y)
    }

    /// Returns the Newton step `-M⁻¹ g` if the matrix is positive definite.
    #[inline]
    pub fn newton_step(self, g: DVec2) -> Option<DVec2> {
        let determinant = self.xx * self.yy - self.xy * self.xy;
        let is_positive = self.trace() > 0.0 && determinant > LEAST_EIGENVALUE * self.trace() * self.trace();
        is_positive
            .then(|| DVec2::new(self.xy * g.y - self.yy * g.x, self.xy * g.x - self.xx * g.y) * (1.0 / determinant))
    }

    /// Returns the descent step of length at most `radius` for the gradient `g`. A negative
    /// eigenvalue is replaced by its absolute value.
    pub fn bounded_step(self, g: DVec2, radius: f64) -> DVec2 {
        let half_difference = 0.5 * (self.xx - self.yy);
        let spread = (half_difference * half_difference + self.xy * self.xy).sqrt();
        let mean = 0.5 * self.trace();
        let (mut large, mut small) = (mean + spread, mean - spread);
        let least = (LEAST_EIGENVALUE * large.abs().max(small.abs())).max(LEAST_SLOPE * g.length() / radius);
        // The shift turns a negative eigenvalue into its absolute value, which makes an ascent a
        // descent, and lifts a tiny one.
        if small < least {
            let shift = if small < -least { -2.0 * small } else { 2.0 * least - small };
            (large, small) = (large + shift, small + shift);
        }
        // Eigenvector of the larger eigenvalue, by the better conditioned of two formulas.
        let axis = if half_difference > 0.0 {
            DVec2::new(half_difference + spread, self.xy)
        } else {
            DVec2::new(self.xy, spread - half_difference)
        };
        let axis = axis.try_normalize().unwrap_or(DVec2::X);
        let (along, across) = (axis.dot(g), axis.perp_dot(g));
        let mut shift = 0.0;
        let mut step = DVec2::ZERO;
        for _ in 0..SHIFT_STEPS {
            let (p, q) = (along / (large + shift), across / (small + shift));
            step = -(p * axis + q * axis.perp());
            let length = step.length();
            if length <= radius * (1.0 + OVERSHOOT) {
                break;
            }
            // Newton's step for 1/|step| = 1/radius, which is nearly linear in the shift.
            let slope = (p * p / (large + shift) + q * q / (small + shift)) / length;
            shift += (length / radius - 1.0) * length / slope;
        }
        step.clamp_length_max(radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const M: Symmetric2 = Symmetric2 { xx: 2.0, xy: -0.7, yy: 0.9 };

    #[test]
    fn inside_the_region_both_steps_are_newtons() {
        let g = DVec2::new(0.1, -0.2);
        let step = M.newton_step(g).expect("positive definite");
        assert!((M.times(step) + g).length() < 1e-15);
        assert!((M.bounded_step(g, 1.0) - step).length() < 1e-14);
    }

    #[test]
    fn a_bounded_step_goes_downhill_within_the_region() {
        for m in [M, M.shifted(-1.0), M.shifted(-5.0), Symmetric2 { xx: 0.0, xy: 0.0, yy: 0.0 }] {
            for g in [DVec2::new(1.0, 0.0), DVec2::new(-3.0, 40.0), DVec2::new(0.0, 1e-9)] {
                let step = m.bounded_step(g, 0.25);
                assert!(step.length() <= 0.25 * (1.0 + 1e-14) && step.dot(g) < 0.0, "{m:?} {g} {step}");
            }
        }
    }
}
