//! Nearly flat faces of superellipsoids: where two of them meet, or one meets a plane, the contact is a patch.
//!
//! On a face the nearest point says little: a tilt of 1e-9 moves it by half the face, and a grain that rests on it alone rocks.
//! A patch has points that are fixed to the grains, where the face has fallen by [`SAG`] from its middle.

use glam::DVec3;

use crate::contact::manifold::MAX_POINTS;
use crate::contact::routine;
use crate::shape::Superellipsoid;
use crate::{Kind, Manifold, ManifoldPoint, Pair, Shape};

/// How far the surface lies below the middle of the face at the points of a patch, in semi-axes: less than grains at rest
/// overlap.
const SAG: f64 = 1e-6;

/// Half width of a patch, in semi-axes, from which a face counts as flat: exponents up to about 0.3.
const FLAT: f64 = 0.15;

/// Exponent from which no face is flat: its half width is 0.09.
const ROUND: f64 = 0.4;

/// Angle between a face and the contact plane, rad, up to which the patch is looked at.
pub(crate) const TILT: f64 = 0.1;

/// Points of a patch and its features: four for each face, after that of the lowest point.
const CORNERS: u32 = 4;

/// Where the lowest point leaves a patch, in half widths of it, and where it acts alone.
const LEAVING: f64 = 1.0;
const OUTSIDE: f64 = 1.2;

/// Turns the contact of two superellipsoids whose faces meet into a patch: the corners of what the flat parts share, which are
/// those of the boxes between opposite faces, and their middle. The nearest point, which wanders, is told but does not act as
/// long as it lies within both flat parts; from [`OUTSIDE`] on it acts in place of the middle.
pub(in crate::contact) fn widen(pair: &Pair, [a, b]: [&Superellipsoid; 2], manifold: &mut Manifold) {
    // The cheapest question first: most pairs have no face to meet.
    if !(can_be_flat(a) && can_be_flat(b)) {
        return;
    }
    let [nearest] = *manifold.points() else { return };
    let (to_a, to_b) = (pair.orientation_a.inverse(), pair.orientation_b.inverse());
    let n = nearest.normal;
    let (Some(face_a), Some(face_b)) = (Face::of(a, to_a * n), Face::of(b, to_b * -n)) else { return };
    let (core_a, core_b) = (face_a.core(), face_b.core());
    let cores = Pair { a: &core_a, b: &core_b, warm: None, ..*pair };
    let mut shared = Manifold::default();
    (routine(Kind::Box, Kind::Box).collide)(&cores, &mut shared);
    let corners = shared.points();
    if corners.len() < 2 || corners[0].normal.dot(n) < 1.0 - 0.5 * TILT * TILT {
        return;
    }
    let count = corners.len() as f64;
    let middle = corners.iter().map(|corner| corner.arm).sum::<DVec3>() / count;
    let gap = corners.iter().map(|corner| corner.gap).sum::<f64>() / count;
    let (near_a, near_b) = (to_a * nearest.on_a(), to_b * (nearest.on_b() - pair.offset));
    let away = nearest.arm - middle;
    // What either body pins it pins.
    let pinned = pair.orientation_a * face_a.pinned(near_a, to_a * away);
    let away = pinned + pair.orientation_b * face_b.pinned(near_b, to_b * (away - pinned));
    let freedom = face_a.freedom(near_a).max(face_b.freedom(near_b));
    let rise = |normal: DVec3| -normal.dot(away) / normal.dot(n);
    let gap = gap + rise(pair.orientation_b * face_b.normal()) - rise(pair.orientation_a * face_a.normal());
    manifold.points_mut()[0] = ManifoldPoint {
        arm: middle + away,
        gap: gap + freedom * (nearest.gap - gap),
        normal: corners[0].normal.lerp(n, freedom).normalize(),
        ..nearest
    };
    if freedom < 1.0 {
        manifold.tell(nearest);
    }
    for corner in corners.iter().take(MAX_POINTS - 1) {
        manifold.push(ManifoldPoint { curvature: nearest.curvature, ..*corner });
    }
}

/// The nearly flat part of a face.
pub(in crate::contact) struct Face<'a> {
    shape: &'a Superellipsoid,
    /// The axis along which the face lies, and the two others.
    axes: [usize; 3],
    sign: f64,
    /// Half widths along the two others, in semi-axes.
    half_widths: [f64; 2],
}

impl<'a> Face<'a> {
    /// The face along `down` (body axes), if it is flat and lies within [`TILT`] of it.
    pub fn of(shape: &'a Superellipsoid, down: DVec3) -> Option<Self> {
        let size = down.abs();
        let face = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let is_level = 1.0 - size[face] <= 0.5 * TILT * TILT;
        if !is_level || !can_be_flat(shape) {
            return None;
        }
        let half_widths = half_widths(shape.eps, face);
        let is_flat = half_widths[0].max(half_widths[1]) >= FLAT;
        let axes = [face, (face + 1) % 3, (face + 2) % 3];
        is_flat.then_some(Self { shape, axes, sign: 1f64.copysign(down[face]), half_widths })
    }

    /// What acts in place of the lowest point, and whether that is another one. Along an axis along which it lies in the flat part
    /// the lowest point wanders: there the middle of the face acts, and the corners tell the moment.
    pub fn held(&self, lowest: DVec3) -> (DVec3, bool) {
        let face = self.axes[0];
        let share = self.freedom(lowest);
        let top = self.sign * self.shape.semi_axes[face];
        let mut acting = self.pinned(lowest, lowest);
        acting[face] = top + share * (lowest[face] - top);
        (acting, share < 1.0)
    }

    /// The part of `v` along the two axes of the face along which `lowest` lies beyond the flat part.
    fn pinned(&self, lowest: DVec3, v: DVec3) -> DVec3 {
        let [_, second, third] = self.axes;
        let [along_second, along_third] = self.freedoms(lowest);
        let mut pinned = DVec3::ZERO;
        (pinned[second], pinned[third]) = (along_second * v[second], along_third * v[third]);
        pinned
    }

    /// How freely the lowest point acts: 0 within the flat part, 1 from [`OUTSIDE`] on.
    fn freedom(&self, lowest: DVec3) -> f64 {
        let [along_second, along_third] = self.freedoms(lowest);
        along_second.max(along_third)
    }

    /// The same along each of the two axes of the face.
    fn freedoms(&self, lowest: DVec3) -> [f64; 2] {
        [0, 1].map(|k| {
            let axis = self.axes[1 + k];
            let out = f64::abs(lowest[axis]) / (self.half_widths[k] * self.shape.semi_axes[axis]);
            ((out - LEAVING) / (OUTSIDE - LEAVING)).clamp(0.0, 1.0)
        })
    }

    /// Outward, in body axes.
    fn normal(&self) -> DVec3 {
        self.sign * DVec3::AXES[self.axes[0]]
    }

    /// The box between this patch and that on the face opposite.
    fn core(&self) -> Shape {
        let [face, second, third] = self.axes;
        let mut part = DVec3::ZERO;
        (part[face], part[second], part[third]) = (1.0, self.half_widths[0], self.half_widths[1]);
        crate::shape::Box { half_sizes: part * self.shape.semi_axes }.into()
    }

    /// The corners and their numbers, which tell faces apart too.
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

/// Whether the body may have a flat face.
fn can_be_flat(shape: &Superellipsoid) -> bool {
    shape.eps[0].min(shape.eps[1]) <= ROUND
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
