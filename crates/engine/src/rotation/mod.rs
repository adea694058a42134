//! Free rotation of a rigid body over one step: exact for spherical and symmetric inertia tensors,
//! a symplectic splitting of order four for others.
//!
//! The angular momentum **L** in world axes is constant, so that only the orientation q changes.
//! The energy `H = sum L_i²/(2 I_i)` (body axes) is split into two flows, each of which is solved
//! exactly:
//!
//! - a symmetric top about body axis s with the transverse moment I_p:
//!   `q <- exp(L t/(2 I_p)) q exp(e_s (1/I_s - 1/I_p) L_s t/2)`, where `L_s` is constant;
//! - the remainder `(1/I_o - 1/I_p) L_o²/2`: a rotation about body axis o,
//!   `q <- q exp(e_o (1/I_o - 1/I_p) L_o t/2)`.
//!
//! o and p are the two axes whose moments are closest, so that the second flow is as small as
//! possible. It vanishes for a symmetric tensor. The flows are composed with the coefficients of
//! order 4 with six stages \[Blanes2002\]. Axis o follows axis s in cyclic order.
//! docs/theory/rotation.md derives this.
//!
//! A step of less than [`SMALL_TURN`] is computed by the Magnus series of order 4 in
//! `small_turn.rs` at a fraction of the cost. Its error is below rounding there.
//!
//! `rotational_state.rs` is the interface for the integrators; `free_rotation.rs` is the closed
//! form for any time, with the elliptic functions of `elliptic.rs`; `series.rs` is its power
//! series.

pub mod elliptic;
pub mod free_rotation;
mod rotational_state;
mod series;
mod small_turn;

pub(crate) use rotational_state::{RotationalState, angular_momentum};

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Relative difference of two moments below which they count as equal. The error of the spin is
/// then below rounding.
const EQUAL: f64 = 1e-15;

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
    /// Returns whether all principal moments are equal.
    #[inline(always)]
    pub fn is_spherical(self) -> bool {
        self == Self::Spherical
    }

    /// Returns whether a step of free rotation costs several times as much as a displacement.
    #[inline(always)]
    pub fn is_costly_to_rotate(self) -> bool {
        !self.is_spherical()
    }

    /// Classifies an inertia tensor by its inverse principal moments.
    pub fn of(inverse_moments: DVec3) -> Self {
        let m = inverse_moments.to_array();
        let differs = |i: usize, j: usize| (m[i] - m[j]).abs() / m[i].abs().max(m[j].abs()).max(f64::MIN_POSITIVE);
        // Entry s is the relative difference of the two axes other than s.
        let difference = [differs(1, 2), differs(2, 0), differs(0, 1)];
        let symmetry = (0..3).min_by(|&i, &j| difference[i].total_cmp(&difference[j])).unwrap_or(0);
        if difference.iter().all(|&d| d <= EQUAL) {
            InertiaKind::Spherical
        } else if difference[symmetry] <= EQUAL {
            InertiaKind::Symmetric(symmetry as u8)
        // The remainder of the splitting is least if the two closest moments count as equal.
        } else {
            InertiaKind::Asymmetric { symmetry: symmetry as u8, odd: ((symmetry + 1) % 3) as u8 }
        }
    }
}

/// Squared angle up to which a series of three terms has an error below 1e-18. A time step turns a
/// grain by far less.
const SHORT_SERIES_LIMIT: f64 = 4e-5;
/// Squared angle up to which a series of five terms has an error below 1e-18.
const SERIES_LIMIT: f64 = 0.02;

/// Angle of a step, rad, up to which the Magnus series of order 4 is used. Its error is at most
/// 5e-2 times the fifth power of the angle, which is below rounding here. A step of a grain is
/// seldom longer.
const SMALL_TURN: f64 = 1e-3;

