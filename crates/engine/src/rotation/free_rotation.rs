//! Free rotation of a rigid body in closed form, for any inertia tensor and any time.
//!
//! Jacobi's functions solve Euler's equations for the spin. The orientation follows from the
//! angular momentum, which is constant in space, and from one angle about it, which is an integral
//! of the third kind. All orders of the moments, the separatrix, steady rotations and symmetric
//! tops are covered. The equations are in `docs/theory/rotation.md`.

use glam::{DMat3, DQuat, DVec3};

use crate::rotation::elliptic::{first_kind, jacobi, third_kind};

/// Free rotation of a rigid body, from its state at time 0.
#[derive(Clone, Copy, Debug)]
pub struct FreeRotation {
    /// Principal moments, kg m².
    moments: DVec3,
    /// Spin in body axes at time 0, rad/s.
    spin: DVec3,
    /// Rotation from body axes to world axes at time 0.
    attitude: DQuat,
    motion: Motion,
}

#[derive(Clone, Copy, Debug)]
enum Motion {
    /// Rotation about a constant axis.
    Steady,
    /// A symmetric top about this axis.
    Symmetric(usize),
    /// Three different moments, and a spin along no principal axis.
    General(General),
}

/// Constants of the general motion. The components of the spin along the axes a, b and c are
/// proportional to cn, sn and dn.
#[derive(Clone, Copy, Debug)]
struct General {
    axes: [usize; 3],
    /// Signed amplitudes of the spin, rad/s.
    amplitudes: DVec3,
    /// Complementary parameter `1 - k²`.
    m1: f64,
    /// Rate of the argument of the elliptic functions, rad/s.
    rate: f64,
    /// Argument at time 0, rad.
    start: f64,
    /// Body axis from which the angle about the angular momentum is counted.
    pole: usize,
    /// The angle grows by `precession t + factor (Pi - pi_start)`.
    precession: f64,
    factor: f64,
    nu: f64,
    pi_start: f64,
    /// Rotation from the frame of the angular momentum to world axes.
    space: DQuat,
}

impl FreeRotation {
    /// Creates the motion of a body with these principal moments, kg m², spin in body axes, rad/s,
    /// and rotation from body axes to world axes at time 0.
    pub fn new(moments: DVec3, spin: DVec3, attitude: DQuat) -> Self {
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| moments[i].total_cmp(&moments[j]));
        let [i1, i2, i3] = order.map(|k| moments[k]);
        // A spin along a principal axis is constant.
        let zeros = spin.to_array().iter().filter(|w| **w == 0.0).count();
        let motion = if i1 == i3 || zeros >= 2 {
            Motion::Steady
        } else if i1 == i2 {
            Motion::Symmetric(order[2])
        } else if i2 == i3 {
            Motion::Symmetric(order[0])
        } else {
            Motion::General(General::new(moments, spin, attitude, order))
        };
        Self { moments, spin, attitude, motion }
    }

    /// Returns spin in body axes, rad/s, and rotation from body axes to world axes at the time `t`,
    /// s.
    pub fn at(&self, t: f64) -> (DVec3, DQuat) {
        match &self.motion {
            Motion::Steady => (self.spin, self.attitude * turned_by(self.spin * t)),
            Motion::Symmetric(axis) => self.symmetric(*axis, t),
            Motion::General(general) => general.at(self.moments, t),
        }
    }

    fn symmetric(&self, axis: usize, t: f64) -> (DVec3, DQuat) {
        let (p, r) = ((axis + 1) % 3, (axis + 2) % 3);
        let transverse = self.moments[p];
        // Rate at which the spin rotates about the axis of symmetry in body axes.
        let own = (1.0 - self.moments[axis] / transverse) * self.spin[axis];
        let (sin, cos) = libm::sincos(own * t);
        let mut spin = self.spin;
        spin[p] = cos * self.spin[p] + sin * self.spin[r];
        spin[r] = cos * self.spin[r] - sin * self.spin[p];
        let momentum = self.moments * self.spin;
        let about_own = turned_by(DVec3::AXES[axis] * (own * t));
        (spin, self.attitude * turned_by(momentum / transverse * t) * about_own)
    }
}

