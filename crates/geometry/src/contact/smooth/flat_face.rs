//! Contact patches on the nearly flat faces of superellipsoids, with each other and with planes.
//!
//! The nearest point of a face is ill-conditioned: a tilt of 1e-9 rad moves it across half the
//! face, and a grain that rests on it alone rocks. A patch has points that are fixed to the grain.
//! They lie where the face has dropped by [`SAG`] from its middle.

use glam::DVec3;

use crate::contact::manifold::MAX_POINTS;
use crate::contact::polytope::polytope_polytope;
use crate::contact::smooth::straight_line::{self, FlatPart};
use crate::shape::Superellipsoid;
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Depth of the surface below the middle of the face at the points of a patch, relative to the
/// semi-axis. It is less than the overlap of grains at rest.
pub(super) const SAG: f64 = 1e-6;

/// Half width, relative to the semi-axis, from which the surface counts as flat along an axis.
/// Exponents up to about 0.3 reach it.
pub(super) const FLAT: f64 = 0.15;

/// Exponent from which no face is flat. The half width of the patch is 0.09 there.
const ROUND: f64 = 0.4;

/// Angle between a face and the contact plane, rad, up to which the patch is used.
pub(crate) const TILT: f64 = 0.1;

/// Number of corners of a patch. Each face has as many feature numbers, after that of the lowest
/// point.
const CORNERS: u32 = 4;

/// Distance of the lowest point from the middle, in half widths, up to which the middle of the
/// patch acts.
const LEAVING: f64 = 1.0;

/// Distance from which the lowest point itself acts.
const OUTSIDE: f64 = 1.2;

/// Replaces the contact of two superellipsoids whose faces meet by a patch.
///
/// The patch consists of the corners of the common part of the two flat parts, which the contact of
/// boxes between opposite faces yields, and their middle. The nearest point is reported, but
/// carries no force while it lies within both flat parts, because it jumps. From [`OUTSIDE`] on it
/// acts instead of the middle.
pub(in crate::contact) fn widen(pair: &Pair, [a, b]: [&Superellipsoid; 2], manifold: &mut Manifold) {
    // The cheapest test comes first: most pairs have no flat face.
    if !(can_be_flat(a) && can_be_flat(b)) {
        return;
    }
    let [nearest] = *manifold.points() else { return };
    let (to_a, to_b) = (pair.orientation_a.inverse(), pair.orientation_b.inverse());
    let n = nearest.normal;
    let (Some(part_a), Some(part_b)) = (FlatPart::of(a, to_a * n), FlatPart::of(b, to_b * -n)) else { return };
    let (face_a, face_b) = match [&part_a, &part_b] {
        [FlatPart::Face(a), FlatPart::Face(b)] => (a, b),
        parts => return straight_line::widen(pair, parts, manifold),
    };
    // Between two flat faces the contact is that of two boxes, which clip the common part.
    let (core_a, core_b) = (face_a.core(), face_b.core());
    let cores = Pair { a: &core_a, b: &core_b, warm: None, ..*pair };
    let mut shared = Manifold::default();
    polytope_polytope::box_box(&cores, &mut shared);
    let corners = shared.points();
    // The boxes touch with other features, or in another direction: the nearest point is enough.
    if corners.len() < 2 || corners[0].normal.dot(n) < 1.0 - 0.5 * TILT * TILT {
        return;
    }
    let count = corners.len() as f64;
    let middle = corners.iter().map(|corner| corner.arm).sum::<DVec3>() / count;
    let gap = corners.iter().map(|corner| corner.gap).sum::<f64>() / count;
    let (near_a, near_b) = (to_a * nearest.on_a(), to_b * (nearest.on_b() - pair.offset));
    let away = nearest.arm - middle;
    // The acting point follows the nearest point along every axis along which it has left the flat
    // part of either body.
    let pinned = pair.orientation_a * face_a.beyond_flat_part(near_a, to_a * away);
    let away = pinned + pair.orientation_b * face_b.beyond_flat_part(near_b, to_b * (away - pinned));
    let weight = face_a.lowest_point_weight(near_a).max(face_b.lowest_point_weight(near_b));
    // The two faces may be tilted against each other: correct the gap for the displacement.
    let rise = |normal: DVec3| -normal.dot(away) / normal.dot(n);
    let gap = gap + rise(pair.orientation_b * face_b.normal()) - rise(pair.orientation_a * face_a.normal());
    manifold.points_mut()[0] = ContactPoint {
        arm: middle + away,
        gap: gap + weight * (nearest.gap - gap),
        normal: corners[0].normal.lerp(n, weight).normalize(),
        ..nearest
    };
    if weight < 1.0 {
        manifold.set_nearest(nearest);
    }
    for corner in corners.iter().take(MAX_POINTS - 1) {
        manifold.push(ContactPoint { curvature: nearest.curvature, ..*corner });
    }
}

/// The nearly flat part of a face of a superellipsoid.
pub(in crate::contact) struct Face<'a> {
    shape: &'a Superellipsoid,
    /// The axis normal to the face, and the two others.
    axes: [usize; 3],
    sign: f64,
    /// Half widths along the two others, relative to the semi-axes.
    half_widths: [f64; 2],
}

