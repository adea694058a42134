//! The set of differences of the two bodies, `Z = { x_a - x_b }`, through its support points.
//!
//! With `h(n)` its support function, the gap of the bodies is `-min h(n)` over the unit vectors `n`, and the
//! minimiser is the contact normal: the bodies are apart where `h(n) < 0`. Everything here is in units of
//! [`Difference::unit`], so that the iterations see bodies of size one.

use glam::{DQuat, DVec3};

use crate::Convex;

/// Two placed bodies, seen from the centre of a.
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

/// A support point of `Z` and the point of a it came from, in units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    /// `x_a - x_b`.
    pub z: DVec3,
    /// `x_a`, from the centre of a.
    pub a: DVec3,
}

impl Vertex {
    /// The point of b, from the centre of a.
    pub fn b(&self) -> DVec3 {
        self.a - self.z
    }

    /// The weighted mean of three vertices.
    pub fn mix(vertices: [Vertex; 3], weights: [f64; 3]) -> Self {
        let sum = |part: fn(&Vertex) -> DVec3| {
            part(&vertices[0]) * weights[0] + part(&vertices[1]) * weights[1] + part(&vertices[2]) * weights[2]
        };
        Self { z: sum(|v| v.z), a: sum(|v| v.a) }
    }
}

/// The difference of two placed bodies.
pub(super) struct Difference<'a> {
    placed: Placed<'a>,
    to_a: DQuat,
    to_b: DQuat,
    /// The unit of length, m: a power of two, so that scaling rounds nothing, near the sum of the bodies' sizes.
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

    /// The support points of the two bodies, each from its own centre, m.
    pub fn bodies(&self, n: DVec3) -> (DVec3, DVec3) {
        let Placed { a, b, orientation_a, orientation_b, .. } = self.placed;
        (orientation_a * a.support(self.to_a * n), orientation_b * b.support(self.to_b * -n))
    }

    /// The point of `Z` that lies farthest along `n` (any length but zero).
    pub fn support(&self, n: DVec3) -> Vertex {
        let (a, b) = self.bodies(n);
        Vertex { z: (a - b - self.placed.offset) * self.per_unit, a: a * self.per_unit }
    }

    /// Sum of the mean curvatures of the two surfaces where their common normal is `n`, 1/m.
    pub fn curvature(&self, n: DVec3) -> f64 {
        self.placed.a.curvature(self.to_a * n) + self.placed.b.curvature(self.to_b * -n)
    }
}
