//! An ellipsoid as a smooth body: everything from the matrix `B` of its semi-axes.

use glam::{DMat3, DQuat, DVec3};

use super::{Reach, Smooth, Symmetric2};
use crate::shape::Ellipsoid;

/// A placed ellipsoid.
pub(crate) struct PlacedEllipsoid {
    /// `B = R diag(r)`: the semi-axes as columns, m.
    axes: DMat3,
    least: f64,
    largest: f64,
}

impl PlacedEllipsoid {
    #[inline]
    pub fn new(shape: &Ellipsoid, orientation: DQuat) -> Self {
        let DVec3 { x, y, z } = shape.semi_axes;
        let turn = DMat3::from_quat(orientation);
        Self {
            axes: DMat3::from_cols(x * turn.x_axis, y * turn.y_axis, z * turn.z_axis),
            least: shape.semi_axes.min_element(),
            largest: shape.semi_axes.max_element(),
        }
    }

    /// `B' v`.
    #[inline]
    fn scaled(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.axes.x_axis.dot(v), self.axes.y_axis.dot(v), self.axes.z_axis.dot(v))
    }
}

impl Smooth for PlacedEllipsoid {
    const HAS_EDGES: bool = false;

    /// `B'n / h`.
    type Trace = DVec3;

    #[inline]
    fn reach(&self, n: DVec3) -> Reach<DVec3> {
        let scaled = self.scaled(n);
        let h = scaled.length();
        let unit = scaled * (1.0 / h);
        Reach { h, point: self.axes * unit, trace: unit }
    }

    #[inline]
    fn radii(&self, reach: &Reach<DVec3>, t: DVec3, u: DVec3) -> Symmetric2 {
        let unit = reach.trace;
        let (t, u) = (self.scaled(t), self.scaled(u));
        let (along_t, along_u) = (unit.dot(t), unit.dot(u));
        let per_h = 1.0 / reach.h;
        Symmetric2 {
            xx: (t.length_squared() - along_t * along_t) * per_h,
            xy: (t.dot(u) - along_t * along_u) * per_h,
            yy: (u.length_squared() - along_u * along_u) * per_h,
        }
    }

    fn least_radius(&self) -> f64 {
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
