//! Two smooth bodies that are symmetric about their centres, by Newton's method on the sphere of directions.
//!
//! In: two bodies with their support functions, support points and curvature radii in closed form. Out: the closest
//! points, or the least penetration, to rounding. The iteration is in `newton`; here is the order of attempts: warm,
//! cold, from many directions if the bodies overlap deeply, and at last `general`. Equations:
//! `docs/theory/smooth_shapes.md`.

mod ball;
mod convex;
mod deep;
mod disc;
mod ellipsoid;
mod newton;
mod superellipsoid;
mod symmetric;

pub(crate) use ball::Ball;
pub(crate) use convex::PlacedConvex;
pub(crate) use disc::Disc;
pub(crate) use ellipsoid::PlacedEllipsoid;
pub(crate) use newton::{Outcome, Phase, minimise};
pub(crate) use superellipsoid::PlacedSuperellipsoid;
pub(crate) use symmetric::Symmetric2;

use glam::{DMat3, DVec3};

use super::general::general;
use crate::math::tangent_frame;
use crate::{Manifold, ManifoldPoint, Pair};
use newton::Found;

/// Overlap, in sums of the inscribed radii, up to which the minimum near that of the growth factor is the answer: grains
/// in a simulation overlap by a hundredth or less.
const SHALLOW: f64 = 0.1;

/// Overlap, in curvature radii at the contact, up to which the same holds for bodies with edges. Where the radius falls below
/// the depth, the depth has several minima side by side: this keeps two decades away from that.
const BLUNT: f64 = 0.01;

/// Cosine of the angle by which a normal may turn in a step before the pair is solved cold: 0.3 rad.
const SAME_BRANCH: f64 = 0.955;

/// A body that is placed, seen from its centre in world axes, with its support function `h`.
pub(crate) trait Smooth {
    /// Whether the surface has edges: places with a curvature radius far below its size.
    const HAS_EDGES: bool;

    /// What an evaluation leaves for the curvature radii.
    type Trace: Copy;

    /// The support function and point along the unit vector `n`.
    fn reach(&self, n: DVec3) -> Reach<Self::Trace>;

    /// The Hessian of the support function on the tangent plane `(t, u)`: the curvature radii, m.
    fn radii(&self, reach: &Reach<Self::Trace>, t: DVec3, u: DVec3) -> Symmetric2;

    /// The semi-axes as columns.
    fn axes(&self) -> DMat3;

    /// Radius of a ball that fits into the body, m; zero where nobody knows.
    fn inscribed_radius(&self) -> f64 {
        0.0
    }

    /// Bounds of the curvature radii over the whole surface, m: none is smaller, or larger.
    fn least_radius(&self) -> f64 {
        0.0
    }
    /// See [`Smooth::least_radius`].
    fn largest_radius(&self) -> f64 {
        f64::INFINITY
    }

    /// Radius of a ball about the centre that holds the body, m.
    fn bounding_radius(&self) -> f64;

    /// A direction near the outward normal at a point near the surface, where that tells more than the curvature radii.
    fn normal_at(&self, _point: DVec3) -> Option<DVec3> {
        None
    }

    /// What a law sees as curvature, 1/m.
    fn curvature(&self, radii: Symmetric2) -> f64 {
        2.0 / radii.trace()
    }

    /// The same where the outward normal is `n`.
    #[inline]
    fn curvature_at(&self, reach: &Reach<Self::Trace>, n: DVec3) -> f64 {
        let (t, u) = tangent_frame(n);
        self.curvature(self.radii(reach, t, u))
    }
}

/// A body's support along one direction.
#[derive(Clone, Copy)]
pub(crate) struct Reach<T> {
    /// Support function, m.
    pub h: f64,
    /// Support point from the centre, m.
    pub point: DVec3,
    /// For the curvature radii.
    pub trace: T,
}

/// Finds the contact of the pair, whose bodies are `a` and `b`.
pub(crate) fn support<A: Smooth, B: Smooth>(a: &A, b: &B, pair: &Pair, manifold: &mut Manifold) {
    let mut iterations = 0;
    let outcome = solve(a, b, pair, &mut iterations);
    manifold.iterations = iterations;
    match outcome {
        Outcome::Beyond(n) => manifold.apart = Some(n),
        Outcome::Found(found) => found.report(pair.margin, manifold),
        Outcome::Lost => {
            general(pair, manifold);
            manifold.iterations += iterations;
        }
    }
}

fn solve<A: Smooth, B: Smooth>(a: &A, b: &B, pair: &Pair, iterations: &mut u32) -> Outcome {
    let shallow = SHALLOW * (a.inscribed_radius() + b.inscribed_radius());
    if let Some(warm) = pair.warm {
        let outcome = minimise(a, b, pair.offset, warm, Phase::Gap, pair.margin, iterations);
        match outcome {
            Outcome::Beyond(_) => return outcome,
            Outcome::Found(found) if found.depth < 0.0 => return outcome,
            Outcome::Found(found) if found.depth <= shallow && found.normal.dot(warm) >= SAME_BRANCH => return outcome,
            _ => {}
        }
    }
    let cold = match first_direction(a, b, pair.offset) {
        Some(start) => minimise(a, b, pair.offset, start, Phase::Growth, pair.margin, iterations),
        None => Outcome::Lost,
    };
    match cold {
        Outcome::Beyond(_) => cold,
        Outcome::Found(found) if found.depth <= shallow && found.is_blunt(A::HAS_EDGES || B::HAS_EDGES) => cold,
        Outcome::Found(found) => deep::least(a, b, pair.offset, Some(found), found.depth <= shallow, iterations),
        Outcome::Lost => deep::least(a, b, pair.offset, None, false, iterations),
    }
}

/// The contact direction of two equal ellipsoids with these semi-axes; `None` for a common centre.
fn first_direction<A: Smooth, B: Smooth>(a: &A, b: &B, offset: DVec3) -> Option<DVec3> {
    let (axes_a, axes_b) = (a.axes(), b.axes());
    let sum = axes_a * axes_a.transpose() + axes_b * axes_b.transpose();
    // The inverse by cofactors, without its determinant: only the direction counts.
    let cofactors =
        DMat3::from_cols(sum.y_axis.cross(sum.z_axis), sum.z_axis.cross(sum.x_axis), sum.x_axis.cross(sum.y_axis));
    let scaled = offset / offset.abs().max_element();
    let direction = (cofactors * scaled).try_normalize()?;
    (direction.dot(offset) > 0.0).then_some(direction)
}

impl Found {
    /// Whether the overlap is small against the curvature radii, as far as that matters.
    fn is_blunt(&self, has_edges: bool) -> bool {
        !has_edges || self.depth <= BLUNT * self.least_radius
    }

    fn report(&self, margin: f64, manifold: &mut Manifold) {
        let Self { normal, depth, arm, curvature, .. } = *self;
        if -depth <= margin {
            manifold.push(ManifoldPoint { arm, normal, gap: -depth, curvature, feature: 0 });
        } else {
            manifold.apart = Some(normal);
        }
    }
}
