//! A hollow circle around a planar grain: every point of the grain that is nearest to the rim.

use glam::DVec2;

use crate::manifold::MAX_POINTS;
use crate::planar::{Frame, Profile, Touch, farthest};
use crate::{Manifold, ManifoldPoint, Pair, Shape};

/// `a` is the circle.
pub(super) fn collide(pair: &Pair, manifold: &mut Manifold) {
    match pair.b {
        Shape::Disc(b) => solve(pair, b, manifold),
        Shape::Ellipse(b) => solve(pair, b, manifold),
        Shape::Superellipse(b) => solve(pair, b, manifold),
        _ => unreachable!("the dispatch table pairs a hollow circle with planar grains"),
    }
}

fn solve(pair: &Pair, b: &impl Profile, manifold: &mut Manifold) {
    let Shape::InsideCircle(circle) = pair.a else { unreachable!("the dispatch table puts the circle first") };
    let frame = Frame::of(pair.orientation_b);
    let centre = frame.to_body(pair.offset.truncate());
    let rim = circle.radius;
    // No point of the grain is farther from its centre than the corner of its bounds.
    if rim - centre.length() - b.half_widths().length() > pair.margin {
        return;
    }
    // A grain of greater curvature than the rim everywhere touches it at one point, others at each of their parts.
    let one_point = greatest_radius(b) <= rim;
    let mut best: Option<Touch> = None;
    let report = |touch: &Touch, feature: u32, manifold: &mut Manifold| {
        let outward = frame.to_world(touch.normal).extend(0.0);
        let gap = rim - touch.reach;
        let (arm, curvature) = ((rim - 0.5 * gap) * outward, 1.0 / touch.radius - 1.0 / rim);
        manifold.push(ManifoldPoint { arm, normal: -outward, gap, curvature, feature });
    };
    farthest(b, centre, |touch| {
        if best.is_none_or(|best| touch.reach > best.reach) {
            best = Some(touch);
        }
        let near = rim - touch.reach <= pair.margin;
        if !one_point && near && manifold.points().len() < MAX_POINTS {
            report(&touch, b.part(touch.normal), manifold);
        }
    });
    if manifold.points().is_empty() {
        // A grain about the centre of the circle is as near on all sides: any direction serves.
        let best = best.unwrap_or(Touch { normal: DVec2::X, reach: b.extreme(DVec2::X).point.x, radius: 0.0 });
        if rim - best.reach <= pair.margin {
            report(&best, if one_point { 0 } else { b.part(best.normal) }, manifold);
        }
    }
}

/// A radius that no radius of curvature is above, m.
fn greatest_radius(b: &impl Profile) -> f64 {
    let diagonal = DVec2::splat(std::f64::consts::FRAC_1_SQRT_2);
    b.radius_range(DVec2::X, diagonal).1.max(b.radius_range(diagonal, DVec2::Y).1)
}
