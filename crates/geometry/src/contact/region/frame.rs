//! The frame in which slices are taken, with the pose of the second body in it.
//!
//! x is along the common perpendicular of the two axes, z along the axis of the first body (for a
//! half-space: along the outward normal of the plane). A slice x = const cuts a cylinder in a
//! rectangle, see the README of this folder.

use glam::{DVec2, DVec3};

use crate::contact::cylinder::CylinderPair;

/// Enlargement of the second body, relative to the size of the pair: a few roundings. If an edge of
/// each body lies on the other, exactly one of the two must be counted; with the enlargement it is
/// that of the first.
pub(super) const ENLARGEMENT: f64 = 1e-14;

/// Sine or cosine of the angle of the axes below which two lines do not intersect: its inverse must
/// stay finite.
const NO_INTERSECTION: f64 = 1e-100;

/// Axes of the slices, and the second body's cross-section in them.
pub(super) struct SliceFrame {
    /// World directions of x, y and z.
    axes: [DVec3; 3],
    /// x of the second axis, m.
    pub d: f64,
    /// (y, z) of the second body's centre, m.
    pub centre: DVec2,
    /// Unit vectors (y, z) along the width and the height of the second rectangle: `(cos, -sin)`
    /// and `(sin, cos)` of the angle of the axes. Neither sine nor cosine is negative.
    pub wide: DVec2,
    pub high: DVec2,
    /// 1/sin and 1/cos of that angle.
    pub inverse: DVec2,
}

impl SliceFrame {
    /// Builds the frame from the world directions `axes` in which the second centre is at `offset`
    /// and the second axis has the components (0, `other.x`, `other.y`).
    ///
    /// A cylinder is symmetric about its centre. Therefore the second axis may be reversed, and x
    /// and y with it, so that sine and cosine of the angle are not negative.
    #[inline(always)]
    pub fn new(axes: [DVec3; 3], offset: DVec3, other: DVec2) -> Self {
        let up = if other.y < 0.0 { -1.0 } else { 1.0 };
        let turn = if up * other.x < 0.0 { -1.0 } else { 1.0 };
        let high = DVec2::new(other.x.abs(), other.y.abs()).normalize();
        let [x, y, z] = axes;
        Self {
            axes: [turn * x, turn * y, z],
            d: turn * offset.x,
            centre: DVec2::new(turn * offset.y, offset.z),
            wide: DVec2::new(high.y, -high.x),
            high,
            inverse: 1.0 / high.max(DVec2::splat(NO_INTERSECTION)),
        }
    }

    /// Returns the second centre from the origin of the frame, m.
    pub fn second_centre(&self) -> DVec3 {
        DVec3::new(self.d, self.centre.x, self.centre.y)
    }

    /// Converts a vector (x, y, z) of the frame to world axes.
    pub fn world(&self, v: DVec3) -> DVec3 {
        v.x * self.axes[0] + v.y * self.axes[1] + v.z * self.axes[2]
    }
}

/// Two cylinders in the frame of the slices; the origin is the first centre. These are the
/// parameters (d, alpha, s1, s2) of [Feng2017, eqs. 2-6] without their division by the sine of the
/// angle.
pub(super) struct CylinderFrame {
    pub slice: SliceFrame,
    /// Radii, m.
    pub r: [f64; 2],
    /// Half heights, m.
    pub h: [f64; 2],
    /// Enlargement of the second body, m. See [`ENLARGEMENT`].
    pub rounding: f64,
    /// Intersections of the lines of two bases, as coordinates along the base from its middle, m:
    /// by body, by the sign of its base, by the sign of the other's base, the positive sign first.
    /// Each intersection is computed once, so that the two bodies agree on it for any angle.
    pub crossings: [[[f64; 2]; 2]; 2],
}

impl CylinderFrame {
    #[inline(always)]
    pub fn new(cylinders: &CylinderPair) -> Self {
        let CylinderPair { frame, offset, axes: [_, other], mut r, mut h, .. } = *cylinders;
        let slice = SliceFrame::new(frame, offset, DVec2::new(other.y, other.z));
        let SliceFrame { centre, wide, high, inverse, .. } = slice;
        let rounding = ENLARGEMENT * (r[0] + r[1] + h[0] + h[1]);
        (r[1], h[1]) = (r[1] + rounding, h[1] + rounding);
        // A point (y, s h1) of a base of the first is on the base t of the second if high . (p -
        // centre) = t h2.
        let level = high.dot(centre);
        let on_first = |s: f64, t: f64| (level - high.y * s * h[0] + t * h[1]) * inverse.x;
        let first = [[on_first(1.0, 1.0), on_first(1.0, -1.0)], [on_first(-1.0, 1.0), on_first(-1.0, -1.0)]];
        // The same points in the coordinates of the second.
        let on_second = |y: f64, s: f64| wide.dot(DVec2::new(y, s * h[0]) - centre);
        let [plus, minus] = first;
        let second = [
            [on_second(plus[0], 1.0), on_second(minus[0], -1.0)],
            [on_second(plus[1], 1.0), on_second(minus[1], -1.0)],
        ];
        Self { slice, r, h, rounding, crossings: [first, second] }
    }

    /// Returns the half widths of the two rectangles at x, m: `w = sqrt(r^2 - x^2)`, x from the
    /// axis of the body.
    #[inline]
    pub fn half_widths(&self, x: f64) -> [f64; 2] {
        // The product (r - x)(r + x) keeps its digits near the end of a circle, r^2 - x^2 does not.
        let half = |r: f64, x: f64| ((r - x) * (r + x)).max(0.0).sqrt();
        [half(self.r[0], x), half(self.r[1], x - self.slice.d)]
    }

    /// Returns the interval of x in which both rectangles exist, m.
    pub fn domain(&self) -> [f64; 2] {
        let ([r1, r2], d) = (self.r, self.slice.d);
        [(-r1).max(d - r2), r1.min(d + r2)]
    }
}
