//! A cylinder against the side of a hollow one, which is reached by rims alone: seen along the wall's axis a rim is an ellipse.
//!
//! By depth it touches where it is farthest from the axis, in one place or in two. Where two become one a depth would be lost, and with it
//! energy; the smooth overlap is a mean over all of a rim that lies beyond the wall. See `docs/theory/cylinders.md`.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use glam::{DMat3, DVec2, DVec3};

use super::hollow::{LEAST_CURVATURE, Touch, push};
use crate::math::gauss_legendre;
use crate::overlap::Slope;
use crate::shape::{Cylinder, InsideCylinder};
use crate::{Manifold, Pair, Patch};

/// Sine of the angle of the axes below which their plane is lost in rounding.
const PARALLEL: f64 = 1e-12;

/// Most steps of Newton's method; it takes 3 to 6.
const MAX_STEPS: u32 = 50;

/// A step that short is the last, rad.
const LAST_STEP: f64 = 1e-15;

/// Slope that is rounding, in units of its parts.
const ROUNDING: f64 = 2e-16;

/// Places of one rim that may touch.
const PLACES: usize = 2;

/// A rim seen along the wall's axis: an ellipse, its longer semi-axis along y. The wall's axis is at the origin.
struct Rim {
    /// Where it is on the grain's axis.
    end: f64,
    centre: DVec2,
    /// Semi-axes.
    short: f64,
    long: f64,
    /// Where it is farthest from the origin, as cosine and sine of its own angle: on the centre's side of the x axis, and, if there is such a
    /// place, on the other.
    farthest: [Option<DVec2>; PLACES],
}

/// Gauss points between a top and an end of what lies beyond the wall. What is summed is a polynomial of degree 6 in the angle, nearly, where that is
/// little.
const NODES: usize = 10;

static RULE: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| gauss_legendre(NODES));

/// Most steps to an end of what lies beyond the wall; it takes 3 to 6.
const STEPS_TO_END: u32 = 60;

/// Depth at which such an end is found, in depths of the farthest place: all that is summed is of second order there.
const AT_END: f64 = 1e-8;

impl Rim {
    /// A place, `turn` being the cosine and the sine of its angle.
    fn seen(&self, turn: DVec2) -> DVec2 {
        self.centre + turn * DVec2::new(self.short, self.long)
    }

    /// Half of the square of the distance of a place from the origin less that of the wall, and its slope.
    fn excess(&self, room: f64, angle: f64) -> (f64, f64) {
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let at = self.seen(DVec2::new(cos, sin));
        (0.5 * (at.length_squared() - room * room), at.dot(DVec2::new(-self.short * sin, self.long * cos)))
    }

    /// Calls for angles and their weights, for a sum over all of the rim that lies beyond the wall.
    fn beyond(&self, room: f64, mut call: impl FnMut(f64, f64)) {
        let [Some(first), other] = self.farthest.map(|turn| turn.map(|turn| libm::atan2(turn.y, turn.x))) else {
            return;
        };
        let excess = |angle: f64| self.excess(room, angle);
        let gaps = match other {
            Some(other) if other != first => {
                let (low, high) = (first.min(other), first.max(other));
                [Some([low, high]), Some([high, low + TAU])]
            }
            _ => [Some([first, first + TAU]), None],
        };
        for tops in gaps.into_iter().flatten().filter(|tops| tops.iter().any(|&top| excess(top).0 > 0.0)) {
            let low = valley(excess, tops);
            for top in tops {
                let Some(end) = end_of(excess, top, low) else { continue };
                let half = 0.5 * (end - top);
                for &(x, weight) in RULE.iter() {
                    call(top + half * (1.0 + x), (half * weight).abs());
                }
            }
        }
    }

    fn new(end: f64, centre: DVec2, short: f64, long: f64) -> Self {
        let sign = DVec2::new(1f64.copysign(centre.x), 1f64.copysign(centre.y));
        // In the quarter of the centre: f = |centre + (short cos, long sin)|².
        let (x, y) = (short * centre.x.abs(), long * centre.y.abs());
        let bulge = (long - short) * (long + short);
        let place = |angle: f64, side: f64| sign * DVec2::new(libm::cos(angle), side * libm::sin(angle));
        // Where it is as far on either side of the axis, if the centre is on it.
        let even = if x < bulge { libm::acos(x / bulge) } else { 0.0 };
        let near = stationary(x, y, bulge, even).unwrap_or(even);
        let other = if even > 0.0 { stationary(x, -y, bulge, even) } else { None };
        let farthest = [Some(place(near, 1.0)), other.map(|angle| place(angle, -1.0))];
        Self { end, centre, short, long, farthest }
    }
}

