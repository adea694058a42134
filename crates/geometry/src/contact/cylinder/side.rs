//! The side of one cylinder and the rim of the other: directions across the axis of the first.
//!
//! Seen along that axis, the other cylinder is an ellipse that is swept along its shorter axis, and
//! the axis is a point. The gap is the distance of the point from this figure minus the radius.

use glam::{DVec2, DVec3};

use super::separation::{Class, Direction, START_ANGLES};
use super::{CylinderPair, OUTWARD};

/// Largest number of Newton steps; 1 to 3 are usual.
const MAX_STEPS: u32 = 60;

/// Length of a step, relative to the smaller denominator t + b², at which the iteration ends: the
/// remaining error is the cube of the step.
const LAST_STEP: f64 = 3e-5;

/// Largest relative correction of a step by the second derivative. Beyond it the expansion is not
/// valid.
const MOST_CORRECTION: f64 = 0.5;

/// Number of directions on a quarter of each circle that are tried for deep overlaps.
const SAMPLES: u32 = 8;

/// Number of bisections of an interval that contains a maximum: the error is rounding.
const BISECTIONS: u32 = 50;

/// Offset of the samples, in sample distances, so that no sample is on a maximum by symmetry.
const SAMPLE_OFFSET: f64 = 0.01;

/// The other body, seen along the axis of one body.
struct View {
    /// Unit vector across this axis and across x.
    up: DVec3,
    /// (x, up) from the axis to the middle of the other, m.
    middle: DVec2,
    /// Absolute (x, up) from the end of the sweep to the axis, m. The second is negative if the
    /// axis is within the sweep.
    beyond: DVec2,
}

/// The maximum of the gap over the directions across the axis of a body.
#[derive(Clone, Copy)]
pub(super) struct SideMaximum {
    pub best: Direction,
    /// Distance from the middle of the body, along its axis, of the point that touches its side, m.
    pub from_middle: f64,
}

impl CylinderPair {
    #[inline(always)]
    fn view(&self, i: usize) -> View {
        let up = DVec3::new(0.0, self.axes[i].z, -self.axes[i].y);
        let middle = DVec2::new(self.offset.x, self.in_body(i, self.offset).x);
        let beyond = DVec2::new(middle.x.abs(), middle.y.abs() - self.h[1 - i] * self.angle().0.abs());
        View { up, middle, beyond }
    }

    /// Returns the body whose side is probably in contact: the one on whose side the nearer end of
    /// the other lies farther from the rim.
    #[inline(always)]
    pub(super) fn likely_side(&self) -> usize {
        let ((sin, cos), second) = (self.angle(), self.in_second(self.offset));
        // Distance of the nearer end of the other body from the rim of this side.
        let room = |i: usize, height: f64, lean: f64| {
            self.h[i] - (height - self.h[1 - i] * cos * 1f64.copysign(lean * sin)).abs()
        };
        usize::from(room(0, self.offset.z, self.offset.y) < room(1, second.y, -second.x))
    }

    /// Returns the largest gap over the directions across the axis of body `i`; `None` if it is
    /// that of the line.
    #[inline(always)]
    pub(super) fn side(&self, i: usize, warm: Option<DVec3>, iterations: &mut u32) -> Option<SideMaximum> {
        let View { up, middle, beyond } = self.view(i);
        // The axis is within the sweep: the line is the maximum.
        if beyond.y <= 0.0 {
            return None;
        }
        let ((sin, cos), long) = (self.angle(), self.r[1 - i]);
        // In units of the longer semi-axis, in the first quadrant.
        let ellipse = Ellipse { b: cos.abs(), p: beyond * (1.0 / long) };
        let start = match warm {
            Some(n) => ellipse.parameter_of_normal(DVec2::new(n.x.abs(), n.dot(up).abs())),
            None => ellipse.start(self.r[i] * (1.0 / long)),
        };
        let q = ellipse.normal(start, iterations);
        // q has any length, so that its length and the support of the rim are computed
        // independently.
        let (square, out) = (q.length_squared(), DVec2::new(q.x, cos * q.y));
        let (inverse, support) = (square.sqrt() * (1.0 / square), out.length());
        let gap = (q.dot(beyond) - long * support) * inverse - self.r[i];
        // By symmetry the ellipse was treated in the first quadrant.
        let normal = DVec2::new(q.x.copysign(middle.x), q.y.copysign(middle.y)) * inverse;
        let n = DVec3::new(normal.x, 0.0, 0.0) + normal.y * up;
        let out = (long * out.y / support).copysign(cos * middle.y);
        let from_middle = self.rim_point_from_middle(i, [cos * normal.y, OUTWARD[i] * sin * normal.y], out);
        Some(SideMaximum { best: Direction { n, gap, class: Class::Side(i) }, from_middle })
    }

