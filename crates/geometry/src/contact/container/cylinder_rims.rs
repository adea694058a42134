//! The rims of a cylinder against the side wall of a hollow cylinder.
//!
//! Only the rims of the grain can touch the wall. Seen along the axis of the wall, a rim is an
//! ellipse, and it touches where it is farthest from the axis: at one point, or at two if a face is
//! towards the wall. The smooth overlap of a rim is in `region/rim_on_side_wall.rs`.

use glam::{DVec2, DVec3};

use super::{LEAST_CURVATURE, Touch, push};
use crate::shape::{Cylinder, InsideCylinder};
use crate::{Manifold, Pair};

/// Sine of the angle between the two axes below which rounding determines their common plane.
const PARALLEL: f64 = 1e-12;

/// Largest number of Newton steps; 2 to 5 are usual, 8 are rare.
const MAX_STEPS: u32 = 50;

/// Length of a Newton step, rad, at which the iteration ends.
const LAST_STEP: f64 = 1e-15;

/// Derivative, relative to the sum of its terms, that is a rounding error.
const ROUNDING: f64 = 2e-16;

/// Largest number of contacts of one rim.
const CONTACTS: usize = 2;

/// A rim seen along the axis of the wall: an ellipse with its longer semi-axis along y. The axis of
/// the wall is the origin.
///
/// A point of the rim is given by the cosine and the sine of its angle.
pub(in crate::contact) struct Rim {
    /// Coordinate of the rim along the axis of the grain, m.
    pub end: f64,
    /// Centre of the ellipse, m.
    pub centre: DVec2,
    /// Semi-axes, m.
    pub semi: DVec2,
    /// The points that are farthest from the origin: on the side of the x axis on which the centre
    /// is, and, if there is one, on the other side. `None` if the whole rim is farther from the
    /// wall than the margin.
    pub farthest: [Option<DVec2>; CONTACTS],
}

impl Rim {
    /// Returns a point of the rim, seen along the axis of the wall, m.
    pub fn projected(&self, angle: DVec2) -> DVec2 {
        self.centre + angle * self.semi
    }
}

/// Returns the points of an ellipse that are farthest from the origin, as cosine and sine of their
/// angles: on the side of the x axis on which the centre is, and, if there is one, on the other
/// side.
pub(in crate::contact) fn farthest(centre: DVec2, semi: DVec2) -> [Option<DVec2>; CONTACTS] {
    let sign = DVec2::new(1f64.copysign(centre.x), 1f64.copysign(centre.y));
    // By symmetry the centre is in the first quadrant. The squared distance is
    // |centre + (short cos, long sin)|² = 2 x cos + 2 y sin + bulge sin² + constant.
    let DVec2 { x, y } = semi * centre.abs();
    let bulge = (semi.y - semi.x) * (semi.y + semi.x);
    // The maximum for y = 0, which is the start of the search.
    let cos = if x < bulge { x / bulge } else { 1.0 };
    let start = DVec2::new(cos, ((1.0 - cos) * (1.0 + cos)).sqrt());
    let near = maximum(x, y, bulge, start).unwrap_or(start);
    let other = if start.y > 0.0 { maximum(x, -y, bulge, start) } else { None };
    [Some(sign * near), other.map(|angle| sign * DVec2::new(angle.x, -angle.y))]
}

/// Returns the maximum of `2 x cos + 2 y sin + bulge sin²` between 0 and 90 degrees, from `start`,
/// as cosine and sine; `None` if there is none inside.
///
/// For a negative y there may be none. If there is one, its angle is smaller than that of `start`,
/// and the derivative is concave in between. Newton's method then decreases monotonically to it. If
/// the derivative increases, there is no maximum. A step is applied along the tangent, so that the
/// angle changes by the arc tangent of the step; the difference is of third order.
fn maximum(x: f64, y: f64, bulge: f64, start: DVec2) -> Option<DVec2> {
    let rounding = ROUNDING * (x + y.abs() + bulge);
    let (mut low, mut high) = (DVec2::X, DVec2::Y);
    let mut angle = start;
    for _ in 0..MAX_STEPS {
        let DVec2 { x: cos, y: sin } = angle;
        let slope = -x * sin + y * cos + bulge * sin * cos;
        let second_derivative = -x * cos - y * sin + bulge * (cos - sin) * (cos + sin);
        if slope.abs() <= rounding {
            break;
        }
        if y < 0.0 && second_derivative >= 0.0 {
            return None;
        }
        let step = -slope / second_derivative;
        let newton = (angle + step * angle.perp()).normalize();
        // The Newton step must not pass the other bound of the bracket.
        let within = if slope > 0.0 {
            low = angle;
            newton.perp_dot(high) >= 0.0
        } else {
            high = angle;
            low.perp_dot(newton) >= 0.0
        };
        let is_newton = second_derivative < 0.0 && within;
        // Else bisect: the mean of two unit vectors is along the mean angle.
        angle = if is_newton { newton } else { (low + high).normalize() };
        if is_newton && step.abs() <= LAST_STEP {
            break;
        }
    }
    (y >= 0.0 || angle.y > LAST_STEP).then_some(angle)
}

