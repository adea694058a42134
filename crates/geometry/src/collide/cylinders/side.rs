//! The side of one cylinder and the rim of the other: directions across the first's axis.
//!
//! Seen along that axis the other cylinder is an ellipse swept along its short axis, and the first's axis is a point.

use glam::{DVec2, DVec3};

use super::{Class, Couple, Direction};

/// Most steps of Newton's method; it takes 3 to 8.
const MAX_STEPS: u32 = 60;

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
        let j = 1 - i;
        let up = self.axes[i].cross(self.across);
        let middle = DVec2::new(self.offset.dot(self.across), self.offset.dot(up));
        let sin = self.axes[j].dot(up).abs();
        let beyond = DVec2::new(middle.x.abs(), middle.y.abs() - self.h[j] * sin);
        View { up, middle, beyond, short: self.r[j] * self.axes[0].dot(self.axes[1]).abs() }
    }

    /// A gap that no direction across the axis of body `i` exceeds: the distance to the figure is at most that to any of its
    /// points, one of which is on the way to the centre of the ellipse.
    pub(super) fn side_at_most(&self, i: usize) -> f64 {
        let View { beyond, short, .. } = self.view(i);
        if beyond.y <= 0.0 || short <= 0.0 {
            return f64::INFINITY;
        }
        let outside = DVec2::new(beyond.x / self.r[1 - i], beyond.y / short).length();
        if outside <= 1.0 {
            return f64::INFINITY;
        }
        beyond.length() * (1.0 - 1.0 / outside) - self.r[i]
    }

    /// The largest gap over the directions across the axis of body `i`.
    pub(super) fn side(&self, i: usize, iterations: &mut u32) -> Direction {
        let View { up, middle: q, beyond, short } = self.view(i);
        if beyond.y <= 0.0 {
            return self.towards(self.across, Class::Line);
        }
        let normal = ellipse_normal(beyond, self.r[1 - i], short, iterations);
        let n: DVec3 = normal.x.copysign(q.x) * self.across + normal.y.copysign(q.y) * up;
        Direction { n, gap: self.g(n), class: Class::Side(i) }
    }
}

/// Directions tried on a quarter of each circle when bodies overlap deeply, and halvings of the part with a maximum.
const SAMPLES: u32 = 8;
const HALVINGS: u32 = 50;

impl Couple {
    /// All maxima on the two circles: inside an ellipse the nearest point need not be the only one that is near.
    pub(super) fn deep_sides(&self, mut best: Direction, iterations: &mut u32) -> Direction {
        let across = if self.across.dot(self.offset) < 0.0 { -self.across } else { self.across };
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

/// Unit normal of the ellipse with semi-axes `a >= b` where it is nearest to `p`, inside or outside; all positive.
///
/// The foot is `(a² x/(t + a²), b² y/(t + b²))`, with `t` the largest root of a convex decreasing function: Newton's method
/// from the left of it comes nearer with every step.
fn ellipse_normal(p: DVec2, a: f64, b: f64, iterations: &mut u32) -> DVec2 {
    let mut t = (b * (p.y - b)).max(a * (p.x - a));
    for _ in 0..MAX_STEPS {
        let (ta, tb) = (t + a * a, t + b * b);
        if tb <= 0.0 || ta <= 0.0 {
            break;
        }
        let (u, v) = (a * p.x / ta, b * p.y / tb);
        let excess = u * u + v * v - 1.0;
        if excess <= ROUNDING {
            break;
        }
        *iterations += 1;
        let next = t + 0.5 * excess / (u * u / ta + v * v / tb);
        if next == t {
            break;
        }
        t = next;
    }
    // Both components times the two denominators: a flat ellipse has none of its own.
    DVec2::new(p.x * (t + b * b).max(0.0), p.y * (t + a * a)).try_normalize().unwrap_or(DVec2::Y)
}
