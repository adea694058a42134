//! A cylinder in a hollow cylinder. The wall is reached by rims alone: seen along the wall's axis a rim is an ellipse, and it
//! touches where it is farthest from the axis, in one place or in two. The end caps are planes.

use glam::{DVec2, DVec3};

use crate::collide::hollow::{LEAST_CURVATURE, Touch, push};
use crate::collide::plane;
use crate::shape::{Cylinder, InsideCylinder};
use crate::{Manifold, Pair, Shape};

use super::inside_convex::CAPS;

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
    centre: DVec2,
    /// Semi-axes.
    short: f64,
    long: f64,
}

impl Rim {
    /// Where it is farthest from the origin, as cosine and sine of its own angle: on the centre's side of the x axis, and, if
    /// there is such a place, on the other.
    fn farthest(&self) -> [Option<DVec2>; PLACES] {
        let Self { centre, short, long } = *self;
        let sign = DVec2::new(1f64.copysign(centre.x), 1f64.copysign(centre.y));
        // In the quarter of the centre: f = |centre + (short cos, long sin)|².
        let (x, y) = (short * centre.x.abs(), long * centre.y.abs());
        let bulge = (long - short) * (long + short);
        let place = |angle: f64, side: f64| sign * DVec2::new(libm::cos(angle), side * libm::sin(angle));
        // Where it is as far on either side of the axis, if the centre is on it.
        let even = if x < bulge { libm::acos(x / bulge) } else { 0.0 };
        let near = stationary(x, y, bulge, even).unwrap_or(even);
        let other = if even > 0.0 { stationary(x, -y, bulge, even) } else { None };
        [Some(place(near, 1.0)), other.map(|angle| place(angle, -1.0))]
    }
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

/// `a` is the container.
pub(super) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::InsideCylinder(room), Shape::Cylinder(grain)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table puts the container first")
    };
    let axis = pair.orientation_a * DVec3::Z;
    side(room, grain, axis, pair, manifold);
    for (first, n) in CAPS.into_iter().zip([axis, -axis]) {
        plane::collide(n, room.half_height - n.dot(pair.offset), first, pair, manifold);
    }
}

/// The contacts with the side, the nearest first.
pub(in crate::collide) fn side(
    room: &InsideCylinder,
    grain: &Cylinder,
    axis: DVec3,
    pair: &Pair,
    manifold: &mut Manifold,
) {
    let flat = |v: DVec3| v - v.dot(axis) * axis;
    let (offset, own) = (flat(pair.offset), pair.orientation_b * DVec3::Z);
    let Cylinder { radius, half_height } = *grain;
    if room.radius - offset.length() - DVec2::new(radius, half_height).length() > pair.margin {
        return;
    }
    let lean = flat(own);
    let sin = lean.length();
    // Axes fixed to the grain, so that a place keeps its name: upright, those of its own frame.
    let along = if sin > PARALLEL { lean / sin } else { flat(pair.orientation_b * DVec3::X).normalize() };
    let beside = axis.cross(along);
    let cos = own.dot(axis);
    // The direction across the grain's axis whose projection is along `along`.
    let ahead = beside.cross(own) * 1f64.copysign(cos);
    let mut touches: [Option<(u32, Touch)>; 2 * PLACES] = [None; 2 * PLACES];
    for (k, end) in [half_height, -half_height].into_iter().enumerate() {
        let shift = if sin > PARALLEL { end * sin } else { 0.0 };
        let centre = DVec2::new(offset.dot(along) + shift, offset.dot(beside));
        let rim = Rim { centre, short: (radius * cos.abs()).min(radius), long: radius };
        for (place, turn) in rim.farthest().into_iter().enumerate() {
            let Some(turn) = turn else { continue };
            let reach = centre + turn * DVec2::new(rim.short, rim.long);
            let outward = reach.normalize_or(DVec2::X);
            let n = outward.x * along + outward.y * beside;
            let point = radius * (turn.x * ahead + turn.y * beside) + end * own;
            let curvature = (1.0 / radius - 0.5 / room.radius).max(LEAST_CURVATURE / radius);
            let upper_side = u32::from((centre.y < 0.0) != (place == 1));
            let feature = 2 * k as u32 + upper_side;
            touches[PLACES * k + place] =
                Some((feature, Touch { n, gap: room.radius - reach.length(), point, curvature }));
        }
    }
    let gap = |touch: &Option<(u32, Touch)>| touch.as_ref().map_or(f64::INFINITY, |(_, touch)| touch.gap);
    touches.sort_by(|p, q| gap(p).total_cmp(&gap(q)));
    for (feature, touch) in touches.iter().flatten().filter(|(_, touch)| touch.gap <= pair.margin) {
        push(touch, *feature, pair, manifold);
    }
}
