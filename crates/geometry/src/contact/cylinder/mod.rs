//! The signed gap of two cylinders: the largest `g(n) = n.d - h_1(n) - h_2(n)` over the unit vectors.
//!
//! What meets gives the class of the direction: a face (`n` along an axis), two sides (`n` across both), a side and a rim
//! (one unknown, `side`), two rims (two unknowns, `rims`). Any `n` with `g > 0` proves that the bodies are apart. See
//! `docs/theory/cylinders.md`.
//!
//! What every pair goes through is inlined by force. A vector that a function leaves in memory number by number, and that its caller
//! takes up two numbers at a time, has a processor wait for longer than all the arithmetic between.

pub mod cylinder_cylinder;
mod patch;
mod rims;
mod side;

use glam::{DQuat, DVec2, DVec3};

use crate::numeric::math::tangent_frame;
use crate::shape::Cylinder;

pub(crate) use patch::report;
use side::Side;

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

/// Steps off a feature, rad, from which a climb between rims may begin: the first is mostly the best, but too far where rims meet
/// nearer to an axis, about which they turn fast.
const STEPS_OFF: [f64; 3] = [0.1, 0.02, 0.004];

/// The same where nothing but Newton's method is to find the length: it only tells which rim reaches out.
const ONTO_RIM: f64 = 1e-7;

/// Which way the normal points from either body: out of the first, into the second. A number and no question of which body it is,
/// since either is as likely and a processor would guess.
const TOWARDS_OTHER: [f64; 2] = [1.0, -1.0];

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
    /// In the frame of the cylinders.
    pub n: DVec3,
    /// `g(n)`, m.
    pub gap: f64,
    pub class: Class,
}

impl Direction {
    #[inline]
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
    /// Whether it is a maximum, at least among its neighbours.
    pub is_sure: bool,
    pub iterations: u32,
}

impl Separation {
    /// Along a direction that no other exceeds, or that tells enough by itself.
    #[inline(always)]
    fn proven(best: Direction, step: Step, iterations: u32) -> Self {
        Self { best, step, is_proven: true, is_sure: true, iterations }
    }
}

/// Two placed cylinders, seen from the first's centre in the frame of the paper: x across both axes, z along the first. The second
/// axis has no part along x, so that offset and angle, four numbers, are all there is to know.
pub(crate) struct CylinderPair {
    /// World directions of x, y and z.
    pub(in crate::contact) frame: [DVec3; 3],
    /// Body axes to world axes.
    orientations: [DQuat; 2],
    /// From the first centre to the second.
    pub offset: DVec3,
    pub axes: [DVec3; 2],
    pub r: [f64; 2],
    pub h: [f64; 2],
}

/// Returns the axis of a cylinder with this orientation: its z axis in world axes.
#[inline]
pub(in crate::contact) fn axis_of(orientation: DQuat) -> DVec3 {
    let DQuat { x, y, z, w } = orientation;
    DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))
}

/// Returns a vector across two axes (unit vectors), and one over its length. For parallel axes the vector is along
/// `fallback`, a unit vector that is across `z` to rounding.
#[inline(always)]
pub(in crate::contact) fn common_perpendicular(
    z: DVec3,
    other: DVec3,
    fallback: impl FnOnce() -> DVec3,
) -> (DVec3, f64) {
    let cross = z.cross(other);
    let square = cross.length_squared();
    // A component along the axis that cancellation left would be multiplied by the height.
    let flat = |v: DVec3| v - v.dot(z) * z;
    // The square root and the division are independent of each other, and only the last product needs them.
    if square > NEAR_PARALLEL * NEAR_PARALLEL {
        (flat(cross), square.sqrt() * (1.0 / square))
    } else if square > PARALLEL * PARALLEL {
        (flat(cross / square.sqrt()).normalize(), 1.0)
    } else {
        (flat(fallback()).normalize(), 1.0)
    }
}

/// On which side of zero a sine or a cosine is: on neither within some roundings.
#[inline]
fn side_of(value: f64) -> f64 {
    if value.abs() <= ON_EDGE { 0.0 } else { 1f64.copysign(value) }
}

