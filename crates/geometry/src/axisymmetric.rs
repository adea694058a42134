//! Contact normal and contact point of any two bodies of revolution (Feng, Han and Owen 2016, theorems 1 and 2).
//!
//! A normal force must not turn a body about its own axis: its line meets both axes. A point tells the normal, and a normal
//! the points. The printed (23) fails this in its first part, and the printed (24) has its axes exchanged: see
//! `docs/theory/cylinders.md`.

use glam::DVec3;

/// The axis of a body: a point of it and its unit direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// A point of the axis, m.
    pub centre: DVec3,
    /// Unit direction.
    pub direction: DVec3,
}

/// Sine of the angle between the planes through the point and each axis up to which their common line is lost in rounding.
const COPLANAR: f64 = 1e-12;

impl Axis {
    /// Moment about this axis of a unit force along `n` at `p`, m.
    pub fn moment(&self, p: DVec3, n: DVec3) -> f64 {
        self.direction.dot((p - self.centre).cross(n))
    }

    /// Normal of the plane through the axis and `p`.
    fn plane(&self, p: DVec3) -> DVec3 {
        self.direction.cross(p - self.centre)
    }
}

/// The direction through `p` that meets both axes: the common line of the planes through `p` and each of them. Its sign
/// agrees with `towards`. None where the planes are one: the axes and the point are coplanar, and every direction in the
/// plane will do.
pub fn contact_normal(p: DVec3, a: Axis, b: Axis, towards: DVec3) -> Option<DVec3> {
    let (plane_a, plane_b) = (a.plane(p).try_normalize()?, b.plane(p).try_normalize()?);
    let line = plane_a.cross(plane_b);
    let length = line.length();
    if length <= COPLANAR {
        return None;
    }
    // What rounding left across the first plane would be as large as the angle of the planes is small.
    let line = line / length;
    let line = (line - line.dot(plane_a) * plane_a).normalize();
    Some(if line.dot(towards) < 0.0 { -line } else { line })
}

/// Where the line along `n` that meets both axes meets the first and the second: every point of contact with this normal
/// is on it. None where no line along `n` meets both, or all do: `n` and the axes are coplanar.
pub fn contact_line(n: DVec3, a: Axis, b: Axis) -> Option<[DVec3; 2]> {
    let (c, d) = (b.centre - a.centre, a.direction.cross(b.direction));
    let volume = n.dot(d);
    // (24), with each t from the other's axis: n.(c x n_j) over n.(n_1 x n_2).
    let t = |other: DVec3| n.dot(c.cross(other)) / volume;
    (volume.abs() > COPLANAR)
        .then(|| [a.centre + t(b.direction) * a.direction, b.centre + t(a.direction) * b.direction])
}

/// The point of the line along `n` that meets both axes which is nearest to `p`: where neither axis feels a moment.
pub fn contact_point(p: DVec3, n: DVec3, a: Axis, b: Axis) -> Option<DVec3> {
    let (u, v) = (n.cross(a.direction), n.cross(b.direction));
    let volume = u.dot(v.cross(n));
    if volume.abs() <= COPLANAR {
        return None;
    }
    // Two moments to be rid of by a move across n. Between nearly parallel planes the move is long: the second takes away what
    // rounding left of the first.
    let moved = |q: DVec3| q - (u.dot(q - a.centre) * v.cross(n) - v.dot(q - b.centre) * u.cross(n)) / volume;
    Some(moved(moved(p)))
}

/// Overlap (21) of a region with these bounding dimensions, m: a mean that the smallest of them rules.
pub fn overlap_measure(extent: DVec3) -> f64 {
    overlap_of(&extent.to_array())
}

/// Overlap (22) of a region with this extent across the first axis and along it, m.
pub fn radial_overlap_measure(across: f64, along: f64) -> f64 {
    overlap_of(&[across, along])
}

/// The factor lambda of (21) and (22).
const LAMBDA: f64 = 2.0;

fn overlap_of(extents: &[f64]) -> f64 {
    let least = extents.iter().fold(f64::INFINITY, |least, &x| least.min(x));
    if least <= 0.0 {
        return 0.0;
    }
    // In units of the least, so that no square overflows.
    LAMBDA * least / extents.iter().map(|x| (least / x).powi(2)).sum::<f64>().sqrt()
}