    /// Returns the best of all maxima on the two circles across the axes, for deep overlaps: a
    /// point inside an ellipse may have several nearest points.
    pub(super) fn search_sides(&self, mut best: Direction, iterations: &mut u32) -> Direction {
        let across = self.line().n;
        for i in [0, 1] {
            for up in [self.axes[i].cross(across), -self.axes[i].cross(across)] {
                let at = |part: f64| ((1.0 - part) * across + part * up).normalize();
                // Derivative of the gap as the direction rotates towards `up`.
                let slope = |part: f64| {
                    let n = at(part);
                    let t = self.axes[i].cross(n);
                    let t = if t.dot(up) + t.dot(-across) < 0.0 { -t } else { t };
                    t.dot(self.offset - self.point(1 - i, n))
                };
                let sample = |k: u32| (f64::from(k) + SAMPLE_OFFSET) / f64::from(SAMPLES);
                for k in 0..SAMPLES {
                    let (mut low, mut high) = (sample(k), sample(k + 1).min(1.0));
                    if !(slope(low) > 0.0 && slope(high) <= 0.0) {
                        continue;
                    }
                    // Bisection is robust where the slope jumps from rim to rim.
                    for _ in 0..BISECTIONS {
                        let middle = 0.5 * (low + high);
                        if slope(middle) > 0.0 { low = middle } else { high = middle }
                    }
                    *iterations += BISECTIONS;
                    let n = at(0.5 * (low + high));
                    let found = Direction { n, gap: self.g(n), class: Class::Side(i) };
                    best = best.or(found);
                    // If the rim point lies beyond the edge, two rims have a larger gap.
                    let start = self.ascent_start(found, START_ANGLES[0]);
                    if let Some((rims, true)) = start.and_then(|start| self.climb(start, f64::INFINITY, iterations)) {
                        best = best.or(rims);
                    }
                }
            }
        }
        best
    }
}

/// An ellipse with the semi-axes 1 and `b <= 1`, and a point `p` in the first quadrant.
///
/// The nearest point is `(x/(t + 1), b² y/(t + b²))`, with t the largest root of `S = 1`,
/// `S = (x/(t + 1))² + (b y/(t + b²))²`.
struct Ellipse {
    b: f64,
    p: DVec2,
}

impl Ellipse {
    /// Returns the t for which the normal at the nearest point is this unit vector.
    fn parameter_of_normal(&self, normal: DVec2) -> f64 {
        let support = DVec2::new(normal.x, self.b * normal.y).length();
        support * (self.p.dot(normal) - support)
    }

    /// Returns the same for the normal of a point at this distance from the end of the shorter
    /// axis.
    fn start(&self, distance: f64) -> f64 {
        let t = self.b * distance;
        let q = DVec2::new(self.p.x * (t + self.b * self.b), self.p.y * (t + 1.0));
        let support = DVec2::new(q.x, self.b * q.y).length();
        support * (self.p.dot(q) - support) * (1.0 / q.length_squared())
    }

    /// Returns a vector along the normal at the nearest point. `1/sqrt(S)` is concave and nearly
    /// linear in t, so Newton's method converges from either side, and Chebyshev's correction with
    /// the second derivative makes the error of a step of third order.
    ///
    /// The function is `D/R` with `D = (t + 1)(t + b²)` and the derivative `N/R³`: one square root
    /// and two quotients that are independent of each other.
    #[inline(always)]
    fn normal(&self, start: f64, iterations: &mut u32) -> DVec2 {
        let Self { b, p } = *self;
        let (b2, by) = (b * b, b * p.y);
        let constant = p.x * p.x + by * by;
        // Lower bound of the root: one of the two terms of S is 1.
        let least = (by - b2).max(p.x - 1.0);
        let mut t = least.max(start);
        for _ in 0..MAX_STEPS {
            let (ta, tb) = (t + 1.0, t + b2);
            let (u, v, d) = (p.x * tb, by * ta, ta * tb);
            let (square, half_slope, sum) = (u * u + v * v, p.x * u + by * v, ta + tb);
            let slope = sum * square - d * half_slope;
            // A flat ellipse, b = 0, has its nearest point at t = 0, where all terms vanish.
            if slope <= 0.0 {
                break;
            }
            *iterations += 1;
            let (inverse, inverse_square) = (1.0 / slope, 1.0 / square);
            let second_derivative =
                (2.0 * square + sum * half_slope - d * constant) * inverse - 3.0 * half_slope * inverse_square;
            let newton = (square.sqrt() - d) * (square * inverse);
            // Chebyshev's correction of third order.
            let correction = -0.5 * newton * second_derivative;
            let step = newton * (1.0 + correction.clamp(-MOST_CORRECTION, MOST_CORRECTION));
            t = least.max(t + step);
            if step.abs() <= LAST_STEP * tb {
                break;
            }
        }
        // Both components times the two denominators, which may be zero for a flat ellipse.
        let normal = DVec2::new(p.x * (t + b2).max(0.0), p.y * (t + 1.0));
        if normal.length_squared() > 0.0 { normal } else { DVec2::Y }
    }
}