impl<'a> Face<'a> {
    /// Returns the face whose normal is within [`TILT`] of `down` (body axes), if it is flat.
    pub fn of(shape: &'a Superellipsoid, down: DVec3) -> Option<Self> {
        let size = down.abs();
        let face = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            // The face that is most nearly perpendicular to the direction.
            2
        };
        let is_level = 1.0 - size[face] <= 0.5 * TILT * TILT;
        if !is_level || !can_be_flat(shape) {
            return None;
        }
        let half_widths = half_widths(shape.eps, face);
        // A face that is round along one of them has a straight line instead.
        let is_flat = half_widths[0].min(half_widths[1]) >= FLAT;
        let axes = [face, (face + 1) % 3, (face + 2) % 3];
        is_flat.then_some(Self { shape, axes, sign: 1f64.copysign(down[face]), half_widths })
    }

    /// Returns the point at which the force acts, and whether it differs from the lowest point.
    /// Along an axis along which the lowest point lies in the flat part, the middle of the face
    /// acts and the corners provide the torque.
    pub fn acting_point(&self, lowest: DVec3) -> (DVec3, bool) {
        let face = self.axes[0];
        let share = self.lowest_point_weight(lowest);
        let top = self.sign * self.shape.semi_axes[face];
        let mut acting = self.beyond_flat_part(lowest, lowest);
        acting[face] = top + share * (lowest[face] - top);
        (acting, share < 1.0)
    }

    /// Returns the components of `v` along those axes of the face along which `lowest` lies beyond
    /// the flat part.
    fn beyond_flat_part(&self, lowest: DVec3, v: DVec3) -> DVec3 {
        let [_, second, third] = self.axes;
        let [along_second, along_third] = self.weights_along_axes(lowest);
        let mut pinned = DVec3::ZERO;
        (pinned[second], pinned[third]) = (along_second * v[second], along_third * v[third]);
        pinned
    }

    /// Returns the weight of the lowest point: 0 within the flat part, 1 from [`OUTSIDE`] on.
    fn lowest_point_weight(&self, lowest: DVec3) -> f64 {
        let [along_second, along_third] = self.weights_along_axes(lowest);
        along_second.max(along_third)
    }

    /// Returns the same weight for each of the two axes of the face.
    fn weights_along_axes(&self, lowest: DVec3) -> [f64; 2] {
        [0, 1].map(|k| {
            let axis = self.axes[1 + k];
            leaving(f64::abs(lowest[axis]) / (self.half_widths[k] * self.shape.semi_axes[axis]))
        })
    }

    /// Returns the middle of the face, and the vectors from it to the middles of two edges, m.
    pub(super) fn rectangle(&self) -> (DVec3, [DVec3; 2]) {
        let edge = |k: usize| {
            let axis = self.axes[1 + k];
            self.half_widths[k] * self.shape.semi_axes[axis] * DVec3::AXES[axis]
        };
        (self.shape.semi_axes * self.normal(), [edge(0), edge(1)])
    }

    /// Returns the outward normal in body axes.
    pub(super) fn normal(&self) -> DVec3 {
        self.sign * DVec3::AXES[self.axes[0]]
    }

    /// Returns the box between this patch and the one on the opposite face.
    fn core(&self) -> Shape {
        let [face, second, third] = self.axes;
        let mut part = DVec3::ZERO;
        (part[face], part[second], part[third]) = (1.0, self.half_widths[0], self.half_widths[1]);
        crate::shape::Box { half_sizes: part * self.shape.semi_axes }.into()
    }

    /// Returns the corners and their feature numbers, which also identify the face.
    pub fn corners(&self) -> impl Iterator<Item = (u32, DVec3)> + '_ {
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

/// Returns the weight of the lowest point at a distance from the middle, in half widths: 0 within
/// the flat part, 1 from [`OUTSIDE`] on.
pub(super) fn leaving(out: f64) -> f64 {
    ((out - LEAVING) / (OUTSIDE - LEAVING)).clamp(0.0, 1.0)
}

/// Returns whether the body may have a flat face or a straight line.
pub(in crate::contact) fn can_be_flat(shape: &Superellipsoid) -> bool {
    shape.eps[0].min(shape.eps[1]) <= ROUND
}

/// Returns the half width, relative to the semi-axis, of the part of a profile with this exponent
/// that has dropped by half of `sag`.
pub(super) fn half_width(sag: f64, eps: f64) -> f64 {
    libm::pow(sag / eps, 0.5 * eps).min(1.0)
}

/// Returns the half widths of the patch on a face along the next two axes, relative to the
/// semi-axes (see `docs/theory/smooth_shapes.md`).
fn half_widths([e1, e2]: [f64; 2], face: usize) -> [f64; 2] {
    match face {
        // Corners of a square, on the curve of the x-y norm.
        2 => [half_width(2.0 * SAG, e2) * libm::pow(0.5, 0.5 * e1); 2],
        0 => [half_width(SAG, e1), half_width(SAG, e2)],
        _ => [half_width(SAG, e2), half_width(SAG, e1)],
    }
}
