//! A cylinder against the side of a hollow one, which is reached by rims alone: seen along the wall's axis a rim is an ellipse.
//!
//! By depth it touches where it is farthest from the axis, in one place or in two. Where two become one a depth would be lost, and with it
//! energy; the smooth overlap is a mean over all of a rim that lies beyond the wall. See `docs/theory/cylinders.md`.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use glam::{DMat2, DMat3, DVec2, DVec3};

use super::{LEAST_CURVATURE, Touch, push};
use crate::contact::region::{MeasureGradient, SmoothOverlap};
use crate::numeric::math::gauss_legendre;
use crate::shape::{Cylinder, InsideCylinder};
use crate::{ContactPatch, Manifold, Pair};

/// Sine of the angle of the axes below which their plane is lost in rounding.
const PARALLEL: f64 = 1e-12;

/// Most steps of Newton's method; it takes 2 to 5, seldom 8.
const MAX_STEPS: u32 = 50;

/// A step that short is the last, rad.
const LAST_STEP: f64 = 1e-15;

/// Slope that is rounding, in units of its parts.
const ROUNDING: f64 = 2e-16;

/// Places of one rim that may touch.
const PLACES: usize = 2;

/// A rim seen along the wall's axis: an ellipse, its longer semi-axis along y. The wall's axis is at the origin.
///
/// A point of the rim is given by the cosine and the sine of its angle.
struct Rim {
    /// Where it is on the grain's axis.
    end: f64,
    centre: DVec2,
    /// Semi-axes.
    semi: DVec2,
    /// Where it is farthest from the origin: on the centre's side of the x axis, and, if there is such a place, on the other.
    /// None where all of the rim is farther from the wall than anyone asks.
    farthest: [Option<DVec2>; PLACES],
}

/// Gauss points between a top and an end of what lies beyond the wall. What is summed is a polynomial of degree 6 in the angle, nearly, where that is
/// little.
const NODES: usize = 10;

/// Widest angle that these serve, rad: up to it they tell the overlap to 1e-9.
const WIDEST: f64 = 1.5;

static RULE: LazyLock<[(f64, f64); NODES]> =
    LazyLock::new(|| gauss_legendre(NODES).try_into().expect("as many as were asked for"));

/// Most steps to an end of what lies beyond the wall; it takes 1 to 3, seldom 6.
const STEPS_TO_END: u32 = 60;

/// Depth at which such an end is found, in depths of the farthest place: all that is summed is of second order there.
const AT_END: f64 = 1e-8;

/// What makes the mean of depths the depth where that is a parabola of the angle.
const PEAK: f64 = 7.0 / 6.0;

/// A top and the way from it to the next: +1 or -1 for its sense.
#[derive(Clone, Copy)]
struct Way {
    top: DVec2,
    sense: f64,
}

impl Way {
    /// The place at an angle from the top.
    fn at(self, angle: f64) -> DVec2 {
        let (sin, cos) = libm::sincos(angle);
        DVec2::new(cos, self.sense * sin).rotate(self.top)
    }

    /// Calls for places between the top and an angle from it, with weights of their angles.
    fn nodes(self, end: f64, call: &mut impl FnMut(DVec2, f64)) {
        let parts = 1 + (end / WIDEST) as u32;
        let part = end / f64::from(parts);
        // By the tangent of half the angle from the middle.
        let half = libm::tan(0.25 * part);
        for k in 0..parts {
            let middle = self.at((f64::from(k) + 0.5) * part);
            for &(x, weight) in RULE.iter() {
                let tangent = half * x;
                let scale = 1.0 / (1.0 + tangent * tangent);
                let turn = scale * DVec2::new(1.0 - tangent * tangent, 2.0 * tangent);
                call(turn.rotate(middle), 2.0 * half * weight * scale);
            }
        }
    }
}

impl Rim {
    fn seen(&self, turn: DVec2) -> DVec2 {
        self.centre + turn * self.semi
    }

    /// Half of the square of the distance of a place from the origin less that of the wall, and its slope.
    fn excess(&self, room: f64, turn: DVec2) -> (f64, f64) {
        let at = self.seen(turn);
        (0.5 * (at.length_squared() - room * room), at.dot(turn.perp() * self.semi))
    }

    /// How fast the slope falls at a top.
    fn bend(&self, top: DVec2) -> f64 {
        let out = top * self.semi;
        self.seen(top).dot(out) - (top.perp() * self.semi).length_squared()
    }