impl CylinderPair {
    #[inline(always)]
    pub fn new(bodies: [&Cylinder; 2], offset: DVec3, orientations: [DQuat; 2]) -> Self {
        let [z, other] = orientations.map(axis_of);
        let flat = |v: DVec3| v - v.dot(z) * z;
        let (across, unit) =
            common_perpendicular(z, other, || flat(offset).try_normalize().unwrap_or_else(|| tangent_frame(z).0));
        let up = z.cross(across);
        let [r, h] = [bodies.map(|body| body.radius), bodies.map(|body| body.half_height)];
        Self {
            frame: [unit * across, unit * up, z],
            orientations,
            offset: DVec3::new(unit * offset.dot(across), unit * offset.dot(up), offset.dot(z)),
            axes: [DVec3::Z, DVec3::new(0.0, unit * other.dot(up), other.dot(z))],
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

    /// Components of a vector across the axis of body `i` and along it, beside the common x.
    #[inline]
    fn seen_from(&self, i: usize, v: DVec3) -> DVec2 {
        let DVec3 { y: sin, z: cos, .. } = self.axes[i];
        DVec2::new(cos * v.y - sin * v.z, sin * v.y + cos * v.z)
    }

    /// The same for the second.
    #[inline]
    fn second(&self, v: DVec3) -> DVec2 {
        self.seen_from(1, v)
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
    #[inline(always)]
    pub fn separation(&self, margin: f64, warm: Option<DVec3>) -> Separation {
        let warm = warm.map(|n| self.local(n));
        let mut iterations = 0;
        let beyond = |best: Direction| best.gap > margin;
        // What parted them a step ago mostly still does.
        if let Some(known) = warm.map(|n| self.along(n)).filter(|&known| beyond(known)) {
            return Separation::proven(known, Step::Rims, iterations);
        }
        // Rims that met a step ago mostly still do.
        let from_warm = warm.filter(|&n| self.is_between(n)).and_then(|n| self.climb(n, margin, &mut iterations));
        if let Some((rims, true)) = from_warm
            && self.is_between(rims.n)
            && (rims.gap > 0.0 || self.is_proven(rims))
        {
            return Separation::proven(rims, Step::Rims, iterations);
        }
        let line = self.line();
        if beyond(line) {
            return Separation::proven(line, Step::Axes, iterations);
        }
        // The gap of separated bodies has one maximum, wherever it is found first.
        if self.is_proven_line(line.gap) {
            return Separation::proven(line, Step::Rims, iterations);
        }
        let faces = [self.along_axis(0), self.along_axis(1)];
        let i = usize::from(faces[1].gap > faces[0].gap);
        let face = faces[i];
        if beyond(face) {
            return Separation::proven(face, Step::Planes, iterations);
        }
        if self.is_proven_face(i, face.gap) {
            return Separation::proven(face, Step::Rims, iterations);
        }
        let i = self.likely_side();
        let side = self.side(i, warm, &mut iterations);
        if let Some(Side { best: side, from_middle }) = side {
            if beyond(side) {
                return Separation::proven(side, Step::Bases, iterations);
            }
            if self.is_proven_side(i, from_middle, side.gap) {
                return Separation::proven(side, Step::Rims, iterations);
            }
        }
        let (side, feature) = (side.map(|side| side.best), line.or(face));
        let best = side.map_or(feature, |side| feature.or(side));
        // What no feature holds is mostly between two rims.
        let climbed = from_warm.or_else(|| self.climb(self.start(best, warm), margin, &mut iterations));
        if let Some((rims, converged)) = climbed
            && (beyond(rims) || converged && (rims.gap > 0.0 || self.is_proven(rims)))
        {
            return Separation::proven(rims, Step::Rims, iterations);
        }
        self.weighed(best, side, climbed, margin, warm, iterations)
    }

    /// The largest gap where no single feature is proven to have it: all of them are weighed.
    #[cold]
    fn weighed(
        &self,
        mut best: Direction,
        side: Option<Direction>,
        climbed: Option<(Direction, bool)>,
        margin: f64,
        warm: Option<DVec3>,
        mut iterations: u32,
    ) -> Separation {
        // A class much deeper than the best one known leads nowhere.
        let least = |best: Direction| COMPETING * best.gap.min(0.0);
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
        let mut is_sure = self.is_held(best);
        let rounding = ON_EDGE * (self.r[0] + self.r[1] + self.h[0] + self.h[1]);
        if let Some((rims, converged)) = climbed {
            is_sure |= converged;
            best = best.or_rims(rims, rounding);
        }
        // Overlapping bodies may have several maxima: those that other features lead to, if these are not much deeper.
        let features = [self.line(), self.along_axis(0), self.along_axis(1)];
        for from in features.into_iter().chain(side).chain(other) {
            if from.gap < least(best) {
                continue;
            }
            let mut starts = STEPS_OFF.into_iter().map_while(|step| self.ascent(from, step)).peekable();
            if starts.peek().is_none() {
                is_sure |= from.gap >= best.gap;
            }
            for start in starts {
                let Some((rims, converged)) = self.climb(start, f64::INFINITY, &mut iterations) else { continue };
                best = best.or_rims(rims, rounding);
                is_sure |= converged;
                if converged {
                    break;
                }
            }
        }
        let is_known = |best: Direction| best.gap > 0.0 || self.is_proven(best);
        // What overlaps near an edge may part over the edge sooner, half way to the feature beyond.
        if !is_known(best) {
            let from = best.n;
            for beyond in features {
                if let Some((rims, _)) = self.climb(from + beyond.n, f64::INFINITY, &mut iterations) {
                    best = best.or_rims(rims, rounding);
                }
            }
        }
        let is_proven = is_known(best);
        if best.gap < -DEEP * self.least_size() && !is_proven {
            best = self.deep_sides(best, &mut iterations);
            best = self.search(best, &mut iterations);
        } else if !is_sure || best.gap > 0.0 && !self.is_closed(best) {
            best = self.search(best, &mut iterations);
            is_sure = self.is_closed(best);
        }
        Separation { best, step: Step::Rims, is_proven, is_sure, iterations }
    }

    /// Where a climb begins: as one step ago, from the best feature, or, knowing neither, between the axes or the centres.
    fn start(&self, best: Direction, warm: Option<DVec3>) -> DVec3 {
        if let Some(n) = warm {
            return n;
        }
        let ways = [self.offset, self.between_axes()].map(|way| self.along(way.normalize_or(self.axes[0])));
        let other = ways[0].or(ways[1]);
        match self.ascent(best, ONTO_RIM) {
            Some(n) if best.gap > other.gap => n,
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

    /// Whether no direction has a larger gap, for sure. Between bodies that are apart: it is a maximum. Overlapping ones, on a face or
    /// a side: a ball of the depth's radius about the point that meets it lies within the body. Where sides cross: the difference
    /// of the two bodies has a flat face there, and so much of it lies around the origin that a tilt of the direction finds it
    /// deeper. See `docs/theory/cylinders.md`.
    fn is_proven(&self, best: Direction) -> bool {
        let Direction { n, gap, class } = best;
        match class {
            Class::Face(i) => self.is_proven_face(i, gap),
            Class::Side(i) => self.is_proven_side(i, self.distance_from_middle(i, n), gap),
            Class::Line => self.is_proven_line(gap),
            Class::Rims => -gap <= self.proven_rims(n),
        }
    }

    #[inline(always)]
    fn is_proven_face(&self, i: usize, gap: f64) -> bool {
        let depth = (-gap).max(0.0);
        let room = self.r[i] * (1.0 + ON_EDGE) - depth;
        (self.square_from_axis(i) <= room * room) & (depth <= self.r[i].min(self.h[i]))
    }

    #[inline(always)]
    fn is_proven_side(&self, i: usize, from_middle: f64, gap: f64) -> bool {
        let depth = (-gap).max(0.0);
        let room = self.h[i] * (1.0 + ON_EDGE) - from_middle;
        (depth <= room) & (depth <= self.r[i])
    }

    #[inline(always)]
    fn is_proven_line(&self, gap: f64) -> bool {
        let (depth, room) = ((-gap).max(0.0), self.room_of_line());
        if room < depth {
            return false;
        }
        let (tan, thickness) = (depth / room, self.r[0] + self.r[1]);
        depth == 0.0 || (2.0 * thickness - depth) * (1.0 - tan * tan) >= depth * (1.0 + tan * tan)
    }

    /// How far the place where the axes cross lies from the nearest end of either, times the sine of their angle; negative if it is
    /// beyond one, or not well known.
    #[inline(always)]
    fn room_of_line(&self) -> f64 {
        let sin = self.angle().0.abs();
        let rooms = [self.h[0] * sin - self.second(self.offset).x.abs(), self.h[1] * sin - self.offset.y.abs()];
        if sin > CROSSING { rooms[0].min(rooms[1]) } else { f64::NEG_INFINITY }
    }

    /// Square of the distance from the axis of body `i` of the point that meets its face: the lowest of the other's rim.
    #[inline(always)]
    fn square_from_axis(&self, i: usize) -> f64 {
        let ((sin, cos), j) = (self.angle(), 1 - i);
        let lowest = cos * self.r[j] * side_of(sin) - sin * self.h[j] * side_of(cos);
        let DVec2 { x: across, y: along } = self.seen_from(i, self.offset);
        let y = across + TOWARDS_OTHER[i].copysign(TOWARDS_OTHER[i] * along) * lowest;
        self.offset.x * self.offset.x + y * y
    }

    /// How far from the middle of body `i`, along its axis, the point lies that meets its side along `n`.
    fn distance_from_middle(&self, i: usize, n: DVec3) -> f64 {
        let DVec2 { x: across, y: along } = self.seen_from(1 - i, n);
        let out = self.r[1 - i] * across / (n.x * n.x + across * across).sqrt();
        self.meets_from_middle(i, [across, along], out)
    }

    /// The same for a normal with these parts across the other's axis and along it, that meets its rim so far out.
    #[inline(always)]
    fn meets_from_middle(&self, i: usize, [across, along]: [f64; 2], out: f64) -> f64 {
        let ((sin, cos), j) = (self.angle(), 1 - i);
        // Along the other's axis it has no direction, and meets the middle of the face.
        let out = if across.abs() <= ON_EDGE { 0.0 } else { out };
        let place = self.seen_from(i, self.offset).y;
        (place - cos * self.h[j] * side_of(along) + TOWARDS_OTHER[i] * sin * out).abs()
    }

    /// Whether a line, a face or a side is a maximum: what it meets lies within it.
    fn is_held(&self, from: Direction) -> bool {
        match from.class {
            Class::Line => self.room_of_line() >= 0.0,
            _ => self.leave(from).is_none(),
        }
    }

    /// Whether the two nearest points are as far apart as the gap says: then it is a maximum, and that of bodies that are apart the only one.
    fn is_closed(&self, best: Direction) -> bool {
        let apart = match best.class {
            Class::Rims => (self.other_point(0, best.n) - self.point(0, best.n)).length(),
            _ => return self.leave(best).is_none(),
        };
        apart - best.gap.abs() <= CLOSED * self.least_size()
    }

    /// Which way the gap grows from a direction that is the best of its class: none if it is a maximum over all directions.
    #[inline]
    fn leave(&self, from: Direction) -> Option<DVec3> {
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
        let edge = edge * (1.0 + ON_EDGE);
        (leave.length_squared() > edge * edge).then(|| {
            let away = match from.class {
                Class::Face(i) | Class::Side(i) => TOWARDS_OTHER[i] * leave,
                Class::Line | Class::Rims => leave,
            };
            away.normalize()
        })
    }

    /// Where a climb from a feature begins: a step off it, rad, whose right length the climb finds.
    #[inline]
    fn ascent(&self, from: Direction, step: f64) -> Option<DVec3> {
        self.leave(from).map(|away| (from.n + step * away).normalize())
    }

    /// The surface point of the body that is not `i`, seen from the centre of `i`.
    #[inline(always)]
    pub fn other_point(&self, i: usize, n: DVec3) -> DVec3 {
        TOWARDS_OTHER[i] * (self.offset - self.point(1 - i, n))
    }

    /// Support point of body `i` along `n`, from its own centre: in the middle of a face or a side that `n` is normal to.
    #[inline(always)]
    pub fn point(&self, i: usize, n: DVec3) -> DVec3 {
        let DVec3 { y: sin, z: cos, .. } = self.axes[i];
        let (y, z) = (cos * n.y - sin * n.z, sin * n.y + cos * n.z);
        let height = if z.abs() <= ON_EDGE { 0.0 } else { self.h[i].copysign(z) };
        let across = (n.x * n.x + y * y).sqrt();
        let out = if across <= ON_EDGE { 0.0 } else { self.r[i] / across };
        let y = out * y;
        DVec3::new(out * n.x, cos * y + sin * height, cos * height - sin * y)
    }
}
