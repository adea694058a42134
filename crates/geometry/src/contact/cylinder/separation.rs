//! The search for the direction with the largest gap, over the classes of directions.

use glam::DVec3;

use super::side::SideMaximum;
use super::{CylinderPair, ON_EDGE};

/// Overlap, relative to the least size of the two bodies, from which directions all over the sphere
/// are tried. A shallower overlap has its maximum close to that of separated bodies.
const DEEP: f64 = 0.02;

/// A class of directions is searched for its maximum if its depth is at most this many times the
/// smallest known depth.
const COMPETING: f64 = 4.0;

/// Square of the sine of the angle of two axes from which the intersection of their projections is
/// well conditioned.
const CROSSING: f64 = 1e-6;

/// Angles from a feature, rad, at which a search between rims starts. The first is usually the
/// best, but too far if rims touch near an axis, where their normals change fast.
pub(super) const START_ANGLES: [f64; 3] = [0.1, 0.02, 0.004];

/// Angle from a feature, rad, that only selects the rim beside it; Newton's method then determines
/// the step.
const ONTO_RIM: f64 = 1e-7;

/// The step of the search that proved that two cylinders are separated or in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The distance of the axes exceeds the sum of the radii.
    Axes,
    /// A plane across one of the axes separates the bodies.
    Planes,
    /// The distance of an axis from the other's base exceeds the radius.
    Bases,
    /// None of the above: the directions between two rims were searched.
    Rims,
}

/// The features in contact along a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The face of this body and the rim of the other.
    Face(usize),
    /// Two sides.
    Line,
    /// The side of this body and the rim of the other.
    Side(usize),
    /// Two rims.
    Rims,
}

impl Class {
    /// Returns the class with the bodies exchanged.
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
    /// Unit vector from the first body to the second, in the frame of the [`CylinderPair`].
    pub n: DVec3,
    /// `g(n)`, m.
    pub gap: f64,
    /// The features in contact.
    pub class: Class,
}

impl Direction {
    /// Returns the direction with the larger gap.
    #[inline]
    pub(super) fn or(self, other: Self) -> Self {
        if other.gap > self.gap { other } else { self }
    }

    /// Returns the direction with the larger gap, if the other is one of two rims. A feature is
    /// preferred if the gaps are equal to rounding, because it gives its contact points exactly.
    fn or_rims(self, rims: Self, rounding: f64) -> Self {
        let lead = if self.class == Class::Rims { 0.0 } else { rounding };
        if rims.gap > self.gap + lead { rims } else { self }
    }
}

/// The result of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// The best direction found. It has the largest gap, unless the gap exceeds the margin.
    pub best: Direction,
    /// The step that found it.
    pub step: Step,
    /// True if no other direction can have a larger gap.
    pub is_proven: bool,
    /// True if it is a local maximum.
    pub is_maximum: bool,
    /// Newton steps of all searches.
    pub iterations: u32,
}

impl Separation {
    /// A direction that no other exceeds, or whose gap exceeds the margin.
    #[inline(always)]
    fn proven(best: Direction, step: Step, iterations: u32) -> Self {
        Self { best, step, is_proven: true, is_maximum: true, iterations }
    }
}

impl CylinderPair {
    /// Returns the direction across both axes, from the first body to the second.
    // For parallel axes x is the direction from axis to axis.
    pub(super) fn line(&self) -> Direction {
        let n = DVec3::new(1f64.copysign(self.offset.x), 0.0, 0.0);
        Direction { n, gap: self.offset.x.abs() - self.r[0] - self.r[1], class: Class::Line }
    }

    /// Returns the direction along the axis of body `i`, from the first body to the second.
    pub(super) fn along_axis(&self, i: usize) -> Direction {
        // The support of the other cylinder along this axis is that of its rim: r sin + h cos.
        let ((sin, cos), j) = (self.angle(), 1 - i);
        let height = self.axes[i].dot(self.offset);
        let gap = height.abs() - self.h[i] - self.r[j] * sin.abs() - self.h[j] * cos.abs();
        Direction { n: 1f64.copysign(height) * self.axes[i], gap, class: Class::Face(i) }
    }

