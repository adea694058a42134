//! Real roots of a quartic: by Lin and Bairstow's method as Feng, Han and Owen (2016) print it, and by a method that cannot miss.
//!
//! Where a circle meets an ellipse is a quartic. The contact of cylinders does not need one here: this is for those who want the
//! published way, and to say how often it fails (`docs/theory/cylinders.md`).

/// Most steps of Lin and Bairstow's method.
const MAX_STEPS: u32 = 100;

/// Remainder that is rounding, in units of the largest coefficient.
const ROUNDING: f64 = 1e-14;

/// Most steps of a root's search: it halves its bracket at worst every other step.
const ROOT_STEPS: u32 = 120;

/// Real roots, in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Roots {
    all: [f64; 4],
    len: usize,
}

impl Roots {
    /// The roots.
    pub fn as_slice(&self) -> &[f64] {
        &self.all[..self.len]
    }

    fn push(&mut self, x: f64) {
        self.all[self.len] = x;
        self.len += 1;
    }

    /// Those of `x² + u x + v`, if they are real.
    fn push_quadratic(&mut self, u: f64, v: f64) {
        let square = u * u - 4.0 * v;
        if square < 0.0 {
            return;
        }
        // The larger one first: the other would lose its digits in the difference.
        let large = -0.5 * (u + square.sqrt().copysign(u));
        self.push(large);
        self.push(if large == 0.0 { 0.0 } else { v / large });
    }

    fn sorted(mut self) -> Self {
        self.all[..self.len].sort_unstable_by(f64::total_cmp);
        self
    }
}

/// What Lin and Bairstow's method finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bairstow {
    /// The real roots.
    pub roots: Roots,
    /// Steps that it took.
    pub iterations: u32,
}

/// Real roots of the quartic with the coefficients `a[k]` of `x^k`, by Lin and Bairstow's method from (0, -1), as in Appendix 4; none
/// if it does not converge.
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
        // (41), with the inverse of the Jacobian written out.
        let (g, h) = (b1 - u, b0 - v);
        let det = v * g * g + h * (h - u * g);
        (u, v) = (u - (g * d - h * c) / det, v - ((g * u - h) * d - g * v * c) / det);
        if !(u.is_finite() && v.is_finite()) {
            return None;
        }
    }
    None
}

/// Real roots of the polynomial with the coefficients `a[k]` of `x^k`, of degree 4 or less, each once: between two extremes there is
/// one where the sign changes, and the extremes are the roots of the derivative.
pub fn real_roots(a: [f64; 5]) -> Roots {
    let degree = (1..5).rev().find(|&k| a[k] != 0.0);
    let Some(degree) = degree else { return Roots::default() };
    let mut roots = Roots::default();
    if degree == 1 {
        roots.push(-a[0] / a[1]);
        return roots;
    }
    let slope: [f64; 5] = std::array::from_fn(|k| if k < degree { (k + 1) as f64 * a[k + 1] } else { 0.0 });
    // No root is farther out (Cauchy).
    let reach = 1.0 + a[..degree].iter().fold(0f64, |most, x| most.max((x / a[degree]).abs()));
    let mut low = -reach;
    for &high in real_roots(slope).as_slice().iter().chain(&[reach]) {
        if high > low {
            if let Some(x) = root_between(&a, &slope, low, high).filter(|&x| roots.as_slice().last() != Some(&x)) {
                roots.push(x);
            }
            low = high;
        }
    }
    roots
}

fn value(a: &[f64; 5], x: f64) -> f64 {
    a.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Size of the terms at x: what rounding is relative to.
fn terms(a: &[f64; 5], x: f64) -> f64 {
    a.iter().rev().fold(0.0, |sum, coefficient| sum * x.abs() + coefficient.abs())
}

/// The root of a function that is monotonic between `low` and `high`: Newton's method in a bracket.
fn root_between(a: &[f64; 5], slope: &[f64; 5], mut low: f64, mut high: f64) -> Option<f64> {
    let (at_low, at_high) = (value(a, low), value(a, high));
    for (x, value) in [(low, at_low), (high, at_high)] {
        // A double root touches zero at an extreme.
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
