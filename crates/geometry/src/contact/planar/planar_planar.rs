//! Contact of two smooth planar grains by their common normal.

use crate::contact::planar::{Contact, Frame, Profile, common_normal};
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Finds the contact, which is exact at any depth (`docs/theory/plane.md`).
pub fn collide(pair: &Pair, manifold: &mut Manifold) {
    match (pair.a, pair.b) {
        (Shape::Disc(a), Shape::Disc(b)) => solve(pair, a, b, manifold),
        (Shape::Disc(a), Shape::Ellipse(b)) => solve(pair, a, b, manifold),
        (Shape::Disc(a), Shape::Superellipse(b)) => solve(pair, a, b, manifold),
        (Shape::Ellipse(a), Shape::Disc(b)) => solve(pair, a, b, manifold),
        (Shape::Ellipse(a), Shape::Ellipse(b)) => solve(pair, a, b, manifold),
        (Shape::Ellipse(a), Shape::Superellipse(b)) => solve(pair, a, b, manifold),
        (Shape::Superellipse(a), Shape::Disc(b)) => solve(pair, a, b, manifold),
        (Shape::Superellipse(a), Shape::Ellipse(b)) => solve(pair, a, b, manifold),
        (Shape::Superellipse(a), Shape::Superellipse(b)) => solve(pair, a, b, manifold),
        _ => unreachable!("the pair table pairs planar grains"),
    }
}

fn solve(pair: &Pair, a: &impl Profile, b: &impl Profile, manifold: &mut Manifold) {
    let (frame_a, frame_b) = (Frame::of(pair.orientation_a), Frame::of(pair.orientation_b));
    let offset = frame_a.to_body(pair.offset.truncate());
    let warm = pair.warm.map(|normal| frame_a.to_body(normal.truncate()));
    if let Some(contact) = common_normal(a, b, offset, frame_b.relative_to(frame_a), pair.margin, warm) {
        report(&contact, frame_a, manifold);
    }
}

/// Adds a planar contact, transformed to world axes, to the manifold.
pub(in crate::contact) fn report(contact: &Contact, frame: Frame, manifold: &mut Manifold) {
    manifold.iterations += contact.iterations;
    manifold.status = contact.status;
    manifold.push(ContactPoint {
        arm: frame.to_world(contact.middle).extend(0.0),
        normal: frame.to_world(contact.normal).extend(0.0),
        gap: contact.gap,
        curvature: contact.radii.into_iter().map(|radius| 1.0 / radius).sum(),
        feature: 0,
        overlap: None,
    });
}
