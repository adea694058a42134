//! A grain against a plane wall: its lowest point, and on a nearly flat face four points more.
//!
//! On a face the lowest point says little: a tilt of 1e-9 moves it by half the face, and a grain that rests on it alone
//! rocks. So the contact is a patch: the lowest point and four points that are fixed to the grain, see
//! [`Face`]. Fixed points cannot wander, and each overlap depends on the pose alone.

use glam::DVec3;

use super::face::{Face, TILT};
use super::hollow::{Touch, push};
use crate::shape::Cylinder;
use crate::{Convex, Manifold, Pair, Shape};

/// The contact with the plane at `distance` from the grain's centre along the unit vector `n`, into the wall.
///
/// The features begin with `first`.
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
        Shape::Superellipsoid(shape) => Face::of(shape, down),
        Shape::Cylinder(shape) => {
            return resting_cylinder(shape, n, distance, first, pair, manifold);
        }
        _ => None,
    };
    let touch =
        |point: DVec3| Touch { n, gap: distance - down.dot(point), point: pair.orientation_b * point, curvature };
    let (acting, is_other) = patch.as_ref().map_or((lowest, false), |face| face.held(lowest));
    push(&touch(acting), first, pair, manifold);
    if is_other {
        manifold.tell(touch(lowest).between(first, pair));
    }
    for (corner, point) in patch.iter().flat_map(Face::corners) {
        let touch = touch(point);
        if touch.gap <= pair.margin {
            push(&touch, first + 1 + corner, pair, manifold);
        }
    }
}

/// Angles, rad, between which the lowest point of a cylinder moves from the middle of a face or a line to where it is.
const HELD: f64 = 1e-3;
const FREE: f64 = 5e-3;

/// First features of a cylinder's points: on the upper rim, on the lower, and the two ends of a line.
const RIMS: [u32; 2] = [1, 5];
const LINE: u32 = 9;

/// A cylinder: its lowest point or what acts in its place, on a face four points of the rim that are fixed to it, on its side the ends of the line.
fn resting_cylinder(shape: &Cylinder, n: DVec3, distance: f64, first: u32, pair: &Pair, manifold: &mut Manifold) {
    let down = pair.orientation_b.inverse() * n;
    let Cylinder { radius, half_height } = *shape;
    let across = down.truncate().length();
    let ring = radius * down.truncate().normalize_or_zero();
    let lowest = shape.support(down);
    let curvature = shape.curvature(down);
    let held = |tilt: f64| ((tilt - HELD) / (FREE - HELD)).clamp(0.0, 1.0);
    let end = half_height.copysign(down.z);
    // The middle of the feature, how far the lowest point is from it, and the points of the patch.
    let (middle, share, points): (DVec3, f64, [Option<(u32, DVec3)>; 4]) = if across <= TILT {
        let rim = RIMS[usize::from(down.z < 0.0)];
        let at = |k: u32, x: f64, y: f64| Some((rim + k, DVec3::new(radius * x, radius * y, end)));
        let points = [at(0, 1.0, 0.0), at(1, 0.0, 1.0), at(2, -1.0, 0.0), at(3, 0.0, -1.0)];
        (DVec3::Z * end, held(across), points)
    } else if down.z.abs() <= TILT {
        let at = |k: u32, z: f64| Some((LINE + k, ring.extend(z)));
        (ring.extend(0.0), held(down.z.abs()), [at(0, -half_height), at(1, half_height), None, None])
    } else {
        (lowest, 1.0, [None; 4])
    };
    let mut act = |feature: u32, point: DVec3| {
        let gap = distance - down.dot(point);
        if gap <= pair.margin {
            push(&Touch { n, gap, point: pair.orientation_b * point, curvature }, first + feature, pair, manifold);
        }
    };
    act(0, middle + share * (lowest - middle));
    for (feature, point) in points.into_iter().flatten() {
        act(feature, point);
    }
    if share < 1.0 {
        let gap = distance - down.dot(lowest);
        manifold.tell(Touch { n, gap, point: pair.orientation_b * lowest, curvature }.between(first, pair));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    use crate::shape::{HalfSpace, Superellipsoid};
    use crate::{Manifold, Pose, collide as collide_pair};

    fn rest(eps: [f64; 2], turn: DQuat) -> Manifold {
        let grain = Superellipsoid { semi_axes: DVec3::new(1.0, 1.2, 0.8), eps }.into();
        let wall = HalfSpace::new(DVec3::Z).into();
        let pose = Pose { position: DVec3::new(0.0, 0.0, 0.8 - 1e-4), orientation: turn };
        let mut manifold = Manifold::default();
        let pair = Pair { margin: 0.0, ..Pair::new(&wall, &Pose::IDENTITY, &grain, &pose) };
        collide_pair(&pair, &mut manifold);
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
