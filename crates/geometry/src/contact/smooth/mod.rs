//! Contact of two smooth, centrally symmetric bodies by Newton's method on the sphere of
//! directions.
//!
//! Input: two bodies with support function, support point and radii of curvature in closed form.
//! Output: the closest points, or the least penetration, with rounding accuracy. The iteration is
//! in `newton`. This file has the order of attempts: a warm start, a cold start, many starts if the
//! bodies overlap deeply, and finally `general`. The equations are in
//! `docs/theory/smooth_shapes.md`.

mod ball;
mod convex;
mod deep_overlap;
mod disc;
mod ellipsoid;
pub(super) mod flat_face;
mod newton;
pub(super) mod smooth_smooth;
pub(super) mod straight_line;
mod superellipsoid;
mod surface;
mod symmetric;

pub(crate) use ball::Ball;
pub(crate) use convex::OrientedConvex;
pub(crate) use disc::Disc;
pub(crate) use ellipsoid::{EllipsoidPair, OrientedEllipsoid};
pub(crate) use newton::{Outcome, Phase, minimise};
pub(crate) use superellipsoid::{OrientedSuperellipsoid, SuperellipsoidPair};
pub use surface::SuperellipsoidSurface;
pub use symmetric::Symmetric2;

use glam::{DMat3, DVec3};

use super::general::general;
use crate::numeric::math::tangent_frame;
use crate::{ContactPoint, Manifold, Pair};
use newton::Found;

/// Overlap, relative to the sum of the inscribed radii, up to which the local minimum that is found
/// from the growth factor is accepted. Grains in a simulation overlap by a hundredth or less.
const SHALLOW: f64 = 0.1;

/// Overlap, relative to the radius of curvature at the contact, up to which the same holds for
/// bodies with edges. If this radius is less than the depth, several local minima lie close
/// together. The bound keeps two decades away from that.
const BLUNT: f64 = 0.01;

/// Cosine of 0.3 rad, the largest rotation of the normal in a step after which a warm start is
/// trusted.
const SAME_BRANCH: f64 = 0.955;

/// A body with a given orientation and its support function `h`. Vectors are relative to its
/// centre, in world axes.
pub(crate) trait Smooth {
    /// True if the surface has edges, where a radius of curvature is much smaller than the body.
    const HAS_EDGES: bool;

    /// Intermediate results of an evaluation that the radii of curvature need.
    type Trace: Copy;

    /// Returns support function and support point along the unit vector `n`.
    fn evaluate(&self, n: DVec3) -> Support<Self::Trace>;

    /// Returns the Hessian of the support function on the tangent plane `(t, u)`, which is the
    /// matrix of radii of curvature, m.
    fn radii(&self, support: &Support<Self::Trace>, t: DVec3, u: DVec3) -> Symmetric2;

    /// Returns the semi-axes as columns, m.
    fn axes(&self) -> DMat3;

    /// Returns the radius of a ball that fits into the body, m, or zero if it is unknown.
    fn inscribed_radius(&self) -> f64 {
        0.0
    }

    /// Returns a lower bound of the radii of curvature over the whole surface, m.
    fn least_radius(&self) -> f64 {
        0.0
    }
    /// Returns an upper bound of the radii of curvature over the whole surface, m.
    fn largest_radius(&self) -> f64 {
        f64::INFINITY
    }

    /// Returns the radius of a ball about the centre that contains the body, m.
    fn bounding_radius(&self) -> f64;

    /// Returns a direction close to the outward normal at a point near the surface, if that is a
    /// better guess than the one from the radii of curvature.
    fn normal_at(&self, _point: DVec3) -> Option<DVec3> {
        None
    }

    /// Returns the mean curvature that a contact law uses, 1/m.
    fn curvature(&self, radii: Symmetric2) -> f64 {
        2.0 / radii.trace()
    }

    /// Returns the same at the point with the outward normal `n`.
    #[inline]
    fn curvature_at(&self, support: &Support<Self::Trace>, n: DVec3) -> f64 {
        let (t, u) = tangent_frame(n);
        self.curvature(self.radii(support, t, u))
    }
}

/// Two bodies that are evaluated together.
pub(crate) trait SmoothPair {
    /// True if at least one of them has edges.
    const HAVE_EDGES: bool;

