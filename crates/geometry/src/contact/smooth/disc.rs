//! A flat disc as a smooth body: the end of a cylinder or of a cone, of which only the rim matters.

use glam::{DMat3, DVec3};

use super::{Smooth, Support, Symmetric2};
use crate::numeric::math::tangent_frame;

/// A disc about its centre.
pub(crate) struct Disc {
    /// Unit normal of the disc.
    pub axis: DVec3,
    /// Radius, m.
    pub radius: f64,
}

/// The component of the direction in the plane of the disc.
#[derive(Clone, Copy)]
pub(crate) struct Trace {
    /// Its unit vector, or zero.
    out: DVec3,
    /// Its length. It is zero along the axis, where all points of the disc are support points.
    length: f64,
}

impl Smooth for Disc {
    const HAS_EDGES: bool = true;

    type Trace = Trace;

    #[inline]
    fn evaluate(&self, n: DVec3) -> Support<Trace> {
        let across = n - n.dot(self.axis) * self.axis;
        let length = across.length();
        let out = if length > 0.0 { across / length } else { DVec3::ZERO };
        Support { h: self.radius * length, point: self.radius * out, trace: Trace { out, length } }
    }

    #[inline]
    fn radii(&self, support: &Support<Trace>, t: DVec3, u: DVec3) -> Symmetric2 {
        let Trace { out, length } = support.trace;
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
