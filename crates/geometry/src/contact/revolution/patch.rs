//! Contact patches of two bodies of revolution, where straight lines and flat bases are nearly
//! parallel to the contact plane.

use glam::DVec3;

use super::Hull;
use crate::contact::patch::{Patch, TILT, middle};
use crate::{ContactPoint, Manifold};

/// First feature number of a patch of two lines. The nearest point has feature 0.
const TWO_LINES: u32 = 1;

/// First feature numbers of a line on the base of body a or of body b.
const LINE_ON_BASE: [u32; 2] = [4, 8];

/// Radius, relative to the larger radius of a cone, below which its side is a tip and not a line to
/// rest on.
const TIP: f64 = 0.1;

/// A part of a body that is nearly parallel to the contact plane.
enum Part {
    /// A flat end.
    Base { centre: DVec3, axis: DVec3, radius: f64 },
    /// A straight line on the side: its middle, its unit direction and half its length.
    Line { middle: DVec3, along: DVec3, half: f64 },
}

/// Two bodies of revolution whose contact patch is needed.
pub(crate) struct Resting<'a> {
    pub hulls: [&'a Hull; 2],
    /// Vector from the first centre to the second, m.
    pub offset: DVec3,
}

/// Adds the contact at the nearest points and the other points of its patch.
pub(crate) fn report(nearest: &ContactPoint, resting: &Resting, margin: f64, manifold: &mut Manifold) {
    let n = nearest.normal;
    let [a, b] = resting.hulls;
    let surfaces = |point: DVec3| {
        let low = a.surface_along(point, n, n);
        [point.dot(n) + low, point.dot(n) + b.surface_along(point - resting.offset, -n, n)]
    };
    match resting.patch(n) {
        Some(patch) => patch.report(nearest, a.size().min(b.size()), surfaces, |v| v, margin, manifold),
        None if nearest.gap <= margin => manifold.push(*nearest),
        None => (),
    }
}

impl Hull {
    /// Returns the radial direction and the direction up the side at the outward normal `m`, and
    /// the sines of the angles between the contact plane and the base and the side.
    fn tilts(&self, m: DVec3) -> (DVec3, DVec3, [f64; 2]) {
        let Self { axis, side: [cos, sin], .. } = *self;
        let across = m - m.dot(axis) * axis;
        let length = across.length();
        let out = if length > 0.0 { across / length } else { DVec3::ZERO };
        let up = cos * axis - sin * out;
        (out, up, [if self.has_balls { 1.0 } else { length }, m.dot(up).abs()])
    }

    /// Returns the part with a normal close to `m` and its tilt, if it is nearly parallel to the
    /// contact plane.
    fn part(&self, m: DVec3) -> Option<(Part, f64)> {
        let (out, up, [base, side]) = self.tilts(m);
        // The base is tried first, because it has the larger patch.
        let end = usize::from(m.dot(self.axis) > 0.0);
        if base <= TILT && self.radii[end] > 0.0 {
            return Some((Part::Base { centre: self.centre(end), axis: self.axis, radius: self.radii[end] }, base));
        }
        let ends = [0, 1].map(|end| self.centre(end) + self.radii[end] * out);
        let [low, high] = self.without_tip().map(|part| ends[0].lerp(ends[1], part));
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low).length());
        (side <= TILT).then_some((Part::Line { middle, along: up, half }, side))
    }

    /// Returns the fractions of the side's length between which it is a line and not a tip.
    fn without_tip(&self) -> [f64; 2] {
        let [a, b] = self.radii;
        // A tip is cut off where its radius is below this.
        let tip = TIP * a.max(b);
        [if a < tip { (tip - a) / (b - a) } else { 0.0 }, if b < tip { (a - tip) / (a - b) } else { 1.0 }]
    }

    /// Returns the distance along `n` from `point` (relative to the centre) to the surface whose
    /// outward normal is close to `m`. Here `m` is n or -n.
    fn surface_along(&self, point: DVec3, m: DVec3, n: DVec3) -> f64 {
        let axis = self.axis;
        let (_, _, [base, side]) = self.tilts(m);
        let height = point.dot(axis);
        let (flat, flat_n) = (point - height * axis, n - n.dot(axis) * axis);
        if base <= side {
            let end = usize::from(m.dot(axis) > 0.0);
            return (self.heights[end] - height) / n.dot(axis);
        }
        // Intersection with a cone: a quadratic equation for the distance along n.
        let towards = m.dot(n);
        let slope = (self.radii[1] - self.radii[0]) / (self.heights[1] - self.heights[0]);
        let (radius, widening) = (self.radii[0] + slope * (height - self.heights[0]), slope * n.dot(axis));
        let square = flat_n.length_squared() - widening * widening;
        let half = flat.dot(flat_n) - radius * widening;
        let on_side = nearer_root(square, half, flat.length_squared() - radius * radius, towards);
        // Beyond its straight part a capsule is a ball.
        let end = usize::from(height + on_side * n.dot(axis) > 0.0);
        if !self.has_balls || (height + on_side * n.dot(axis)).abs() <= self.heights[1] {
            return on_side;
        }
        let from = point - self.centre(end);
        nearer_root(1.0, from.dot(n), from.length_squared() - self.radii[end] * self.radii[end], towards)
    }
}