    /// Intermediate results of an evaluation that the radii of curvature need.
    type Trace: Copy;

    /// Returns the support of both bodies along the unit vector `n`.
    fn evaluate(&self, n: DVec3) -> PairSupport<Self::Trace>;

    /// Returns the radii of curvature of each body, as [`Smooth::radii`] does.
    fn radii(&self, supports: &PairSupport<Self::Trace>, t: DVec3, u: DVec3) -> [Symmetric2; 2];

    /// Returns the semi-axes of each body as columns, m.
    fn axes(&self) -> [DMat3; 2];

    /// Returns the sum of the radii of balls that fit into the bodies, m.
    fn inscribed_radii(&self) -> f64;

    /// Returns a direction close to the outward normal of each body, as [`Smooth::normal_at`] does.
    fn normals_at(&self, points: [DVec3; 2]) -> [Option<DVec3>; 2];

    /// Returns the sum of the mean curvatures that a contact law uses, 1/m.
    fn curvature(&self, radii: [Symmetric2; 2]) -> f64;

    /// Returns the same at the points with the normal `n`.
    #[inline]
    fn curvature_at(&self, supports: &PairSupport<Self::Trace>, n: DVec3) -> f64 {
        let (t, u) = tangent_frame(n);
        self.curvature(self.radii(supports, t, u))
    }
}

/// The support of two bodies along one direction.
#[derive(Clone, Copy)]
pub(crate) struct PairSupport<T> {
    /// Sum of the support functions, m.
    pub h: f64,
    /// Support point of a relative to its own centre, m.
    pub on_a: DVec3,
    /// Support point of b relative to its own centre, m.
    pub on_b: DVec3,
    /// Intermediate results for the radii of curvature.
    pub trace: T,
}

/// A pair of any two smooth bodies.
pub(crate) struct GenericPair<'a, A, B>(pub &'a A, pub &'a B);

/// Support function and intermediate results of one body of a pair.
type Single<S> = (f64, <S as Smooth>::Trace);

impl<A: Smooth, B: Smooth> GenericPair<'_, A, B> {
    #[inline]
    fn each(supports: &PairSupport<(Single<A>, Single<B>)>) -> (Support<A::Trace>, Support<B::Trace>) {
        let PairSupport { on_a, on_b, trace: (a, b), .. } = *supports;
        (Support { h: a.0, point: on_a, trace: a.1 }, Support { h: b.0, point: on_b, trace: b.1 })
    }
}

impl<A: Smooth, B: Smooth> SmoothPair for GenericPair<'_, A, B> {
    const HAVE_EDGES: bool = A::HAS_EDGES || B::HAS_EDGES;

    type Trace = (Single<A>, Single<B>);

    #[inline]
    fn evaluate(&self, n: DVec3) -> PairSupport<Self::Trace> {
        let (a, b) = (self.0.evaluate(n), self.1.evaluate(n));
        PairSupport { h: a.h + b.h, on_a: a.point, on_b: b.point, trace: ((a.h, a.trace), (b.h, b.trace)) }
    }

    #[inline]
    fn radii(&self, supports: &PairSupport<Self::Trace>, t: DVec3, u: DVec3) -> [Symmetric2; 2] {
        let (a, b) = Self::each(supports);
        [self.0.radii(&a, t, u), self.1.radii(&b, t, u)]
    }

    fn axes(&self) -> [DMat3; 2] {
        [self.0.axes(), self.1.axes()]
    }

    #[inline]
    fn inscribed_radii(&self) -> f64 {
        self.0.inscribed_radius() + self.1.inscribed_radius()
    }

    fn normals_at(&self, points: [DVec3; 2]) -> [Option<DVec3>; 2] {
        [self.0.normal_at(points[0]), self.1.normal_at(points[1])]
    }

    #[inline]
    fn curvature(&self, [a, b]: [Symmetric2; 2]) -> f64 {
        self.0.curvature(a) + self.1.curvature(b)
    }

    #[inline]
    fn curvature_at(&self, supports: &PairSupport<Self::Trace>, n: DVec3) -> f64 {
        let (a, b) = Self::each(supports);
        self.0.curvature_at(&a, n) + self.1.curvature_at(&b, n)
    }
}

