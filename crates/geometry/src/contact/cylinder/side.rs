//! The side of one cylinder and the rim of the other: directions across the first's axis.
//!
//! Seen along that axis the other cylinder is an ellipse swept along its short axis, and the first's axis is a point.

use glam::{DVec2, DVec3};

use super::{Class, CylinderPair, Direction, STEPS_OFF, TOWARDS_OTHER};

/// Most steps of Newton's method; it takes 1 to 3.
const MAX_STEPS: u32 = 60;

/// A step that short, in units of the lesser denominator, leaves an error of its cube, and is the last.
const LAST_STEP: f64 = 3e-5;

/// Largest part of a step that the second derivative adds or takes off: beyond, it tells little.
const MOST_CORRECTION: f64 = 0.5;

/// What the axis of one body sees of the other.
struct View {
    /// Across both axes.
    up: DVec3,
    /// From the axis to the other's middle, along `across` and `up`.
    middle: DVec2,
    /// From the end of the sweep to the axis, both components positive unless the axis is within the sweep.
    beyond: DVec2,
}

/// The best direction across the axis of a body.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub best: Direction,
    /// How far from the middle of the body, along its axis, the point lies that meets its side.
    pub from_middle: f64,
}

impl CylinderPair {
    #[inline(always)]
    fn view(&self, i: usize) -> View {
        let up = DVec3::new(0.0, self.axes[i].z, -self.axes[i].y);
        let middle = DVec2::new(self.offset.x, self.seen_from(i, self.offset).x);
        let beyond = DVec2::new(middle.x.abs(), middle.y.abs() - self.h[1 - i] * self.angle().0.abs());
        View { up, middle, beyond }
    }

    /// The body whose side is likely to be met: that whose side has more room for the other's nearer end.
    #[inline(always)]
    pub(super) fn likely_side(&self) -> usize {
        let ((sin, cos), second) = (self.angle(), self.second(self.offset));
        let room = |i: usize, place: f64, lean: f64| {
            self.h[i] - (place - self.h[1 - i] * cos * 1f64.copysign(lean * sin)).abs()
        };
        usize::from(room(0, self.offset.z, self.offset.y) < room(1, second.y, -second.x))
    }

    /// The largest gap over the directions across the axis of body `i`; none if it is that of the line.
    #[inline(always)]
    pub(super) fn side(&self, i: usize, warm: Option<DVec3>, iterations: &mut u32) -> Option<Side> {
        let View { up, middle, beyond } = self.view(i);
        if beyond.y <= 0.0 {
            return None;
        }
        let ((sin, cos), long) = (self.angle(), self.r[1 - i]);
        let ellipse = Ellipse { b: cos.abs(), p: beyond * (1.0 / long) };
        let start = match warm {
            Some(n) => ellipse.start_at(DVec2::new(n.x.abs(), n.dot(up).abs())),
            None => ellipse.start(self.r[i] * (1.0 / long)),
        };
        let q = ellipse.normal(start, iterations);
        // Gap and rim point along a vector of any length, so that the length and the reach of the rim do not wait for each other.
        let (square, out) = (q.length_squared(), DVec2::new(q.x, cos * q.y));
        let (over, reach) = (square.sqrt() * (1.0 / square), out.length());
        let gap = (q.dot(beyond) - long * reach) * over - self.r[i];
        let normal = DVec2::new(q.x.copysign(middle.x), q.y.copysign(middle.y)) * over;
        let n = DVec3::new(normal.x, 0.0, 0.0) + normal.y * up;
        let out = (long * out.y / reach).copysign(cos * middle.y);
        let from_middle = self.meets_from_middle(i, [cos * normal.y, TOWARDS_OTHER[i] * sin * normal.y], out);
        Some(Side { best: Direction { n, gap, class: Class::Side(i) }, from_middle })
    }
}

/// Directions tried on a quarter of each circle when bodies overlap deeply, and halvings of the part with a maximum.
const SAMPLES: u32 = 8;
const HALVINGS: u32 = 50;