/// Coefficients a_i of the flow about the odd axis \[Blanes2002\].
const A: [f64; 4] = {
    let (a1, a2, a3) = (0.0792036964311957, 0.353172906049774, -0.0420650803577195);
    [a1, a2, a3, 1.0 - 2.0 * (a1 + a2 + a3)]
};
/// Coefficients b_i of the flow about the symmetric axis \[Blanes2002\].
const B: [f64; 3] = {
    let (b1, b2) = (0.209515106613362, -0.143851773179818);
    [b1, b2, 0.5 - (b1 + b2)]
};

/// Returns the orientation after a rotation by the vector `angle`, rad in world axes. This is the
/// free rotation of a body with a spherical inertia tensor.
#[inline(always)]
pub fn turn(q: DQuat, angle: DVec3) -> DQuat {
    // The length is corrected by its value before the rotation, so that the processor computes the
    // correction and the series at the same time: the latency of this chain is the cost of a ball.
    let lengthen = unit_correction(q);
    let (sinc, cos) = sinc_cos_half(angle.length_squared());
    let (sinc, cos) = (lengthen * sinc, lengthen * cos);
    DQuat::from_xyzw(sinc * angle.x, sinc * angle.y, sinc * angle.z, cos) * q
}

/// Returns the orientation after free rotation for the time `t`, s, with the constant angular
/// momentum `l`, kg m²/s in world axes.
pub fn rotate(q: DQuat, l: DVec3, inverse_moments: DVec3, inertia: InertiaKind, t: f64) -> DQuat {
    match inertia {
        InertiaKind::Spherical => turn(q, l * (inverse_moments.x * t)),
        InertiaKind::Symmetric(axis) => {
            let transverse = inverse_moments[(axis as usize + 1) % 3];
            // Two equal moments: one flow is exact.
            symmetric_flow(q, l, inverse_moments, axis as usize, transverse, t) * unit_correction(q)
        }
        InertiaKind::Asymmetric { symmetry, .. } => {
            let in_body = q.conjugate() * l;
            if ((t * inverse_moments) * in_body).length_squared() <= SMALL_TURN * SMALL_TURN {
                let turn = small_turn::rotation_vector(in_body, inverse_moments, t);
                return q * (exp_small(turn) * unit_correction(q));
            }
            // A symmetric composition, so that the method is reversible in time.
            let mut turning = Turning::of(q * unit_correction(q), in_body, symmetry as usize);
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
            // The common rotation about L commutes with all flows and is applied once.
            exp_half(l * (transverse * t)) * turning.orientation(symmetry as usize)
        }
    }
}

/// Orientation and components of **L** in body axes, both in the cyclic order symmetric axis, odd
/// axis, third axis.
///
/// Rotations about **L** are omitted. They commute with those about body axes and do not change the
/// components, so that all of a step are applied together at its end.
struct Turning {
    /// Vector part and scalar part.
    q: [f64; 4],
    l: [f64; 3],
}

impl Turning {
    #[inline]
    fn of(q: DQuat, in_body: DVec3, symmetry: usize) -> Self {
        let [x, y, z] = cycled([q.x, q.y, q.z], symmetry);
        Self { q: [x, y, z, q.w], l: cycled(in_body.to_array(), symmetry) }
    }

    #[inline]
    fn orientation(&self, symmetry: usize) -> DQuat {
        let [x, y, z, w] = self.q;
        let [x, y, z] = cycled([x, y, z], 3 - symmetry);
        DQuat::from_xyzw(x, y, z, w)
    }

    /// Rotates about the symmetric axis by `rate` times the component of **L** along it.
    #[inline]
    fn about_symmetry(&mut self, rate: f64) {
        self.about::<0, 1, 2>(rate);
    }

    /// Rotates about the odd axis by `rate` times the component of **L** along it.
    #[inline]
    fn about_odd(&mut self, rate: f64) {
        self.about::<1, 2, 0>(rate);
    }

