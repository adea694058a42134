//! The Minkowski difference of the two bodies, `Z = { x_a - x_b }`, given by its support points.
//!
//! Let `h(n)` be its support function. The gap of the bodies is `-min h(n)` over the unit vectors
//! `n`, and the minimiser is the contact normal. Any `n` with `h(n) < 0` proves that the bodies are
//! separated. Lengths are in units of [`Difference::unit`], so that the iterations work on bodies
//! of size one.

use glam::{DQuat, DVec3};

use crate::Convex;

/// Two bodies with their relative position and their orientations.
#[derive(Clone, Copy)]
pub struct Placed<'a> {
    /// First body.
    pub a: &'a dyn Convex,
    /// Second body.
    pub b: &'a dyn Convex,
    /// Centre of b minus centre of a, m.
    pub offset: DVec3,
    /// Body axes of a to world axes.
    pub orientation_a: DQuat,
    /// Body axes of b to world axes.
    pub orientation_b: DQuat,
}

/// A support point of `Z` and the point of a that it belongs to, in units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    /// `x_a - x_b`.
    pub z: DVec3,
    /// `x_a`, relative to the centre of a.
    pub a: DVec3,
}

impl Vertex {
    /// Returns the point of b, relative to the centre of a.
    pub fn b(&self) -> DVec3 {
        self.a - self.z
    }

    /// Returns the weighted mean of three vertices.
    pub fn mix(vertices: [Vertex; 3], weights: [f64; 3]) -> Self {
        let sum = |part: fn(&Vertex) -> DVec3| {
            part(&vertices[0]) * weights[0] + part(&vertices[1]) * weights[1] + part(&vertices[2]) * weights[2]
        };
        Self { z: sum(|v| v.z), a: sum(|v| v.a) }
    }
}

/// The Minkowski difference of two bodies.
pub(super) struct Difference<'a> {
    placed: Placed<'a>,
    to_a: DQuat,
    to_b: DQuat,
    /// The unit of length, m, close to the sum of the sizes of the bodies. It is a power of two, so
    /// that scaling causes no rounding error.
    pub unit: f64,
    per_unit: f64,
}

impl<'a> Difference<'a> {
    pub fn new(placed: &Placed<'a>) -> Self {
        let size = placed.a.bounding_radius() + placed.b.bounding_radius();
        let unit = size.log2().ceil().exp2();
        Self {
            placed: *placed,
            to_a: placed.orientation_a.inverse(),
            to_b: placed.orientation_b.inverse(),
            unit,
            per_unit: 1.0 / unit,
        }
    }

    /// Returns the support points of the two bodies, each relative to its own centre, m.
    pub fn bodies(&self, n: DVec3) -> (DVec3, DVec3) {
        let Placed { a, b, orientation_a, orientation_b, .. } = self.placed;
        (orientation_a * a.support(self.to_a * n), orientation_b * b.support(self.to_b * -n))
    }

    /// Returns the point of `Z` that lies farthest along `n` (any length but zero).
    pub fn support(&self, n: DVec3) -> Vertex {
        let (a, b) = self.bodies(n);
        Vertex { z: (a - b - self.placed.offset) * self.per_unit, a: a * self.per_unit }
    }

    /// Returns the sum of the mean curvatures of the two surfaces where their common normal is `n`,
    /// 1/m.
    pub fn curvature(&self, n: DVec3) -> f64 {
        self.placed.a.curvature(self.to_a * n) + self.placed.b.curvature(self.to_b * -n)
    }
}
