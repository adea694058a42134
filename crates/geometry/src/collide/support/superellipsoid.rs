//! A superellipsoid as a smooth body: norms of norms.

use glam::{DMat3, DQuat, DVec3};

use super::{Reach, Smooth, Symmetric2};
use crate::Convex;
use crate::shape::Superellipsoid;
use crate::shape::superellipsoid::{Nested, bends, with_signs};

/// A placed superellipsoid.
pub(crate) struct PlacedSuperellipsoid<'a> {
    shape: &'a Superellipsoid,
    turn: DMat3,
    q: [f64; 2],
    inverse_q: [f64; 2],
}

impl<'a> PlacedSuperellipsoid<'a> {
    #[inline]
    pub fn new(shape: &'a Superellipsoid, orientation: DQuat) -> Self {
        let (q, inverse_q) = shape.support_exponents();
        Self { shape, turn: DMat3::from_quat(orientation), q, inverse_q }
    }

    #[inline]
    fn to_body(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.turn.x_axis.dot(v), self.turn.y_axis.dot(v), self.turn.z_axis.dot(v))
    }
}

/// The direction in body axes times the semi-axes, and the norms of its magnitudes.
#[derive(Clone, Copy)]
pub(crate) struct Trace {
    scaled: DVec3,
    nested: Nested,
}

impl Smooth for PlacedSuperellipsoid<'_> {
    const HAS_EDGES: bool = true;

    type Trace = Trace;

    #[inline]
    fn reach(&self, n: DVec3) -> Reach<Trace> {
        let scaled = self.shape.semi_axes * self.to_body(n);
        let nested = Nested::new(scaled.abs(), self.q, self.inverse_q);
        let point = with_signs(self.shape.semi_axes * nested.gradient(), scaled);
        Reach { h: nested.whole.value, point: self.turn * point, trace: Trace { scaled, nested } }
    }

    #[inline]
    fn radii(&self, reach: &Reach<Trace>, t: DVec3, u: DVec3) -> Symmetric2 {
        let Trace { scaled, nested } = reach.trace;
        let stretch = with_signs(self.shape.semi_axes, scaled);
        let (t, u) = (stretch * self.to_body(t), stretch * self.to_body(u));
        let [upright, level] = bends(&nested, scaled.abs(), self.q, self.inverse_q);
        let (t1, t2, u1, u2) = (upright.dot(t), level.dot(t), upright.dot(u), level.dot(u));
        Symmetric2 { xx: t1 * t1 + t2 * t2, xy: t1 * u1 + t2 * u2, yy: u1 * u1 + u2 * u2 }
    }

    /// An edge has none.
    fn least_radius(&self) -> f64 {
        0.0
    }

    /// A face has no end of it, and an octahedron has faces too.
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
        let (_, gradient) = self.shape.gauge(self.to_body(point));
        (self.turn * gradient).try_normalize()
    }

    fn curvature(&self, radii: Symmetric2) -> f64 {
        self.shape.bounded_curvature(0.5 * radii.trace())
    }
}
