//! A hollow circle around a planar grain: every point of the grain that is nearest to the rim.

use glam::DVec2;

use crate::contact::planar::{Frame, MOST_PARTS, Profile, Seam, Touch, farthest};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// `a` is the circle.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
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
    let mut rim_contact = RimContact { rim, frame, margin: pair.margin, manifold };
    let mut best: Option<Touch> = None;
    let keep = |best: &mut Option<Touch>, touch: Touch| {
        if best.is_none_or(|best| touch.reach > best.reach) {
            *best = Some(touch);
        }
    };
    // A grain of greater curvature than the rim everywhere touches it at one point.
    if greatest_radius(b) <= rim {
        farthest(b, centre, rim, |touch| keep(&mut best, touch));
        // A grain about the centre of the circle is as near on all sides: any direction serves.
        let any = Touch { normal: DVec2::X, reach: b.extreme(DVec2::X).point.x, radius: 0.0 };
        return rim_contact.push(&best.unwrap_or(any), 0);
    }
    // Others touch it with each of their parts, at the part's farthest point. Where a bump between two parts vanishes, that
    // is the seam: so no overlap comes or goes but through zero, and no energy with it.
    let mut parts = [None; MOST_PARTS];
    farthest(b, centre, rim, |touch| keep(&mut parts[b.part(touch.normal) as usize], touch));
    for Seam { normal, parts: sides } in b.seams() {
        let seam = b.extreme(normal);
        let point = centre + seam.point;
        let reach = point.length();
        for part in sides {
            keep(&mut parts[part as usize], Touch { normal: point / reach, reach, radius: seam.radius });
        }
    }
    for (part, touch) in (0..).zip(parts) {
        if let Some(touch) = touch {
            rim_contact.push(&touch, part);
        }
    }
}

/// Writes what touches a rim into a manifold.
struct RimContact<'a> {
    rim: f64,
    frame: Frame,
    margin: f64,
    manifold: &'a mut Manifold,
}

impl RimContact<'_> {
    fn push(&mut self, touch: &Touch, feature: u32) {
        let gap = self.rim - touch.reach;
        if gap > self.margin {
            return;
        }
        let outward = self.frame.to_world(touch.normal).extend(0.0);
        let (arm, curvature) = ((self.rim - 0.5 * gap) * outward, 1.0 / touch.radius - 1.0 / self.rim);
        self.manifold.push(ContactPoint { arm, normal: -outward, gap, curvature, feature });
    }
}

/// A radius that no radius of curvature is above, m.
fn greatest_radius(b: &impl Profile) -> f64 {
    let diagonal = DVec2::splat(std::f64::consts::FRAC_1_SQRT_2);
    b.radius_range(DVec2::X, diagonal).1.max(b.radius_range(diagonal, DVec2::Y).1)
}
