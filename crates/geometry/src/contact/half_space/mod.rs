//! Contact of a grain with a plane wall: the lowest point and, on a nearly flat face or a straight
//! line, four or two more points.
//!
//! The lowest point of a face is ill-conditioned: a tilt of 1e-9 rad moves it across half the face,
//! and a grain that rests on it alone rocks. The contact is therefore a patch of the lowest point
//! and four points fixed to the grain, see [`FlatPart`]. Points fixed to the grain do not jump, and
//! each overlap depends on the pose alone.

pub(super) mod half_space_convex;
pub(in crate::contact) mod half_space_round;
pub(super) mod half_space_sphere;
pub(super) mod resting_features;

use glam::DVec3;

use crate::contact::container::{Touch, push};
use crate::contact::smooth::straight_line::FlatPart;
use crate::{Manifold, Pair, Shape};
use resting_features::{LINE, Part, Rest};

/// Finds the contacts of body b with a plane wall. The unit vector `n` points into the wall, and
/// the plane has the distance `distance` (m) from the centre of b along `n`. Feature numbers start
/// at `first`.
pub(crate) fn collide(n: DVec3, distance: f64, first: u32, pair: &Pair, manifold: &mut Manifold) {
    let body = pair.b.as_convex();
    let down = pair.orientation_b.inverse() * n;
    let lowest = body.support(down);
    let gap = distance - down.dot(lowest);
    if gap > pair.margin {
        return;
    }
    let curvature = body.curvature(down);
    let patch = match pair.b {
        Shape::Superellipsoid(shape) => FlatPart::of(shape, down),
        _ => None,
    };
    if let Some(rest) = Rest::along(pair.b, down) {
        return push_resting_points(&rest, n, distance, first, pair, manifold);
    }
    let touch =
        |point: DVec3| Touch { n, gap: distance - down.dot(point), point: pair.orientation_b * point, curvature };
    // The force acts at a point that does not jump, which need not be the lowest one.
    let (acting, is_other) = patch.as_ref().map_or((lowest, false), |part| part.acting_point(lowest));
    push(&touch(acting), first, pair, manifold);
    if is_other {
        manifold.set_nearest(touch(lowest).between(first, pair));
    }
    let Some(part) = patch else { return };
    part.for_each_outer_point(|feature, point, share| {
        let touch = touch(point);
        if touch.gap <= pair.margin {
            let gap = if touch.gap < 0.0 { share * touch.gap } else { touch.gap };
            push(&Touch { gap, ..touch }, first + 1 + feature, pair, manifold);
        }
    });
}

/// Adds the contacts of a body of revolution that rests on a base or on a line of its side. These
/// are a central point, and four fixed points of the rim of a base or the two ends of a line.
fn push_resting_points(rest: &Rest, n: DVec3, distance: f64, first: u32, pair: &Pair, manifold: &mut Manifold) {
    let body = pair.b.as_convex();
    let down = pair.orientation_b.inverse() * n;
    let lowest = body.support(down);
    let curvature = body.curvature(down);
    let touch = |point: DVec3| {
        let gap = distance - down.dot(point);
        Touch { n, gap, point: pair.orientation_b * point, curvature }
    };
    let mut push_point = |feature: u32, point: DVec3| {
        let touch = touch(point);
        if touch.gap <= pair.margin {
            push(&touch, first + feature, pair, manifold);
        }
    };
    // The central point moves from the middle of the part to the lowest point as the tilt grows.
    let mut push_central = |middle: DVec3| push_point(0, middle + rest.share * (lowest - middle));
    match rest.part {
        Part::Base { z, radius, rim } => {
            push_central(DVec3::Z * z);
            Rest::rim_points(z, radius, rim).into_iter().for_each(|(feature, point)| push_point(feature, point));
        }
        Part::Line(ends) => {
            push_central(0.5 * (ends[0] + ends[1]));
            (LINE..).zip(ends).for_each(|(feature, point)| push_point(feature, point));
        }
    }
    if rest.share < 1.0 {
        manifold.set_nearest(touch(lowest).between(first, pair));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    use crate::shape::{HalfSpace, Superellipsoid};
    use crate::{Manifold, Measure, Pose, collide as collide_pair};

    fn rest(eps: [f64; 2], turn: DQuat) -> Manifold {
        let grain = Superellipsoid { semi_axes: DVec3::new(1.0, 1.2, 0.8), eps }.into();
        let wall = HalfSpace::new(DVec3::Z).into();
        let pose = Pose { position: DVec3::new(0.0, 0.0, 0.8 - 1e-4), orientation: turn };
        let mut manifold = Manifold::default();
        let pair = Pair { margin: 0.0, ..Pair::new(&wall, &Pose::IDENTITY, &grain, &pose) };
        collide_pair(Measure::Depth, &pair, &mut manifold);
        manifold
    }

    #[test]
    fn a_flat_face_rests_on_five_points() {
        let manifold = rest([0.1, 0.1], DQuat::IDENTITY);
        assert_eq!(manifold.points().len(), 5);
        for p in manifold.points() {
            assert!(p.gap < -0.9e-4 && p.gap >= -1e-4 - 1e-15, "{p:?}");
        }
        let spread = manifold.points().iter().map(|p| p.arm.x).fold(0.0, f64::max);
        assert!(spread > 0.4, "the points hold the grain up: {spread}");
    }

    #[test]
    fn a_tilt_keeps_the_points_where_they_are_on_the_grain() {
        let level = rest([0.1, 0.1], DQuat::IDENTITY);
        let turn = DQuat::from_rotation_x(1e-6);
        let tilted = rest([0.1, 0.1], turn);
        let grain_points = |manifold: &Manifold, turn: DQuat| {
            let points = manifold.points()[1..].iter();
            points.map(|p| turn.inverse() * (p.on_b() - DVec3::Z * (0.8 - 1e-4))).collect::<Vec<_>>()
        };
        for (p, q) in grain_points(&level, DQuat::IDENTITY).into_iter().zip(grain_points(&tilted, turn)) {
            assert!((p - q).length() < 1e-12);
        }
        let features = |manifold: &Manifold| manifold.points().iter().map(|p| p.feature).collect::<Vec<_>>();
        assert_eq!(features(&level), features(&tilted));
    }

    #[test]
    fn a_round_grain_rests_on_one_point() {
        assert_eq!(rest([1.0, 1.0], DQuat::IDENTITY).points().len(), 1);
        assert_eq!(rest([0.1, 1.0], DQuat::IDENTITY).points().len(), 1, "round below, square from above");
    }
}
