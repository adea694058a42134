//! Free rotation of a rigid body for one step: exact for balls and symmetric tops, a symplectic splitting of
//! order four for any other inertia.
//!
//! The angular momentum **L** in world axes does not change, so only the orientation q moves. The energy
//! `H = sum L_i²/(2 I_i)` (body axes) is split into two flows that are each solved exactly:
//!
//! - a symmetric top about body axis s with the transverse moment I_p:
//!   `q <- exp(L t/(2 I_p)) q exp(e_s (1/I_s - 1/I_p) L_s t/2)`, where `L_s` is constant;
//! - the rest, `(1/I_o - 1/I_p) L_o²/2`: a rotation about body axis o, `q <- q exp(e_o (1/I_o - 1/I_p) L_o t/2)`.
//!
//! o and p are the two axes whose moments are closest, so that the second flow is as small as it can be, and
//! vanishes for a symmetric top. They are composed with Blanes and Moan's coefficients (order 4, six stages), where o follows
//! s in the circle of the axes.

pub mod elliptic;
pub mod free_rotation;
pub(crate) mod series;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Symmetry of an inertia tensor, which decides how free rotation is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InertiaKind {
    /// All three principal moments are equal.
    Spherical,
    /// Two principal moments are equal; the third, about this axis, differs.
    Symmetric(u8),
    /// Three different principal moments.
    Asymmetric {
        /// Axis of the symmetric part of the splitting.
        symmetry: u8,
        /// Axis of the remainder of the splitting.
        odd: u8,
    },
}

impl InertiaKind {
    /// Classifies a body by its inverse principal moments.
    pub fn of(inverse_moments: DVec3) -> Self {
        // Moments that differ by less are taken for equal: the error in the spin is below rounding.
        const EQUAL: f64 = 1e-15;
        let m = inverse_moments.to_array();
        let differs = |i: usize, j: usize| (m[i] - m[j]).abs() / m[i].abs().max(m[j].abs()).max(f64::MIN_POSITIVE);
        // Entry s is how much the two axes other than s differ.
        let difference = [differs(1, 2), differs(2, 0), differs(0, 1)];
        let symmetry = (0..3).min_by(|&i, &j| difference[i].total_cmp(&difference[j])).unwrap_or(0);
        if difference.iter().all(|&d| d <= EQUAL) {
            InertiaKind::Spherical
        } else if difference[symmetry] <= EQUAL {
            InertiaKind::Symmetric(symmetry as u8)
        } else {
            InertiaKind::Asymmetric { symmetry: symmetry as u8, odd: ((symmetry + 1) % 3) as u8 }
        }
    }
}

/// Blanes and Moan's coefficients of the first flow ...
const A: [f64; 4] = {
    let (a1, a2, a3) = (0.0792036964311957, 0.353172906049774, -0.0420650803577195);
    [a1, a2, a3, 1.0 - 2.0 * (a1 + a2 + a3)]
};
/// ... and of the second.
const B: [f64; 3] = {
    let (b1, b2) = (0.209515106613362, -0.143851773179818);
    [b1, b2, 0.5 - (b1 + b2)]
};

/// The orientation after a rotation by the vector `angle` (world axes): the free rotation of a ball.
#[inline(always)]
pub fn turn(q: DQuat, angle: DVec3) -> DQuat {
    // The length is put right from what it was before, beside the series and not after it: balls are many, and a chain
    // of operations that wait for each other is what their rotation costs.
    let lengthen = unit_correction(q);
    let (sinc, cos) = sinc_cos_half(angle.length_squared());
    let (sinc, cos) = (lengthen * sinc, lengthen * cos);
    DQuat::from_xyzw(sinc * angle.x, sinc * angle.y, sinc * angle.z, cos) * q
}

/// The orientation after free rotation for a time `t` with the angular momentum `l` (world axes, constant).
pub fn rotate(q: DQuat, l: DVec3, inverse_moments: DVec3, top: InertiaKind, t: f64) -> DQuat {
    match top {
        InertiaKind::Spherical => turn(q, l * (inverse_moments.x * t)),
        InertiaKind::Symmetric(axis) => {
            let transverse = inverse_moments[(axis as usize + 1) % 3];
            symmetric_flow(q, l, inverse_moments, axis as usize, transverse, t) * unit_correction(q)
        }
        InertiaKind::Asymmetric { symmetry, .. } => {
            let mut turning = Turning::of(q * unit_correction(q), l, symmetry as usize);
            let [inverse_s, inverse_o, transverse] = cycled(inverse_moments.to_array(), symmetry as usize);
            let (main, rest) = ((inverse_s - transverse) * t, (inverse_o - transverse) * t);
            turning.about_odd(rest * A[0]);
            for k in [0, 1, 2] {
                turning.about_symmetry(main * B[k]);
                turning.about_odd(rest * A[k + 1]);
            }
            for k in [2, 1, 0] {
                turning.about_symmetry(main * B[k]);
                turning.about_odd(rest * A[k]);
            }
            exp_half(l * (transverse * t)) * turning.orientation(symmetry as usize)
        }
    }
}

