//! The signed gap of two cylinders: the largest `g(n) = n.d - s_1(n) - s_2(n)` over the unit
//! vectors n, with the support functions s of the bodies and the offset d of their centres.
//!
//! The features in contact give the class of the direction: a face (n along an axis), two sides (n
//! across both axes), a side and a rim (one unknown, `side`), two rims (two unknowns, `rims`). Any
//! n with g > 0 proves that the bodies are separated. The equations and proofs are in the README of
//! this folder.
//!
//! Functions that every pair calls are `inline(always)`: a vector that a function stores component
//! by component and its caller reloads as a pair causes a store-forwarding stall, which takes
//! longer than the arithmetic.

mod certificate;
pub mod cylinder_cylinder;
mod patch;
mod rims;
mod separation;
mod side;

use glam::{DQuat, DVec2, DVec3};

use crate::numeric::math::tangent_frame;
use crate::shape::Cylinder;

pub(crate) use patch::report;
pub use separation::Step;
pub(crate) use separation::{Class, Direction};

/// Sine of the angle between two axes up to which rounding determines the direction of their common
/// perpendicular.
const PARALLEL: f64 = 1e-15;

/// Sine of that angle up to which the cross product must be normalised after its component along an
/// axis is removed, because the removal then changes its length noticeably.
const NEAR_PARALLEL: f64 = 1e-6;

/// Sine or cosine, and relative distance from an edge, up to which a value counts as zero: a few
/// hundred roundings.
const ON_EDGE: f64 = 1e-13;

/// Sign with which the normal, from the first body to the second, points out of body i. A table
/// avoids a branch on i, which the processor could not predict.
const OUTWARD: [f64; 2] = [1.0, -1.0];

/// Two cylinders in the frame of [Feng2017, eqs. 2-6]: the origin is the first centre, x is across
/// both axes, z along the first. The second axis has no component along x, so the offset and the
/// angle of the axes describe the relative pose.
pub(crate) struct CylinderPair {
    /// World directions of x, y and z.
    pub(in crate::contact) frame: [DVec3; 3],
    /// Body axes to world axes.
    orientations: [DQuat; 2],
    /// Second centre minus first centre, m.
    pub offset: DVec3,
    /// The two axes, unit vectors.
    pub axes: [DVec3; 2],
    /// Radii, m.
    pub r: [f64; 2],
    /// Half heights, m.
    pub h: [f64; 2],
}

/// Returns the axis of a cylinder with this orientation: its z axis in world axes.
#[inline]
pub(in crate::contact) fn axis_of(orientation: DQuat) -> DVec3 {
    let DQuat { x, y, z, w } = orientation;
    DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))
}

/// Returns a vector perpendicular to two axes (unit vectors), and the inverse of its length. For
/// parallel axes the vector is along `fallback`, a unit vector that is perpendicular to `z` except
/// for rounding.
#[inline(always)]
pub(in crate::contact) fn common_perpendicular(
    z: DVec3,
    other: DVec3,
    fallback: impl FnOnce() -> DVec3,
) -> (DVec3, f64) {
    let cross = z.cross(other);
    let square = cross.length_squared();
    // Rounding leaves a small component along the axis, which a long body would multiply by its
    // height.
    let flat = |v: DVec3| v - v.dot(z) * z;
    // The square root and the division are independent, and only the last product needs them.
    if square > NEAR_PARALLEL * NEAR_PARALLEL {
        (flat(cross), square.sqrt() * (1.0 / square))
    } else if square > PARALLEL * PARALLEL {
        (flat(cross / square.sqrt()).normalize(), 1.0)
    } else {
        (flat(fallback()).normalize(), 1.0)
    }
}

/// Returns the sign of a sine or a cosine, or zero if the value is a rounding error.
#[inline]
fn sign_or_zero(value: f64) -> f64 {
    if value.abs() <= ON_EDGE { 0.0 } else { 1f64.copysign(value) }
}

