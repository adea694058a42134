//! A grain against a plane wall: its lowest point, and on a nearly flat face four points more.
//!
//! On a face the lowest point says little: a tilt of 1e-9 moves it by half the face, and a grain that rests on it alone
//! rocks. So the contact is a patch: the lowest point and four points that are fixed to the grain, where the face has fallen
//! by [`SAG`] from its middle. Fixed points cannot wander, and each overlap depends on the pose alone.

use glam::DVec3;

use super::hollow::{Touch, push};
use crate::shape::{Cylinder, Superellipsoid};
use crate::{Convex, Manifold, Pair, Shape};

/// How far the surface lies below the middle of the face at the points of a patch, in semi-axes: less than grains at rest
/// overlap.
const SAG: f64 = 1e-6;

/// Half width of a patch, in semi-axes, from which a face counts as flat: exponents up to about 0.3.
const FLAT: f64 = 0.15;

/// Angle between face and plane, rad, up to which the patch is looked at.
const TILT: f64 = 0.1;

/// Points of a patch and its features: four for each face, after that of the lowest point.
const CORNERS: u32 = 4;

/// Where the lowest point leaves a patch, in half widths of it, and where it acts alone.
const LEAVING: f64 = 1.0;
const OUTSIDE: f64 = 1.2;

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
        Shape::Superellipsoid(shape) => Patch::of(shape, down),
        Shape::Cylinder(shape) => {
            return resting_cylinder(shape, n, distance, first, pair, manifold);
        }
        _ => None,
    };
    let acting = patch.as_ref().map_or(lowest, |patch| patch.held(lowest));
    push(&Touch { n, gap, point: pair.orientation_b * acting, curvature }, first, pair, manifold);
    for (corner, point) in patch.iter().flat_map(Patch::corners) {
        let point = pair.orientation_b * point;
        let gap = distance - n.dot(point);
        if gap <= pair.margin {
            push(&Touch { n, gap, point, curvature }, first + 1 + corner, pair, manifold);
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

/// The nearly flat part of a face.
struct Patch<'a> {
    shape: &'a Superellipsoid,
    /// The axis along which the face lies, and the two others.
    axes: [usize; 3],
    sign: f64,
    /// Half widths along the two others, in semi-axes.
    half_widths: [f64; 2],
}

impl<'a> Patch<'a> {
    /// The patch on the face along `down` (body axes), if there is one.
    fn of(shape: &'a Superellipsoid, down: DVec3) -> Option<Self> {
        let size = down.abs();
        let face = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let half_widths = half_widths(shape.eps, face);
        let is_flat = half_widths[0].max(half_widths[1]) >= FLAT;
        let is_level = 1.0 - size[face] <= 0.5 * TILT * TILT;
        let axes = [face, (face + 1) % 3, (face + 2) % 3];
        (is_flat && is_level).then_some(Self { shape, axes, sign: 1f64.copysign(down[face]), half_widths })
    }

    /// Where the lowest point acts. Inside the patch it tells the depth, but wanders: there it acts in the middle of the face,
    /// and the corners tell the moment.
    fn held(&self, lowest: DVec3) -> DVec3 {
        let [face, second, third] = self.axes;
        let part = |axis: usize, half: f64| f64::abs(lowest[axis]) / (half * self.shape.semi_axes[axis]);
        let out = part(second, self.half_widths[0]).max(part(third, self.half_widths[1]));
        let share = ((out - LEAVING) / (OUTSIDE - LEAVING)).clamp(0.0, 1.0);
        let mut middle = DVec3::ZERO;
        middle[face] = lowest[face];
        middle + share * (lowest - middle)
    }

    /// The corners and their numbers, which tell faces apart too.
    fn corners(&self) -> impl Iterator<Item = (u32, DVec3)> + '_ {
        let [face, second, third] = self.axes;
        let side = 2 * face as u32 + u32::from(self.sign < 0.0);
        (0..CORNERS).map(move |corner| {
            let mut point = DVec3::ZERO;
            point[face] = self.sign;
            point[second] = if corner & 1 == 0 { self.half_widths[0] } else { -self.half_widths[0] };
            point[third] = if corner & 2 == 0 { self.half_widths[1] } else { -self.half_widths[1] };
            let point = point * self.shape.semi_axes;
            (CORNERS * side + corner, point / self.shape.gauge(point).0)
        })
    }
}

/// Half widths, in semi-axes, of the patch on a face, along the next two axes: see `docs/theory/smooth_shapes.md`.
fn half_widths([e1, e2]: [f64; 2], face: usize) -> [f64; 2] {
    let width = |sag: f64, eps: f64| libm::pow(sag / eps, 0.5 * eps).min(1.0);
    match face {
        // The corners of a square of the ring's own norm.
        2 => [width(2.0 * SAG, e2) * libm::pow(0.5, 0.5 * e1); 2],
        0 => [width(SAG, e1), width(SAG, e2)],
        _ => [width(SAG, e2), width(SAG, e1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    use crate::shape::HalfSpace;
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
