//! The point of a cylinder or a truncated cone nearest to a given point outside: on a base, on the
//! side or on a rim.

use glam::{DVec2, DVec3};

use super::Hull;
use crate::numeric::math::tangent_frame;

/// The nearest point of the surface, and the second derivative of the distance along a line.
pub(crate) struct Foot {
    /// Outward unit normal there, which points to the given point.
    pub normal: DVec3,
    /// Distance, m.
    pub distance: f64,
    /// Second derivative of the distance along the line, 1/m.
    pub second_derivative: f64,
}

impl Hull {
    /// Returns the surface point nearest to `point` (relative to the centre), which lies on a line
    /// along the unit vector `line`. It returns `None` if the point is inside.
    pub fn foot(&self, point: DVec3, line: DVec3) -> Option<Foot> {
        debug_assert!(!self.has_balls, "its ends are flat");
        let Self { axis, heights: [bottom, top], radii, side: [cos, sin], .. } = *self;
        let z = point.dot(axis);
        let radial = point - z * axis;
        let across = radial.length();
        if z >= top && across <= radii[1] {
            return Some(Foot { normal: axis, distance: z - top, second_derivative: 0.0 });
        }
        if z <= bottom && across <= radii[0] {
            return Some(Foot { normal: -axis, distance: bottom - z, second_derivative: 0.0 });
        }
        // Coordinates relative to the lower rim: distance off the side, and distance up along it.
        let from = DVec2::new(across - radii[0], z - bottom);
        let (off, up) = (from.x * cos + from.y * sin, from.y * cos - from.x * sin);
        if off <= 0.0 && z >= bottom && z <= top {
            return None;
        }
        let out = if across > 0.0 { radial / across } else { tangent_frame(axis).0 };
        let (line_out, line_up) = (line.dot(out), line.dot(axis));
        let around = (1.0 - line_out * line_out - line_up * line_up).max(0.0);
        let length = DVec2::new(radii[1] - radii[0], top - bottom).length();
        if (0.0..=length).contains(&up) {
            return Some(Foot {
                normal: cos * out + sin * axis,
                distance: off,
                second_derivative: cos * around / across,
            });
        }
        let end = usize::from(up > 0.0);
        let from = DVec2::new(across - radii[end], z - self.heights[end]);
        let distance = from.length();
        let normal = from / distance;
        // In the plane through the axis the rim is a point, so that the distance has the curvature
        // of a circle about it. Around the axis the curvature is that of the hoop or, at a tip, of
        // a circle about it.
        let turning = normal.y * line_out - normal.x * line_up;
        let hoop = if across > 0.0 { normal.x / across } else { 1.0 / distance };
        let second_derivative = turning * turning / distance + hoop * around;
        (distance > 0.0).then_some(Foot { normal: normal.x * out + normal.y * axis, distance, second_derivative })
    }
}
