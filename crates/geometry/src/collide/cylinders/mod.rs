//! The signed gap of two cylinders: the largest `g(n) = n.d - h_1(n) - h_2(n)` over the unit vectors.
//!
//! What meets gives the class of the direction: a face (`n` along an axis), two sides (`n` across both), a side and a rim
//! (one unknown, `side`), two rims (two unknowns, `rims`). Any `n` with `g > 0` proves that the bodies are apart. See
//! `docs/theory/cylinders.md`.

mod bounds;
mod edges;
mod four;
mod frame;
mod lanes;
mod layers;
mod patch;
mod places;
mod rims;
#[cfg(test)]
mod section;
mod side;

use glam::{DQuat, DVec2, DVec3};

use crate::math::tangent_frame;
use crate::shape::Cylinder;

pub use edges::{Edges, edges};
pub use layers::{Layers, MOST_NODES, NODES, Region, layers};
pub(crate) use patch::report;

/// Sine of the angle of two axes up to which their common perpendicular is lost in rounding.
const PARALLEL: f64 = 1e-15;

/// The same up to which taking off its part along an axis changes its length.
const NEAR_PARALLEL: f64 = 1e-6;

/// Overlap, in the least size of the two, from which directions all over the sphere are tried: a shallow overlap has one
/// maximum near the one that separated bodies have.
const DEEP: f64 = 0.02;

/// Another class of directions is followed up to a maximum if its depth is at most so many times the least one known.
const COMPETING: f64 = 4.0;

/// Sine of the angle of two axes from which the place where they cross is well known.
const CROSSING: f64 = 1e-6;

/// Distance of the nearest points beyond the gap, in the least size of the two, that tells a missed maximum.
const CLOSED: f64 = 1e-9;

/// Part of a size up to which a surface point counts as on the edge of a feature: some roundings.
const ON_EDGE: f64 = 1e-13;

/// Which step proved that two cylinders are apart, or that they are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The first check: the axes are farther apart than the radii.
    Axes,
    /// The second: a plane across one of the axes lies between.
    Planes,
    /// The third: an axis is farther from the other's base than the radius.
    Bases,
    /// None of these: the rims had to be looked at.
    Rims,
}

/// What meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The face of one and the rim of the other.
    Face(usize),
    /// Two sides.
    Line,
    /// The side of one and the rim of the other.
    Side(usize),
    /// Two rims.
    Rims,
}

impl Class {
    /// The same with the bodies exchanged.
    pub fn swapped(self) -> Self {
        match self {
            Class::Face(i) => Class::Face(1 - i),
            Class::Side(i) => Class::Side(1 - i),
            other => other,
        }
    }
}

/// A direction and its gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direction {
    /// In the frame of the couple.
    pub n: DVec3,
    /// `g(n)`, m.
    pub gap: f64,
    pub class: Class,
}

impl Direction {
    fn or(self, other: Self) -> Self {
        if other.gap > self.gap { other } else { self }
    }

    /// The same with a direction of two rims: where the maximum is that of a feature, which knows its own points, they may
    /// seem better by a rounding.
    fn or_rims(self, rims: Self, rounding: f64) -> Self {
        let lead = if self.class == Class::Rims { 0.0 } else { rounding };
        if rims.gap > self.gap + lead { rims } else { self }
    }
}

/// How far apart two cylinders are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// The best direction found; the largest there is, unless the gap is beyond the margin.
    pub best: Direction,
    /// The step that told.
    pub step: Step,
    /// Whether no other direction can have a larger gap.
    pub is_proven: bool,
    pub iterations: u32,
}

/// Two placed cylinders, seen from the first's centre in the frame of the paper: x across both axes, z along the first. The second
/// axis has no part along x, so that offset and angle, four numbers, are all there is to know.
pub(crate) struct Couple {
    /// World directions of x, y and z.
    frame: [DVec3; 3],
    /// Body axes to world axes.
    orientations: [DQuat; 2],
    /// From the first centre to the second.
    pub offset: DVec3,
    pub axes: [DVec3; 2],
    pub r: [f64; 2],
    pub h: [f64; 2],
}

/// The axis of a cylinder that is turned so.
#[inline]
fn axis(turn: DQuat) -> DVec3 {
    let DQuat { x, y, z, w } = turn;
    DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))
}