/// An orientation and the components of **L** in body axes, both in the order symmetric axis, odd axis, third: that they turn
/// into each other does not depend on where such a circle begins.
///
/// Rotations about **L** are left out. They commute with those about body axes and leave the components as they are, so that
/// all of a step are one, at its end.
struct Turning {
    /// The vector part and the scalar.
    q: [f64; 4],
    l: [f64; 3],
}

impl Turning {
    #[inline]
    fn of(q: DQuat, l: DVec3, symmetry: usize) -> Self {
        let [x, y, z] = cycled([q.x, q.y, q.z], symmetry);
        Self { q: [x, y, z, q.w], l: cycled((q.conjugate() * l).to_array(), symmetry) }
    }

    #[inline]
    fn orientation(&self, symmetry: usize) -> DQuat {
        let [x, y, z, w] = self.q;
        let [x, y, z] = cycled([x, y, z], 3 - symmetry);
        DQuat::from_xyzw(x, y, z, w)
    }

    /// Turns about the symmetric axis by `rate` times the component of **L** along it.
    #[inline]
    fn about_symmetry(&mut self, rate: f64) {
        self.about::<0, 1, 2>(rate);
    }

    /// The same about the odd axis.
    #[inline]
    fn about_odd(&mut self, rate: f64) {
        self.about::<1, 2, 0>(rate);
    }

    /// About axis I; J and K follow it.
    #[inline(always)]
    fn about<const I: usize, const J: usize, const K: usize>(&mut self, rate: f64) {
        let Self { q, l } = *self;
        let angle = rate * l[I];
        let (sinc, half_cos) = sinc_cos_half(angle * angle);
        let half_sin = sinc * angle;
        let (sin, cos) = (2.0 * half_sin * half_cos, 1.0 - 2.0 * half_sin * half_sin);
        self.q[I] = half_cos * q[I] + half_sin * q[3];
        self.q[J] = half_cos * q[J] + half_sin * q[K];
        self.q[K] = half_cos * q[K] - half_sin * q[J];
        self.q[3] = half_cos * q[3] - half_sin * q[I];
        self.l[J] = cos * l[J] + sin * l[K];
        self.l[K] = cos * l[K] - sin * l[J];
    }
}

/// Three components from the one with number `first` on, which is at most 3.
#[inline]
fn cycled([x, y, z]: [f64; 3], first: usize) -> [f64; 3] {
    match first {
        1 => [y, z, x],
        2 => [z, x, y],
        _ => [x, y, z],
    }
}

/// Angular velocity in world axes.
#[inline]
pub fn spin(q: DQuat, l: DVec3, inverse_moments: DVec3) -> DVec3 {
    q * (inverse_moments * (q.conjugate() * l))
}

fn symmetric_flow(q: DQuat, l: DVec3, inverse_moments: DVec3, axis: usize, transverse: f64, t: f64) -> DQuat {
    let rate = (inverse_moments[axis] - transverse) * along(q, axis, l);
    exp_half(l * (transverse * t)) * (q * axis_exp_half(axis, rate * t))
}

/// Component of the world vector `l` along a body axis.
fn along(q: DQuat, axis: usize, l: DVec3) -> f64 {
    (q * DVec3::AXES[axis]).dot(l)
}

/// The quaternion of the rotation vector `r`.
#[inline]
fn exp_half(r: DVec3) -> DQuat {
    let (sinc, cos) = sinc_cos_half(r.length_squared());
    DQuat::from_xyzw(sinc * r.x, sinc * r.y, sinc * r.z, cos)
}

/// The quaternion of a rotation by `angle` about a coordinate axis.
fn axis_exp_half(axis: usize, angle: f64) -> DQuat {
    let (sinc, cos) = sinc_cos_half(angle * angle);
    let mut components = [0.0, 0.0, 0.0, cos];
    components[axis] = sinc * angle;
    DQuat::from_array(components)
}

