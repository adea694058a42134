//! Contact points of two cylinders: the nearest points, and patches of two faces, a face and a
//! side, or two sides.

use glam::{DVec2, DVec3};

use super::separation::{Class, Direction};
use super::{CylinderPair, OUTWARD};
use crate::contact::patch::{Patch, TILT, middle};
use crate::{ContactPoint, Manifold};

/// First feature numbers of the patches by kind (and by the body with the face). The nearest point
/// has the feature 0.
const LENS: u32 = 1;
const INNER_DISC: [u32; 2] = [8, 16];
const LINE_ON_FACE: [u32; 2] = [24, 32];
const TWO_LINES: u32 = 40;

/// Writes the contact points along the best direction.
#[inline(always)]
pub(crate) fn report(cylinders: &CylinderPair, best: &Direction, margin: f64, manifold: &mut Manifold) {
    let Direction { n, gap, .. } = *best;
    // A flat end has no curvature of its own: the law uses that of balls of the same radii.
    let curvature = 1.0 / cylinders.r[0] + 1.0 / cylinders.r[1];
    let nearest = ContactPoint { arm: cylinders.nearest(best), normal: n, gap, curvature, feature: 0, overlap: None };
    match cylinders.patch(n) {
        Some(patch) => report_patch(cylinders, &patch, &nearest, margin, manifold),
        None if gap <= margin => {
            let (arm, normal) = (cylinders.world(nearest.arm), cylinders.world(n));
            manifold.push(ContactPoint { arm, normal, ..nearest });
        }
        None => (),
    }
}

/// Writes the points of a patch, and its middle or the nearest point. Not inlined: patches are
/// rare, and the common path stays short.
#[inline(never)]
fn report_patch(cylinders: &CylinderPair, patch: &Patch, nearest: &ContactPoint, margin: f64, manifold: &mut Manifold) {
    patch.report(
        nearest,
        cylinders.least_size(),
        |point| [cylinders.surface_along(0, point, nearest.normal), cylinders.surface_along(1, point, nearest.normal)],
        |v| cylinders.world(v),
        margin,
        manifold,
    );
}

impl CylinderPair {
    /// Returns the middle of the two nearest points, from the first centre, m.
    #[inline(always)]
    fn nearest(&self, best: &Direction) -> DVec3 {
        let Direction { n, gap, class } = *best;
        match class {
            Class::Face(i) | Class::Side(i) => {
                let (j, centre) = (1 - i, [self.offset, DVec3::ZERO][i]);
                centre - OUTWARD[i] * (self.point(j, n) + 0.5 * gap * n)
            }
            Class::Rims => 0.5 * (self.point(0, n) + self.other_point(0, n)),
            Class::Line => (self.r[0] + 0.5 * gap) * n + self.crossing(n) * self.axes[0],
        }
    }

    /// Returns the coordinate along the first axis at which the second axis crosses it, seen along
    /// `n`, m.
    fn crossing(&self, n: DVec3) -> f64 {
        let up = n.cross(self.axes[1]);
        let sin = self.axes[0].dot(up);
        // Parallel axes cross everywhere; rounding can place a crossing beyond the end.
        let along = if sin == 0.0 { 0.0 } else { self.offset.dot(up) / sin };
        along.clamp(-self.h[0], self.h[0])
    }

    /// Returns the sines of the angles between `n` and the normals of the face and of the side of
    /// body `i`.
    fn tilts(&self, i: usize, n: DVec3) -> [f64; 2] {
        let DVec2 { x, y } = self.in_body(i, n);
        [(n.x * n.x + x * x).sqrt(), y.abs()]
    }

    /// Returns the patch of two nearly parallel features; `None` if they have no common part.
    #[inline(always)]
    fn patch(&self, n: DVec3) -> Option<Patch> {
        // Most directions are normal to no two features. This test needs no square root.
        let is_level = |i: usize| {
            let DVec2 { x, y } = self.in_body(i, n);
            [n.x * n.x + x * x <= TILT * TILT, y.abs() <= TILT]
        };
        let ([face_a, side_a], [face_b, side_b]) = (is_level(0), is_level(1));
        let are_lines = side_a & side_b & (self.angle().0.abs() <= TILT);
        if !((face_a & (face_b | side_b)) | (side_a & face_b) | are_lines) {
            return None;
        }
        let [[tilt_face_a, tilt_side_a], [tilt_face_b, tilt_side_b]] = [self.tilts(0, n), self.tilts(1, n)];
        match (face_a, face_b) {
            (true, true) => self.two_faces(n, tilt_face_a.max(tilt_face_b)),
            (true, false) => self.line_on_face(0, n, tilt_face_a.max(tilt_side_b)),
            (false, true) => self.line_on_face(1, n, tilt_side_a.max(tilt_face_b)),
            (false, false) => self.two_lines(n, self.angle().0.abs().max(tilt_side_a).max(tilt_side_b)),
        }
    }

    /// Returns the centre of the face of body `i` that faces the other body along `n`, from the
    /// first centre, m.
    fn face(&self, i: usize, n: DVec3) -> DVec3 {
        let towards = if i == 0 { n } else { -n };
        let axis = self.axes[i];
        let centre = if i == 0 { DVec3::ZERO } else { self.offset };
        centre + self.h[i].copysign(towards.dot(axis)) * axis
    }