impl Couple {
    pub fn new(bodies: [&Cylinder; 2], offset: DVec3, orientations: [DQuat; 2]) -> Self {
        let [z, other] = orientations.map(axis);
        let cross = z.cross(other);
        let sin = cross.length();
        let across = if sin > PARALLEL {
            cross / sin
        } else {
            let perpendicular = offset - offset.dot(z) * z;
            perpendicular.try_normalize().unwrap_or_else(|| tangent_frame(z).0)
        };
        // What cancellation left along the axis would be multiplied by the height.
        let x = across - across.dot(z) * z;
        let x = if sin > NEAR_PARALLEL { x } else { x.normalize() };
        let y = z.cross(x);
        let [r, h] = [bodies.map(|body| body.radius), bodies.map(|body| body.half_height)];
        Self {
            frame: [x, y, z],
            orientations,
            offset: DVec3::new(offset.dot(x), offset.dot(y), offset.dot(z)),
            axes: [DVec3::Z, DVec3::new(0.0, other.dot(y), other.dot(z))],
            r,
            h,
        }
    }

    /// World vector of one of this frame.
    #[inline]
    pub fn world(&self, v: DVec3) -> DVec3 {
        v.x * self.frame[0] + v.y * self.frame[1] + v.z * self.frame[2]
    }

    /// The vector in this frame of a world vector.
    #[inline]
    pub fn local(&self, v: DVec3) -> DVec3 {
        DVec3::new(v.dot(self.frame[0]), v.dot(self.frame[1]), v.dot(self.frame[2]))
    }

    /// Sine and cosine of the angle from the first axis to the second.
    #[inline]
    fn angle(&self) -> (f64, f64) {
        (self.axes[1].y, self.axes[1].z)
    }

    /// Components of a vector across the second axis and along it, beside the common x.
    #[inline]
    fn second(&self, v: DVec3) -> DVec2 {
        let (sin, cos) = self.angle();
        DVec2::new(cos * v.y - sin * v.z, sin * v.y + cos * v.z)
    }

    /// Sum of both supports and the offset along `n`: a lower bound of the gap, whatever the direction.
    #[inline]
    pub fn g(&self, n: DVec3) -> f64 {
        let second = self.second(n);
        let reach = |i: usize, x: f64, y: f64, z: f64| self.r[i] * (x * x + y * y).sqrt() + self.h[i] * z.abs();
        n.dot(self.offset) - reach(0, n.x, n.y, n.z) - reach(1, n.x, second.x, second.y)
    }

    /// The least radius or half height of the two, m.
    pub fn least_size(&self) -> f64 {
        self.r[0].min(self.r[1]).min(self.h[0]).min(self.h[1])
    }

    /// The direction across both axes, from the first body to the second.
    fn line(&self) -> Direction {
        let n = DVec3::new(1f64.copysign(self.offset.x), 0.0, 0.0);
        Direction { n, gap: self.offset.x.abs() - self.r[0] - self.r[1], class: Class::Line }
    }

    /// The direction along the axis of body `i`, from the first body to the second.
    fn along_axis(&self, i: usize) -> Direction {
        let ((sin, cos), j) = (self.angle(), 1 - i);
        let place = self.axes[i].dot(self.offset);
        let gap = place.abs() - self.h[i] - self.r[j] * sin.abs() - self.h[j] * cos.abs();
        Direction { n: 1f64.copysign(place) * self.axes[i], gap, class: Class::Face(i) }
    }

