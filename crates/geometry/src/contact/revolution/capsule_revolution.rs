//! Contact of a capsule with a cylinder or a truncated cone.
//!
//! The gap is the least distance of the capsule's axis from the other body minus the radius, as
//! long as the axis lies outside. The distance of a point from a convex body is a convex function
//! with two known derivatives, so that it has one minimum along the axis. Newton's method with
//! bounds finds it. The tangent at any point is a lower bound of the distance, which detects
//! separated bodies early. If the axis intersects the body, `general` is used.

use glam::DVec3;

use crate::contact::general::general;
use crate::contact::revolution::{Foot, Hull, Resting, Segments, report};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Distance of the axis from the other body, relative to the radius, below which rounding errors
/// spoil the normal.
const NEAR: f64 = 0.05;

/// Derivative of the distance along the axis that counts as zero: a rounding error.
const LEVEL: f64 = 2e-16;

/// Step along the axis, relative to its half length, that counts as zero: a rounding error.
const LAST_STEP: f64 = 2e-16;

/// Largest number of steps. Typical pairs need 1 to 8.
const MAX_STEPS: u32 = 80;

/// Distance of the axis from the other body.
enum Distance {
    /// The distance exceeds the cutoff, along this outward normal of the other body.
    Beyond(DVec3),
    /// The least distance, and its position on the axis relative to the middle, m.
    Least(f64, Foot),
    /// The axis intersects the body.
    None,
}

/// Finds the contacts. Body `a` is the capsule.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Capsule(capsule) = pair.a else { unreachable!("the pair table puts the capsule first") };
    let (axis, other) = (pair.orientation_a * DVec3::Z, pair.orientation_b * DVec3::Z);
    let body = Hull::of(pair.b, other);
    // The distance of an axis that intersects the body is not defined, so that the cutoff is not
    // negative.
    let cutoff = (pair.margin + capsule.radius).max(0.0);
    let (position, foot) =
        match distance(&body, axis, capsule.half_height, pair.offset, cutoff, &mut manifold.iterations) {
            Distance::Beyond(normal) => {
                manifold.apart = Some(-normal);
                return;
            }
            Distance::Least(position, foot) if foot.distance > NEAR * capsule.radius => (position, foot),
            _ => return general(pair, manifold),
        };
    let (normal, gap) = (-foot.normal, foot.distance - capsule.radius);
    if gap > pair.margin {
        manifold.apart = Some(normal);
        return;
    }
    let curvature = 1.0 / capsule.radius + pair.b.as_convex().curvature(pair.orientation_b.inverse() * -normal);
    let arm = position * axis + (capsule.radius + 0.5 * gap) * normal;
    let nearest = ContactPoint { arm, normal, gap, curvature, feature: 0, overlap: None };
    let hulls = [&Hull::of(pair.a, axis), &body];
    report(&nearest, &Resting { hulls, offset: pair.offset }, pair.margin, manifold);
}

/// Returns the least distance of a segment along `axis` from a body at `offset`. It stops early if
/// the distance exceeds `cutoff`, m.
fn distance(body: &Hull, axis: DVec3, half: f64, offset: DVec3, cutoff: f64, iterations: &mut u32) -> Distance {
    let [bottom, top] = body.heights;
    let middle = offset + 0.5 * (bottom + top) * body.axis;
    let [mut position, _] = Segments::new([axis, body.axis], [half, 0.5 * (top - bottom)], middle).nearest();
    let (mut low, mut high) = (-half, half);
    // Flags for the lower and the upper bound that were evaluated. The ends of the segment are not,
    // at first.
    let mut evaluated = [false; 2];
    for _ in 0..MAX_STEPS {
        *iterations += 1;
        let Some(foot) = body.foot(position * axis - offset, axis) else { return Distance::None };
        let slope = foot.normal.dot(axis);
        // The distance decreases towards this end, and it is nowhere less than its tangent.
        let end = if slope > 0.0 { low } else { high };
        if foot.distance + slope * (end - position) > cutoff {
            return Distance::Beyond(foot.normal);
        }
        let newton = position - slope / foot.second_derivative;
        let is_last = (newton - position).abs() <= LAST_STEP * half;
        if slope.abs() <= LEVEL || position == end || is_last || high - low <= LAST_STEP * half {
            return Distance::Least(position, foot);
        }
        evaluated[usize::from(slope > 0.0)] = true;
        if slope > 0.0 {
            high = position
        } else {
            low = position
        }
        position = match newton > low && newton < high {
            true => newton,
            false if !evaluated[usize::from(slope <= 0.0)] => end,
            false => 0.5 * (low + high),
        };
    }
    Distance::None
}