/// The support of a body along one direction.
#[derive(Clone, Copy)]
pub(crate) struct Support<T> {
    /// Support function, m.
    pub h: f64,
    /// Support point relative to the centre, m.
    pub point: DVec3,
    /// Intermediate results for the radii of curvature.
    pub trace: T,
}

/// Finds the contact of the smooth bodies `a` and `b` of a pair.
pub(crate) fn support<A: Smooth, B: Smooth>(a: &A, b: &B, pair: &Pair, manifold: &mut Manifold) {
    support_of(&GenericPair(a, b), pair, manifold);
}

/// Finds the contact of a pair of smooth bodies.
pub(crate) fn support_of(two: &impl SmoothPair, pair: &Pair, manifold: &mut Manifold) {
    let mut iterations = 0;
    let outcome = solve(two, pair, &mut iterations);
    manifold.iterations = iterations;
    match outcome {
        Outcome::Beyond(n) => manifold.apart = Some(n),
        Outcome::Found(found) => found.report(pair.margin, manifold),
        // The general routine needs no derivatives, and proves its result.
        Outcome::Lost => {
            general(pair, manifold);
            manifold.iterations += iterations;
        }
    }
}

fn solve<T: SmoothPair>(two: &T, pair: &Pair, iterations: &mut u32) -> Outcome {
    // Up to this depth a local minimum of smooth surfaces counts as the global one.
    let shallow = SHALLOW * two.inscribed_radii();
    if let Some(warm) = pair.warm {
        let outcome = minimise(two, pair.offset, warm, Phase::Gap, pair.margin, iterations);
        match outcome {
            // A separating direction is a proof, and a positive distance has one minimum.
            Outcome::Beyond(_) => return outcome,
            Outcome::Found(found) if found.depth < 0.0 => return outcome,
            // The normal has hardly rotated, so that the minimum is still the same one.
            Outcome::Found(found) if found.depth <= shallow && found.normal.dot(warm) >= SAME_BRANCH => return outcome,
            _ => {}
        }
    }
    // Without a usable warm start the growth factor is minimised first, because it has no false
    // minima.
    let cold = match first_direction(two.axes(), pair.offset) {
        Some(start) => minimise(two, pair.offset, start, Phase::Growth, pair.margin, iterations),
        None => Outcome::Lost,
    };
    match cold {
        Outcome::Beyond(_) => cold,
        Outcome::Found(found) if found.depth <= shallow && found.is_blunt(T::HAVE_EDGES) => cold,
        // Several minima are possible: compare them from many starts.
        Outcome::Found(found) => deep_overlap::least(two, pair.offset, Some(found), found.depth <= shallow, iterations),
        Outcome::Lost => deep_overlap::least(two, pair.offset, None, false, iterations),
    }
}

/// Returns a starting direction, which is exact for two ellipsoids of equal axes and orientation.
/// It returns `None` for a common centre.
fn first_direction([axes_a, axes_b]: [DMat3; 2], offset: DVec3) -> Option<DVec3> {
    let sum = axes_a * axes_a.transpose() + axes_b * axes_b.transpose();
    // The matrix of cofactors is the inverse times the determinant; only the direction counts.
    let cofactors =
        DMat3::from_cols(sum.y_axis.cross(sum.z_axis), sum.z_axis.cross(sum.x_axis), sum.x_axis.cross(sum.y_axis));
    let scaled = offset / offset.abs().max_element();
    // Scale first: products of very long or very short offsets overflow or underflow.
    let direction = (cofactors * scaled).try_normalize()?;
    (direction.dot(offset) > 0.0).then_some(direction)
}

impl Found {
    /// Returns whether the overlap is small compared with the radii of curvature. Bodies without
    /// edges always pass.
    fn is_blunt(&self, has_edges: bool) -> bool {
        !has_edges || self.depth <= BLUNT * self.least_radius
    }

    fn report(&self, margin: f64, manifold: &mut Manifold) {
        let Self { normal, depth, arm, curvature, .. } = *self;
        if -depth <= margin {
            manifold.push(ContactPoint { arm, normal, gap: -depth, curvature, feature: 0, overlap: None });
        } else {
            manifold.apart = Some(normal);
        }
    }
}
