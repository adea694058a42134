//! A capsule and a cylinder or truncated cone: the distance from the other body, least on the capsule's axis.
//!
//! While the axis is outside, the gap is its distance less the radius, however deep the overlap. The distance of a point from a convex body
//! is a convex function, known with two derivatives: along the axis it has one minimum, by Newton's method between bounds. Any point of
//! the axis bounds it from below, which tells bodies that are apart soon. Where the axis meets the body, `general` answers.

use glam::DVec3;

use crate::contact::general::general;
use crate::contact::revolution::{Foot, Hull, Resting, Segments, report};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Distance of the axis from the other body, in radii, below which rounding spoils the direction to it.
const NEAR: f64 = 0.05;

/// Slope of the distance along the axis that is none: a rounding.
const LEVEL: f64 = 2e-16;

/// Step along the axis that is none, in its half length: a rounding.
const LAST_STEP: f64 = 2e-16;

/// Most steps: 1 to 8.
const MOST_STEPS: u32 = 80;

/// How far the axis is from the other body.
enum Distance {
    /// Farther than asked, along this outward normal of the other body.
    Beyond(DVec3),
    /// The least, at this place from the middle of the axis.
    Least(f64, Foot),
    /// It meets the body.
    None,
}

/// `a` is the capsule.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Capsule(capsule) = pair.a else { unreachable!("the dispatch table puts the capsule first") };
    let (axis, other) = (pair.orientation_a * DVec3::Z, pair.orientation_b * DVec3::Z);
    let body = Hull::of(pair.b, other);
    // An axis that meets the body has no distance of its own.
    let reach = (pair.margin + capsule.radius).max(0.0);
    let (place, foot) = match distance(&body, axis, capsule.half_height, pair.offset, reach, &mut manifold.iterations) {
        Distance::Beyond(normal) => {
            manifold.apart = Some(-normal);
            return;
        }
        Distance::Least(place, foot) if foot.distance > NEAR * capsule.radius => (place, foot),
        _ => return general(pair, manifold),
    };
    let (normal, gap) = (-foot.normal, foot.distance - capsule.radius);
    if gap > pair.margin {
        manifold.apart = Some(normal);
        return;
    }
    let curvature = 1.0 / capsule.radius + pair.b.as_convex().curvature(pair.orientation_b.inverse() * -normal);
    let arm = place * axis + (capsule.radius + 0.5 * gap) * normal;
    let nearest = ContactPoint { arm, normal, gap, curvature, feature: 0 };
    let hulls = [&Hull::of(pair.a, axis), &body];
    report(&nearest, &Resting { hulls, offset: pair.offset }, pair.margin, manifold);
}

/// The least distance of a segment along `axis` from a body at `offset`, unless it is beyond `reach`.
fn distance(body: &Hull, axis: DVec3, half: f64, offset: DVec3, reach: f64, iterations: &mut u32) -> Distance {
    let [bottom, top] = body.heights;
    let middle = offset + 0.5 * (bottom + top) * body.axis;
    let [mut place, _] = Segments::new([axis, body.axis], [half, 0.5 * (top - bottom)], middle).nearest();
    let (mut low, mut high) = (-half, half);
    // Whether the lower and the upper bound have been looked at: ends of the segment are not, at first.
    let mut looked = [false; 2];
    for _ in 0..MOST_STEPS {
        *iterations += 1;
        let Some(foot) = body.foot(place * axis - offset, axis) else { return Distance::None };
        let slope = foot.normal.dot(axis);
        // The way down leads to this end, from which nothing lies below the tangent.
        let end = if slope > 0.0 { low } else { high };
        if foot.distance + slope * (end - place) > reach {
            return Distance::Beyond(foot.normal);
        }
        let newton = place - slope / foot.bend;
        let is_last = (newton - place).abs() <= LAST_STEP * half;
        if slope.abs() <= LEVEL || place == end || is_last || high - low <= LAST_STEP * half {
            return Distance::Least(place, foot);
        }
        looked[usize::from(slope > 0.0)] = true;
        if slope > 0.0 {
            high = place
        } else {
            low = place
        }
        place = match newton > low && newton < high {
            true => newton,
            false if !looked[usize::from(slope <= 0.0)] => end,
            false => 0.5 * (low + high),
        };
    }
    Distance::None
}