    /// Rotates about axis I. J and K are the next axes in cyclic order.
    #[inline(always)]
    fn about<const I: usize, const J: usize, const K: usize>(&mut self, rate: f64) {
        let Self { q, l } = *self;
        // sin and cos of the angle follow from those of half the angle.
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

/// Returns three components in cyclic order, beginning with number `first`, which is at most 3.
#[inline]
fn cycled([x, y, z]: [f64; 3], first: usize) -> [f64; 3] {
    match first {
        1 => [y, z, x],
        2 => [z, x, y],
        _ => [x, y, z],
    }
}

/// Returns the angular velocity in world axes, rad/s, of an angular momentum `l` in world axes.
#[inline]
pub fn spin(q: DQuat, l: DVec3, inverse_moments: DVec3) -> DVec3 {
    q * (inverse_moments * (q.conjugate() * l))
}

/// Returns the orientation after the flow of a symmetric top about a body axis.
fn symmetric_flow(q: DQuat, l: DVec3, inverse_moments: DVec3, axis: usize, transverse: f64, t: f64) -> DQuat {
    let rate = (inverse_moments[axis] - transverse) * along(q, axis, l);
    exp_half(l * (transverse * t)) * (q * axis_exp_half(axis, rate * t))
}

/// Returns the component of the world vector `l` along a body axis.
fn along(q: DQuat, axis: usize, l: DVec3) -> f64 {
    (q * DVec3::AXES[axis]).dot(l)
}

/// Returns the quaternion of the rotation vector `r`, rad.
#[inline]
fn exp_half(r: DVec3) -> DQuat {
    let (sinc, cos) = sinc_cos_half(r.length_squared());
    DQuat::from_xyzw(sinc * r.x, sinc * r.y, sinc * r.z, cos)
}

/// Returns the quaternion of a rotation by `angle`, rad, about a coordinate axis.
fn axis_exp_half(axis: usize, angle: f64) -> DQuat {
    let (sinc, cos) = sinc_cos_half(angle * angle);
    let mut components = [0.0, 0.0, 0.0, cos];
    components[axis] = sinc * angle;
    DQuat::from_array(components)
}

/// Returns the quaternion of a rotation vector of at most [`SMALL_TURN`], without a branch.
#[inline(always)]
fn exp_small(r: DVec3) -> DQuat {
    let h = 0.25 * r.length_squared();
    // The first omitted terms are below 1e-20.
    let sinc = 0.5 + h * (-1.0 / 12.0 + h / 240.0);
    DQuat::from_xyzw(sinc * r.x, sinc * r.y, sinc * r.z, 1.0 + h * (-0.5 + h / 24.0))
}

/// Returns `sin(x/2)/x` and `cos(x/2)` from x².
#[inline(always)]
fn sinc_cos_half(x_squared: f64) -> (f64, f64) {
    const S: [f64; 4] = [-1.0 / 12.0, 1.0 / 240.0, -1.0 / 10_080.0, 1.0 / 725_760.0];
    const C: [f64; 4] = [-0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0];
    let h = 0.25 * x_squared;
    if x_squared < SHORT_SERIES_LIMIT {
        // Series by Horner's rule: a library call would take several times as long.
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

/// Returns the factor that restores the unit length of q. One Newton step is enough, because the
/// length differs from 1 by rounding only.
#[inline(always)]
fn unit_correction(q: DQuat) -> f64 {
    1.5 - 0.5 * q.length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inertia_tensors_are_classified() {
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
        let asymmetric = DVec3::new(0.4, 1.1, 0.7);
        let exact = end(asymmetric, 4096);
        let (coarse, fine) = (apart(end(asymmetric, 8), exact), apart(end(asymmetric, 16), exact));
        assert!((coarse / fine).log2() > 3.7, "order {}", (coarse / fine).log2());
        let symmetric = DVec3::new(0.4, 1.1, 0.4);
        assert!(apart(end(symmetric, 1), end(symmetric, 64)) < 1e-14);
    }

    #[test]
    fn stages_in_body_axes_are_the_flows_of_the_splitting() {
        // Each flow as in the module documentation, with its rotation about the angular momentum.
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
