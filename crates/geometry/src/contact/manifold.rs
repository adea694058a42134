//! What a pair routine answers: contact points, and how sure it is of them.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use crate::numeric::math::tangent_frame;

/// Most contact points one pair may have.
pub const MAX_POINTS: usize = 8;

/// Most points with a Jacobian: a grain may touch both ends of a container, and its side with two rims.
const MAX_JACOBIANS: usize = 4;

/// One point of contact. Lengths are in metres, vectors in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// From the centre of a to the contact point: the middle of the two surface points.
    ///
    /// It is relative to body a so that nothing is lost to cancellation far from the origin.
    pub arm: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance of the surfaces along the normal; negative is overlap.
    pub gap: f64,
    /// Sum of the two surfaces' mean curvatures at the contact, 1/m: the inverse of Hertz's reduced radius.
    pub curvature: f64,
    /// Which features of the bodies meet; the same number from step to step while they do.
    pub feature: u32,
}

impl ContactPoint {
    /// Surface point of a, relative to the centre of a.
    pub fn on_a(&self) -> DVec3 {
        self.arm - 0.5 * self.gap * self.normal
    }

    /// Surface point of b, relative to the centre of a.
    pub fn on_b(&self) -> DVec3 {
        self.arm + 0.5 * self.gap * self.normal
    }

    /// The same contact seen from the other body, whose centre is `offset` away from a's.
    pub fn swapped(&self, offset: DVec3) -> Self {
        Self { arm: self.arm - offset, normal: -self.normal, ..*self }
    }
}

/// Derivative of the gap with respect to the motion of the bodies: `gap' = normal v.n + spin w.n`.
///
/// v is the velocity of b relative to a at the contact point, and w the relative angular velocity. A force `f`
/// conjugate to the gap acts on b as the force `normal f n` at the point and the torque `spin f n`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapJacobian {
    /// Rate of the gap per unit velocity along the normal.
    pub normal: f64,
    /// Rate of the gap per unit angular velocity about the normal, m.
    pub spin: f64,
}

impl GapJacobian {
    /// A gap that is a distance.
    pub const PLAIN: Self = Self { normal: 1.0, spin: 0.0 };

    /// Estimates the signed distance of a contact from its generalised gap, m.
    ///
    /// An overlap is divided by its derivative with respect to the approach, if that is above 1. A
    /// positive gap is a distance already.
    #[inline]
    pub fn distance(self, gap: f64) -> f64 {
        if gap < 0.0 { gap / self.normal.max(1.0) } else { gap }
    }
}

impl Default for GapJacobian {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// Second moments of the contact patch about its centroid: two vectors p, q in its plane, m, with `<r r'> = p p' + q q'`.
///
/// The friction of a contact with a patch resists spinning, and its dashpots resist rocking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactPatch(pub [DVec3; 2]);

impl ContactPatch {
    /// Returns the patch of a positive semidefinite matrix of second moments, projected along a unit normal.
    ///
    /// Square roots of rounding errors are clamped to zero.
    pub fn of(moments: DMat3, normal: DVec3) -> Self {
        let (t, u) = tangent_frame(normal);
        let (of_t, of_u) = (moments * t, moments * u);
        let (long, wide) = (t.dot(of_t).max(0.0).sqrt(), u.dot(of_u).max(0.0).sqrt());
        let aslant = if long > 0.0 { (u.dot(of_t) / long).clamp(-wide, wide) } else { 0.0 };
        Self([long * t + aslant * u, (wide * wide - aslant * aslant).max(0.0).sqrt() * u])
    }

    /// Returns whether the patch has no extent.
    #[inline]
    pub fn is_point(&self) -> bool {
        self.0[0] == DVec3::ZERO
    }