    /// Calls for places and weights of their angles, for a sum over all of the rim that lies beyond the wall.
    fn beyond(&self, room: f64, mut call: impl FnMut(DVec2, f64)) {
        let [Some(first), other] = self.farthest else { return };
        let gaps = match other {
            Some(other) if other != first => {
                let width = libm::atan2(first.perp_dot(other), first.dot(other)).rem_euclid(TAU);
                [Some((first, other, width)), Some((other, first, TAU - width))]
            }
            _ => [Some((first, first, TAU)), None],
        };
        for (from, to, width) in gaps.into_iter().flatten() {
            let ways = [Way { top: from, sense: 1.0 }, Way { top: to, sense: -1.0 }];
            let heights = ways.map(|way| self.excess(room, way.top).0);
            if heights.iter().all(|&height| height <= 0.0) {
                continue;
            }
            let (low, lowest) = self.valley(room, ways[0], width);
            for ((way, height), length) in ways.into_iter().zip(heights).zip([low, width - low]) {
                if height > 0.0 {
                    let end = if lowest < 0.0 { self.end_of(room, way, height, length, lowest) } else { length };
                    way.nodes(end, &mut call);
                }
            }
        }
    }

    /// An angle from a top on a way of this length to the next one, and the excess there: one that is not beyond the wall, or the lowest if all are.
    fn valley(&self, room: f64, way: Way, length: f64) -> (f64, f64) {
        let (mut low, mut high) = (0.0, length);
        let mut lowest = f64::INFINITY;
        for _ in 0..STEPS_TO_END {
            let middle = 0.5 * (low + high);
            let (value, slope) = self.excess(room, way.at(middle));
            lowest = value;
            if value <= 0.0 || slope == 0.0 || middle <= low || middle >= high {
                return (middle, value);
            }
            if slope < 0.0 { low = middle } else { high = middle }
        }
        (0.5 * (low + high), lowest)
    }

    /// The angle from a top that is `highest` at which what lies beyond the wall ends, on a way of this length to a valley that does not.
    fn end_of(&self, room: f64, way: Way, highest: f64, length: f64, lowest: f64) -> f64 {
        let (mut inside, mut outside) = (0.0, length);
        // As if it were a parabola: that at the top or, where it ends before, that from there to the valley.
        let to_valley = length * (highest / (highest - lowest)).sqrt();
        let mut angle = to_valley.min((2.0 * highest / self.bend(way.top).max(0.0)).sqrt());
        for _ in 0..STEPS_TO_END {
            let (value, slope) = self.excess(room, way.at(angle));
            if value.abs() <= AT_END * highest {
                break;
            }
            if value > 0.0 {
                inside = angle
            } else {
                outside = angle
            }
            let newton = angle - way.sense * value / slope;
            let between = newton > inside && newton < outside;
            angle = if between { newton } else { 0.5 * (inside + outside) };
        }
        angle
    }
}

/// Where an ellipse is farthest from the origin: on the centre's side of the x axis, and, if there is such a place, on the other.
fn farthest(centre: DVec2, semi: DVec2) -> [Option<DVec2>; PLACES] {
    let sign = DVec2::new(1f64.copysign(centre.x), 1f64.copysign(centre.y));
    // In the quarter of the centre: f = |centre + (short cos, long sin)|².
    let DVec2 { x, y } = semi * centre.abs();
    let bulge = (semi.y - semi.x) * (semi.y + semi.x);
    // Where it is as far on either side of the axis, if the centre is on it.
    let cos = if x < bulge { x / bulge } else { 1.0 };
    let even = DVec2::new(cos, ((1.0 - cos) * (1.0 + cos)).sqrt());
    let near = stationary(x, y, bulge, even).unwrap_or(even);
    let other = if even.y > 0.0 { stationary(x, -y, bulge, even) } else { None };
    [Some(sign * near), other.map(|turn| sign * DVec2::new(turn.x, -turn.y))]
}

