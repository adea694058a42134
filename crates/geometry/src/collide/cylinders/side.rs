//! The side of one cylinder and the rim of the other: directions across the first's axis.
//!
//! Seen along that axis the other cylinder is an ellipse swept along its short axis, and the first's axis is a point.

use glam::{DVec2, DVec3};

use super::{Class, Couple, Direction};

/// Most steps of Newton's method; it takes 1 to 4.
const MAX_STEPS: u32 = 60;

/// A step that short, in units of the lesser denominator, is the last.
const LAST_STEP: f64 = 1e-9;

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
    fn view(&self, i: usize) -> View {
        let ((sin, cos), j) = (self.angle(), 1 - i);
        let (up, y) = match i {
            0 => (DVec3::Y, self.offset.y),
            _ => (DVec3::new(0.0, cos, -sin), self.second(self.offset).x),
        };
        let middle = DVec2::new(self.offset.x, y);
        let beyond = DVec2::new(middle.x.abs(), middle.y.abs() - self.h[j] * sin.abs());
        View { up, middle, beyond, short: self.r[j] * cos.abs() }
    }

    /// The bodies in the order in which their sides are likely to be met: first that whose side has more room for the other's
    /// nearer end.
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
    pub(super) fn side(&self, i: usize, least: f64, iterations: &mut u32) -> Option<Direction> {
        let View { up, middle: q, beyond, short } = self.view(i);
        if beyond.y <= 0.0 {
            return None;
        }
        let long = self.r[1 - i];
        // How many times larger an ellipse must be to pass through the axis.
        let outside = DVec2::new(beyond.x / long, beyond.y / short).length();
        if outside > 1.0 && beyond.length() * (1.0 - 1.0 / outside) - self.r[i] < least {
            return None;
        }
        let normal = ellipse_normal(beyond, long, short, outside, iterations);
        let n = DVec3::new(normal.x.copysign(q.x), 0.0, 0.0) + normal.y.copysign(q.y) * up;
        Some(Direction { n, gap: self.g(n), class: Class::Side(i) })
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
                        self.ascent(found).and_then(|start| self.climb(start, f64::INFINITY, iterations))
                    {
                        best = best.or(rims);
                    }
                }
            }
        }
        best
    }
}

/// Unit normal of the ellipse with semi-axes `a >= b` where it is nearest to `p`, inside or outside; all positive. `outside` is
/// the factor by which an ellipse about the same centre is larger that passes through `p`; not finite if the ellipse is flat.
///
/// The foot is `(a² x/(t + a²), b² y/(t + b²))`, with `t` the largest root of `S = 1`, `S = (a x/(t + a²))² + (b y/(t + b²))²`. `1/sqrt(S)`
/// is concave and nearly straight: Newton's method from the left of the root comes nearer with every step, and soon.
fn ellipse_normal(p: DVec2, a: f64, b: f64, outside: f64, iterations: &mut u32) -> DVec2 {
    let (a2, b2) = (a * a, b * b);
    let mut t = (b * (p.y - b)).max(a * (p.x - a));
    // With the smaller factor of the two terms S is still 1 or more.
    let scaled = if outside > 1.0 { b2 * (outside - 1.0) } else { a2 * (outside - 1.0) };
    if scaled.is_finite() {
        t = t.max(scaled);
    }
    for _ in 0..MAX_STEPS {
        let (ta, tb) = (t + a2, t + b2);
        if tb <= 0.0 || ta <= 0.0 {
            break;
        }
        let (over_a, over_b) = (1.0 / ta, 1.0 / tb);
        let (u, v) = (a * p.x * over_a, b * p.y * over_b);
        let (u, v) = (u * u, v * v);
        let sum = u + v;
        if sum - 1.0 <= ROUNDING {
            break;
        }
        *iterations += 1;
        let step = sum * (sum.sqrt() - 1.0) / (u * over_a + v * over_b);
        t += step;
        // Its error is of the order of its square.
        if step <= LAST_STEP * tb {
            break;
        }
    }
    // Both components times the two denominators: a flat ellipse has none of its own.
    DVec2::new(p.x * (t + b2).max(0.0), p.y * (t + a2)).try_normalize().unwrap_or(DVec2::Y)
}
