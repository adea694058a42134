//! A cut across the common perpendicular of two axes: each cylinder is a rectangle there, and their common part a polygon.
//!
//! Coordinates are those of the first cylinder: x along the common perpendicular, z along its axis. The polygon is known by
//! the parts of its edges on either rectangle, each cut by the other: no part needs to know the others.

use glam::{DVec2, DVec3, Vec2Swizzles};

use super::Couple;

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
    /// Distance up to which two sides lie on each other, m.
    pub rounding: f64,
}

/// The same in sizes of the pair: some roundings.
const ROUNDING: f64 = 1e-14;

/// Sine or cosine up to which lines cross nowhere.
const NEVER: f64 = 1e-100;

/// The part of a side that lies in the other rectangle.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// A point of the side's line: half way between its ends, the first's or the second's centre included.
    on: DVec2,
    /// Direction of the side.
    along: DVec2,
    /// Where the part begins and ends along it.
    from: f64,
    to: f64,
}

impl Part {
    #[inline]
    pub fn length(&self) -> f64 {
        (self.to - self.from).max(0.0)
    }

    #[inline]
    fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }

    /// Its ends.
    pub fn ends(&self) -> [DVec2; 2] {
        [self.on + self.from * self.along, self.on + self.to * self.along]
    }

    /// Its middle, from `about`.
    #[inline]
    pub fn middle_from(&self, about: DVec2) -> DVec2 {
        self.on - about + self.middle() * self.along
    }
}

/// The part of a side whose half length is `half`. A place t along it is between two of the other's lines where `|p + k t| <= half`,
/// with k the sine or the cosine: that is `|t + p/k| <= half/k`, place and span of each pair of lines.
#[inline]
fn cut(half: f64, on: DVec2, along: DVec2, places: DVec2, spans: DVec2) -> Part {
    let (low, high) = (places - spans, places + spans);
    // Of numbers alone: the library's functions look for what is not a number, which takes longer than all else.
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let smaller = |a: f64, b: f64| if a < b { a } else { b };
    Part { on, along, from: larger(larger(low.x, low.y), -half), to: smaller(smaller(high.x, high.y), half) }
}

/// The bounds of all cuts.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub low: DVec2,
    pub high: DVec2,
    /// Largest distance from the first axis, and least.
    pub radii: [f64; 2],
}

impl Bounds {
    pub const NONE: Self = Self { low: DVec2::INFINITY, high: DVec2::NEG_INFINITY, radii: [0.0, f64::INFINITY] };

    /// Widens them by others.
    pub fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.radii = [self.radii[0].max(other.radii[0]), self.radii[1].min(other.radii[1])];
    }

    /// Widens them by a point.
    pub fn see(&mut self, x: f64, p: DVec2) {
        self.low = self.low.min(p);
        self.high = self.high.max(p);
        let radius = DVec2::new(x, p.x).length();
        self.radii = [self.radii[0].max(radius), self.radii[1].min(radius)];
    }
}

impl Frame {
    pub fn new(couple: &Couple) -> Self {
        let Couple { offset, axes: [z, other], r, h, .. } = *couple;
        // A cylinder has no upper end: the axes are turned the same way, and x so that the second leans towards +y.
        let other = if other.z < 0.0 { -other } else { other };
        let x = if other.y < 0.0 { -DVec3::X } else { DVec3::X };
        let y = z.cross(x);
        let high = DVec2::new(other.y.abs(), other.z).normalize();
        Self {
            axes: [x, y, z].map(|axis| couple.world(axis)),
            r,
            h,
            d: offset.dot(x),
            centre: DVec2::new(offset.dot(y), offset.dot(z)),
            wide: DVec2::new(high.y, -high.x),
            high,
            over: 1.0 / high.max(DVec2::splat(NEVER)),
            rounding: ROUNDING * (r[0] + r[1] + h[0] + h[1]),
        }
    }

    /// Half widths of the two rectangles.
    #[inline]
    pub fn widths(&self, x: f64) -> [f64; 2] {
        let half = |r: f64, x: f64| ((r - x) * (r + x)).max(0.0).sqrt();
        [half(self.r[0], x), half(self.r[1], x - self.d)]
    }

    /// World vector of (x, y, z).
    pub fn world(&self, v: DVec3) -> DVec3 {
        v.x * self.axes[0] + v.y * self.axes[1] + v.z * self.axes[2]
    }

    /// The sides of the first rectangle cut by the second: +y, -y, +z, -z; then those of the second cut by the first.
    #[inline]
    fn parts(&self, w: [f64; 2]) -> [Part; 8] {
        [
            self.upright(w[0], w),
            self.upright(-w[0], w),
            self.level(self.h[0], w),
            self.level(-self.h[0], w),
            self.other_upright(w[1], w),
            self.other_upright(-w[1], w),
            self.other_level(self.h[1], w),
            self.other_level(-self.h[1], w),
        ]
    }

    /// A side along the first's height, in the second.
    #[inline]
    fn upright(&self, y: f64, w: [f64; 2]) -> Part {
        let from = DVec2::new(y, 0.0) - self.centre;
        let places = DVec2::new(self.wide.dot(from), -self.high.dot(from)) * self.over;
        cut(self.h[0], DVec2::new(y, 0.0), DVec2::Y, places, self.outer(w) * self.over)
    }

    /// A base of the first, in the second.
    #[inline]
    pub fn level(&self, z: f64, w: [f64; 2]) -> Part {
        let (from, over) = (DVec2::new(0.0, z) - self.centre, self.over.yx());
        let places = DVec2::new(-self.wide.dot(from), -self.high.dot(from)) * over;
        cut(w[0], DVec2::new(0.0, z), DVec2::X, places, self.outer(w) * over)
    }

    /// A side along the second's height, in the first.
    #[inline]
    fn other_upright(&self, y: f64, w: [f64; 2]) -> Part {
        let on = self.centre + y * self.wide;
        cut(self.h[1], on, self.high, -on * self.over, self.inner(w) * self.over)
    }

    /// A base of the second, in the first.
    #[inline]
    pub fn other_level(&self, z: f64, w: [f64; 2]) -> Part {
        let (on, over) = (self.centre + z * self.high, self.over.yx());
        cut(w[1], on, self.wide, DVec2::new(-on.x, on.y) * over, self.inner(w) * over)
    }

    /// Half sizes of the rectangles. Of two sides that lie on each other the first's counts.
    #[inline]
    fn inner(&self, w: [f64; 2]) -> DVec2 {
        DVec2::new(w[0] - self.rounding, self.h[0] - self.rounding)
    }

    #[inline]
    fn outer(&self, w: [f64; 2]) -> DVec2 {
        DVec2::new(w[1] + self.rounding, self.h[1] + self.rounding)
    }

    /// How far the region reaches along the height of body `i` at x: the longer of its two sides' parts.
    pub fn height(&self, i: usize, x: f64) -> f64 {
        let w = self.widths(x);
        let sides = match i {
            0 => [self.upright(w[0], w), self.upright(-w[0], w)],
            _ => [self.other_upright(w[1], w), self.other_upright(-w[1], w)],
        };
        sides[0].length().max(sides[1].length())
    }

    /// Widens the bounds by the cut at x.
    pub fn bound(&self, x: f64, bounds: &mut Bounds) {
        for part in self.parts(self.widths(x)).iter().filter(|part| part.length() > 0.0) {
            let [p, q] = part.ends();
            bounds.see(x, p);
            bounds.see(x, q);
        }
    }
}