/// Returns a root of `square x^2 + 2 half x + rest`, the distance along a line to a surface. It is
/// the root where the line leaves the body if `towards` is positive, else the one where it enters.
fn nearer_root(square: f64, half: f64, rest: f64, towards: f64) -> f64 {
    // This form of the root has no cancellation.
    let root = (half * half - square * rest).max(0.0).sqrt();
    -rest / (half + root.copysign(towards))
}

impl Resting<'_> {
    /// Returns the patch of two nearly parallel parts, if they overlap.
    fn patch(&self, n: DVec3) -> Option<Patch> {
        let (first, tilt_a) = self.hulls[0].part(n)?;
        let (second, tilt_b) = self.hulls[1].part(-n)?;
        let (tilt, offset) = (tilt_a.max(tilt_b), self.offset);
        match (first, second) {
            (Part::Line { middle: p, along: u, half: a }, Part::Line { middle: q, along: v, half: b }) => {
                two_lines([p, q + offset], [u, v], [a, b], n, tilt)
            }
            (Part::Base { centre, axis, radius }, Part::Line { middle, along, half }) => {
                line_on_base(0, (middle + offset, along, half), (centre, axis, radius), tilt)
            }
            (Part::Line { middle, along, half }, Part::Base { centre, axis, radius }) => {
                line_on_base(1, (middle, along, half), (centre + offset, axis, radius), tilt)
            }
            // One of the bodies is a capsule, which has no base.
            (Part::Base { .. }, Part::Base { .. }) => None,
        }
    }
}

/// Returns the patch of two lines, given by their middles, directions and half lengths. It is their
/// common part, midway between them, so that it does not depend on the order of the bodies.
fn two_lines(middles: [DVec3; 2], along: [DVec3; 2], lengths: [f64; 2], n: DVec3, tilt: f64) -> Option<Patch> {
    let [p, q] = along;
    let between = p.cross(q).length();
    if between > TILT {
        return None;
    }
    // The mean direction makes the result independent of the order of the bodies.
    let mean = p + q * 1f64.copysign(p.dot(q));
    let line = (mean - mean.dot(n) * n).normalize();
    let beside = n.cross(line);
    let offset = middles[1] - middles[0];
    let place = offset.dot(line);
    let half = [0, 1].map(|i| lengths[i] * along[i].dot(line).abs());
    let (low, high) = ((-half[0]).max(place - half[1]), half[0].min(place + half[1]));
    // Tangent of the angle between a line and the mean direction, in the contact plane.
    let slope = |axis: DVec3| axis.dot(beside) / axis.dot(line);
    // Midway along the normal as well, because the lines of deeply overlapping bodies are far
    // apart.
    let start = middles[0] + 0.5 * offset.dot(n) * n;
    let at = |s: f64| {
        let aside = 0.5 * (slope(p) * s + offset.dot(beside) + slope(q) * (s - place));
        start + s * line + aside * beside
    };
    (low < high).then(|| {
        let centre = at(middle(half[0], half[1], place));
        Patch::of(tilt.max(between), high - low, centre, &[(TWO_LINES, at(low)), (TWO_LINES + 1, at(high))])
    })
}

/// Returns the patch of a line (middle, direction, half length) on the base (centre, axis, radius)
/// of body `i`.
fn line_on_base(i: usize, line: (DVec3, DVec3, f64), base: (DVec3, DVec3, f64), tilt: f64) -> Option<Patch> {
    let ((start, line, length), (centre, axis, radius)) = (line, base);
    // Projected along its axis, the disc intersects the line between two positions.
    let project = |v: DVec3| v - v.dot(axis) * axis;
    let (from, along) = (project(start - centre), project(line));
    let square = along.length_squared();
    let place = -from.dot(along) / square;
    let rest = radius * radius - (from + place * along).length_squared();
    if rest <= 0.0 {
        return None;
    }
    let half = (rest / square).sqrt();
    let (low, high) = ((place - half).max(-length), (place + half).min(length));
    let first = LINE_ON_BASE[i];
    (low < high).then(|| {
        let ends = [(first, start + low * line), (first + 1, start + high * line)];
        Patch::of(tilt, high - low, start + middle(length, half, place) * line, &ends)
    })
}
