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
pub(super) mod face;
mod newton;
pub(super) mod smooth_smooth;
mod superellipsoid;
mod surface;
mod symmetric;

pub(crate) use ball::Ball;
pub(crate) use convex::PlacedConvex;
pub(crate) use disc::Disc;
pub(crate) use ellipsoid::{PlacedEllipsoid, TwoEllipsoids};
pub(crate) use newton::{Outcome, Phase, minimise};
pub(crate) use superellipsoid::{PlacedSuperellipsoid, TwoSuperellipsoids};
pub use surface::SuperellipsoidSurface;
pub use symmetric::Symmetric2;

use glam::{DMat3, DVec3};

use super::general::general;
use crate::numeric::math::tangent_frame;
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

/// Two bodies that are asked together.
pub(crate) trait Two {
    /// Whether one of them has edges.
    const HAVE_EDGES: bool;

    /// What an evaluation leaves for the curvature radii.
    type Trace: Copy;

    /// The support of both along the unit vector `n`.
    fn reach(&self, n: DVec3) -> Reaches<Self::Trace>;

    /// The curvature radii of each, as in [`Smooth::radii`].
    fn radii(&self, reaches: &Reaches<Self::Trace>, t: DVec3, u: DVec3) -> [Symmetric2; 2];

    /// The semi-axes of each as columns.
    fn axes(&self) -> [DMat3; 2];

    /// Sum of the radii of balls that fit into the bodies, m.
    fn inscribed_radii(&self) -> f64;

    /// A direction near the outward normal of each at a point near its surface, as in [`Smooth::normal_at`].
    fn normals_at(&self, points: [DVec3; 2]) -> [Option<DVec3>; 2];

    /// What a law sees as curvature of both, 1/m.
    fn curvature(&self, radii: [Symmetric2; 2]) -> f64;

    /// The same where the normal is `n`.
    #[inline]
    fn curvature_at(&self, reaches: &Reaches<Self::Trace>, n: DVec3) -> f64 {
        let (t, u) = tangent_frame(n);
        self.curvature(self.radii(reaches, t, u))
    }
}

/// The support of two bodies along one direction.
#[derive(Clone, Copy)]
pub(crate) struct Reaches<T> {
    /// Sum of the support functions, m.
    pub h: f64,
    /// Support points, each from its own centre, m.
    pub on_a: DVec3,
    /// See `on_a`.
    pub on_b: DVec3,
    /// For the curvature radii.
    pub trace: T,
}

/// Any two bodies.
pub(crate) struct AnyTwo<'a, A, B>(pub &'a A, pub &'a B);

/// What one body of two leaves: its support function and its own trace.
type Left<S> = (f64, <S as Smooth>::Trace);

impl<A: Smooth, B: Smooth> AnyTwo<'_, A, B> {
    #[inline]
    fn each(reaches: &Reaches<(Left<A>, Left<B>)>) -> (Reach<A::Trace>, Reach<B::Trace>) {
        let Reaches { on_a, on_b, trace: (a, b), .. } = *reaches;
        (Reach { h: a.0, point: on_a, trace: a.1 }, Reach { h: b.0, point: on_b, trace: b.1 })
    }
}

impl<A: Smooth, B: Smooth> Two for AnyTwo<'_, A, B> {
    const HAVE_EDGES: bool = A::HAS_EDGES || B::HAS_EDGES;

    type Trace = (Left<A>, Left<B>);

    #[inline]
    fn reach(&self, n: DVec3) -> Reaches<Self::Trace> {
        let (a, b) = (self.0.reach(n), self.1.reach(n));
        Reaches { h: a.h + b.h, on_a: a.point, on_b: b.point, trace: ((a.h, a.trace), (b.h, b.trace)) }
    }

    #[inline]
    fn radii(&self, reaches: &Reaches<Self::Trace>, t: DVec3, u: DVec3) -> [Symmetric2; 2] {
        let (a, b) = Self::each(reaches);
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
    fn curvature_at(&self, reaches: &Reaches<Self::Trace>, n: DVec3) -> f64 {
        let (a, b) = Self::each(reaches);
        self.0.curvature_at(&a, n) + self.1.curvature_at(&b, n)
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
    support_of(&AnyTwo(a, b), pair, manifold);
}

/// Finds the contact of the pair, whose bodies are these.
pub(crate) fn support_of(two: &impl Two, pair: &Pair, manifold: &mut Manifold) {
    let mut iterations = 0;
    let outcome = solve(two, pair, &mut iterations);
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

fn solve<T: Two>(two: &T, pair: &Pair, iterations: &mut u32) -> Outcome {
    let shallow = SHALLOW * two.inscribed_radii();
    if let Some(warm) = pair.warm {
        let outcome = minimise(two, pair.offset, warm, Phase::Gap, pair.margin, iterations);
        match outcome {
            Outcome::Beyond(_) => return outcome,
            Outcome::Found(found) if found.depth < 0.0 => return outcome,
            Outcome::Found(found) if found.depth <= shallow && found.normal.dot(warm) >= SAME_BRANCH => return outcome,
            _ => {}
        }
    }
    let cold = match first_direction(two.axes(), pair.offset) {
        Some(start) => minimise(two, pair.offset, start, Phase::Growth, pair.margin, iterations),
        None => Outcome::Lost,
    };
    match cold {
        Outcome::Beyond(_) => cold,
        Outcome::Found(found) if found.depth <= shallow && found.is_blunt(T::HAVE_EDGES) => cold,
        Outcome::Found(found) => deep::least(two, pair.offset, Some(found), found.depth <= shallow, iterations),
        Outcome::Lost => deep::least(two, pair.offset, None, false, iterations),
    }
}

/// The contact direction of two equal ellipsoids with these semi-axes; `None` for a common centre.
fn first_direction([axes_a, axes_b]: [DMat3; 2], offset: DVec3) -> Option<DVec3> {
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
