//! A ball as a smooth body.

use glam::{DMat3, DVec3};

use super::{Smooth, Support, Symmetric2};

/// A ball with the given radius, m.
pub(crate) struct Ball(pub f64);

impl Smooth for Ball {
    const HAS_EDGES: bool = false;

    type Trace = ();

    #[inline]
    fn evaluate(&self, n: DVec3) -> Support<()> {
        Support { h: self.0, point: self.0 * n, trace: () }
    }

    #[inline]
    fn radii(&self, _support: &Support<()>, _t: DVec3, _u: DVec3) -> Symmetric2 {
        Symmetric2 { xx: self.0, xy: 0.0, yy: self.0 }
    }

    #[inline]
    fn curvature_at(&self, _support: &Support<()>, _n: DVec3) -> f64 {
        1.0 / self.0
    }

    fn axes(&self) -> DMat3 {
        DMat3::from_diagonal(DVec3::splat(self.0))
    }

    fn least_radius(&self) -> f64 {
        self.0
    }

    fn largest_radius(&self) -> f64 {
        self.0
    }

    fn bounding_radius(&self) -> f64 {
        self.0
    }

    fn inscribed_radius(&self) -> f64 {
        self.0
    }
}