/// The maximum of `2 x cos + 2 y sin + bulge sin²` between 0 and a quarter turn, from `start`, as cosine and sine; none if there is none inside.
///
/// With a negative y there may be none. If there is one it lies below `start`, and the slope is concave in between: Newton's
/// method comes down to it without a step too far, and where the slope rises instead, there is none. A step is taken along the tangent, and falls
/// short of itself by its cube.
fn stationary(x: f64, y: f64, bulge: f64, start: DVec2) -> Option<DVec2> {
    let rounding = ROUNDING * (x + y.abs() + bulge);
    let (mut low, mut high) = (DVec2::X, DVec2::Y);
    let mut turn = start;
    for _ in 0..MAX_STEPS {
        let DVec2 { x: cos, y: sin } = turn;
        let slope = -x * sin + y * cos + bulge * sin * cos;
        let bend = -x * cos - y * sin + bulge * (cos - sin) * (cos + sin);
        if slope.abs() <= rounding {
            break;
        }
        if y < 0.0 && bend >= 0.0 {
            return None;
        }
        let step = -slope / bend;
        let newton = (turn + step * turn.perp()).normalize();
        // Whether it stays on this side of the other bound.
        let within = if slope > 0.0 {
            low = turn;
            newton.perp_dot(high) >= 0.0
        } else {
            high = turn;
            low.perp_dot(newton) >= 0.0
        };
        let between = bend < 0.0 && within;
        turn = if between { newton } else { (low + high).normalize() };
        if between && step.abs() <= LAST_STEP {
            break;
        }
    }
    (y >= 0.0 || turn.y > LAST_STEP).then_some(turn)
}

/// A grain and the wall around it, seen along the wall's axis.
pub(in crate::contact) struct View {
    /// Radius of the room.
    room: f64,
    grain: Cylinder,
    /// Unit vectors across the wall's axis: along the lean of the grain's, and beside it. They are fixed to the grain, so that a place keeps its
    /// name: upright, those of its own frame.
    along: DVec3,
    beside: DVec3,
    /// The direction across the grain's axis that is seen along `along`.
    ahead: DVec3,
    /// The grain's axis.
    own: DVec3,
    rims: [Rim; 2],
}

impl View {
    /// The axis is that of the room, the first body. None if the grain is farther from the wall than the margin wherever it leans.
    pub fn new(room: &InsideCylinder, grain: &Cylinder, axis: DVec3, pair: &Pair) -> Option<Self> {
        let flat = |v: DVec3| v - v.dot(axis) * axis;
        let (offset, own) = (flat(pair.offset), pair.orientation_b * DVec3::Z);
        let Cylinder { radius, half_height } = *grain;
        if room.radius - offset.length() - DVec2::new(radius, half_height).length() > pair.margin {
            return None;
        }
        let lean = flat(own);
        let sin = lean.length();
        let along = if sin > PARALLEL { lean / sin } else { flat(pair.orientation_b * DVec3::X).normalize() };
        let beside = axis.cross(along);
        let cos = own.dot(axis);
        let ahead = beside.cross(own) * 1f64.copysign(cos);
        let rims = [half_height, -half_height].map(|end| {
            let shift = if sin > PARALLEL { end * sin } else { 0.0 };
            let centre = DVec2::new(offset.dot(along) + shift, offset.dot(beside));
            let semi = DVec2::new((radius * cos.abs()).min(radius), radius);
            let reached = room.radius - centre.length() - radius <= pair.margin;
            Rim { end, centre, semi, farthest: if reached { farthest(centre, semi) } else { [None; PLACES] } }
        });
        Some(Self { room: room.radius, grain: *grain, along, beside, ahead, own, rims })
    }

    /// A point of a rim, from the grain's centre; `turn` is the cosine and the sine of its angle.
    fn point(&self, rim: &Rim, turn: DVec2) -> DVec3 {
        self.grain.radius * (turn.x * self.ahead + turn.y * self.beside) + rim.end * self.own
    }

    /// A vector across the wall's axis.
    fn across(&self, v: DVec2) -> DVec3 {
        v.x * self.along + v.y * self.beside
    }

    /// Curvature of the grain less that of the wall.
    pub fn curvature(&self) -> f64 {
        let radius = self.grain.radius;
        (1.0 / radius - 0.5 / self.room).max(LEAST_CURVATURE / radius)
    }

    /// Where a rim is farthest from the axis, with features.
    fn touches(&self, k: usize) -> [Option<(u32, Touch)>; PLACES] {
        let (rim, mut place) = (&self.rims[k], 0);
        rim.farthest.map(|turn| {
            let upper_side = u32::from((rim.centre.y < 0.0) != (place == 1));
            place += 1;
            let turn = turn?;
            let reach = rim.seen(turn);
            let n = self.across(reach.normalize_or(DVec2::X));
            let (point, curvature) = (self.point(rim, turn), self.curvature());
            Some((2 * k as u32 + upper_side, Touch { n, gap: self.room - reach.length(), point, curvature }))
        })
    }

