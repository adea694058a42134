//! The smooth overlap of a rim with the side wall of a hollow cylinder.
//!
//! By depth a rim touches the wall at one or two points. Where two become one under load, a contact
//! would be lost, and its energy with it. The smooth overlap is a mean over the whole part of the
//! rim that lies beyond the wall:
//!
//! ```text
//! D = (7/6) (integral of f^3) / (integral of f^2)    over the angles where f > 0
//! f = (|p|^2 - R^2)/2R                               p: point of the rim from the axis of the wall
//! ```
//!
//! See the README of this folder for its gradient.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use glam::{DMat2, DMat3, DVec2, DVec3};

use super::{MeasureGradient, SmoothOverlap};
use crate::contact::container::cylinder_rims::{Rim, RimView};
use crate::numeric::math::gauss_legendre;
use crate::{ContactPatch, Pair};

/// Gauss points between a maximum of f and a zero. For small depths the integrands are nearly
/// polynomials of degree 6 in the angle.
const NODES: usize = 10;

/// Widest angle for these points, rad: up to it the overlap is accurate to 1e-9.
const WIDEST: f64 = 1.5;

static RULE: LazyLock<[(f64, f64); NODES]> =
    LazyLock::new(|| gauss_legendre(NODES).try_into().expect("the rule has the number of points requested"));

/// Largest number of steps to a zero or a minimum of f; 1 to 3 are usual, 6 are rare.
const ROOT_STEPS: u32 = 60;

/// Value of f at which a zero is found, relative to its maximum: the integrals are of second order
/// there.
const AT_ZERO: f64 = 1e-8;

/// Makes D the depth for a parabolic f: the mean of f^3 over that of f^2 is 6/7 of the maximum.
pub(super) const PARABOLA: f64 = 7.0 / 6.0;

/// A maximum of f and the sense, +1 or -1, in which angles are measured from it.
#[derive(Clone, Copy)]
struct Branch {
    maximum: DVec2,
    sense: f64,
}

impl Branch {
    /// Returns the point at an angle from the maximum, rad.
    fn at(self, angle: f64) -> DVec2 {
        let (sin, cos) = libm::sincos(angle);
        DVec2::new(cos, self.sense * sin).rotate(self.maximum)
    }

    /// Calls `add` with points between the maximum and an angle from it, and with their weights,
    /// rad.
    ///
    /// The points are Gauss points in the tangent of half the angle from the middle, so that only
    /// the middle needs a sine and a cosine.
    fn integrate(self, end: f64, add: &mut impl FnMut(DVec2, f64)) {
        let parts = 1 + (end / WIDEST) as u32;
        let part = end / f64::from(parts);
        let half = libm::tan(0.25 * part);
        for k in 0..parts {
            let middle = self.at((f64::from(k) + 0.5) * part);
            for &(x, weight) in RULE.iter() {
                // The angle from the middle is 2 atan(t), so that its differential is
                // 2 dt/(1 + t^2).
                let tangent = half * x;
                let scale = 1.0 / (1.0 + tangent * tangent);
                let rotation = scale * DVec2::new(1.0 - tangent * tangent, 2.0 * tangent);
                add(rotation.rotate(middle), 2.0 * half * weight * scale);
            }
        }
    }
}

impl Rim {
    /// Returns R f, the half difference of the squared distances of a point and of the wall from
    /// the axis, m², and its derivative with respect to the angle. `square` is the squared distance
    /// of the wall, m².
    fn excess(&self, square: f64, angle: DVec2) -> (f64, f64) {
        let at = self.projected(angle);
        (0.5 * (at.length_squared() - square), at.dot(angle.perp() * self.semi))
    }

    /// Returns minus the second derivative of R f at a maximum.
    fn minus_second_derivative(&self, maximum: DVec2) -> f64 {
        let out = maximum * self.semi;
        self.projected(maximum).dot(out) - (maximum.perp() * self.semi).length_squared()
    }

    /// Calls `add` with points and weights for an integral over the part of the rim beyond the
    /// wall.
    pub(super) fn integrate_beyond(&self, square: f64, mut add: impl FnMut(DVec2, f64)) {
        let [Some(first), other] = self.farthest else { return };
        // The intervals between neighbouring maxima, with their widths.
        let intervals = match other {
            Some(other) if other != first => {
                let width = libm::atan2(first.perp_dot(other), first.dot(other)).rem_euclid(TAU);
                [Some((first, other, width)), Some((other, first, TAU - width))]
            }
            _ => [Some((first, first, TAU)), None],
        };
        for (from, to, width) in intervals.into_iter().flatten() {
            let branches = [Branch { maximum: from, sense: 1.0 }, Branch { maximum: to, sense: -1.0 }];
            let heights = branches.map(|branch| self.excess(square, branch.maximum).0);
            if heights.iter().all(|&height| height <= 0.0) {
                continue;
            }
            let (low, lowest) = self.minimum(square, branches[0], width);
            for ((branch, height), length) in branches.into_iter().zip(heights).zip([low, width - low]) {
                if height > 0.0 {
                    let end = if lowest < 0.0 { self.zero(square, branch, height, length, lowest) } else { length };
                    branch.integrate(end, &mut add);
                }
            }
        }
    }

    /// Returns an angle on a branch of this length to the next maximum, and R f there: a point that
    /// is not beyond the wall, or the minimum if there is none.
    fn minimum(&self, square: f64, branch: Branch, length: f64) -> (f64, f64) {
        // Bisection by the sign of the slope. Any point that is not beyond the wall separates the
        // two branches, so that the search mostly ends early.
        let (mut low, mut high) = (0.0, length);
        let mut lowest = f64::INFINITY;
        for _ in 0..ROOT_STEPS {
            let middle = 0.5 * (low + high);
            let (value, slope) = self.excess(square, branch.at(middle));
            lowest = value;
            if value <= 0.0 || slope == 0.0 || middle <= low || middle >= high {
                return (middle, value);
            }
            if slope < 0.0 { low = middle } else { high = middle }
        }
        (0.5 * (low + high), lowest)
    }

