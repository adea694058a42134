//! Real roots of a quartic, by the Lin-Bairstow iteration of [Feng2017, Appendix 4] and by a method
//! that finds all of them.
//!
//! The intersections of a circle and an ellipse are the roots of a quartic [Feng2017, Appendix 2].
//! The cylinder contact of granum needs none; these functions show how often the published
//! iteration is slow or fails (`docs/theory/cylinders.md`).

/// Limit of the Lin-Bairstow steps. An iteration that converges needs about ten.
const MAX_STEPS: u32 = 100;

/// Remainder of the division below which the iteration ends, relative to the largest coefficient: a
/// hundred roundings.
const ROUNDING: f64 = 1e-14;

/// Limit of the steps of the search in a bracket, which is halved at least every second step: 60
/// halvings are below rounding.
const ROOT_STEPS: u32 = 120;

/// Real roots, in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Roots {
    all: [f64; 4],
    len: usize,
}

impl Roots {
    /// Returns the roots.
    pub fn as_slice(&self) -> &[f64] {
        &self.all[..self.len]
    }

    fn push(&mut self, x: f64) {
        self.all[self.len] = x;
        self.len += 1;
    }

    /// Adds the roots of `x^2 + u x + v` if they are real.
    fn push_quadratic(&mut self, u: f64, v: f64) {
        let square = u * u - 4.0 * v;
        if square < 0.0 {
            return;
        }
        // The root with the larger magnitude first: the other one would suffer from cancellation.
        let large = -0.5 * (u + square.sqrt().copysign(u));
        self.push(large);
        self.push(if large == 0.0 { 0.0 } else { v / large });
    }

    fn sorted(mut self) -> Self {
        self.all[..self.len].sort_unstable_by(f64::total_cmp);
        self
    }
}

/// Returns the coefficients of the quartic for the x of the intersections of the circle of radius
/// `r` about the origin with the ellipse of semi-axes a and b about (x0, y0) [Feng2017, Appendix 2,
/// corrected].
pub fn circle_and_ellipse(r: f64, [a, b]: [f64; 2], [x0, y0]: [f64; 2]) -> [f64; 5] {
    let ratio = b * b / (a * a);
    let (alpha, beta, tau) = (ratio - 1.0, -2.0 * ratio * x0, 2.0 * y0);
    let gamma = ratio * x0 * x0 + r * r + y0 * y0 - b * b;
    [
        gamma * gamma - r * r * tau * tau,
        2.0 * beta * gamma,
        beta * beta + 2.0 * alpha * gamma + tau * tau,
        2.0 * alpha * beta,
        alpha * alpha,
    ]
}

/// The result of the Lin-Bairstow iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bairstow {
    /// The real roots.
    pub roots: Roots,
    /// Number of steps.
    pub iterations: u32,
}

/// Returns the real roots of the quartic with the coefficients `a[k]` of `x^k`, by the Lin-Bairstow
/// iteration from (u, v) = (0, -1) [Feng2017, Appendix 4]; `None` if it does not converge.
///
/// The quartic is divided by `x^2 + u x + v`. Newton's method changes u and v until the remainder
/// `c x + d` is zero; the quotient `x^2 + b1 x + b0` has the other two roots.
pub fn lin_bairstow(a: [f64; 5]) -> Option<Bairstow> {
    let a = a.map(|x| x / a[4]);
    let size = a.iter().fold(0f64, |size, x| size.max(x.abs()));
    let (mut u, mut v) = (0.0, -1.0);
    for iterations in 0..=MAX_STEPS {
        let b1 = a[3] - u;
        let b0 = a[2] - u * b1 - v;
        let (c, d) = (a[1] - u * b0 - v * b1, a[0] - v * b0);
        if c.abs().max(d.abs()) <= ROUNDING * size {
            let mut roots = Roots::default();
            roots.push_quadratic(u, v);
            roots.push_quadratic(b1, b0);
            return Some(Bairstow { roots: roots.sorted(), iterations });
        }
        // [Feng2017, eq. 41] with the inverse of the Jacobian written out.
        let (g, h) = (b1 - u, b0 - v);
        let det = v * g * g + h * (h - u * g);
        (u, v) = (u - (g * d - h * c) / det, v - ((g * u - h) * d - g * v * c) / det);
        if !(u.is_finite() && v.is_finite()) {
            return None;
        }
    }
    None
}

/// Returns the real roots of the polynomial with the coefficients `a[k]` of `x^k`, of degree 4 or
/// less, each once.
///
/// Between two neighbouring extrema the polynomial is monotone, so it has one root if its sign
/// changes. The extrema are the roots of the derivative, which are found in the same manner.
pub fn real_roots(a: [f64; 5]) -> Roots {
    let degree = (1..5).rev().find(|&k| a[k] != 0.0);
    let Some(degree) = degree else { return Roots::default() };
    let mut roots = Roots::default();
    if degree == 1 {
        roots.push(-a[0] / a[1]);
        return roots;
    }
    let slope: [f64; 5] = std::array::from_fn(|k| if k < degree { (k + 1) as f64 * a[k + 1] } else { 0.0 });
    // Cauchy's bound: all roots lie in [-bound, bound].
    let bound = 1.0 + a[..degree].iter().fold(0f64, |most, x| most.max((x / a[degree]).abs()));
    let mut low = -bound;
    for &high in real_roots(slope).as_slice().iter().chain(&[bound]) {
        if high > low {
            if let Some(x) = root_between(&a, &slope, low, high).filter(|&x| roots.as_slice().last() != Some(&x)) {
                roots.push(x);
            }
            low = high;
        }
    }
    roots
}

/// Returns the value of the polynomial at x.
fn value(a: &[f64; 5], x: f64) -> f64 {
    a.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Returns the sum of the magnitudes of the terms at x, to which rounding errors are relative.
fn terms(a: &[f64; 5], x: f64) -> f64 {
    a.iter().rev().fold(0.0, |sum, coefficient| sum * x.abs() + coefficient.abs())
}

/// Returns the root of a polynomial that is monotone between `low` and `high`, by Newton's method
/// with bisection where a step leaves the bracket; `None` if the sign does not change.
fn root_between(a: &[f64; 5], slope: &[f64; 5], mut low: f64, mut high: f64) -> Option<f64> {
    let (at_low, at_high) = (value(a, low), value(a, high));
    for (x, value) in [(low, at_low), (high, at_high)] {
        // A double root is an extremum with the value zero, up to rounding.
        if value.abs() <= f64::EPSILON * terms(a, x) {
            return Some(x);
        }
    }
    if (at_low < 0.0) == (at_high < 0.0) {
        return None;
    }
    let mut x = 0.5 * (low + high);
    for _ in 0..ROOT_STEPS {
        let at = value(a, x);
        if (at < 0.0) == (at_low < 0.0) {
            low = x
        } else {
            high = x
        }
        let newton = x - at / value(slope, x);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if next == x || next == low && next == high {
            break;
        }
        x = next;
    }
    Some(x)
}