impl CylinderPair {
    /// All maxima on the two circles: inside an ellipse the nearest point need not be the only one that is near.
    pub(super) fn deep_sides(&self, mut best: Direction, iterations: &mut u32) -> Direction {
        let across = self.line().n;
        for i in [0, 1] {
            for up in [self.axes[i].cross(across), -self.axes[i].cross(across)] {
                let at = |part: f64| ((1.0 - part) * across + part * up).normalize();
                // Rate of the gap as the direction turns up.
                let slope = |part: f64| {
                    let n = at(part);
                    let t = self.axes[i].cross(n);
                    let t = if t.dot(up) + t.dot(-across) < 0.0 { -t } else { t };
                    t.dot(self.offset - self.point(1 - i, n))
                };
                let place = |k: u32| (f64::from(k) + 0.01) / f64::from(SAMPLES);
                for k in 0..SAMPLES {
                    let (mut low, mut high) = (place(k), place(k + 1).min(1.0));
                    if !(slope(low) > 0.0 && slope(high) <= 0.0) {
                        continue;
                    }
                    for _ in 0..HALVINGS {
                        let middle = 0.5 * (low + high);
                        if slope(middle) > 0.0 { low = middle } else { high = middle }
                    }
                    *iterations += HALVINGS;
                    let n = at(0.5 * (low + high));
                    let found = Direction { n, gap: self.g(n), class: Class::Side(i) };
                    best = best.or(found);
                    if let Some((rims, true)) =
                        self.ascent(found, STEPS_OFF[0]).and_then(|start| self.climb(start, f64::INFINITY, iterations))
                    {
                        best = best.or(rims);
                    }
                }
            }
        }
        best
    }
}

/// An ellipse with semi-axes 1 and `b`, no longer, and a point `p` inside or outside; none is negative.
///
/// The foot of the point is `(x/(t + 1), b² y/(t + b²))`, with `t` the largest root of `S = 1`, `S = (x/(t + 1))² + (b y/(t + b²))²`.
struct Ellipse {
    b: f64,
    p: DVec2,
}

impl Ellipse {
    /// What `t` would be if the normal at the foot were this unit vector.
    fn start_at(&self, normal: DVec2) -> f64 {
        let reach = DVec2::new(normal.x, self.b * normal.y).length();
        reach * (self.p.dot(normal) - reach)
    }

    /// The same for the normal that a point at this distance from the end of the shorter axis would have.
    fn start(&self, distance: f64) -> f64 {
        let t = self.b * distance;
        let q = DVec2::new(self.p.x * (t + self.b * self.b), self.p.y * (t + 1.0));
        let reach = DVec2::new(q.x, self.b * q.y).length();
        reach * (self.p.dot(q) - reach) * (1.0 / q.length_squared())
    }

    /// A vector along the normal at the foot. `1/sqrt(S)` is concave and nearly straight in `t`: Newton's method finds the root from
    /// either side, and Chebyshev's correction by the second derivative makes its error that of the cube of a step.
    ///
    /// It is written `D/R`, `D = (t + 1)(t + b²)`, with derivative `N/R³`: a root and two quotients that wait for nothing but products.
    #[inline(always)]
    fn normal(&self, start: f64, iterations: &mut u32) -> DVec2 {
        let Self { b, p } = *self;
        let (b2, by) = (b * b, b * p.y);
        let constant = p.x * p.x + by * by;
        // Where one of the two terms is 1, left of the root.
        let least = (by - b2).max(p.x - 1.0);
        let mut t = least.max(start);
        for _ in 0..MAX_STEPS {
            let (ta, tb) = (t + 1.0, t + b2);
            let (u, v, d) = (p.x * tb, by * ta, ta * tb);
            let (square, half_slope, sum) = (u * u + v * v, p.x * u + by * v, ta + tb);
            let slope = sum * square - d * half_slope;
            // A flat ellipse has its foot at t = 0, where all this is zero.
            if slope <= 0.0 {
                break;
            }
            *iterations += 1;
            let (over, over_square) = (1.0 / slope, 1.0 / square);
            let bend = (2.0 * square + sum * half_slope - d * constant) * over - 3.0 * half_slope * over_square;
            let newton = (square.sqrt() - d) * (square * over);
            let correction = -0.5 * newton * bend;
            let step = newton * (1.0 + correction.clamp(-MOST_CORRECTION, MOST_CORRECTION));
            t = least.max(t + step);
            if step.abs() <= LAST_STEP * tb {
                break;
            }
        }
        // Both components times the two denominators: a flat ellipse has none of its own.
        let normal = DVec2::new(p.x * (t + b2).max(0.0), p.y * (t + 1.0));
        if normal.length_squared() > 0.0 { normal } else { DVec2::Y }
    }
}
