//! The side of one cylinder and the rim of the other: directions across the first's axis.
//!
//! Seen along that axis the other cylinder is an ellipse swept along its short axis, and the first's axis is a point.

use glam::{DVec2, DVec3};

use super::{Class, Couple, Direction, STEPS_OFF};

/// Most steps of Newton's method; it takes 1 to 3.
const MAX_STEPS: u32 = 60;

/// A step that short, in units of the lesser denominator, leaves an error of its cube, and is the last.
const LAST_STEP: f64 = 3e-5;

/// Largest part of a step that the second derivative adds or takes off: beyond, it tells little.
const MOST_CORRECTION: f64 = 0.5;

/// Rounding of the function whose root is wanted, which is of size 1.
const ROUNDING: f64 = 2e-16;

/// What the axis of one body sees of the other.
struct View {
    /// Across both axes.
    up: DVec3,
    /// From the axis to the other's middle, along `across` and `up`.
    middle: DVec2,
    /// From the end of the sweep to the axis, both components positive unless the axis is within the sweep.
    beyond: DVec2,
    /// Shorter semi-axis of the ellipse.
    short: f64,
}

impl Couple {
    #[inline(always)]
    fn view(&self, i: usize) -> View {
        let ((sin, cos), j) = (self.angle(), 1 - i);
        let up = DVec3::new(0.0, self.axes[i].z, -self.axes[i].y);
        let middle = DVec2::new(self.offset.x, self.seen_from(i, self.offset).x);
        let beyond = DVec2::new(middle.x.abs(), middle.y.abs() - self.h[j] * sin.abs());
        View { up, middle, beyond, short: self.r[j] * cos.abs() }
    }

    /// The bodies in the order in which their sides are likely to be met: first that whose side has more room for the other's
    /// nearer end.
    #[inline]
    pub(super) fn sides_in_order(&self) -> [usize; 2] {
        let ((sin, cos), second) = (self.angle(), self.second(self.offset));
        let room = |i: usize, place: f64, lean: f64| {
            self.h[i] - (place - self.h[1 - i] * cos * 1f64.copysign(lean * sin)).abs()
        };
        if room(0, self.offset.z, self.offset.y) >= room(1, second.y, -second.x) { [0, 1] } else { [1, 0] }
    }

    /// The largest gap over the directions across the axis of body `i`; none if it is less than `least` for sure, or that of the
    /// line. The distance to the figure is at most that to any of its points, one of which is on the way to the centre of the
    /// ellipse.
    #[inline(always)]
    pub(super) fn side(&self, i: usize, least: f64, warm: Option<DVec3>, iterations: &mut u32) -> Option<Direction> {
        let View { up, middle, beyond, short } = self.view(i);
        if beyond.y <= 0.0 {
            return None;
        }
        let long = self.r[1 - i];
        let ellipse = Ellipse { a: long, b: short, p: beyond };
        if ellipse.bound() - self.r[i] < least {
            return None;
        }
        let start = match warm {
            Some(n) => ellipse.start_at(DVec2::new(n.x.abs(), n.dot(up).abs())),
            None => ellipse.start(),
        };
        let q = ellipse.normal(start, iterations);
        // The gap along a vector of any length, so that the length and the reach of the rim do not wait for each other.
        let (cos, square) = (self.angle().1, q.length_squared());
        let over = square.sqrt() * (1.0 / square);
        let reach = long * DVec2::new(q.x, cos * q.y).length();
        let gap = (q.dot(beyond) - reach) * over - self.r[i];
        let normal = q * over;
        let n = DVec3::new(normal.x.copysign(middle.x), 0.0, 0.0) + normal.y.copysign(middle.y) * up;
        Some(Direction { n, gap, class: Class::Side(i) })
    }
}

/// Directions tried on a quarter of each circle when bodies overlap deeply, and halvings of the part with a maximum.
const SAMPLES: u32 = 8;
const HALVINGS: u32 = 50;

impl Couple {
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

/// An ellipse with semi-axes `a >= b`, and a point `p` inside or outside; all positive.
///
/// The foot of the point is `(a² x/(t + a²), b² y/(t + b²))`, with `t` the largest root of `S = 1`, `S = (a x/(t + a²))² + (b y/(t + b²))²`.
struct Ellipse {
    a: f64,
    b: f64,
    p: DVec2,
}

impl Ellipse {
    /// No more than this is the distance of the point: it is that from a point of the ellipse, or zero.
    fn bound(&self) -> f64 {
        // How many times larger an ellipse must be to pass through the point; not finite if the ellipse is flat.
        let outside = DVec2::new(self.p.x / self.a, self.p.y / self.b).length();
        if outside > 1.0 { self.p.length() * (1.0 - 1.0 / outside) } else { 0.0 }
    }

    /// What `t` would be if the normal at the foot were this unit vector.
    fn start_at(&self, normal: DVec2) -> f64 {
        let reach = DVec2::new(self.a * normal.x, self.b * normal.y).length();
        reach * (self.p.dot(normal) - reach)
    }

    /// The same for a normal that points to the point from the centre, as it does for a circle and on the axes.
    fn start(&self) -> f64 {
        let square = (self.a * self.p.x) * (self.a * self.p.x) + (self.b * self.p.y) * (self.b * self.p.y);
        square.sqrt() - square / self.p.length_squared()
    }

    /// A vector along the normal at the foot. `1/sqrt(S)` is concave and nearly straight in `t`: Newton's method finds the root from
    /// either side, and Chebyshev's correction by the second derivative makes its error that of the cube of a step.
    #[inline(always)]
    fn normal(&self, start: f64, iterations: &mut u32) -> DVec2 {
        let Self { a, b, p } = *self;
        let (a2, b2) = (a * a, b * b);
        // Where one of the two terms is 1, left of the root.
        let least = (b * p.y - b2).max(a * p.x - a2);
        let mut t = least.max(start);
        for _ in 0..MAX_STEPS {
            let (ta, tb) = (t + a2, t + b2);
            if tb <= 0.0 || ta <= 0.0 {
                break;
            }
            let (over_a, over_b) = (1.0 / ta, 1.0 / tb);
            let (u, v) = (a * p.x * over_a, b * p.y * over_b);
            let (u, v) = (u * u, v * v);
            let sum = u + v;
            if (sum - 1.0).abs() <= ROUNDING {
                break;
            }
            *iterations += 1;
            // Minus half the first derivative of S, and a sixth of the second.
            let (slope, bend) = (u * over_a + v * over_b, u * over_a * over_a + v * over_b * over_b);
            let (over, more) = (1.0 / slope, sum.sqrt() - 1.0);
            let correction = 1.5 * more * (sum * bend * over * over - 1.0);
            let step = sum * more * over * (1.0 + correction.clamp(-MOST_CORRECTION, MOST_CORRECTION));
            t = least.max(t + step);
            if step.abs() <= LAST_STEP * tb {
                break;
            }
        }
        // Both components times the two denominators: a flat ellipse has none of its own.
        let normal = DVec2::new(p.x * (t + b2).max(0.0), p.y * (t + a2));
        if normal.length_squared() > 0.0 { normal } else { DVec2::Y }
    }
}