/// An angle between two tops: one that is not beyond the wall, or the lowest if all are.
fn valley(excess: impl Fn(f64) -> (f64, f64), [mut low, mut high]: [f64; 2]) -> f64 {
    for _ in 0..STEPS_TO_END {
        let middle = 0.5 * (low + high);
        let (value, slope) = excess(middle);
        if value <= 0.0 || slope == 0.0 || middle <= low || middle >= high {
            return middle;
        }
        if slope < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Where what lies beyond the wall around a top ends on its way to a valley: there, or before it. None if the top does not.
fn end_of(excess: impl Fn(f64) -> (f64, f64), top: f64, valley: f64) -> Option<f64> {
    let highest = excess(top).0;
    if highest <= 0.0 {
        return None;
    }
    let lowest = excess(valley).0;
    if lowest >= 0.0 {
        return Some(valley);
    }
    let (mut inside, mut outside) = (top, valley);
    // As if it were a parabola from the top to the valley.
    let mut angle = top + (valley - top) * (highest / (highest - lowest)).sqrt();
    for _ in 0..STEPS_TO_END {
        let (value, slope) = excess(angle);
        if value.abs() <= AT_END * highest {
            break;
        }
        if value > 0.0 {
            inside = angle
        } else {
            outside = angle
        }
        let newton = angle - value / slope;
        let between = (newton - inside) * (newton - outside) < 0.0;
        angle = if between { newton } else { 0.5 * (inside + outside) };
    }
    Some(angle)
}

/// The maximum of `2 x cos + 2 y sin + bulge sin²` between 0 and a quarter turn, from `start`; none if there is none inside.
///
/// With a negative y there may be none. If there is one it lies below `start`, and the slope is concave in between: Newton's
/// method comes down to it without a step too far, and where the slope rises instead, there is none.
fn stationary(x: f64, y: f64, bulge: f64, start: f64) -> Option<f64> {
    let quarter = std::f64::consts::FRAC_PI_2;
    let rounding = ROUNDING * (x + y.abs() + bulge);
    let (mut low, mut high) = (0.0, quarter);
    let mut angle = start;
    for _ in 0..MAX_STEPS {
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let slope = -x * sin + y * cos + bulge * sin * cos;
        let bend = -x * cos - y * sin + bulge * (cos - sin) * (cos + sin);
        if slope.abs() <= rounding {
            break;
        }
        if y < 0.0 && bend >= 0.0 {
            return None;
        }
        if slope > 0.0 {
            low = angle
        } else {
            high = angle
        }
        let newton = angle - slope / bend;
        let next = if bend < 0.0 && newton >= low && newton <= high { newton } else { 0.5 * (low + high) };
        let step = next - angle;
        angle = next;
        if step.abs() <= LAST_STEP {
            break;
        }
    }
    (y >= 0.0 || angle > LAST_STEP).then_some(angle)
}

/// A grain and the wall around it, seen along the wall's axis.
pub(super) struct View {
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
            Rim::new(end, centre, (radius * cos.abs()).min(radius), radius)
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

    /// The smooth overlap of a rim; none if it does not lie beyond the wall.
    pub fn smooth_overlap(&self, k: usize, pair: &Pair) -> Option<SideOverlap> {
        let (rim, mut count) = (&self.rims[k], 0);
        if rim.farthest.iter().flatten().all(|&turn| rim.seen(turn).length_squared() <= self.room * self.room) {
            return None;
        }
        let mut places = [Beyond::default(); 2 * PLACES * NODES];
        rim.beyond(self.room, |angle, weight| {
            let turn = DVec2::new(libm::cos(angle), libm::sin(angle));
            let reach = rim.seen(turn);
            let depth = (reach.length_squared() - self.room * self.room) / (2.0 * self.room);
            let (point, outward) = (pair.offset + self.point(rim, turn), self.across(reach / self.room));
            places[count] = Beyond { weight, depth: depth.max(0.0), point, outward };
            count += 1;
        });
        let beyond = &places[..count];
        let sum = |power: i32| beyond.iter().map(|at| at.weight * at.depth.powi(power)).sum::<f64>();
        let (square, cube) = (sum(2), sum(3));
        if square <= 0.0 {
            return None;
        }
        let mean = cube / square;
        let (mut grows, mut turns, mut centroid) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for Beyond { weight, depth, point, outward } in beyond {
            let share = PEAK * weight * depth * (3.0 * depth - 2.0 * mean) / square;
            grows += share * *outward;
            turns += share * point.cross(*outward);
            centroid += weight * depth * depth / square * *point;
        }
        let mut spread = DMat3::ZERO;
        for Beyond { weight, depth, point, .. } in beyond {
            let from = *point - centroid;
            spread += weight * depth * depth / square * DMat3::from_cols(from.x * from, from.y * from, from.z * from);
        }
        let slope = Slope { push: -grows, turn: -turns };
        Some(SideOverlap { size: PEAK * mean, centroid, slope, patch: Patch::of(spread, slope.normal()) })
    }
}

/// How far a rim lies beyond a wall, as a smooth function of the poses: `7/6 (integral of f^3) / (integral of f^2)` over its angle, f the
/// depth of a place `(|p|^2 - R^2)/2R` where that is positive. It is the depth of a single place.
pub(super) struct SideOverlap {
    /// The overlap, m.
    pub size: f64,
    /// Mean place, from the centre of the room, m.
    pub centroid: DVec3,
    /// How the overlap grows as the bodies move.
    pub slope: Slope,
    /// The places across the normal.
    pub patch: Patch,
}

/// What makes the mean the depth where that is a parabola of the angle.
const PEAK: f64 = 7.0 / 6.0;

/// A place of a rim that lies beyond the wall.
#[derive(Clone, Copy, Default)]
struct Beyond {
    /// Of the angle.
    weight: f64,
    depth: f64,
    /// From the centre of the room.
    point: DVec3,
    /// How the depth grows as the place moves.
    outward: DVec3,
}
