//! Two segments: the axes of capsules, or of what they meet.

use glam::DVec3;

use crate::numeric::math::tangent_frame;

/// Sine of the angle of two segments up to which their common perpendicular is lost in rounding.
const PARALLEL: f64 = 1e-15;

/// Distance by which another direction must part two segments more, in their lengths: some roundings.
const ROUNDING: f64 = 1e-15;

/// Two segments, from the middle of the first.
pub(crate) struct Segments {
    directions: [DVec3; 2],
    half_lengths: [f64; 2],
    /// From the first middle to the second, m.
    offset: DVec3,
    /// Cross product of the directions, and its length.
    cross: DVec3,
    sin: f64,
}

impl Segments {
    /// By their unit directions, half their lengths and the second's middle from the first's.
    pub fn new(directions: [DVec3; 2], half_lengths: [f64; 2], offset: DVec3) -> Self {
        let cross = directions[0].cross(directions[1]);
        Self { directions, half_lengths, offset, cross, sin: cross.length() }
    }

    /// Sine of the angle between them.
    pub fn sin(&self) -> f64 {
        self.sin
    }

    /// Where on the two, from their middles, their nearest points are.
    pub fn nearest(&self) -> [f64; 2] {
        let ([p, q], [h, k]) = (self.directions, self.half_lengths);
        let cos = p.dot(q);
        let on_second = |s: f64| s * cos - self.offset.dot(q);
        let on_first = |t: f64| self.offset.dot(p) + t * cos;
        // Where the lines, so far from each other, are nearest. Parallel lines have no such place.
        let place = |way: DVec3| (way.dot(p) - cos * way.dot(q)) / (self.sin * self.sin);
        let mut s = on_first(0.0).clamp(-h, h);
        if self.sin > PARALLEL {
            s = place(self.offset).clamp(-h, h);
            // The smaller the angle, the less the place is known. From there on it is known better.
            s = (s + place(self.offset + on_second(s) * q - s * p)).clamp(-h, h);
        }
        let unbounded = on_second(s);
        let t = unbounded.clamp(-k, k);
        // From the end of the second the nearest place on the first may be another.
        [if t == unbounded { s } else { on_first(t).clamp(-h, h) }, t]
    }

    /// How far the second lies beyond the first along the unit vector `n`.
    pub fn distance_along(&self, n: DVec3) -> f64 {
        let reach = |i: usize| self.half_lengths[i] * n.dot(self.directions[i]).abs();
        n.dot(self.offset) - reach(0) - reach(1)
    }

    /// The direction along which segments that nearly meet are farthest apart. It is `way`, from the nearest point of the first to that of the
    /// second, but for rounding: so it is brought across one, the other, or both.
    pub fn across(&self, way: DVec3) -> DVec3 {
        let [p, q] = self.directions;
        let off = |v: DVec3, axis: DVec3| (v - v.dot(axis) * axis).try_normalize();
        let both = (self.sin > PARALLEL).then(|| off(self.cross / self.sin, p)).flatten();
        let both = both.map(|n| if n.dot(self.offset) < 0.0 { -n } else { n });
        // Two segments on one line are as deep along every direction across it, and what rounding makes of the way may be none.
        let any = tangent_frame(p).0;
        let rounding = ROUNDING * (self.half_lengths[0] + self.half_lengths[1] + self.offset.length());
        let candidates = [way.try_normalize(), off(way, p), off(way, q), both, Some(any)].into_iter().flatten();
        let best = candidates
            .map(|n| (self.distance_along(n), n))
            .reduce(|best, other| if other.0 > best.0 + rounding { other } else { best });
        best.map_or(any, |(_, n)| n)
    }
}