    /// Returns the direction `n` with its gap.
    fn direction(&self, n: DVec3) -> Direction {
        Direction { n, gap: self.g(n), class: Class::Rims }
    }

    /// Returns the direction with the largest gap. The search ends at the first direction whose gap
    /// exceeds the margin, m. `warm` is the normal of the last step in world axes.
    #[inline(always)]
    pub fn separation(&self, margin: f64, warm: Option<DVec3>) -> Separation {
        let warm = warm.map(|n| self.local(n));
        let mut iterations = 0;
        let exceeds_margin = |best: Direction| best.gap > margin;
        // A direction that separated the bodies one step ago usually still does.
        let known = warm.map(|n| self.direction(n)).filter(|&known| exceeds_margin(known));
        if let Some(known) = known {
            return Separation::proven(known, Step::Rims, iterations);
        }
        // Rims that touched one step ago usually still do.
        let from_warm =
            warm.filter(|&n| self.is_between_features(n)).and_then(|n| self.climb(n, margin, &mut iterations));
        if let Some((rims, true)) = from_warm
            && self.is_between_features(rims.n)
            && (rims.gap > 0.0 || self.is_proven(rims))
        {
            return Separation::proven(rims, Step::Rims, iterations);
        }
        // Classes in the order of their cost. The first one that proves a separation, or that is
        // proven to be the maximum, ends the search.
        let line = self.line();
        if exceeds_margin(line) {
            return Separation::proven(line, Step::Axes, iterations);
        }
        // Separated bodies have one maximum, so the first one found is the solution.
        if self.is_proven_line(line.gap) {
            return Separation::proven(line, Step::Rims, iterations);
        }
        let faces = [self.along_axis(0), self.along_axis(1)];
        // The face with the larger gap is the one that can separate the bodies.
        let i = usize::from(faces[1].gap > faces[0].gap);
        let face = faces[i];
        if exceeds_margin(face) {
            return Separation::proven(face, Step::Planes, iterations);
        }
        if self.is_proven_face(i, face.gap) {
            return Separation::proven(face, Step::Rims, iterations);
        }
        let i = self.likely_side();
        let side = self.side(i, warm, &mut iterations);
        if let Some(SideMaximum { best: side, from_middle }) = side {
            if exceeds_margin(side) {
                return Separation::proven(side, Step::Bases, iterations);
            }
            if self.is_proven_side(i, from_middle, side.gap) {
                return Separation::proven(side, Step::Rims, iterations);
            }
        }
        // The best of the features is the start of the search between rims.
        let (side, feature) = (side.map(|side| side.best), line.or(face));
        let best = side.map_or(feature, |side| feature.or(side));
        // If no feature is proven, the maximum is usually between two rims.
        let climbed = from_warm.or_else(|| self.climb(self.start(best, warm), margin, &mut iterations));
        if let Some((rims, converged)) = climbed
            && (exceeds_margin(rims) || converged && (rims.gap > 0.0 || self.is_proven(rims)))
        {
            return Separation::proven(rims, Step::Rims, iterations);
        }
        self.compare_classes(best, side, climbed, margin, warm, iterations)
    }