    /// Adds the contacts by depth, the nearest first.
    pub fn report(&self, pair: &Pair, manifold: &mut Manifold) {
        let [[p, q], [r, s]] = [0, 1].map(|k| self.touches(k));
        let mut touches = [p, q, r, s];
        let gap = |touch: &Option<(u32, Touch)>| touch.as_ref().map_or(f64::INFINITY, |(_, touch)| touch.gap);
        touches.sort_by(|p, q| gap(p).total_cmp(&gap(q)));
        for (feature, touch) in touches.iter().flatten().filter(|(_, touch)| touch.gap <= pair.margin) {
            push(touch, *feature, pair, manifold);
        }
    }

    /// Where a rim is nearest to the wall.
    pub fn nearest(&self, k: usize) -> Option<Touch> {
        let touches = self.touches(k).into_iter().flatten().map(|(_, touch)| touch);
        touches.min_by(|p, q| p.gap.total_cmp(&q.gap))
    }

    /// The smooth overlap of a rim: `7/6 (integral of f^3) / (integral of f^2)` over its angle, f the depth of a place `(|p|^2 - R^2)/2R` where
    /// that is positive. It is the depth of a single place. None if the rim does not lie beyond the wall.
    pub fn smooth_overlap(&self, k: usize, pair: &Pair) -> Option<SmoothOverlap> {
        let rim = &self.rims[k];
        let outside = |turn: &DVec2| rim.seen(*turn).length_squared() > self.room * self.room;
        let base = rim.farthest.into_iter().flatten().find(outside)?;
        let (mut by_depth, mut by_square, mut cube, mut parts) = (Moments::NOTHING, Moments::NOTHING, 0.0, 0);
        rim.beyond(self.room, |turn, weight| {
            let square = rim.seen(turn).length_squared() - self.room * self.room;
            let depth = (square / (2.0 * self.room)).max(0.0);
            let (linear, way) = (weight * depth, turn - base);
            by_depth.add(linear, way);
            by_square.add(linear * depth, way);
            cube += linear * depth * depth;
            parts += 1;
        });
        let square = by_square.sum;
        if square <= 0.0 {
            return None;
        }
        let mean = cube / square;
        let shares = by_square.combined(3.0 * PEAK / square, &by_depth, -2.0 * PEAK * mean / square);
        // A place is `centre + across * way`, and outward there is `rise + steps * way`.
        let centre = pair.offset + self.point(rim, base);
        let across = [self.grain.radius * self.ahead, self.grain.radius * self.beside];
        let rise = self.across(rim.seen(base) / self.room);
        let steps = [rim.semi.x / self.room * self.along, rim.semi.y / self.room * self.beside];
        let outward = |sum: f64, way: DVec2| sum * rise + way.x * steps[0] + way.y * steps[1];
        let grows = outward(shares.sum, shares.first);
        let turns = centre.cross(grows)
            + across[0].cross(outward(shares.first.x, shares.second.x_axis))
            + across[1].cross(outward(shares.first.y, shares.second.y_axis));
        let middle = by_square.first / square;
        let spread = across_spread(across, by_square.second * (1.0 / square) - square_of(middle));
        let gradient = MeasureGradient { translation: -grows, rotation: -turns };
        let centroid = centre + middle.x * across[0] + middle.y * across[1];
        Some(SmoothOverlap {
            length: PEAK * mean,
            centroid,
            gradient,
            patch: ContactPatch::of(spread, gradient.normal()),
            evaluations: parts,
        })
    }
}

/// Sums of a weight, and of its products with a way and with the square of one.
struct Moments {
    sum: f64,
    first: DVec2,
    second: DMat2,
}

impl Moments {
    const NOTHING: Self = Self { sum: 0.0, first: DVec2::ZERO, second: DMat2::ZERO };

    fn add(&mut self, weight: f64, way: DVec2) {
        self.sum += weight;
        self.first += weight * way;
        self.second += weight * square_of(way);
    }

    /// `p` times these and `q` times others.
    fn combined(&self, p: f64, other: &Self, q: f64) -> Self {
        Self {
            sum: p * self.sum + q * other.sum,
            first: p * self.first + q * other.first,
            second: p * self.second + q * other.second,
        }
    }
}

/// `v v'`.
fn square_of(v: DVec2) -> DMat2 {
    DMat2::from_cols(v.x * v, v.y * v)
}

/// A matrix of two directions, in space.
fn across_spread([p, q]: [DVec3; 2], m: DMat2) -> DMat3 {
    let (of_p, of_q) = (m.x_axis.x * p + m.x_axis.y * q, m.y_axis.x * p + m.y_axis.y * q);
    DMat3::from_cols(p.x * of_p + q.x * of_q, p.y * of_p + q.y * of_q, p.z * of_p + q.z * of_q)
}