/// A grain and the wall around it, seen along the axis of the wall.
pub(in crate::contact) struct RimView {
    /// Radius of the wall, m.
    pub wall: f64,
    /// The grain.
    pub grain: Cylinder,
    /// Unit vectors across the axis of the wall: along the projection of the grain's axis, and
    /// perpendicular to it. They are fixed to the grain, so that a contact keeps its feature
    /// number. For parallel axes they are those of the grain's own frame.
    pub along: DVec3,
    pub beside: DVec3,
    /// Unit vector across the grain's axis whose projection is parallel to `along`.
    pub ahead: DVec3,
    /// The grain's axis.
    axis: DVec3,
    /// The upper and the lower rim.
    pub rims: [Rim; 2],
}

impl RimView {
    /// Returns the view of a grain in a container, body a, with the axis `axis`; `None` if the
    /// grain is farther from the wall than the margin in any orientation.
    pub fn new(room: &InsideCylinder, grain: &Cylinder, axis: DVec3, pair: &Pair) -> Option<Self> {
        let flat = |v: DVec3| v - v.dot(axis) * axis;
        let (offset, own) = (flat(pair.offset), pair.orientation_b * DVec3::Z);
        let Cylinder { radius, half_height } = *grain;
        if room.radius - offset.length() - DVec2::new(radius, half_height).length() > pair.margin {
            return None;
        }
        let lean = flat(own);
        let sin = lean.length();
        let along = if sin > PARALLEL { lean / sin } else { flat(pair.orientation_b * DVec3::X).normalize() };
        let beside = axis.cross(along);
        let cos = own.dot(axis);
        let ahead = beside.cross(own) * 1f64.copysign(cos);
        let rims = [half_height, -half_height].map(|end| {
            let shift = if sin > PARALLEL { end * sin } else { 0.0 };
            let centre = DVec2::new(offset.dot(along) + shift, offset.dot(beside));
            let semi = DVec2::new((radius * cos.abs()).min(radius), radius);
            let is_near = room.radius - centre.length() - radius <= pair.margin;
            Rim { end, centre, semi, farthest: if is_near { farthest(centre, semi) } else { [None; CONTACTS] } }
        });
        Some(Self { wall: room.radius, grain: *grain, along, beside, ahead, axis: own, rims })
    }

    /// Returns a point of a rim, from the grain's centre, m; `angle` is the cosine and the sine of
    /// its angle.
    pub fn point(&self, rim: &Rim, angle: DVec2) -> DVec3 {
        self.grain.radius * (angle.x * self.ahead + angle.y * self.beside) + rim.end * self.axis
    }

    /// Converts a vector across the axis of the wall to world axes.
    pub fn across(&self, v: DVec2) -> DVec3 {
        v.x * self.along + v.y * self.beside
    }

    /// Returns the curvature of the grain minus that of the wall, 1/m.
    pub fn curvature(&self) -> f64 {
        let radius = self.grain.radius;
        (1.0 / radius - 0.5 / self.wall).max(LEAST_CURVATURE / radius)
    }

    /// Returns the contacts of the k-th rim with their features.
    fn touches(&self, k: usize) -> [Option<(u32, Touch)>; CONTACTS] {
        let (rim, mut number) = (&self.rims[k], 0);
        rim.farthest.map(|angle| {
            // The feature is the side of the x axis, whichever of the two points is listed first.
            let upper_side = u32::from((rim.centre.y < 0.0) != (number == 1));
            number += 1;
            let angle = angle?;
            let projected = rim.projected(angle);
            let n = self.across(projected.normalize_or(DVec2::X));
            let (point, curvature) = (self.point(rim, angle), self.curvature());
            Some((2 * k as u32 + upper_side, Touch { n, gap: self.wall - projected.length(), point, curvature }))
        })
    }

    /// Writes the contacts by depth, the nearest first.
    pub fn report(&self, pair: &Pair, manifold: &mut Manifold) {
        let [[p, q], [r, s]] = [0, 1].map(|k| self.touches(k));
        let mut touches = [p, q, r, s];
        let gap = |touch: &Option<(u32, Touch)>| touch.as_ref().map_or(f64::INFINITY, |(_, touch)| touch.gap);
        touches.sort_by(|p, q| gap(p).total_cmp(&gap(q)));
        for (feature, touch) in touches.iter().flatten().filter(|(_, touch)| touch.gap <= pair.margin) {
            push(touch, *feature, pair, manifold);
        }
    }

    /// Returns the contact of the k-th rim with the smallest gap.
    pub fn nearest(&self, k: usize) -> Option<Touch> {
        let touches = self.touches(k).into_iter().flatten().map(|(_, touch)| touch);
        touches.min_by(|p, q| p.gap.total_cmp(&q.gap))
    }
}