    /// Mean square distance from the point, m².
    pub fn square(&self) -> f64 {
        self.0[0].length_squared() + self.0[1].length_squared()
    }
}

/// How a pair routine ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Status {
    /// The answer is exact to the routine's tolerance.
    #[default]
    Converged,
    /// It is not: the residual is how far the two surface points are from sharing one normal, m.
    NotConverged {
        /// Length of the part of `p_b - p_a` that is not along the normal, m.
        residual: f64,
    },
    /// The surface points share their normal, but a direction with less penetration has not been ruled out.
    NotProven {
        /// By how much the true depth may be less, m.
        slack: f64,
    },
}

/// The contact points of one pair. Reused from pair to pair, so that a query allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Manifold {
    points: [ContactPoint; MAX_POINTS],
    len: usize,
    /// How the routine ended.
    pub status: Status,
    /// Iterations the routine took; 0 for a closed form.
    pub iterations: u32,
    /// Where no point is reported: a direction, a unit vector but for rounding, along which b lies beyond a, if the routine came
    /// by one. It holds for a while as the bodies move, see [`Pair::distance_along`](crate::Pair::distance_along).
    pub apart: Option<DVec3>,
    /// How the gaps of the first points follow the bodies, and what these points stand for.
    jacobians: [(GapJacobian, ContactPatch); MAX_JACOBIANS],
    with_jacobian: usize,
    /// The nearest points of the two surfaces, where they are not among the points that act.
    nearest: Option<ContactPoint>,
}

impl Manifold {
    /// Forgets the last answer.
    pub fn clear(&mut self) {
        self.len = 0;
        self.status = Status::Converged;
        self.iterations = 0;
        self.apart = None;
        self.with_jacobian = 0;
        self.nearest = None;
    }

    /// Adds a point. A ninth point is a fault of the routine.
    pub fn push(&mut self, point: ContactPoint) {
        debug_assert!(self.len < MAX_POINTS, "a manifold holds at most {MAX_POINTS} points");
        self.points[self.len] = point;
        self.len += 1;
    }

    /// Adds a point with a Jacobian and a patch. Such points come before all others.
    pub fn push_overlap(&mut self, point: ContactPoint, jacobian: GapJacobian, patch: ContactPatch) {
        debug_assert!(self.with_jacobian == self.len, "points with a Jacobian come first");
        self.jacobians[self.with_jacobian] = (jacobian, patch);
        self.with_jacobian += 1;
        self.push(point);
    }

    /// Returns the Jacobian and the patch of the point with this number.
    #[inline]
    pub fn jacobian(&self, number: usize) -> (GapJacobian, &ContactPatch) {
        const POINT: &ContactPatch = &ContactPatch([DVec3::ZERO; 2]);
        if number < self.with_jacobian {
            (self.jacobians[number].0, &self.jacobians[number].1)
        } else {
            (GapJacobian::PLAIN, POINT)
        }
    }

    /// Sets the nearest points of the two surfaces, where no force acts.
    ///
    /// Between faces they move far with a tilt of a rounding error, so forces act elsewhere.
    pub fn set_nearest(&mut self, point: ContactPoint) {
        if self.nearest.is_none_or(|known| point.gap < known.gap) {
            self.nearest = Some(point);
        }
    }

    /// The points at which forces act, deepest first where the routine orders them.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.len]
    }

    /// The same, to be changed.
    pub fn points_mut(&mut self) -> &mut [ContactPoint] {
        &mut self.points[..self.len]
    }

    /// The point with the smallest gap: the nearest points of the two surfaces, whether a force acts there or not.
    pub fn deepest(&self) -> Option<&ContactPoint> {
        // Of points that are as near those come first which are known to lie on both surfaces: others may be held to the same gap.
        self.nearest.iter().chain(self.points()).min_by(|p, q| p.gap.total_cmp(&q.gap))
    }

    /// Turns the answer for (a, b) into the one for (b, a); `offset` is the centre of b minus that of a.
    pub fn swap(&mut self, offset: DVec3) {
        for point in self.points[..self.len].iter_mut().chain(&mut self.nearest) {
            *point = point.swapped(offset);
        }
        self.apart = self.apart.map(|direction| -direction);
    }
}
