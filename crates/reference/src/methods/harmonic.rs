//! The inside-outside function of an ellipse along the boundary of another ellipse.
//!
//! It is a trigonometric polynomial of degree two in the parameter t of the boundary,
//!
//! ```text
//! f(t) = c0 + c1 cos t + s1 sin t + c2 cos 2t + s2 sin 2t
//! ```
//!
//! All its extrema are found by interval bisection. On an interval with the middle m and the half
//! length r, the bound `|f'''| <= B` gives `|f'(t) - f'(m)| <= r |f''(m)| + r^2 B/2`, which
//! excludes intervals without an extremum, and `|f''(t) - f''(m)| <= r B`, which proves that f' is
//! monotone.

use std::f64::consts::{PI, TAU};

use glam::DVec2;

use super::potential::Grains;
use granum_geometry::numeric::math::bisect;

/// Bisections after which two extrema in an interval are treated as one: the interval then has a
/// length of 2 pi / 2^30 rad, below the square root of the machine epsilon.
const MAX_BISECTIONS: u32 = 30;

/// Limit of the evaluations. A polynomial has at most four extrema. Each takes at most 30
/// bisections with a few neighbouring intervals, and 60 halvings to the last digit.
const MOST_EVALUATIONS: u32 = 5000;

/// Start of the first interval, rad. Aligned bodies have their extrema at multiples of pi/2, which
/// should not be ends of intervals.
const START: f64 = 0.123_456;

/// The polynomial without its constant term.
#[derive(Clone, Copy, Debug)]
pub struct Harmonic {
    /// (c1, s1).
    first: DVec2,
    /// (c2, s2).
    second: DVec2,
}

impl Harmonic {
    /// Returns the function of the other body along the boundary of body `k`; `None` unless both
    /// are ellipses.
    pub fn along(grains: &Grains, k: usize) -> Option<Self> {
        if grains.ovals.iter().any(|oval| oval.n != 2.0) {
            return None;
        }
        let other = 1 - k;
        let scaled = |v: DVec2| grains.frames[other].to_body(v) / grains.ovals[other].axes;
        let axes = grains.ovals[k].axes;
        let centre = scaled(grains.centres[k] - grains.centres[other]);
        let x = scaled(grains.frames[k].to_world(DVec2::new(axes.x, 0.0)));
        let y = scaled(grains.frames[k].to_world(DVec2::new(0.0, axes.y)));
        Some(Self {
            first: 2.0 * DVec2::new(centre.dot(x), centre.dot(y)),
            second: DVec2::new(0.5 * (x.dot(x) - y.dot(y)), x.dot(y)),
        })
    }

    /// Returns the first and the second derivative at t.
    fn derivatives(&self, t: f64) -> (f64, f64) {
        let ((sin, cos), (sin2, cos2)) = (libm::sincos(t), libm::sincos(2.0 * t));
        let first = self.first.y * cos - self.first.x * sin + 2.0 * (self.second.y * cos2 - self.second.x * sin2);
        let second = -self.first.x * cos - self.first.y * sin - 4.0 * (self.second.x * cos2 + self.second.y * sin2);
        (first, second)
    }

    /// Returns all arguments in [0, 2 pi) at which the derivative vanishes, and the number of
    /// evaluations.
    pub fn extrema(&self) -> (Vec<f64>, u32) {
        let (mut found, mut evaluations) = (Vec::new(), 0);
        let size = self.first.length() + self.second.length();
        // Every point of a constant function is an extremum.
        if size == 0.0 || !size.is_finite() {
            return (found, evaluations);
        }
        self.search(PI + START, PI, 0, &mut found, &mut evaluations);
        (found, evaluations)
    }

    /// Searches the interval of half length `half` about `middle`.
    fn search(&self, middle: f64, half: f64, bisections: u32, found: &mut Vec<f64>, evaluations: &mut u32) {
        if *evaluations >= MOST_EVALUATIONS {
            return;
        }
        *evaluations += 1;
        // Bound of the third derivative.
        let third = self.first.length() + 8.0 * self.second.length();
        let (slope, second) = self.derivatives(middle);
        if slope.abs() > half * second.abs() + 0.5 * half * half * third {
            return;
        }
        if second.abs() > half * third {
            let (low, high) = (middle - half, middle + half);
            // A root at the lower end belongs to this interval, one at the upper end to the next.
            let is_past = |t: f64| self.derivatives(t).0 * second > 0.0;
            if is_past(low) || !is_past(high) {
                return;
            }
            let [low, high] = bisect(low, high, |t| {
                *evaluations += 1;
                is_past(t)
            });
            return found.push((0.5 * (low + high)).rem_euclid(TAU));
        }
        if bisections == MAX_BISECTIONS {
            return found.push(middle.rem_euclid(TAU));
        }
        self.search(middle - 0.5 * half, 0.5 * half, bisections + 1, found, evaluations);
        self.search(middle + 0.5 * half, 0.5 * half, bisections + 1, found, evaluations);
    }
}
