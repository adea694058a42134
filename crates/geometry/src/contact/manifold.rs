//! What a pair routine answers: contact points, and how sure it is of them.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use crate::numeric::math::tangent_frame;

/// Most contact points one pair may have.
pub const MAX_POINTS: usize = 8;

/// Most of them that may have a gear of their own: a grain may be at both ends of a container, and at its side with two rims.
const MAX_GEARED: usize = 4;

/// One point of contact. Lengths are in metres, vectors in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldPoint {
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

impl ManifoldPoint {
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

/// How a contact's gap follows the bodies: `gap' = rate v.n + couple w.n`, with v the velocity of b against a at the contact
/// point and w its spin. A force `f` that is conjugate to the gap is `rate f n` at the point, and a couple `couple f n`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gear {
    /// Rate of the gap for unit speed along the normal.
    pub rate: f64,
    /// Rate of the gap for unit spin about the normal, m.
    pub couple: f64,
}

impl Gear {
    /// A gap that is a distance.
    pub const PLAIN: Self = Self { rate: 1.0, couple: 0.0 };

    /// The signed distance that a gap stands for, m: an overlap that grows faster than the bodies come together is told by how far they would
    /// have to part to end it. That of a slower one is no distance, and is told as it is; of bodies that are apart the gap is one already.
    #[inline]
    pub fn distance(self, gap: f64) -> f64 {
        if gap < 0.0 { gap / self.rate.max(1.0) } else { gap }
    }
}

impl Default for Gear {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// What a contact is across its normal: two vectors in its plane, m, whose squares add up to the mean square of the way from the point,
/// `r r' = p p' + q q'`. A point that stands for a patch has friction that resists spinning, and dashpots that resist rocking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Patch(pub [DVec3; 2]);

impl Patch {
    /// The patch of a positive definite matrix of second moments, seen along a unit normal; where roundings are all that it holds there, no
    /// more than that.
    pub fn of(moments: DMat3, normal: DVec3) -> Self {
        let (t, u) = tangent_frame(normal);
        let (of_t, of_u) = (moments * t, moments * u);
        let (long, wide) = (t.dot(of_t).max(0.0).sqrt(), u.dot(of_u).max(0.0).sqrt());
        let aslant = if long > 0.0 { (u.dot(of_t) / long).clamp(-wide, wide) } else { 0.0 };
        Self([long * t + aslant * u, (wide * wide - aslant * aslant).max(0.0).sqrt() * u])
    }

    /// Whether it is a point.
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
    points: [ManifoldPoint; MAX_POINTS],
    len: usize,
    /// How the routine ended.
    pub status: Status,
    /// Iterations the routine took; 0 for a closed form.
    pub iterations: u32,
    /// Where no point is reported: a direction, a unit vector but for rounding, along which b lies beyond a, if the routine came
    /// by one. It holds for a while as the bodies move, see [`Pair::distance_along`](crate::Pair::distance_along).
    pub apart: Option<DVec3>,
    /// How the gaps of the first points follow the bodies, and what these points stand for.
    gears: [(Gear, Patch); MAX_GEARED],
    geared: usize,
    /// The nearest points of the two surfaces, where they are not among the points that act.
    nearest: Option<ManifoldPoint>,
}

impl Manifold {
    /// Forgets the last answer.
    pub fn clear(&mut self) {
        self.len = 0;
        self.status = Status::Converged;
        self.iterations = 0;
        self.apart = None;
        self.geared = 0;
        self.nearest = None;
    }

    /// Adds a point. A ninth point is a fault of the routine.
    pub fn push(&mut self, point: ManifoldPoint) {
        debug_assert!(self.len < MAX_POINTS, "a manifold holds at most {MAX_POINTS} points");
        self.points[self.len] = point;
        self.len += 1;
    }

    /// Adds a point whose gap follows the bodies by a gear of its own, and which stands for a patch. They come before all others.
    pub fn push_geared(&mut self, point: ManifoldPoint, gear: Gear, patch: Patch) {
        debug_assert!(self.geared == self.len, "points with a gear of their own come first");
        self.gears[self.geared] = (gear, patch);
        self.geared += 1;
        self.push(point);
    }

    /// How the gap of the point with this number follows the bodies, and what the point stands for.
    #[inline]
    pub fn gear(&self, number: usize) -> (Gear, &Patch) {
        const POINT: &Patch = &Patch([DVec3::ZERO; 2]);
        if number < self.geared { (self.gears[number].0, &self.gears[number].1) } else { (Gear::PLAIN, POINT) }
    }

    /// Notes the nearest points of two surfaces where no force is to act: between faces they wander with a tilt of a rounding.
    pub fn tell(&mut self, point: ManifoldPoint) {
        if self.nearest.is_none_or(|known| point.gap < known.gap) {
            self.nearest = Some(point);
        }
    }

    /// The points at which forces act, deepest first where the routine orders them.
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.len]
    }

    /// The same, to be changed.
    pub fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..self.len]
    }

    /// The point with the smallest gap: the nearest points of the two surfaces, whether a force acts there or not.
    pub fn deepest(&self) -> Option<&ManifoldPoint> {
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
