//! Two capsules: the nearest points of their axes, in closed form.
//!
//! A capsule is a segment grown by a ball, so the difference of two is a parallelogram grown by a ball: the gap is the distance of the
//! segments less both radii, however deep the overlap. Where the segments cross the distance is zero, and the normal is across both.

use glam::DVec3;

use crate::collide::patch::TILT;
use crate::collide::revolution::{Hull, Resting, report};
use crate::math::tangent_frame;
use crate::{Manifold, ManifoldPoint, Pair, Shape};

/// Sine of the angle of two axes up to which their common perpendicular is lost in rounding.
const PARALLEL: f64 = 1e-15;

/// Distance of the axes, in the sum of the radii, below which the way between their nearest points is no more to be trusted for a
/// direction: grains that lie on each other are twice as far apart.
const CROSSED: f64 = 0.5;

/// Distance by which another direction must part the axes more, in their lengths: some roundings.
const ROUNDING: f64 = 1e-15;

/// The axes of two capsules, from the middle of the first.
struct Axes {
    directions: [DVec3; 2],
    half_heights: [f64; 2],
    /// From the first middle to the second, m.
    offset: DVec3,
    /// Cross product of the directions, and its length.
    cross: DVec3,
    sin: f64,
}

pub(super) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Capsule(a), Shape::Capsule(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs capsules with capsules")
    };
    let directions = [pair.orientation_a * DVec3::Z, pair.orientation_b * DVec3::Z];
    let cross = directions[0].cross(directions[1]);
    let half_heights = [a.half_height, b.half_height];
    let axes = Axes { directions, half_heights, offset: pair.offset, cross, sin: cross.length() };
    let [s, t] = axes.nearest();
    let from = s * directions[0];
    let way = pair.offset + t * directions[1] - from;
    let (distance, radii) = (way.length(), a.radius + b.radius);
    let (normal, gap, arm) = if distance > CROSSED * radii {
        let normal = way / distance;
        let gap = distance - radii;
        (normal, gap, from + (a.radius + 0.5 * gap) * normal)
    } else {
        let normal = axes.across(way);
        (normal, axes.distance_along(normal) - radii, from + 0.5 * (way + (a.radius - b.radius) * normal))
    };
    if gap > pair.margin {
        manifold.apart = Some(normal);
        return;
    }
    let nearest = ManifoldPoint { arm, normal, gap, curvature: 1.0 / a.radius + 1.0 / b.radius, feature: 0 };
    if axes.sin > TILT {
        return manifold.push(nearest);
    }
    let hulls = [Hull::of(pair.a, directions[0]), Hull::of(pair.b, directions[1])];
    report(&nearest, &Resting { hulls: [&hulls[0], &hulls[1]], offset: pair.offset }, pair.margin, manifold);
}

impl Axes {
    /// Where on the two axes, from their middles, their nearest points are.
    fn nearest(&self) -> [f64; 2] {
        let ([p, q], [h, k]) = (self.directions, self.half_heights);
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
        // From the end of the second axis the nearest place on the first may be another.
        [if t == unbounded { s } else { on_first(t).clamp(-h, h) }, t]
    }

    /// How far the second axis lies beyond the first along the unit vector `n`.
    fn distance_along(&self, n: DVec3) -> f64 {
        let reach = |i: usize| self.half_heights[i] * n.dot(self.directions[i]).abs();
        n.dot(self.offset) - reach(0) - reach(1)
    }

    /// The direction along which axes that nearly meet are farthest apart. It is `way`, from the nearest point of the first to that of the
    /// second, but for rounding: so it is brought across one axis, the other, or both.
    fn across(&self, way: DVec3) -> DVec3 {
        let [p, q] = self.directions;
        let off = |v: DVec3, axis: DVec3| (v - v.dot(axis) * axis).try_normalize();
        let both = (self.sin > PARALLEL).then(|| off(self.cross / self.sin, p)).flatten();
        let both = both.map(|n| if n.dot(self.offset) < 0.0 { -n } else { n });
        // Two segments on one line are as deep along every direction across it, and what rounding makes of the way may be none.
        let any = tangent_frame(p).0;
        let rounding = ROUNDING * (self.half_heights[0] + self.half_heights[1] + self.offset.length());
        let candidates = [way.try_normalize(), off(way, p), off(way, q), both, Some(any)].into_iter().flatten();
        let best = candidates
            .map(|n| (self.distance_along(n), n))
            .reduce(|best, other| if other.0 > best.0 + rounding { other } else { best });
        best.map_or(any, |(_, n)| n)
    }
}