impl CylinderPair {
    #[inline(always)]
    pub fn new(bodies: [&Cylinder; 2], offset: DVec3, orientations: [DQuat; 2]) -> Self {
        let [z, other] = orientations.map(axis_of);
        // For parallel axes x points from the first axis to the second, so that the offset has no
        // component along y.
        let flat = |v: DVec3| v - v.dot(z) * z;
        let (across, unit) =
            common_perpendicular(z, other, || flat(offset).try_normalize().unwrap_or_else(|| tangent_frame(z).0));
        let up = z.cross(across);
        let [r, h] = [bodies.map(|body| body.radius), bodies.map(|body| body.half_height)];
        Self {
            frame: [unit * across, unit * up, z],
            orientations,
            offset: DVec3::new(unit * offset.dot(across), unit * offset.dot(up), offset.dot(z)),
            axes: [DVec3::Z, DVec3::new(0.0, unit * other.dot(up), other.dot(z))],
            r,
            h,
        }
    }

    /// Converts a vector of this frame to world axes.
    #[inline]
    pub fn world(&self, v: DVec3) -> DVec3 {
        v.x * self.frame[0] + v.y * self.frame[1] + v.z * self.frame[2]
    }

    /// Converts a world vector to this frame.
    #[inline]
    pub fn local(&self, v: DVec3) -> DVec3 {
        DVec3::new(v.dot(self.frame[0]), v.dot(self.frame[1]), v.dot(self.frame[2]))
    }

    /// Returns sine and cosine of the angle from the first axis to the second.
    #[inline]
    fn angle(&self) -> (f64, f64) {
        (self.axes[1].y, self.axes[1].z)
    }

    /// Returns the components of a vector across the axis of body `i` and along it, beside x.
    #[inline]
    fn in_body(&self, i: usize, v: DVec3) -> DVec2 {
        let DVec3 { y: sin, z: cos, .. } = self.axes[i];
        DVec2::new(cos * v.y - sin * v.z, sin * v.y + cos * v.z)
    }

    /// Returns the same for the second body.
    #[inline]
    fn in_second(&self, v: DVec3) -> DVec2 {
        self.in_body(1, v)
    }

    /// Returns `g(n)`, m: a lower bound of the gap for any unit vector.
    #[inline]
    pub fn g(&self, n: DVec3) -> f64 {
        let second = self.in_second(n);
        let support = |i: usize, x: f64, y: f64, z: f64| self.r[i] * (x * x + y * y).sqrt() + self.h[i] * z.abs();
        n.dot(self.offset) - support(0, n.x, n.y, n.z) - support(1, n.x, second.x, second.y)
    }

    /// Returns the least radius or half height of the two bodies, m.
    pub fn least_size(&self) -> f64 {
        self.r[0].min(self.r[1]).min(self.h[0]).min(self.h[1])
    }

    /// Returns the surface point of the body that is not `i`, from the centre of `i`.
    #[inline(always)]
    pub fn other_point(&self, i: usize, n: DVec3) -> DVec3 {
        OUTWARD[i] * (self.offset - self.point(1 - i, n))
    }

    /// Returns the support point of body `i` along `n`, from its own centre. If the support set is
    /// a face or a line, it is the middle of this set.
    #[inline(always)]
    pub fn point(&self, i: usize, n: DVec3) -> DVec3 {
        let DVec3 { y: sin, z: cos, .. } = self.axes[i];
        let (y, z) = (cos * n.y - sin * n.z, sin * n.y + cos * n.z);
        let height = if z.abs() <= ON_EDGE { 0.0 } else { self.h[i].copysign(z) };
        let across = (n.x * n.x + y * y).sqrt();
        let out = if across <= ON_EDGE { 0.0 } else { self.r[i] / across };
        let y = out * y;
        DVec3::new(out * n.x, cos * y + sin * height, cos * height - sin * y)
    }
}