impl General {
    fn new(moments: DVec3, spin: DVec3, attitude: DQuat, order: [usize; 3]) -> Self {
        let [i1, i2, i3] = order.map(|k| moments[k]);
        let [s1, s2, s3] = order.map(|k| spin[k] * spin[k]);
        // 2 T I3 - L², L² - 2 T I1 and L² - 2 T I2, in a form without cancellation.
        let d3 = i1 * (i3 - i1) * s1 + i2 * (i3 - i2) * s2;
        let d1 = i2 * (i2 - i1) * s2 + i3 * (i3 - i1) * s3;
        let d2 = i3 * (i3 - i2) * s3 - i1 * (i2 - i1) * s1;
        // The sign of d2 decides about which axis the angular momentum circles, the third or the
        // first.
        let (axes, da, dc) = if d2 >= 0.0 { (order, d3, d1) } else { ([order[2], order[1], order[0]], d1, d3) };
        let [a, b, c] = axes;
        let [ia, ib, ic] = axes.map(|k| moments[k]);
        let m1 = ((ic - ia).abs() * d2.abs() / ((ic - ib).abs() * dc)).min(1.0);
        // Amplitudes from the two constants of motion, energy and angular momentum.
        let amplitude = |d: f64, i: f64, other: f64| (d / (i * (ic - other).abs())).sqrt();
        let mut size = DVec3::new(amplitude(da, ia, ia), amplitude(da, ib, ib), (dc / (ic * (ic - ia).abs())).sqrt());
        let rate = ((ic - ib).abs() * dc / (ia * ib * ic)).sqrt();
        // The axes are a right-handed system only for an even permutation.
        let parity = if (b + 3 - a) % 3 == 1 { 1.0 } else { -1.0 };
        let sign_c = if spin[c] >= 0.0 { 1.0 } else { -1.0 };
        let mut sign_b = parity * sign_c * if ic > ib { 1.0 } else { -1.0 };
        let (start, phi) = if m1 == 0.0 {
            // On the separatrix cn does not change its sign.
            let sign_a = if spin[a] >= 0.0 { 1.0 } else { -1.0 };
            sign_b *= sign_a;
            let u = libm::asinh(sign_b * spin[b] / size.y / (spin[a].abs() / size.x));
            size.x *= sign_a;
            (u, libm::atan(libm::sinh(u)))
        } else {
            let phi = if da > 0.0 { libm::atan2(sign_b * spin[b] / size.y, spin[a] / size.x) } else { 0.0 };
            (first_kind(phi, m1), phi)
        };
        let momentum = (moments * spin).length();
        // Largest components of the angular momentum along the axes a and c.
        let (la, lc) = (ia * size.x.abs(), ic * size.z);
        // The pole is the axis from which the angular momentum keeps the greater distance, so that
        // the angle about it is well defined.
        let from_a = la <= lc;
        let (pole, ip, d) = if from_a { (a, ia, lc * lc) } else { (c, ic, la * la) };
        let nu = if from_a { la * la / d } else { lc * lc * (1.0 - m1) / d };
        let excess = if pole == order[0] { -d1 } else { d3 } / ip;
        let mut general = Self {
            axes,
            amplitudes: DVec3::new(size.x, sign_b * size.y, sign_c * size.z),
            m1,
            rate,
            start,
            pole,
            precession: momentum / ip,
            factor: momentum * excess / (d * rate),
            nu,
            pi_start: third_kind(phi, nu, m1),
            space: DQuat::IDENTITY,
        };
        general.space = attitude * general.frame(moments, spin);
        general
    }

    fn at(&self, moments: DVec3, t: f64) -> (DVec3, DQuat) {
        let (sn, cn, dn, phi) = jacobi(self.rate * t + self.start, self.m1);
        let mut spin = DVec3::ZERO;
        for (axis, value) in self.axes.into_iter().zip([cn, sn, dn].into_iter().zip(self.amplitudes.to_array())) {
            spin[axis] = value.0 * value.1;
        }
        let angle = self.precession * t + self.factor * (third_kind(phi, self.nu, self.m1) - self.pi_start);
        let about = turned_by(DVec3::Z * angle);
        (spin, self.space * about * self.frame(moments, spin).conjugate())
    }

    /// Returns the frame of the angular momentum in body axes: its third axis is along the
    /// momentum, its first is the one nearest to the pole.
    fn frame(&self, moments: DVec3, spin: DVec3) -> DQuat {
        let along = (moments * spin).normalize();
        let p = self.pole;
        let mut first = DVec3::AXES[p] - along[p] * along;
        // 1 - along_p², in a form without cancellation.
        first[p] = along[(p + 1) % 3] * along[(p + 1) % 3] + along[(p + 2) % 3] * along[(p + 2) % 3];
        let first = first.normalize();
        DQuat::from_mat3(&DMat3::from_cols(first, along.cross(first), along))
    }
}

/// Returns the quaternion of a rotation vector, rad.
fn turned_by(angle: DVec3) -> DQuat {
    let length = angle.length();
    if length == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = libm::sincos(0.5 * length);
    let axis = angle * (sin / length);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}
