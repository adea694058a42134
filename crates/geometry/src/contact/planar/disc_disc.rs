//! Contact of two discs.

use glam::DVec2;

use crate::{ContactPoint, Manifold, Pair, Shape};

/// Finds the contact in closed form. The normal of concentric discs is the x axis by convention.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Disc(a), Shape::Disc(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs discs with discs")
    };
    let offset = pair.offset.truncate();
    let distance_squared = offset.length_squared();
    let reach = a.radius + b.radius + pair.margin;
    if reach < 0.0 || distance_squared > reach * reach {
        return;
    }
    let distance = distance_squared.sqrt();
    let normal = if distance > 0.0 { offset / distance } else { DVec2::X };
    let gap = distance - a.radius - b.radius;
    manifold.push(ContactPoint {
        arm: ((a.radius + 0.5 * gap) * normal).extend(0.0),
        normal: normal.extend(0.0),
        gap,
        curvature: 1.0 / a.radius + 1.0 / b.radius,
        feature: 0,
        overlap: None,
    });
}