    /// The largest gap; the search ends with any direction whose gap exceeds the margin. `warm` is a world vector.
    pub fn separation(&self, margin: f64, warm: Option<DVec3>) -> Separation {
        let warm = warm.map(|n| self.local(n));
        let mut iterations = 0;
        let beyond = |best: Direction| best.gap > margin;
        let done =
            |best: Direction, step: Step, iterations: u32| Separation { best, step, is_proven: true, iterations };
        // What parted them a step ago mostly still does.
        if let Some(known) = warm.map(|n| self.along(n)).filter(|&known| beyond(known)) {
            return done(known, Step::Rims, iterations);
        }
        // Rims that met a step ago mostly still do.
        let from_warm = warm.filter(|&n| self.is_between(n)).and_then(|n| self.climb(n, margin, &mut iterations));
        if let Some((rims, true)) = from_warm
            && self.is_between(rims.n)
            && (rims.gap > 0.0 || self.is_proven(rims))
        {
            return done(rims, Step::Rims, iterations);
        }
        let rounding = ON_EDGE * (self.r[0] + self.r[1] + self.h[0] + self.h[1]);
        let line = self.line();
        if beyond(line) {
            return done(line, Step::Axes, iterations);
        }
        let faces = [self.along_axis(0), self.along_axis(1)];
        let mut best = line.or(faces[0]).or(faces[1]);
        if beyond(best) {
            return done(best, Step::Planes, iterations);
        }
        // The gap of separated bodies has one maximum, wherever it is found first.
        let mut is_sure = self.is_held(best);
        if is_sure && (best.gap > 0.0 || self.is_proven(best)) {
            return done(best, Step::Rims, iterations);
        }
        // A class much deeper than the best one known leads nowhere.
        let competes = |gap: f64, best: Direction| gap >= COMPETING * best.gap.min(0.0);
        let mut sides = [None; 2];
        for i in self.sides_in_order() {
            let Some(found) = self.side(i, COMPETING * best.gap.min(0.0), &mut iterations) else { continue };
            sides[i] = Some(found);
            if beyond(found) {
                return done(found, Step::Bases, iterations);
            }
            if found.gap > best.gap {
                best = found;
                is_sure = self.is_held(best);
                if is_sure && (best.gap > 0.0 || self.is_proven(best)) {
                    return done(best, Step::Rims, iterations);
                }
            }
        }
        let climbed = from_warm.or_else(|| self.climb(self.start(best, warm), margin, &mut iterations));
        if let Some((rims, converged)) = climbed {
            if beyond(rims) || converged && (rims.gap > 0.0 || self.is_proven(rims)) {
                return done(rims, Step::Rims, iterations);
            }
            is_sure |= converged;
            best = best.or_rims(rims, rounding);
        }
        // Overlapping bodies may have several maxima: those that other features lead to, if these are not much deeper.
        for from in [line, faces[0], faces[1]].into_iter().chain(sides.into_iter().flatten()) {
            if !competes(from.gap, best) {
                continue;
            }
            match self.ascent(from).and_then(|start| self.climb(start, f64::INFINITY, &mut iterations)) {
                Some((rims, converged)) => {
                    best = best.or_rims(rims, rounding);
                    is_sure |= converged;
                }
                None => is_sure |= from.gap >= best.gap,
            }
        }
        let is_proven = best.gap > 0.0 || self.is_proven(best);
        if best.gap < -DEEP * self.least_size() && !is_proven {
            best = self.deep_sides(best, &mut iterations);
            best = self.search(best, &mut iterations);
        } else if !is_sure || best.gap > 0.0 && !self.is_closed(best) {
            best = self.search(best, &mut iterations);
        }
        Separation { best, step: Step::Rims, is_proven, iterations }
    }

    /// Where a climb begins: as one step ago, from the best feature, or, knowing neither, between the axes or the centres.
    fn start(&self, best: Direction, warm: Option<DVec3>) -> DVec3 {
        let ways = [self.offset, self.between_axes()].map(|way| self.along(way.normalize_or(self.axes[0])));
        let other = ways[0].or(ways[1]);
        match (warm, self.ascent(best)) {
            (Some(n), _) => n,
            (None, Some(n)) if best.gap > other.gap => n,
            _ => other.n,
        }
    }

    /// From the point of the first axis, between its ends, that is nearest to the second to that of the second.
    fn between_axes(&self) -> DVec3 {
        let ([p, q], [h, k]) = (self.axes, self.h);
        let (cos, along, other) = (p.dot(q), self.offset.dot(p), self.offset.dot(q));
        let sin2 = 1.0 - cos * cos;
        let s = if sin2 > CROSSING { ((along - cos * other) / sin2).clamp(-h, h) } else { along.clamp(-h, h) };
        let t = (s * cos - other).clamp(-k, k);
        let s = (along + t * cos).clamp(-h, h);
        self.offset + t * q - s * p
    }

    /// A direction as it is.
    fn along(&self, n: DVec3) -> Direction {
        Direction { n, gap: self.g(n), class: Class::Rims }
    }

