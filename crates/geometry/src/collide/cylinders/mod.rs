//! The signed gap of two cylinders: the largest `g(n) = n.d - h_1(n) - h_2(n)` over the unit vectors.
//!
//! What meets gives the class of the direction: a face (`n` along an axis), two sides (`n` across both), a side and a rim
//! (one unknown, `side`), two rims (two unknowns, `rims`). Any `n` with `g > 0` proves that the bodies are apart. See
//! `docs/theory/cylinders.md`.

mod layers;
mod patch;
mod rims;
mod section;
mod side;

use glam::{DQuat, DVec3};

use crate::math::tangent_frame;
use crate::shape::Cylinder;

pub use layers::{NODES, Region, layers};
pub(crate) use patch::report;

/// Sine of the angle of two axes up to which their common perpendicular is lost in rounding.
const PARALLEL: f64 = 1e-15;

/// Overlap, in the least size of the two, from which directions all over the sphere are tried: a shallow overlap has one
/// maximum near the one that separated bodies have.
const DEEP: f64 = 0.02;

/// Another class of directions is followed up to a maximum if its depth is at most so many times the least one known.
const COMPETING: f64 = 4.0;

/// Sine of the angle of two axes from which the place where they cross is well known.
const CROSSING: f64 = 1e-6;

/// Cosine from which a warm start is the direction of a feature.
const SAME_DIRECTION: f64 = 1.0 - 1e-9;

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
    pub n: DVec3,
    /// `g(n)`, m.
    pub gap: f64,
    pub class: Class,
}

impl Direction {
    fn or(self, other: Self) -> Self {
        if other.gap > self.gap { other } else { self }
    }
}

/// How far apart two cylinders are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// The best direction found; the largest there is, unless the gap is beyond the margin.
    pub best: Direction,
    /// The step that told.
    pub step: Step,
    pub iterations: u32,
}

/// Two placed cylinders, seen from the first's centre, world axes.
pub(crate) struct Couple {
    /// From the first centre to the second.
    pub offset: DVec3,
    pub axes: [DVec3; 2],
    /// Body axes to world axes.
    pub orientations: [DQuat; 2],
    pub r: [f64; 2],
    pub h: [f64; 2],
    /// Unit vector across both axes.
    pub across: DVec3,
}

impl Couple {
    pub fn new(bodies: [&Cylinder; 2], offset: DVec3, orientations: [DQuat; 2]) -> Self {
        let axes = orientations.map(|turn| turn * DVec3::Z);
        let cross = axes[0].cross(axes[1]);
        let sin = cross.length();
        let across = if sin > PARALLEL {
            cross / sin
        } else {
            let perpendicular = offset - offset.dot(axes[0]) * axes[0];
            perpendicular.try_normalize().unwrap_or_else(|| tangent_frame(axes[0]).0)
        };
        // What cancellation left along the axis would be multiplied by the height.
        let across = (across - across.dot(axes[0]) * axes[0]).normalize();
        let [r, h] = [bodies.map(|body| body.radius), bodies.map(|body| body.half_height)];
        Self { offset, axes, orientations, r, h, across }
    }

    /// Sum of both supports and the offset along `n`: a lower bound of the gap, whatever the direction.
    #[inline]
    pub fn g(&self, n: DVec3) -> f64 {
        // The cross product keeps its digits near the axis, where sqrt(1 - u²) loses half of them.
        let reach = |i: usize| self.r[i] * n.cross(self.axes[i]).length() + self.h[i] * n.dot(self.axes[i]).abs();
        n.dot(self.offset) - reach(0) - reach(1)
    }

    /// The least radius or half height of the two, m.
    pub fn least_size(&self) -> f64 {
        self.r[0].min(self.r[1]).min(self.h[0]).min(self.h[1])
    }

    /// The direction of a class that points from the first body to the second.
    fn towards(&self, n: DVec3, class: Class) -> Direction {
        let n = if n.dot(self.offset) < 0.0 { -n } else { n };
        Direction { n, gap: self.g(n), class }
    }

    /// The largest gap; the search ends with any direction whose gap exceeds the margin.
    pub fn separation(&self, margin: f64, warm: Option<DVec3>) -> Separation {
        let mut iterations = 0;
        let beyond = |best: Direction| best.gap > margin;
        let done = |best: Direction, step: Step, iterations: u32| Separation { best, step, iterations };
        let line = self.towards(self.across, Class::Line);
        if beyond(line) {
            return done(line, Step::Axes, iterations);
        }
        let faces = [self.towards(self.axes[0], Class::Face(0)), self.towards(self.axes[1], Class::Face(1))];
        let mut best = line.or(faces[0]).or(faces[1]);
        if beyond(best) {
            return done(best, Step::Planes, iterations);
        }
        // The gap of separated bodies has one maximum, wherever it is found first.
        let is_held = self.is_held(best);
        if is_held && best.gap > 0.0 {
            return done(best, Step::Rims, iterations);
        }
        let same = |n: DVec3| n.dot(best.n) > SAME_DIRECTION;
        let mut is_sure = is_held;
        if !(is_held && warm.is_some_and(same))
            && let Some((rims, converged)) = self.climb(warm.unwrap_or(self.offset), margin, &mut iterations)
        {
            if beyond(rims) || converged && rims.gap > 0.0 {
                return done(rims, Step::Rims, iterations);
            }
            is_sure |= converged;
            best = best.or(rims);
        }
        let sides = [self.side(0, &mut iterations), self.side(1, &mut iterations)];
        best = best.or(sides[0]).or(sides[1]);
        if beyond(best) {
            return done(best, Step::Bases, iterations);
        }
        if best.gap > 0.0 && best.class != Class::Rims && self.ascent(best).is_none() {
            return done(best, Step::Bases, iterations);
        }
        // Overlapping bodies may have several: those that other features lead to, if these are not much deeper.
        for from in [line, faces[0], faces[1], sides[0], sides[1]] {
            if from.gap < COMPETING * best.gap.min(0.0) {
                continue;
            }
            match self.ascent(from).and_then(|start| self.climb(start, f64::INFINITY, &mut iterations)) {
                Some((rims, converged)) => {
                    best = best.or(rims);
                    is_sure |= converged;
                }
                None => is_sure |= from.gap >= best.gap,
            }
        }
        if best.gap < -DEEP * self.least_size() {
            best = self.deep_sides(best, &mut iterations);
            best = self.search(best, &mut iterations);
        } else if !is_sure || best.gap > 0.0 && !self.is_closed(best) {
            best = self.search(best, &mut iterations);
        }
        done(best, Step::Rims, iterations)
    }

    /// Whether a line or a face is the maximum: what it meets lies within it.
    fn is_held(&self, from: Direction) -> bool {
        match from.class {
            Class::Line => {
                let sin = self.axes[0].cross(self.axes[1]).length();
                let places = [0, 1].map(|i| {
                    let up = self.across.cross(self.axes[1 - i]);
                    (self.offset.dot(up) / self.axes[i].dot(up)).abs()
                });
                sin > CROSSING && places[0] <= self.h[0] && places[1] <= self.h[1]
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
        (leave.length() > edge * (1.0 + ON_EDGE)).then(|| {
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
        let axis = self.axes[i];
        let u = n.dot(axis);
        let height = if u.abs() <= ON_EDGE { 0.0 } else { self.h[i].copysign(u) };
        let across = n - u * axis;
        let rim = if across.length() <= ON_EDGE { DVec3::ZERO } else { across.normalize() };
        self.r[i] * rim + height * axis
    }
}
