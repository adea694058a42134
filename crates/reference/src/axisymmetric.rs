//! Contact normal and contact point of two bodies of revolution [Feng2017, theorems 1 and 2], and
//! the published overlap measures [Feng2017, eqs. 21 and 22], and the four parameters of two axes.
//!
//! A normal force on a body of revolution has no moment about its axis. Therefore the line of
//! action intersects both axes: a contact point determines the normal, and a normal determines the
//! line of the contact points. With the axes `c_i + t n_i` and the contact point p,
//!
//! ```text
//! n || m_1 x m_2,     m_i = n_i x (p - c_i)                              (theorem 1)
//! t_i = n.((c_2 - c_1) x n_j) / n.(n_1 x n_2),     j != i                (theorem 2)
//! ```
//!
//! [Feng2017, eq. 23] is wrong in its first part, and [Feng2017, eq. 24] has n_i in place of n_j
//! (`docs/theory/cylinders.md`).

use glam::DVec3;

/// The axis of a body of revolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// A point of the axis, m.
    pub centre: DVec3,
    /// Unit direction.
    pub direction: DVec3,
}

/// Sine of an angle below which two axes are parallel, or an axis lies in a plane, up to rounding.
const COPLANAR: f64 = 1e-12;

/// Sine of the angle between the planes through a point and each axis below which their common line
/// is not determined: the centroid of an overlap region has an error of 1e-9 of its size.
const PLANES_COINCIDE: f64 = 1e-6;

impl Axis {
    /// Returns the moment about this axis of a unit force along `n` at `p`, m.
    pub fn moment(&self, p: DVec3, n: DVec3) -> f64 {
        self.direction.dot((p - self.centre).cross(n))
    }

    /// Returns a normal of the plane through the axis and `p`.
    fn plane(&self, p: DVec3) -> DVec3 {
        self.direction.cross(p - self.centre)
    }
}

/// The relative position of two axes by four numbers [Feng2017, section 2].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FourParameters {
    /// Distance of the axes, m, with the sign of [Feng2017, eq. 4]. Parallel axes have a positive
    /// one.
    pub d: f64,
    /// Angle of the axes, rad, from 0 to a right angle.
    pub alpha: f64,
    /// Coordinates along the axes, from the given points, of the ends of the shortest line between
    /// the axes, m. `None` for parallel axes, which have many such lines.
    pub s: Option<[f64; 2]>,
}

impl FourParameters {
    /// Returns the parameters of two axes [Feng2017, eqs. 1-7, eq. 7 corrected]. The second axis is
    /// reversed if the angle is obtuse.
    pub fn of(a: Axis, b: Axis) -> Self {
        let between = b.centre - a.centre;
        let second = if a.direction.dot(b.direction) < 0.0 { -b.direction } else { b.direction };
        let across = second.cross(a.direction);
        let (sin, cos) = (across.length(), a.direction.dot(second));
        let alpha = libm::atan2(sin, cos);
        let (t1, t2) = (a.direction.dot(between), second.dot(between));
        if sin <= COPLANAR {
            return Self { d: (between - t1 * a.direction).length(), alpha, s: None };
        }
        let s = [t1 - t2 * cos, t1 * cos - t2].map(|length| length / (sin * sin));
        Self { d: across.dot(between) / sin, alpha, s: Some(s) }
    }
}

/// Returns the unit normal at the contact point `p` [Feng2017, theorem 1]: the common line of the
/// planes through `p` and each axis, with the sign of `towards`.
///
/// `None` if the two planes coincide. The axes and the point are then coplanar, and every direction
/// in the plane satisfies the theorem.
pub fn contact_normal(p: DVec3, a: Axis, b: Axis, towards: DVec3) -> Option<DVec3> {
    contact_normal_if_sharp(p, a, b, towards, PLANES_COINCIDE)
}

/// The same for a point with an error: `None` if the sine of the angle between the planes is at most
/// `least_sine`, because the error of the normal is that of the point over this sine.
pub fn contact_normal_if_sharp(p: DVec3, a: Axis, b: Axis, towards: DVec3, least_sine: f64) -> Option<DVec3> {
    let (plane_a, plane_b) = (a.plane(p).try_normalize()?, b.plane(p).try_normalize()?);
    let line = plane_a.cross(plane_b);
    let length = line.length();
    if length <= least_sine {
        return None;
    }
    // For planes with a small angle, rounding leaves a component across the first plane. Remove it.
    let line = line / length;
    let line = (line - line.dot(plane_a) * plane_a).normalize();
    Some(if line.dot(towards) < 0.0 { -line } else { line })
}

/// Returns the intersections of the line of contact points for the normal `n` with the first and
/// the second axis [Feng2017, eq. 24, corrected].
///
/// `None` if `n` and the axes are coplanar: no line along `n` intersects both axes, or all lines
/// do.
pub fn contact_line(n: DVec3, a: Axis, b: Axis) -> Option<[DVec3; 2]> {
    let (c, d) = (b.centre - a.centre, a.direction.cross(b.direction));
    let volume = n.dot(d);
    let t = |other: DVec3| n.dot(c.cross(other)) / volume;
    (volume.abs() > COPLANAR)
        .then(|| [a.centre + t(b.direction) * a.direction, b.centre + t(a.direction) * b.direction])
}

/// Returns the point nearest to `p` at which a force along `n` has no moment about either axis
/// [Feng2017, theorem 2]; `None` if `n` and the axes are coplanar.
pub fn contact_point(p: DVec3, n: DVec3, a: Axis, b: Axis) -> Option<DVec3> {
    let (u, v) = (n.cross(a.direction), n.cross(b.direction));
    let volume = u.dot(v.cross(n));
    if volume.abs() <= COPLANAR {
        return None;
    }
    // A displacement across n removes both moments. It is long if the planes are nearly parallel;
    // the second displacement removes the rounding error of the first.
    let displaced = |q: DVec3| q - (u.dot(q - a.centre) * v.cross(n) - v.dot(q - b.centre) * u.cross(n)) / volume;
    Some(displaced(displaced(p)))
}

/// Returns the overlap of a region with the bounding dimensions a, b, c, m [Feng2017, eq. 21]:
/// `lambda / sqrt(1/a^2 + 1/b^2 + 1/c^2)`, which is dominated by the smallest dimension.
pub fn overlap_measure(extent: DVec3) -> f64 {
    overlap_of(&extent.to_array())
}

/// Returns the overlap of a region with the extents across and along the first axis, m
/// [Feng2017, eq. 22].
pub fn radial_overlap_measure(across: f64, along: f64) -> f64 {
    overlap_of(&[across, along])
}

/// The factor lambda of [Feng2017, eqs. 21 and 22].
const LAMBDA: f64 = 2.0;

fn overlap_of(extents: &[f64]) -> f64 {
    let smallest = extents.iter().fold(f64::INFINITY, |smallest, &x| smallest.min(x));
    if smallest <= 0.0 {
        return 0.0;
    }
    // In units of the smallest extent, so that no square overflows.
    LAMBDA * smallest / extents.iter().map(|x| (smallest / x).powi(2)).sum::<f64>().sqrt()
}