    /// Whether no direction can be less deep than this one. On a face or a side: a ball of the depth's radius about the point that
    /// meets it lies within the body. Where sides cross: the difference of the two bodies has a flat face there, and so much of it
    /// lies around the origin that a tilt of the direction finds it deeper. See `docs/theory/cylinders.md`.
    fn is_proven(&self, best: Direction) -> bool {
        let Direction { n, gap, class } = best;
        let depth = -gap;
        match class {
            Class::Face(i) => {
                let point = self.other_point(i, n);
                let room = self.r[i] - (point - point.dot(self.axes[i]) * self.axes[i]).length();
                depth <= room && depth <= self.h[i]
            }
            Class::Side(i) => {
                let room = self.h[i] - self.other_point(i, n).dot(self.axes[i]).abs();
                depth <= room && depth <= self.r[i]
            }
            Class::Line => {
                let (sin, places) = self.crossings();
                let room = sin * (self.h[0] - places[0].abs()).min(self.h[1] - places[1].abs());
                if sin <= CROSSING || room < depth {
                    return false;
                }
                let (tan, thickness) = (depth / room, self.r[0] + self.r[1]);
                (2.0 * thickness - depth) * (1.0 - tan * tan) >= depth * (1.0 + tan * tan)
            }
            Class::Rims => depth <= self.proven_rims(n),
        }
    }

    /// Sine of the angle of the axes, and where along each of them, from its middle, they cross.
    fn crossings(&self) -> (f64, [f64; 2]) {
        let (sin, _) = self.angle();
        (sin.abs(), [-self.second(self.offset).x / sin, -self.offset.y / sin])
    }

    /// Whether a line, a face or a side is a maximum: what it meets lies within it.
    fn is_held(&self, from: Direction) -> bool {
        match from.class {
            Class::Line => {
                let (sin, places) = self.crossings();
                sin > CROSSING && places[0].abs() <= self.h[0] && places[1].abs() <= self.h[1]
            }
            _ => self.ascent(from).is_none(),
        }
    }

    /// Whether the two nearest points are as far apart as the gap says: then it is the largest.
    fn is_closed(&self, best: Direction) -> bool {
        let apart = match best.class {
            Class::Rims => (self.other_point(0, best.n) - self.point(0, best.n)).length(),
            _ => return self.ascent(best).is_none(),
        };
        apart - best.gap <= CLOSED * self.least_size()
    }

    /// Where the gap grows from a direction that is the best of its class: none if it is a maximum over all directions.
    fn ascent(&self, from: Direction) -> Option<DVec3> {
        let n = from.n;
        let (leave, edge) = match from.class {
            Class::Rims => return None,
            // Crossing axes have their best places on the circles; parallel ones may miss each other endways.
            Class::Line => (self.offset.dot(self.axes[0]) * self.axes[0], self.h[0] + self.h[1]),
            Class::Face(i) => {
                let reach = self.other_point(i, n);
                let across = reach - reach.dot(self.axes[i]) * self.axes[i];
                (across, self.r[i])
            }
            Class::Side(i) => (self.other_point(i, n).dot(self.axes[i]) * self.axes[i], self.h[i]),
        };
        // First a small step off the feature; the climb finds its length.
        const NUDGE: f64 = 0.02;
        let edge = edge * (1.0 + ON_EDGE);
        (leave.length_squared() > edge * edge).then(|| {
            let away = if matches!(from.class, Class::Face(1) | Class::Side(1)) { -leave } else { leave };
            (n + NUDGE * away.normalize()).normalize()
        })
    }

    /// The surface point of the body that is not `i`, seen from the centre of `i`.
    pub fn other_point(&self, i: usize, n: DVec3) -> DVec3 {
        let towards = if i == 0 { n } else { -n };
        let offset = if i == 0 { self.offset } else { -self.offset };
        offset - self.point(1 - i, towards)
    }

    /// Support point of body `i` along `n`, from its own centre: in the middle of a face or a side that `n` is normal to.
    pub fn point(&self, i: usize, n: DVec3) -> DVec3 {
        let (sin, cos) = if i == 0 { (0.0, 1.0) } else { self.angle() };
        let (y, z) = (cos * n.y - sin * n.z, sin * n.y + cos * n.z);
        let height = if z.abs() <= ON_EDGE { 0.0 } else { self.h[i].copysign(z) };
        let across = (n.x * n.x + y * y).sqrt();
        let out = if across <= ON_EDGE { 0.0 } else { self.r[i] / across };
        let y = out * y;
        DVec3::new(out * n.x, cos * y + sin * height, cos * height - sin * y)
    }
}