/// `sin(x/2)/x` and `cos(x/2)` from x².
#[inline(always)]
fn sinc_cos_half(x_squared: f64) -> (f64, f64) {
    // Below these the first dropped terms are under 1e-18. A time step turns a grain by far less than the first.
    const SHORT_SERIES_LIMIT: f64 = 4e-5;
    const SERIES_LIMIT: f64 = 0.02;
    const S: [f64; 4] = [-1.0 / 12.0, 1.0 / 240.0, -1.0 / 10_080.0, 1.0 / 725_760.0];
    const C: [f64; 4] = [-0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0];
    let h = 0.25 * x_squared;
    if x_squared < SHORT_SERIES_LIMIT {
        (0.5 + h * (S[0] + h * S[1]), 1.0 + h * (C[0] + h * C[1]))
    } else if x_squared < SERIES_LIMIT {
        let sinc = 0.5 + h * (S[0] + h * (S[1] + h * (S[2] + h * S[3])));
        let cos = 1.0 + h * (C[0] + h * (C[1] + h * (C[2] + h * C[3])));
        (sinc, cos)
    } else {
        let half = h.sqrt();
        let (sin, cos) = libm::sincos(half);
        (0.5 * sin / half, cos)
    }
}

/// The factor that brings q back to unit length: one Newton step, enough since a step leaves it by rounding only.
#[inline(always)]
fn unit_correction(q: DQuat) -> f64 {
    1.5 - 0.5 * q.length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tops_are_told_apart() {
        assert_eq!(InertiaKind::of(DVec3::splat(3.0)), InertiaKind::Spherical);
        assert_eq!(InertiaKind::of(DVec3::new(2.0, 3.0, 2.0)), InertiaKind::Symmetric(1));
        assert_eq!(InertiaKind::of(DVec3::new(1.0, 2.0, 5.0)), InertiaKind::Asymmetric { symmetry: 2, odd: 0 });
        assert_eq!(InertiaKind::of(DVec3::ZERO), InertiaKind::Spherical);
    }

    #[test]
    fn series_and_closed_form_meet() {
        for x_squared in [0.019_999_9, 0.02, 0.020_000_1] {
            let half = (0.25f64 * x_squared).sqrt();
            let (sinc, cos) = sinc_cos_half(x_squared);
            assert!((sinc - 0.5 * half.sin() / half).abs() < 2e-16 && (cos - half.cos()).abs() < 2e-16);
        }
    }

    #[test]
    fn splitting_is_of_order_four_and_exact_for_symmetric_tops() {
        let l = DVec3::new(1.0, -2.0, 0.7);
        let q = DQuat::from_scaled_axis(DVec3::new(0.3, 0.2, -0.9));
        let end = |inverse: DVec3, steps: u32| {
            (0..steps).fold(q, |q, _| rotate(q, l, inverse, InertiaKind::of(inverse), 1.0 / f64::from(steps)))
        };
        let apart = |p: DQuat, r: DQuat| (p - r).length().min((p + r).length());
        let odd = DVec3::new(0.4, 1.1, 0.7);
        let exact = end(odd, 4096);
        let (coarse, fine) = (apart(end(odd, 8), exact), apart(end(odd, 16), exact));
        assert!((coarse / fine).log2() > 3.7, "order {}", (coarse / fine).log2());
        let symmetric = DVec3::new(0.4, 1.1, 0.4);
        assert!(apart(end(symmetric, 1), end(symmetric, 64)) < 1e-14);
    }

    #[test]
    fn stages_in_body_axes_are_the_flows_of_the_splitting() {
        // Each flow as it is written above, with its rotation about the angular momentum.
        let plain = |q: DQuat, l: DVec3, inverse: DVec3, symmetry: usize, t: f64| {
            let odd = (symmetry + 1) % 3;
            let transverse = inverse[3 - symmetry - odd];
            let rest = |q: DQuat, share: f64| {
                q * axis_exp_half(odd, (inverse[odd] - transverse) * along(q, odd, l) * share * t)
            };
            let main = |q: DQuat, share: f64| symmetric_flow(q, l, inverse, symmetry, transverse, share * t);
            let mut q = rest(q, A[0]);
            for (b, a) in [(B[0], A[1]), (B[1], A[2]), (B[2], A[3]), (B[2], A[2]), (B[1], A[1]), (B[0], A[0])] {
                q = rest(main(q, b), a);
            }
            q
        };
        let l = DVec3::new(1.0, -2.0, 0.7);
        let q = DQuat::from_scaled_axis(DVec3::new(0.3, 0.2, -0.9));
        for (inverse, axis) in
            [(DVec3::new(0.4, 1.1, 0.7), 0), (DVec3::new(0.7, 0.4, 1.1), 1), (DVec3::new(1.1, 0.7, 0.4), 2)]
        {
            let InertiaKind::Asymmetric { symmetry, .. } = InertiaKind::of(inverse) else { panic!("three moments") };
            assert_eq!(symmetry, axis);
            for t in [1e-3, 0.1, 1.0] {
                let (found, wanted) =
                    (rotate(q, l, inverse, InertiaKind::of(inverse), t), plain(q, l, inverse, symmetry as usize, t));
                assert!((found - wanted).length() < 2e-15, "{found} {wanted}");
            }
        }
    }
}
