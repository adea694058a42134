//! Contact of a segment with a planar grain: its faces in closed form, its ends by the common
//! normal.

use glam::DVec2;

use super::planar_planar::report;
use crate::contact::planar::{Contact, Frame, Profile, common_normal};
use crate::shape::Bar;
use crate::{Manifold, Pair, Shape, Status};

/// Finds the contact. Body `a` is the segment.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    match pair.b {
        Shape::Disc(b) => solve(pair, DVec2::ZERO, b, manifold),
        Shape::Ellipse(b) => solve(pair, DVec2::ZERO, b, manifold),
        Shape::Superellipse(b) => solve(pair, DVec2::ZERO, b, manifold),
        Shape::Segment(b) => solve(pair, b.middle(), &b.bar(), manifold),
        _ => unreachable!("the pair table pairs a segment with planar bodies"),
    }
}

/// Finds the contact with `b`, whose centre of symmetry is at `centre` in its axes.
fn solve(pair: &Pair, centre: DVec2, b: &impl Profile, manifold: &mut Manifold) {
    let Shape::Segment(segment) = pair.a else { unreachable!("the pair table puts the segment first") };
    let (frame_a, frame_b) = (Frame::of(pair.orientation_a), Frame::of(pair.orientation_b));
    let frame = frame_b.relative_to(frame_a);
    let (bar, middle) = (segment.bar(), segment.middle());
    let offset = frame_a.to_body(pair.offset.truncate()) + frame.to_world(centre) - middle;
    let warm = pair.warm.and_then(|normal| frame_a.to_body(normal.truncate()).try_normalize());
    let contact = match on_face(&bar, b, offset, frame) {
        Some(contact) => (contact.gap <= pair.margin).then_some(contact),
        None => common_normal(&bar, b, offset, frame, pair.margin, warm),
    };
    if let Some(contact) = contact {
        report(&Contact { middle: contact.middle + middle, ..contact }, frame_a, manifold);
    }
}

/// Returns the contact with the face towards the grain, if the lowest point of the grain lies above
/// it and no end is nearer.
fn on_face(bar: &Bar, b: &impl Profile, offset: DVec2, frame: Frame) -> Option<Contact> {
    let along = bar.half.normalize();
    let normal = along.perp() * 1f64.copysign(along.perp_dot(offset));
    let lowest = b.extreme(frame.to_body(-normal));
    let point = offset + frame.to_world(lowest.point);
    let gap = normal.dot(point) - bar.radius;
    let over_the_face = along.dot(point).abs() <= bar.half.length();
    let shallow = -gap <= b.least_radius() + bar.radius;
    (over_the_face && shallow).then(|| Contact {
        normal,
        gap,
        middle: point - 0.5 * gap * normal,
        radii: [f64::INFINITY, lowest.radius],
        iterations: 0,
        status: Status::Converged,
    })
}
