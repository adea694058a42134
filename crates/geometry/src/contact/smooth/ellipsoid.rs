//! An ellipsoid as a smooth body, in terms of the matrix `B` of its semi-axes.

use glam::{DMat3, DQuat, DVec3};
use wide::f64x2;

use super::{PairSupport, Smooth, SmoothPair, Support, Symmetric2};
use crate::numeric::two_vectors::{TwoMatrices, TwoVectors};
use crate::shape::Ellipsoid;

/// An ellipsoid with its orientation.
pub(crate) struct OrientedEllipsoid {
    /// `B = R diag(r)`: the semi-axes as columns, m.
    axes: DMat3,
    /// Sum of the squares of the semi-axes, m².
    squares: f64,
    least: f64,
    largest: f64,
}

impl OrientedEllipsoid {
    #[inline]
    pub fn new(shape: &Ellipsoid, orientation: DQuat) -> Self {
        let DVec3 { x, y, z } = shape.semi_axes;
        let turn = DMat3::from_quat(orientation);
        Self {
            axes: DMat3::from_cols(x * turn.x_axis, y * turn.y_axis, z * turn.z_axis),
            squares: shape.semi_axes.length_squared(),
            least: shape.semi_axes.min_element(),
            largest: shape.semi_axes.max_element(),
        }
    }

    /// Returns `B' v`.
    #[inline]
    fn scaled(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.axes.x_axis.dot(v), self.axes.y_axis.dot(v), self.axes.z_axis.dot(v))
    }
}

/// Intermediate results of a direction for the radii of curvature.
#[derive(Clone, Copy)]
pub(crate) struct Trace {
    /// `B'n / h`.
    unit: DVec3,
    /// `1/h`, 1/m.
    per_h: f64,
}

impl Smooth for OrientedEllipsoid {
    const HAS_EDGES: bool = false;

    type Trace = Trace;

    #[inline]
    fn evaluate(&self, n: DVec3) -> Support<Trace> {
        // h(n) = |B'n|, and the support point is its gradient B B'n / h.
        let scaled = self.scaled(n);
        let h = scaled.length();
        // One division serves the point and the radii of curvature.
        let per_h = 1.0 / h;
        let unit = scaled * per_h;
        Support { h, point: self.axes * unit, trace: Trace { unit, per_h } }
    }

    #[inline]
    fn radii(&self, support: &Support<Trace>, t: DVec3, u: DVec3) -> Symmetric2 {
        let Trace { unit, per_h } = support.trace;
        // The Hessian (B B' - p p')/h in the basis t, u of the tangent plane.
        // In axes scaled by the semi-axes the ellipsoid is a unit sphere.
        let (t, u) = (self.scaled(t), self.scaled(u));
        let (along_t, along_u) = (unit.dot(t), unit.dot(u));
        Symmetric2 {
            xx: (t.length_squared() - along_t * along_t) * per_h,
            xy: (t.dot(u) - along_t * along_u) * per_h,
            yy: (u.length_squared() - along_u * along_u) * per_h,
        }
    }

    /// The Hessian `(B B' - p p')/h` of the support function vanishes along `n`, so that its trace
    /// is the sum of the principal radii.
    #[inline]
    fn curvature_at(&self, support: &Support<Trace>, _n: DVec3) -> f64 {
        2.0 * support.h / (self.squares - support.point.length_squared())
    }

    fn least_radius(&self) -> f64 {
        // Radius at the end of the longest axis, towards the shortest one: b²/a.
        self.least * self.least / self.largest
    }

    fn largest_radius(&self) -> f64 {
        self.largest * self.largest / self.least
    }

    fn bounding_radius(&self) -> f64 {
        self.largest
    }

    #[inline]
    fn axes(&self) -> DMat3 {
        self.axes
    }

    #[inline]
    fn inscribed_radius(&self) -> f64 {
        self.least
    }
}

/// Two ellipsoids whose support functions are computed together in SIMD registers.
pub(crate) struct EllipsoidPair {
    axes: TwoMatrices,
    semi_axes: TwoVectors,
}

/// Intermediate results of a direction for both bodies.
#[derive(Clone, Copy)]
pub(crate) struct Traces {
    unit: TwoVectors,
    h: f64x2,
    per_h: f64x2,
    points: TwoVectors,
}

impl EllipsoidPair {
    #[inline]
    pub fn new(shapes: [&Ellipsoid; 2], orientations: [DQuat; 2]) -> Self {
        let semi_axes = TwoVectors::new(shapes.map(|shape| shape.semi_axes));
        Self { axes: TwoMatrices::rotations(orientations).scaled(semi_axes), semi_axes }
    }
}

impl SmoothPair for EllipsoidPair {
    const HAVE_EDGES: bool = false;

    type Trace = Traces;

    #[inline]
    fn evaluate(&self, n: DVec3) -> PairSupport<Traces> {
        // Both bodies at once, one in each half of the register.
        let scaled = self.axes.transposed_times(TwoVectors::both(n));
        let h = scaled.dot(scaled).sqrt();
        let per_h = f64x2::ONE / h;
        let unit = scaled * per_h;
        let points = self.axes.times(unit);
        let [on_a, on_b] = points.split();
        PairSupport { h: h.reduce_add(), on_a, on_b, trace: Traces { unit, h, per_h, points } }
    }

    #[inline]
    fn radii(&self, supports: &PairSupport<Traces>, t: DVec3, u: DVec3) -> [Symmetric2; 2] {
        let Traces { unit, per_h, .. } = supports.trace;
        let [t, u] = [t, u].map(|axis| self.axes.transposed_times(TwoVectors::both(axis)));
        let (along_t, along_u) = (unit.dot(t), unit.dot(u));
        Symmetric2::two(
            (t.dot(t) - along_t * along_t) * per_h,
            (t.dot(u) - along_t * along_u) * per_h,
            (u.dot(u) - along_u * along_u) * per_h,
        )
    }

    #[inline]
    fn axes(&self) -> [DMat3; 2] {
        self.axes.split()
    }

    #[inline]
    fn inscribed_radii(&self) -> f64 {
        self.semi_axes.least().reduce_add()
    }

    #[inline]
    fn normals_at(&self, _points: [DVec3; 2]) -> [Option<DVec3>; 2] {
        [None; 2]
    }

    #[inline]
    fn curvature(&self, radii: [Symmetric2; 2]) -> f64 {
        let [a, b] = radii.map(|radii| 2.0 / radii.trace());
        a + b
    }

    #[inline]
    fn curvature_at(&self, supports: &PairSupport<Traces>, _n: DVec3) -> f64 {
        let Traces { h, points, .. } = supports.trace;
        let squares = self.semi_axes.dot(self.semi_axes);
        ((h + h) / (squares - points.dot(points))).reduce_add()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::math::tangent_frame;

    #[test]
    fn the_trace_of_the_hessian_is_that_of_the_radii() {
        let shape = Ellipsoid { semi_axes: DVec3::new(0.4, 1.3, 0.7) };
        let placed = OrientedEllipsoid::new(&shape, DQuat::from_scaled_axis(DVec3::new(0.3, -1.0, 0.5)));
        for n in [DVec3::X, DVec3::NEG_Z, DVec3::new(0.3, -0.8, 0.2).normalize()] {
            let support = placed.evaluate(n);
            let (t, u) = tangent_frame(n);
            let by_radii = placed.curvature(placed.radii(&support, t, u));
            assert!((placed.curvature_at(&support, n) / by_radii - 1.0).abs() < 1e-14);
        }
    }
}
