//! A cut across the common perpendicular of two axes: each cylinder is a rectangle there, and their common part a polygon.
//!
//! Coordinates are those of the first cylinder: x along the common perpendicular, z along its axis. The polygon is known by
//! the parts of its edges on either rectangle, each cut by the other: no part needs to know the others.

use glam::{DVec2, DVec3};

use super::Couple;

/// Two cylinders in the axes of the first: the frame (d, alpha, s1, s2) of the paper, without its division by the sine.
pub(super) struct Frame {
    /// World directions of x, y and z.
    pub axes: [DVec3; 3],
    pub r: [f64; 2],
    pub h: [f64; 2],
    /// Place of the second axis along x.
    pub d: f64,
    /// Centre of the second rectangle.
    pub centre: DVec2,
    /// Directions of its width and of its height.
    pub wide: DVec2,
    pub high: DVec2,
    /// Distance up to which two sides lie on each other, m.
    rounding: f64,
}

/// The same in sizes of the pair: some roundings.
const ROUNDING: f64 = 1e-14;

/// The side of a rectangle and the part of it that lies in the other.
#[derive(Clone, Copy)]
struct Edge {
    /// Outward normal.
    normal: DVec2,
    /// Distance of its line from the origin along the normal.
    distance: f64,
    /// Middle of the part that counts, and its length.
    middle: DVec2,
    length: f64,
}

/// What a cut adds to the integrals over x.
#[derive(Clone, Copy, Default)]
pub(super) struct Section {
    pub area: f64,
    /// First moment of the area.
    pub first: DVec2,
    /// Vector area of the first cylinder's surface for unit dx, and its moment about the first centre.
    pub push: DVec3,
    pub turn: DVec3,
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

    fn see(&mut self, x: f64, p: DVec2) {
        self.low = self.low.min(p);
        self.high = self.high.max(p);
        let radius = DVec2::new(x, p.x).length();
        self.radii = [self.radii[0].max(radius), self.radii[1].min(radius)];
    }
}

impl Frame {
    pub fn new(couple: &Couple) -> Self {
        let Couple { offset, axes: [z, other], across, r, h, .. } = *couple;
        // A cylinder has no upper end: the axes are turned the same way, and x so that the second leans towards +y.
        let other = if z.dot(other) < 0.0 { -other } else { other };
        let x = if z.cross(other).dot(across) > 0.0 { -across } else { across };
        let y = z.cross(x);
        let high = DVec2::new(other.dot(y).max(0.0), other.dot(z)).normalize();
        Self {
            axes: [x, y, z],
            r,
            h,
            d: offset.dot(x),
            centre: DVec2::new(offset.dot(y), offset.dot(z)),
            wide: DVec2::new(high.y, -high.x),
            high,
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
    fn edges(&self, w: [f64; 2]) -> [Option<Edge>; 8] {
        let Self { h, centre, wide, high, .. } = *self;
        let (y, z) = (DVec2::X, DVec2::Y);
        let first = Rectangle { centre: DVec2::ZERO, axes: [y, z], half: [w[0], h[0]] };
        let second = Rectangle { centre, axes: [wide, high], half: [w[1], h[1]] };
        // Of two sides that lie on each other the first's counts.
        let [a, b, c, d] = first.sides_in(&second, self.rounding);
        let [e, f, g, i] = second.sides_in(&first, -self.rounding);
        [a, b, c, d, e, f, g, i]
    }

    /// The cut at x.
    pub fn section(&self, x: f64) -> Section {
        let w = self.widths(x);
        let edges = self.edges(w);
        let mut section = Section::default();
        let Some(from) = edges.iter().flatten().next().map(|edge| edge.middle) else { return section };
        for (k, edge) in edges.iter().enumerate() {
            let Some(Edge { normal, distance, middle, length }) = *edge else { continue };
            // A triangle from a point of the polygon.
            let double = (distance - normal.dot(from)) * length;
            section.area += 0.5 * double;
            section.first += double / 3.0 * (middle - from);
            if k < 4 {
                // On the side dA is r/w dx dl; at the very end of a circle there is no side.
                let slant = if k < 2 && w[0] > 0.0 { x / w[0] } else { 0.0 };
                let normal = DVec3::new(slant, normal.x, normal.y);
                section.push += length * normal;
                section.turn += length * DVec3::new(x, middle.x, middle.y).cross(normal);
            }
        }
        section.first += section.area * from;
        section
    }

    /// Widens the bounds by the cut at x.
    pub fn bound(&self, x: f64, bounds: &mut Bounds) {
        for edge in self.edges(self.widths(x)).into_iter().flatten() {
            let along = 0.5 * edge.length * edge.normal.perp();
            bounds.see(x, edge.middle - along);
            bounds.see(x, edge.middle + along);
        }
    }
}

/// A rectangle.
struct Rectangle {
    centre: DVec2,
    axes: [DVec2; 2],
    half: [f64; 2],
}

impl Rectangle {
    /// Its sides, as far as they lie in the other made larger by `more`.
    #[inline]
    fn sides_in(&self, other: &Rectangle, more: f64) -> [Option<Edge>; 4] {
        let side = |i: usize, sign: f64| {
            let (normal, along) = (sign * self.axes[i], self.axes[1 - i]);
            let on = self.centre + self.half[i] * normal;
            let (mut low, mut high) = (-self.half[1 - i], self.half[1 - i]);
            for j in [0, 1] {
                // |axis.(on + t along - centre)| <= half
                let (place, rate) = (other.axes[j].dot(on - other.centre), other.axes[j].dot(along));
                let half = other.half[j] + more;
                if rate == 0.0 {
                    if place.abs() > half {
                        return None;
                    }
                    continue;
                }
                let (p, q) = ((-half - place) / rate, (half - place) / rate);
                low = low.max(p.min(q));
                high = high.min(p.max(q));
            }
            (low < high).then(|| Edge {
                normal,
                distance: normal.dot(on),
                middle: on + 0.5 * (low + high) * along,
                length: high - low,
            })
        };
        [side(0, 1.0), side(0, -1.0), side(1, 1.0), side(1, -1.0)]
    }
}