    /// Returns the angle from a maximum of the value `highest` at which f is zero, on a branch of
    /// this length to a point with the value `lowest` below zero.
    fn zero(&self, square: f64, branch: Branch, highest: f64, length: f64, lowest: f64) -> f64 {
        let (mut inside, mut outside) = (0.0, length);
        // Start with a parabola: the one at the maximum, or the one through the end of the branch.
        let through_end = length * (highest / (highest - lowest)).sqrt();
        let mut angle = through_end.min((2.0 * highest / self.minus_second_derivative(branch.maximum).max(0.0)).sqrt());
        for _ in 0..ROOT_STEPS {
            let (value, slope) = self.excess(square, branch.at(angle));
            if value.abs() <= AT_ZERO * highest {
                break;
            }
            if value > 0.0 {
                inside = angle
            } else {
                outside = angle
            }
            // The slope is with respect to the angle of the ellipse, which decreases along a branch
            // of the sense -1. A step out of the bracket is replaced by bisection.
            let newton = angle - branch.sense * value / slope;
            let is_between = newton > inside && newton < outside;
            angle = if is_between { newton } else { 0.5 * (inside + outside) };
        }
        angle
    }
}

impl RimView {
    /// Returns the smooth overlap of the k-th rim with the wall, body a; `None` if no part of the
    /// rim is beyond the wall.
    pub fn smooth_overlap(&self, k: usize, pair: &Pair) -> Option<SmoothOverlap> {
        let rim = &self.rims[k];
        let is_beyond = |angle: &DVec2| rim.projected(*angle).length_squared() > self.wall * self.wall;
        // Angles are measured from a point beyond the wall, so that differences of points lose no
        // digits.
        let base = rim.farthest.into_iter().flatten().find(is_beyond)?;
        let (mut by_depth, mut by_square, mut cube, mut evaluations) = (Moments::ZERO, Moments::ZERO, 0.0, 0);
        rim.integrate_beyond(self.wall * self.wall, |angle, weight| {
            let square = rim.projected(angle).length_squared() - self.wall * self.wall;
            let depth = (square / (2.0 * self.wall)).max(0.0);
            let (linear, from_base) = (weight * depth, angle - base);
            by_depth.add(linear, from_base);
            by_square.add(linear * depth, from_base);
            cube += linear * depth * depth;
            evaluations += 1;
        });
        let square = by_square.sum;
        if square <= 0.0 {
            return None;
        }
        let mean = cube / square;
        // Moments of the weight q = (7/6) f (3 f - 2 mean) / (integral of f^2), with dD = integral
        // of q df.
        let weights = by_square.combined(3.0 * PARABOLA / square, &by_depth, -2.0 * PARABOLA * mean / square);
        // A point is `centre + across * from_base`, and df/dx there is `rise + rates * from_base`.
        let centre = pair.offset + self.point(rim, base);
        let across = [self.grain.radius * self.ahead, self.grain.radius * self.beside];
        let rise = self.across(rim.projected(base) / self.wall);
        let rates = [rim.semi.x / self.wall * self.along, rim.semi.y / self.wall * self.beside];
        let outward = |sum: f64, first: DVec2| sum * rise + first.x * rates[0] + first.y * rates[1];
        let force = outward(weights.sum, weights.first);
        let moment = centre.cross(force)
            + across[0].cross(outward(weights.first.x, weights.second.x_axis))
            + across[1].cross(outward(weights.first.y, weights.second.y_axis));
        let middle = by_square.first / square;
        let spread = in_space(across, by_square.second * (1.0 / square) - outer_square(middle));
        // D grows as the grain, body b, moves along `force`; the gradient is that of body a.
        let gradient = MeasureGradient { translation: -force, rotation: -moment };
        let centroid = centre + middle.x * across[0] + middle.y * across[1];
        let patch = ContactPatch::of(spread, gradient.normal());
        Some(SmoothOverlap { length: PARABOLA * mean, centroid, gradient, patch, evaluations })
    }
}

/// Integrals of a weight, and of its products with a vector and with the square of the vector.
struct Moments {
    sum: f64,
    first: DVec2,
    second: DMat2,
}

impl Moments {
    const ZERO: Self = Self { sum: 0.0, first: DVec2::ZERO, second: DMat2::ZERO };

    fn add(&mut self, weight: f64, vector: DVec2) {
        self.sum += weight;
        self.first += weight * vector;
        self.second += weight * outer_square(vector);
    }

    /// Returns `p` times these moments plus `q` times others.
    fn combined(&self, p: f64, other: &Self, q: f64) -> Self {
        Self {
            sum: p * self.sum + q * other.sum,
            first: p * self.first + q * other.first,
            second: p * self.second + q * other.second,
        }
    }
}

/// Returns `v v'`.
fn outer_square(v: DVec2) -> DMat2 {
    DMat2::from_cols(v.x * v, v.y * v)
}

/// Returns the matrix in space of a symmetric matrix in the coordinates of two vectors: `[p q] m [p
/// q]'`.
fn in_space([p, q]: [DVec3; 2], m: DMat2) -> DMat3 {
    let (of_p, of_q) = (m.x_axis.x * p + m.x_axis.y * q, m.y_axis.x * p + m.y_axis.y * q);
    DMat3::from_cols(p.x * of_p + q.x * of_q, p.y * of_p + q.y * of_q, p.z * of_p + q.z * of_q)
}