    /// Returns the patch of two faces: four points on the rim of the inner disc, or the vertices
    /// and the widest points of the lens in which the discs overlap.
    fn two_faces(&self, n: DVec3, tilt: f64) -> Option<Patch> {
        let [p, q] = [self.face(0, n), self.face(1, n)];
        let between = (q - p) - (q - p).dot(n) * n;
        let distance = between.length();
        let [a, b] = self.r;
        if distance >= a + b {
            return None;
        }
        let ahead = if distance > 0.0 { between / distance } else { DVec3::ZERO };
        let middle = p + middle(a, b, distance) * ahead;
        if distance <= (a - b).abs() {
            // The points are fixed to the inner body, so that they keep their features as it
            // rotates.
            let (inner, centre) = if a < b { (0, p) } else { (1, q) };
            let [t, u] = [DVec3::X, DVec3::Y].map(|fixed| self.local(self.orientations[inner] * fixed));
            let r = self.r[inner];
            let first = INNER_DISC[inner];
            let points = [(0, r * t), (1, r * u), (2, -r * t), (3, -r * u)];
            return Some(Patch::of(tilt, 2.0 * r, middle, &points.map(|(k, arm)| (first + k, centre + arm))));
        }
        // The chord through the two intersections of the circles.
        let chord = 0.5 * (distance + (a * a - b * b) / distance);
        let half = (a * a - chord * chord).max(0.0).sqrt();
        let beside = n.cross(ahead);
        let on_line = |x: f64, y: f64| p + x * ahead + y * beside;
        let points = [
            (LENS, on_line(chord, half)),
            (LENS + 1, on_line(chord, -half)),
            (LENS + 2, on_line(a, 0.0)),
            (LENS + 3, on_line(distance - b, 0.0)),
        ];
        Some(Patch::of(tilt, a + b - distance, middle, &points))
    }

    /// Returns the patch of the side of the other body on the face of body `i`: the part of the
    /// contact line within the disc.
    fn line_on_face(&self, i: usize, n: DVec3, tilt: f64) -> Option<Patch> {
        let j = 1 - i;
        let line = self.axes[j];
        let away = if j == 0 { n } else { -n };
        let centre = if j == 0 { DVec3::ZERO } else { self.offset };
        let out = away - away.dot(line) * line;
        let start = centre + self.r[j] * out.normalize();
        // Projected on the face, the line intersects the circle at `nearest` +- `half`.
        let flat = |v: DVec3| v - v.dot(self.axes[i]) * self.axes[i];
        let (from, along) = (flat(start - self.face(i, n)), flat(line));
        let square = along.length_squared();
        let nearest = -from.dot(along) / square;
        let rest = self.r[i] * self.r[i] - (from + nearest * along).length_squared();
        if rest <= 0.0 {
            return None;
        }
        let half = (rest / square).sqrt();
        let (low, high) = ((nearest - half).max(-self.h[j]), (nearest + half).min(self.h[j]));
        let first = LINE_ON_FACE[i];
        (low < high).then(|| {
            let ends = [(first, start + low * line), (first + 1, start + high * line)];
            Patch::of(tilt, high - low, start + middle(self.h[j], half, nearest) * line, &ends)
        })
    }

    /// Returns the patch of two sides: the common part of their lines, on the line half way between
    /// them, so that it does not depend on the order of the bodies.
    fn two_lines(&self, n: DVec3, tilt: f64) -> Option<Patch> {
        let [p, q] = self.axes;
        // An axis has no sense, so that the second one is first turned towards the first.
        let mean = p + q * 1f64.copysign(p.dot(q));
        let line = (mean - mean.dot(n) * n).normalize();
        let beside = n.cross(line);
        let shift = self.offset.dot(line);
        let half = [0, 1].map(|i| self.h[i] * self.axes[i].dot(line).abs());
        let (low, high) = ((-half[0]).max(shift - half[1]), half[0].min(shift + half[1]));
        let slope = |axis: DVec3| axis.dot(beside) / axis.dot(line);
        let at = |s: f64| {
            let aside = 0.5 * (slope(p) * s + self.offset.dot(beside) + slope(q) * (s - shift));
            s * line + aside * beside + self.r[0] * n
        };
        (low < high).then(|| {
            let centre = at(middle(half[0], half[1], shift));
            Patch::of(tilt, high - low, centre, &[(TWO_LINES, at(low)), (TWO_LINES + 1, at(high))])
        })
    }

    /// Returns the height along `n`, from the first centre, of the surface of body `i` that faces
    /// the other, on the line through `point` along `n`, m.
    fn surface_along(&self, i: usize, point: DVec3, n: DVec3) -> f64 {
        let axis = self.axes[i];
        let [face, side] = self.tilts(i, n);
        let centre = if i == 0 { DVec3::ZERO } else { self.offset };
        if face <= side {
            // Intersection with the plane of the face.
            let from = self.face(i, n) - point;
            return point.dot(n) + from.dot(axis) / n.dot(axis);
        }
        // Intersection with the side: a quadratic equation, of which the outer root is taken.
        let towards = if i == 0 { 1.0 } else { -1.0 };
        let flat = |v: DVec3| v - v.dot(axis) * axis;
        let (p, d) = (flat(point - centre), flat(n));
        let square = d.length_squared();
        let middle = -p.dot(d) / square;
        let rest = self.r[i] * self.r[i] - (p + middle * d).length_squared();
        point.dot(n) + middle + towards * (rest.max(0.0) / square).sqrt()
    }
}
