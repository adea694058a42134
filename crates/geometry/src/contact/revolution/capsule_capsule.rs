//! Contact of two capsules, from the nearest points of their axes in closed form.
//!
//! A capsule is the Minkowski sum of a segment and a ball. The Minkowski difference of two capsules
//! is the sum of a parallelogram and a ball, so that the gap is the distance of the segments minus
//! both radii, however deep the overlap is. If the segments intersect, their distance is zero and
//! the normal is perpendicular to both.

use glam::DVec3;

use crate::contact::patch::TILT;
use crate::contact::revolution::{Hull, Resting, Segments, report};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Distance of the axes, relative to the sum of the radii, below which the vector between their
/// nearest points is too inaccurate for the normal. Capsules that just touch are twice as far
/// apart.
const CROSSED: f64 = 0.5;

/// Finds the contacts of two capsules.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Capsule(a), Shape::Capsule(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs capsules with capsules")
    };
    let directions = [pair.orientation_a * DVec3::Z, pair.orientation_b * DVec3::Z];
    let axes = Segments::new(directions, [a.half_height, b.half_height], pair.offset);
    let [s, t] = axes.nearest();
    let from = s * directions[0];
    let between = pair.offset + t * directions[1] - from;
    let (distance, radii) = (between.length(), a.radius + b.radius);
    let (normal, gap, arm) = if distance > CROSSED * radii {
        let normal = between / distance;
        let gap = distance - radii;
        (normal, gap, from + (a.radius + 0.5 * gap) * normal)
    } else {
        let normal = axes.across(between);
        (normal, axes.distance_along(normal) - radii, from + 0.5 * (between + (a.radius - b.radius) * normal))
    };
    if gap > pair.margin {
        manifold.apart = Some(normal);
        return;
    }
    let nearest =
        ContactPoint { arm, normal, gap, curvature: 1.0 / a.radius + 1.0 / b.radius, feature: 0, overlap: None };
    if axes.sin() > TILT {
        return manifold.push(nearest);
    }
    let hulls = [Hull::of(pair.a, directions[0]), Hull::of(pair.b, directions[1])];
    report(&nearest, &Resting { hulls: [&hulls[0], &hulls[1]], offset: pair.offset }, pair.margin, manifold);
}
