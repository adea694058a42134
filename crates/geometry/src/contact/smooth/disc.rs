//! A flat disc as a smooth body: the end of a cylinder or a cone, of which only the rim counts.

use glam::{DMat3, DVec3};

use super::{Reach, Smooth, Symmetric2};
use crate::numeric::math::tangent_frame;

/// A disc about its centre.
pub(crate) struct Disc {
    /// Unit vector across it.
    pub axis: DVec3,
    /// m.
    pub radius: f64,
}

/// The direction's part in the plane of the disc.
#[derive(Clone, Copy)]
pub(crate) struct Trace {
    /// Its unit vector.
    out: DVec3,
    /// Its length; zero across the disc, where all of it is as far.
    length: f64,
}

impl Smooth for Disc {
    const HAS_EDGES: bool = true;

    type Trace = Trace;

    #[inline]
    fn reach(&self, n: DVec3) -> Reach<Trace> {
        let across = n - n.dot(self.axis) * self.axis;
        let length = across.length();
        let out = if length > 0.0 { across / length } else { DVec3::ZERO };
        Reach { h: self.radius * length, point: self.radius * out, trace: Trace { out, length } }
    }

    #[inline]
    fn radii(&self, reach: &Reach<Trace>, t: DVec3, u: DVec3) -> Symmetric2 {
        let Trace { out, length } = reach.trace;
        let along = self.axis.cross(out);
        let (x, y) = (along.dot(t), along.dot(u));
        let radius = if length > 0.0 { self.radius / length } else { 0.0 };
        Symmetric2 { xx: radius * x * x, xy: radius * x * y, yy: radius * y * y }
    }

    fn axes(&self) -> DMat3 {
        let (t, u) = tangent_frame(self.axis);
        DMat3::from_cols(self.radius * t, self.radius * u, DVec3::ZERO)
    }

    fn bounding_radius(&self) -> f64 {
        self.radius
    }
}
