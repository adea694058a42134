//! Two cylinders in the frame of the paper, for cuts across the common perpendicular of their axes: each is a rectangle there.
//!
//! Coordinates are those of the first cylinder: x along the common perpendicular, z along its axis.

use glam::{DVec2, DVec3};

use crate::contact::cylinder::CylinderPair;

/// Two cylinders in the axes of the first: the frame (d, alpha, s1, s2) of the paper, without its division by the sine.
pub(super) struct Frame {
    /// World directions of x, y and z.
    axes: [DVec3; 3],
    pub r: [f64; 2],
    pub h: [f64; 2],
    /// Place of the second axis along x.
    pub d: f64,
    /// Centre of the second rectangle.
    pub centre: DVec2,
    /// Directions of its width and of its height: the latter is the sine and the cosine of the angle of the axes.
    pub wide: DVec2,
    pub high: DVec2,
    /// One over the sine and one over the cosine.
    pub over: DVec2,
    /// What the second body is larger by, so that of two sides that lie on each other the first's counts, m.
    pub rounding: f64,
    /// Where lines of bases cross, from the middle of the base: for either body, by the sign of its base and then of the other's, the
    /// positive one first. Each place is found once, so that the two bodies agree on it however small the angle.
    pub crossings: [[[f64; 2]; 2]; 2],
}

/// The same in sizes of the pair: some roundings.
const ROUNDING: f64 = 1e-14;

/// Sine or cosine up to which lines cross nowhere.
const NEVER: f64 = 1e-100;

impl Frame {
    #[inline(always)]
    pub fn new(cylinders: &CylinderPair) -> Self {
        let CylinderPair { frame, offset, axes: [_, other], mut r, mut h, .. } = *cylinders;
        // A cylinder has no upper end: the axes are turned the same way, and x so that the second leans towards +y.
        let up = if other.z < 0.0 { -1.0 } else { 1.0 };
        let turn = if up * other.y < 0.0 { -1.0 } else { 1.0 };
        let high = DVec2::new(other.y.abs(), other.z.abs()).normalize();
        let [x, y, z] = frame;
        let centre = DVec2::new(turn * offset.y, offset.z);
        let wide = DVec2::new(high.y, -high.x);
        let over = 1.0 / high.max(DVec2::splat(NEVER));
        let rounding = ROUNDING * (r[0] + r[1] + h[0] + h[1]);
        (r[1], h[1]) = (r[1] + rounding, h[1] + rounding);
        let level = high.dot(centre);
        let on_first = |s: f64, t: f64| (level - high.y * s * h[0] + t * h[1]) * over.x;
        let first = [[on_first(1.0, 1.0), on_first(1.0, -1.0)], [on_first(-1.0, 1.0), on_first(-1.0, -1.0)]];
        let on_second = |place: f64, s: f64| wide.dot(DVec2::new(place, s * h[0]) - centre);
        let [plus, minus] = first;
        let second = [
            [on_second(plus[0], 1.0), on_second(minus[0], -1.0)],
            [on_second(plus[1], 1.0), on_second(minus[1], -1.0)],
        ];
        Self {
            axes: [turn * x, turn * y, z],
            r,
            h,
            d: turn * offset.x,
            centre,
            wide,
            high,
            over,
            rounding,
            crossings: [first, second],
        }
    }

    /// Half widths of the two rectangles.
    #[inline]
    pub fn widths(&self, x: f64) -> [f64; 2] {
        let half = |r: f64, x: f64| ((r - x) * (r + x)).max(0.0).sqrt();
        [half(self.r[0], x), half(self.r[1], x - self.d)]
    }

    /// The second centre from the first.
    pub fn second_centre(&self) -> DVec3 {
        DVec3::new(self.d, self.centre.x, self.centre.y)
    }

    /// World vector of (x, y, z).
    pub fn world(&self, v: DVec3) -> DVec3 {
        v.x * self.axes[0] + v.y * self.axes[1] + v.z * self.axes[2]
    }
}