    /// Returns the direction with the largest gap if no single class is proven to have it: all
    /// classes are searched.
    #[cold]
    fn compare_classes(
        &self,
        mut best: Direction,
        side: Option<Direction>,
        climbed: Option<(Direction, bool)>,
        margin: f64,
        warm: Option<DVec3>,
        mut iterations: u32,
    ) -> Separation {
        // A class that is much deeper than the best one cannot contain the maximum.
        let deepest = |best: Direction| COMPETING * best.gap.min(0.0);
        // Only the likelier side was searched so far.
        let other = self.side(1 - self.likely_side(), warm, &mut iterations).map(|side| side.best);
        if let Some(other) = other {
            if other.gap > margin {
                return Separation::proven(other, Step::Bases, iterations);
            }
            if self.is_proven(other) {
                return Separation::proven(other, Step::Rims, iterations);
            }
            best = best.or(other);
        }
        let mut is_maximum = self.is_local_maximum(best);
        let rounding = ON_EDGE * (self.r[0] + self.r[1] + self.h[0] + self.h[1]);
        if let Some((rims, converged)) = climbed {
            is_maximum |= converged;
            best = best.or_rims(rims, rounding);
        }
        // Overlapping bodies may have several maxima. Each feature leads to one of them.
        let features = [self.line(), self.along_axis(0), self.along_axis(1)];
        for from in features.into_iter().chain(side).chain(other) {
            // The maximum near a feature is close to it in depth, too.
            if from.gap < deepest(best) {
                continue;
            }
            // A feature that is itself a local maximum has no direction of ascent.
            let mut starts = START_ANGLES.into_iter().map_while(|angle| self.ascent_start(from, angle)).peekable();
            if starts.peek().is_none() {
                is_maximum |= from.gap >= best.gap;
            }
            for start in starts {
                let Some((rims, converged)) = self.climb(start, f64::INFINITY, &mut iterations) else { continue };
                best = best.or_rims(rims, rounding);
                is_maximum |= converged;
                if converged {
                    break;
                }
            }
        }
        let is_known = |best: Direction| best.gap > 0.0 || self.is_proven(best);
        // Bodies that overlap near an edge may have a smaller depth beyond the edge: start half way
        // to the feature beyond it.
        if !is_known(best) {
            let from = best.n;
            for feature in features {
                if let Some((rims, _)) = self.climb(from + feature.n, f64::INFINITY, &mut iterations) {
                    best = best.or_rims(rims, rounding);
                }
            }
        }
        let is_proven = is_known(best);
        if best.gap < -DEEP * self.least_size() && !is_proven {
            best = self.search_sides(best, &mut iterations);
            best = self.search_rims(best, &mut iterations);
        } else if !is_maximum || best.gap > 0.0 && !self.is_closed(best) {
            best = self.search_rims(best, &mut iterations);
            is_maximum = self.is_closed(best);
        }
        Separation { best, step: Step::Rims, is_proven, is_maximum, iterations }
    }

    /// Returns the start of a search between rims: the normal of the last step, else near the best
    /// feature, or along the vector between the axes or the centres.
    fn start(&self, best: Direction, warm: Option<DVec3>) -> DVec3 {
        if let Some(n) = warm {
            return n;
        }
        let vectors = [self.offset, self.between_axes()];
        let [p, q] = vectors.map(|vector| self.direction(vector.normalize_or(self.axes[0])));
        let other = p.or(q);
        match self.ascent_start(best, ONTO_RIM) {
            Some(n) if best.gap > other.gap => n,
            _ => other.n,
        }
    }

    /// Returns the vector from the first axis to the second, between their nearest points within
    /// the half heights.
    fn between_axes(&self) -> DVec3 {
        let ([p, q], [h, k]) = (self.axes, self.h);
        let (cos, along, other) = (p.dot(q), self.offset.dot(p), self.offset.dot(q));
        let sin2 = 1.0 - cos * cos;
        let s = if sin2 > CROSSING { ((along - cos * other) / sin2).clamp(-h, h) } else { along.clamp(-h, h) };
        let t = (s * cos - other).clamp(-k, k);
        let s = (along + t * cos).clamp(-h, h);
        self.offset + t * q - s * p
    }

    /// Returns the start of a search from a feature at an angle, rad, in the direction in which the
    /// gap grows; `None` if the feature is a local maximum.
    #[inline]
    pub(super) fn ascent_start(&self, from: Direction, angle: f64) -> Option<DVec3> {
        self.ascent_direction(from).map(|away| (from.n + angle * away).normalize())
    }
}
