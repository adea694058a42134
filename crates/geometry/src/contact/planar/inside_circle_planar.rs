//! Contact of a planar grain with a hollow circle around it.

use glam::DVec2;

use crate::contact::planar::{Frame, MAX_PARTS, Profile, Seam, Touch, farthest};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Finds the contacts. Body `a` is the circle.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    match pair.b {
        Shape::Disc(b) => solve(pair, b, manifold),
        Shape::Ellipse(b) => solve(pair, b, manifold),
        Shape::Superellipse(b) => solve(pair, b, manifold),
        _ => unreachable!("the pair table pairs a hollow circle with planar grains"),
    }
}

fn solve(pair: &Pair, b: &impl Profile, manifold: &mut Manifold) {
    let Shape::InsideCircle(circle) = pair.a else { unreachable!("the pair table puts the circle first") };
    let frame = Frame::of(pair.orientation_b);
    let centre = frame.to_body(pair.offset.truncate());
    let rim = circle.radius;
    // No point of the grain is farther from its centre than the corner of its bounding box.
    if rim - centre.length() - b.half_widths().length() > pair.margin {
        return;
    }
    let mut rim_contact = RimContact { rim, frame, margin: pair.margin, manifold };
    let mut best: Option<Touch> = None;
    let keep = |best: &mut Option<Touch>, touch: Touch| {
        if best.is_none_or(|best| touch.distance > best.distance) {
            *best = Some(touch);
        }
    };
    // A grain that is more curved than the circle everywhere touches it at one point.
    if greatest_radius(b) <= rim {
        farthest(b, centre, rim, |touch| keep(&mut best, touch));
        // A grain at the centre of the circle is equally near in all directions.
        let any = Touch { normal: DVec2::X, distance: b.extreme(DVec2::X).point.x, radius: 0.0 };
        return rim_contact.push(&best.unwrap_or(any), 0);
    }
    // Other grains touch the circle with each of their parts at its farthest point. If the local
    // maximum of a part vanishes, this is the seam between two parts. Thus an overlap begins and
    // ends at zero only, and no energy is gained.
    let mut parts = [None; MAX_PARTS];
    farthest(b, centre, rim, |touch| keep(&mut parts[b.part(touch.normal) as usize], touch));
    for Seam { normal, parts: sides } in b.seams() {
        let seam = b.extreme(normal);
        let point = centre + seam.point;
        let distance = point.length();
        for part in sides {
            keep(&mut parts[part as usize], Touch { normal: point / distance, distance, radius: seam.radius });
        }
    }
    for (part, touch) in (0..).zip(parts) {
        if let Some(touch) = touch {
            rim_contact.push(&touch, part);
        }
    }
}

/// Adds contacts with the circle to a manifold.
struct RimContact<'a> {
    rim: f64,
    frame: Frame,
    margin: f64,
    manifold: &'a mut Manifold,
}

impl RimContact<'_> {
    fn push(&mut self, touch: &Touch, feature: u32) {
        let gap = self.rim - touch.distance;
        if gap > self.margin {
            return;
        }
        let outward = self.frame.to_world(touch.normal).extend(0.0);
        let (arm, curvature) = ((self.rim - 0.5 * gap) * outward, 1.0 / touch.radius - 1.0 / self.rim);
        self.manifold.push(ContactPoint { arm, normal: -outward, gap, curvature, feature, overlap: None });
    }
}

/// Returns an upper bound of the radii of curvature, m.
fn greatest_radius(b: &impl Profile) -> f64 {
    let diagonal = DVec2::splat(std::f64::consts::FRAC_1_SQRT_2);
    b.radius_range(DVec2::X, diagonal).1.max(b.radius_range(diagonal, DVec2::Y).1)
}
