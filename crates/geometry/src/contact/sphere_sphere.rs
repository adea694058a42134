//! Two balls.

use glam::DVec3;

use crate::{ContactPoint, Manifold, Pair, Shape};

/// Finds the contact in closed form. The normal of concentric balls is the x axis by convention.
pub(super) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Sphere(a), Shape::Sphere(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs spheres with spheres")
    };
    let distance_squared = pair.offset.length_squared();
    let cutoff = a.radius + b.radius + pair.margin;
    if cutoff < 0.0 || distance_squared > cutoff * cutoff {
        return;
    }
    let distance = distance_squared.sqrt();
    let normal = if distance > 0.0 { pair.offset / distance } else { DVec3::X };
    let gap = distance - a.radius - b.radius;
    manifold.push(ContactPoint {
        arm: (a.radius + 0.5 * gap) * normal,
        normal,
        gap,
        curvature: 1.0 / a.radius + 1.0 / b.radius,
        feature: 0,
        overlap: None,
    });
}
