//! The inside-outside function of an ellipse along the boundary of another: a trigonometric polynomial of degree two,
//! all of whose extremes can be found.

use std::f64::consts::{PI, TAU};

use glam::DVec2;

use super::potential::Grains;

/// Halvings after which two extremes are one: they are nearer than rounding lets values tell.
const MOST_HALVINGS: u32 = 30;

/// Where the search begins, rad: aligned bodies have their extremes at quarters of a turn, where no cut should be.
const ASKEW: f64 = 0.123_456;

/// `c1 cos t + s1 sin t + c2 cos 2t + s2 sin 2t`, and a constant that does not matter here.
#[derive(Clone, Copy, Debug)]
pub struct Harmonic {
    first: DVec2,
    second: DVec2,
}

impl Harmonic {
    /// The function of the other body along the boundary of body `k`, if both are ellipses.
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

    /// First and second derivative.
    fn slopes(&self, t: f64) -> (f64, f64) {
        let ((sin, cos), (sin2, cos2)) = (libm::sincos(t), libm::sincos(2.0 * t));
        let first = self.first.y * cos - self.first.x * sin + 2.0 * (self.second.y * cos2 - self.second.x * sin2);
        let second = -self.first.x * cos - self.first.y * sin - 4.0 * (self.second.x * cos2 + self.second.y * sin2);
        (first, second)
    }

    /// Every argument in [0, 2 pi) at which the derivative vanishes, and how often it was evaluated.
    pub fn extremes(&self) -> (Vec<f64>, u32) {
        let (mut found, mut evaluations) = (Vec::new(), 0);
        self.look(PI + ASKEW, PI, 0, &mut found, &mut evaluations);
        (found, evaluations)
    }

    /// Looks within `half` of `middle`: nothing if the derivative cannot vanish, one root if it is monotone.
    fn look(&self, middle: f64, half: f64, halvings: u32, found: &mut Vec<f64>, evaluations: &mut u32) {
        *evaluations += 1;
        let bend = self.first.length() + 8.0 * self.second.length();
        let (slope, second) = self.slopes(middle);
        if slope.abs() > half * second.abs() + 0.5 * half * half * bend {
            return;
        }
        if second.abs() > half * bend {
            let (mut low, mut high) = (middle - half, middle + half);
            // A root at the lower end belongs here, one at the upper end to the next interval.
            let past = |t: f64| self.slopes(t).0 * second > 0.0;
            if past(low) || !past(high) {
                return;
            }
            loop {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    return found.push(middle.rem_euclid(TAU));
                }
                *evaluations += 1;
                if past(middle) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
        }
        if halvings == MOST_HALVINGS {
            return found.push(middle.rem_euclid(TAU));
        }
        self.look(middle - 0.5 * half, 0.5 * half, halvings + 1, found, evaluations);
        self.look(middle + 0.5 * half, 0.5 * half, halvings + 1, found, evaluations);
    }
}
