//! Nearest points and separation of two segments, the axes of capsules and of the bodies they
//! touch.

use glam::DVec3;

use crate::numeric::math::tangent_frame;

/// Sine of the angle between two segments up to which their common perpendicular is lost to
/// rounding.
const PARALLEL: f64 = 1e-15;

/// Separation, relative to the lengths, by which a direction must be better than another: some
/// rounding errors.
const ROUNDING: f64 = 1e-15;

/// Two segments, relative to the middle of the first.
pub(crate) struct Segments {
    directions: [DVec3; 2],
    half_lengths: [f64; 2],
    /// Vector from the first middle to the second, m.
    offset: DVec3,
    /// Cross product of the directions, and its length.
    cross: DVec3,
    sin: f64,
}

impl Segments {
    /// Creates two segments from their unit directions, half lengths and the vector between their
    /// middles.
    pub fn new(directions: [DVec3; 2], half_lengths: [f64; 2], offset: DVec3) -> Self {
        let cross = directions[0].cross(directions[1]);
        Self { directions, half_lengths, offset, cross, sin: cross.length() }
    }

    /// Returns the sine of the angle between them.
    pub fn sin(&self) -> f64 {
        self.sin
    }

    /// Returns the positions of the nearest points on the two segments, relative to their middles,
    /// m.
    pub fn nearest(&self) -> [f64; 2] {
        let ([p, q], [h, k]) = (self.directions, self.half_lengths);
        let cos = p.dot(q);
        let on_second = |s: f64| s * cos - self.offset.dot(q);
        let on_first = |t: f64| self.offset.dot(p) + t * cos;
        // Position on the first line that is nearest to the second line. Parallel lines have none.
        let position = |offset: DVec3| (offset.dot(p) - cos * offset.dot(q)) / (self.sin * self.sin);
        // For parallel segments every point of their common part is a nearest point.
        let mut s = on_first(0.0).clamp(-h, h);
        if self.sin > PARALLEL {
            s = position(self.offset).clamp(-h, h);
            // A small angle amplifies rounding errors. A second evaluation from this point reduces
            // them.
            s = (s + position(self.offset + on_second(s) * q - s * p)).clamp(-h, h);
        }
        let unbounded = on_second(s);
        let t = unbounded.clamp(-k, k);
        // If the end of the second segment limits t, the nearest point of the first one changes.
        [if t == unbounded { s } else { on_first(t).clamp(-h, h) }, t]
    }

    /// Returns the separation of the segments along the unit vector `n`, m.
    pub fn distance_along(&self, n: DVec3) -> f64 {
        let extent = |i: usize| self.half_lengths[i] * n.dot(self.directions[i]).abs();
        n.dot(self.offset) - extent(0) - extent(1)
    }

    /// Returns the direction of largest separation of segments that nearly intersect. In exact
    /// arithmetic it is `between`, the vector from the nearest point of the first to that of the
    /// second. To remove rounding errors it is made perpendicular to one segment, to the other, or
    /// to both.
    pub fn across(&self, between: DVec3) -> DVec3 {
        let [p, q] = self.directions;
        // The better of several candidates is chosen, because each of them has its own rounding
        // errors.
        let off = |v: DVec3, axis: DVec3| (v - v.dot(axis) * axis).try_normalize();
        let both = (self.sin > PARALLEL).then(|| off(self.cross / self.sin, p)).flatten();
        let both = both.map(|n| if n.dot(self.offset) < 0.0 { -n } else { n });
        // Segments on one line overlap equally along every perpendicular direction, and `between`
        // may be zero.
        let any = tangent_frame(p).0;
        let rounding = ROUNDING * (self.half_lengths[0] + self.half_lengths[1] + self.offset.length());
        let candidates =
            [between.try_normalize(), off(between, p), off(between, q), both, Some(any)].into_iter().flatten();
        let best = candidates
            .map(|n| (self.distance_along(n), n))
            .reduce(|best, other| if other.0 > best.0 + rounding { other } else { best });
        best.map_or(any, |(_, n)| n)
    }
}
