//! Superellipsoids as smooth bodies. The support function is a nested norm, see `numeric::norm`.

use glam::{DMat3, DQuat, DVec3};

use super::{PairSupport, Smooth, SmoothPair, Support, Symmetric2};
use crate::Convex;
use crate::numeric::norm::{Exponent, Nested};
use crate::numeric::two_vectors::{TwoMatrices, TwoVectors};
use crate::shape::Superellipsoid;
use crate::shape::superellipsoid::support_exponents;

/// A superellipsoid with its orientation.
pub(crate) struct OrientedSuperellipsoid<'a> {
    shape: &'a Superellipsoid,
    turn: DMat3,
    /// A pair of two copies of it. The second result of an evaluation is not used and costs
    /// nothing.
    twice: SuperellipsoidPair<'a>,
}

impl<'a> OrientedSuperellipsoid<'a> {
    #[inline]
    pub fn new(shape: &'a Superellipsoid, orientation: DQuat) -> Self {
        let turn = DMat3::from_quat(orientation);
        Self { shape, turn, twice: SuperellipsoidPair::with_turns([shape; 2], TwoMatrices::both(&turn)) }
    }
}

/// Two superellipsoids whose support functions are computed together in SIMD registers.
pub(crate) struct SuperellipsoidPair<'a> {
    shapes: [&'a Superellipsoid; 2],
    turn: TwoMatrices,
    semi_axes: TwoVectors,
    exponents: [Exponent; 2],
}

/// The direction in body axes times the semi-axes, and the norms of its absolute values.
#[derive(Clone, Copy)]
pub(crate) struct Trace {
    scaled: TwoVectors,
    nested: Nested,
}

impl<'a> SuperellipsoidPair<'a> {
    #[inline]
    pub fn new(shapes: [&'a Superellipsoid; 2], orientations: [DQuat; 2]) -> Self {
        Self::with_turns(shapes, TwoMatrices::rotations(orientations))
    }

    #[inline(always)]
    fn with_turns(shapes: [&'a Superellipsoid; 2], turn: TwoMatrices) -> Self {
        let semi_axes = TwoVectors::new(shapes.map(|shape| shape.semi_axes));
        Self { shapes, turn, semi_axes, exponents: support_exponents(shapes) }
    }

    #[inline(always)]
    fn norms(&self, n: DVec3) -> Trace {
        // By symmetry the norms are evaluated in the first octant; the signs are restored in
        // `points`.
        let scaled = self.semi_axes * self.turn.transposed_times(TwoVectors::both(n));
        Trace { scaled, nested: Nested::new(scaled.abs(), self.exponents) }
    }

    /// Returns the support points.
    #[inline(always)]
    fn points(&self, trace: &Trace) -> TwoVectors {
        self.turn.times((self.semi_axes * trace.nested.gradient()).with_signs(trace.scaled))
    }

    #[inline(always)]
    fn radii_at(&self, Trace { scaled, nested }: &Trace, t: DVec3, u: DVec3) -> [Symmetric2; 2] {
        // The norms are functions of the absolute values; the signs restore the octant.
        let stretch = self.semi_axes.with_signs(*scaled);
        // The Hessian is known in the axes scaled by the semi-axes, so t and u are transformed there.
        let [t, u] = [t, u].map(|axis| stretch * self.turn.transposed_times(TwoVectors::both(axis)));
        // The Hessian is the sum of two outer products, one for each of the nested norms.
        let [upright, level] = nested.hessian_factors(scaled.abs(), self.exponents);
        let (t1, t2, u1, u2) = (upright.dot(t), level.dot(t), upright.dot(u), level.dot(u));
        Symmetric2::two(t1 * t1 + t2 * t2, t1 * u1 + t2 * u2, u1 * u1 + u2 * u2)
    }
}

impl SmoothPair for SuperellipsoidPair<'_> {
    const HAVE_EDGES: bool = true;

    type Trace = Trace;

    #[inline]
    fn evaluate(&self, n: DVec3) -> PairSupport<Trace> {
        let trace = self.norms(n);
        let [on_a, on_b] = self.points(&trace).split();
        PairSupport { h: trace.nested.whole.value.reduce_add(), on_a, on_b, trace }
    }

    #[inline]
    fn radii(&self, supports: &PairSupport<Trace>, t: DVec3, u: DVec3) -> [Symmetric2; 2] {
        self.radii_at(&supports.trace, t, u)
    }

    fn axes(&self) -> [DMat3; 2] {
        self.turn.scaled(self.semi_axes).split()
    }

    #[inline]
    fn inscribed_radii(&self) -> f64 {
        let [a, b] = self.shapes.map(Superellipsoid::inscribed_radius);
        a + b
    }

    fn normals_at(&self, points: [DVec3; 2]) -> [Option<DVec3>; 2] {
        let turns = self.turn.split();
        [0, 1].map(|k| normal_at(self.shapes[k], &turns[k], points[k]))
    }

    #[inline]
    fn curvature(&self, [a, b]: [Symmetric2; 2]) -> f64 {
        self.shapes[0].bounded_curvature(0.5 * a.trace()) + self.shapes[1].bounded_curvature(0.5 * b.trace())
    }
}

/// Returns a direction close to the normal at a point near the surface.
fn normal_at(shape: &Superellipsoid, turn: &DMat3, point: DVec3) -> Option<DVec3> {
    let (_, gradient) = shape.gauge(turn.transpose() * point);
    (*turn * gradient).try_normalize()
}

impl Smooth for OrientedSuperellipsoid<'_> {
    const HAS_EDGES: bool = true;

    type Trace = Trace;

    #[inline]
    fn evaluate(&self, n: DVec3) -> Support<Trace> {
        let trace = self.twice.norms(n);
        Support { h: trace.nested.whole.value.to_array()[0], point: self.twice.points(&trace).split()[0], trace }
    }

    #[inline]
    fn radii(&self, support: &Support<Trace>, t: DVec3, u: DVec3) -> Symmetric2 {
        self.twice.radii_at(&support.trace, t, u)[0]
    }

    /// The radius of curvature vanishes on an edge.
    fn least_radius(&self) -> f64 {
        0.0
    }

    /// The radius of curvature is infinite on a face, and every superellipsoid but the ellipsoid
    /// has faces.
    fn largest_radius(&self) -> f64 {
        let (least, largest) = (self.shape.semi_axes.min_element(), self.shape.semi_axes.max_element());
        if self.shape.eps == [1.0; 2] { largest * largest / least } else { f64::INFINITY }
    }

    fn bounding_radius(&self) -> f64 {
        self.shape.bounding_radius()
    }

    fn axes(&self) -> DMat3 {
        self.turn * DMat3::from_diagonal(self.shape.semi_axes)
    }

    #[inline]
    fn inscribed_radius(&self) -> f64 {
        self.shape.inscribed_radius()
    }

    fn normal_at(&self, point: DVec3) -> Option<DVec3> {
        normal_at(self.shape, &self.turn, point)
    }

    fn curvature(&self, radii: Symmetric2) -> f64 {
        self.shape.bounded_curvature(0.5 * radii.trace())
    }
}
