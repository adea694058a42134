//! Two ellipsoids in coordinates in which the first is the unit ball and the second is aligned with
//! the axes. Separation and inclusion are then equations with one unknown.
//!
//! With the squared semi-axes 1/s_i and the centre c of the second ellipsoid in these coordinates,
//! the point y of the ball at which the function `e(y) = sum s_i (y_i - c_i)^2 - 1` is smallest is
//!
//! ```text
//! y_i = s_i c_i/(s_i + mu),     sum (s_i c_i/(s_i + mu))^2 = 1,     mu > 0
//! ```
//!
//! if |c| > 1. The ellipsoids are separated if e > 0 there. This is better conditioned than the
//! roots of det(lambda A + B).

use glam::{DMat3, DVec3};

use super::{Method, Outcome};
use granum_geometry::shape::{Convex, Superellipsoid};
use granum_geometry::{Pair, Shape};

/// Limit of the bisections of an interval. It ends earlier, at neighbouring numbers.
const MAX_BISECTIONS: usize = 200;

/// Number of sweeps of Jacobi rotations \[Jacobi1846\]. They converge quadratically, so 12 are more
/// than enough for a matrix of three rows.
const SWEEPS: usize = 12;

/// Returns a sphere, an ellipsoid or a superellipsoid as a superellipsoid; `None` for other shapes.
pub(super) fn superellipsoid_of(shape: &Shape) -> Option<Superellipsoid> {
    match shape {
        Shape::Sphere(ball) => Some(Superellipsoid { semi_axes: DVec3::splat(ball.radius), eps: [1.0; 2] }),
        Shape::Ellipsoid(body) => Some(Superellipsoid { semi_axes: body.semi_axes, eps: [1.0; 2] }),
        Shape::Superellipsoid(body) => Some(*body),
        _ => None,
    }
}

/// Returns the semi-axes of an ellipsoid as columns, world axes, m.
fn axes_of(shape: &Shape, orientation: glam::DQuat) -> Option<DMat3> {
    let body = superellipsoid_of(shape).filter(|body| body.eps == [1.0; 2])?;
    Some(DMat3::from_quat(orientation) * DMat3::from_diagonal(body.semi_axes))
}

/// Two ellipsoids `{ c + M y : |y| <= 1 }`, the first with c = 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ellipsoids {
    /// The matrices M, whose columns are the semi-axes, world axes, m.
    pub axes: [DMat3; 2],
    /// Centre c of the second, m.
    pub offset: DVec3,
}

/// Creates a method for all pairs of [`Ellipsoids`].
pub(super) const fn ellipsoid_method(name: &'static str, about: &'static str, solve: fn(&Pair) -> Outcome) -> Method {
    let serves = |pair: &Pair| Ellipsoids::of(pair).is_some();
    Method { name, about, pairs: "spheres and ellipsoids", serves, solve }
}

impl Ellipsoids {
    pub fn of(pair: &Pair) -> Option<Self> {
        let axes = [axes_of(pair.a, pair.orientation_a)?, axes_of(pair.b, pair.orientation_b)?];
        Some(Self { axes, offset: pair.offset })
    }

    pub fn swapped(&self) -> Self {
        Self { axes: [self.axes[1], self.axes[0]], offset: -self.offset }
    }

    /// Returns the pair with both ellipsoids scaled about their centres by `factors`.
    pub fn scaled(&self, factors: [f64; 2]) -> Self {
        Self { axes: [self.axes[0] * factors[0], self.axes[1] * factors[1]], ..*self }
    }

    /// Returns the support function of one of them about its own centre, m, and its support point
    /// relative to the centre of the first.
    pub fn support(&self, which: usize, n: DVec3) -> (f64, DVec3) {
        let v = self.axes[which].transpose() * n;
        let h = v.length();
        (h, self.axes[which] * v / h + if which == 0 { DVec3::ZERO } else { self.offset })
    }

    /// Returns the pair in the coordinates in which the first is the unit ball.
    pub fn reduced(&self) -> Reduced {
        let to_ball = self.axes[0].inverse();
        let second = to_ball * self.axes[1];
        let (squares, turn) = eigen(second * second.transpose());
        let from_reduced = self.axes[0] * turn;
        Reduced { squares, centre: turn.transpose() * (to_ball * self.offset), from_reduced }
    }

    /// Returns the inside-outside function `|y|^2 - 1` of one of them and its gradient, 1/m, at a
    /// point relative to the centre of the first.
    pub fn function(&self, which: usize, point: DVec3) -> (f64, DVec3) {
        let inverse = self.axes[which].inverse();
        let y = inverse * (point - if which == 0 { DVec3::ZERO } else { self.offset });
        (y.length_squared() - 1.0, 2.0 * (inverse.transpose() * y))
    }
}

/// Two ellipsoids in the coordinates in which the first is the unit ball.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced {
    /// Squared semi-axes of the second, 1/s_i.
    pub squares: DVec3,
    /// Centre c of the second.
    pub centre: DVec3,
    /// Maps these coordinates to world axes, m.
    pub from_reduced: DMat3,
}

impl Reduced {
    /// Returns the point of the ball that is deepest in the second ellipsoid, and the function e of
    /// the second there. `None` if the centre of the second lies in the ball.
    pub fn deepest(&self) -> Option<(DVec3, f64)> {
        let Self { squares, centre, .. } = *self;
        if centre.length_squared() <= 1.0 {
            return None;
        }
        let s = squares.recip();
        let at = |mu: f64| s * centre / (s + DVec3::splat(mu));
        let mu = decreasing_root(|mu| at(mu).length_squared() - 1.0, 0.0, s.max_element());
        let y = at(mu).normalize();
        Some((y, (s * (y - centre) * (y - centre)).element_sum() - 1.0))
    }

    /// Returns the point of the second ellipsoid that is farthest from the centre of the ball, and
    /// its squared distance. The second lies inside the ball if this is at most 1.
    ///
    /// The point is `y_i = nu c_i/(nu - D_i^2)`, where D_i are the semi-axes of the second and nu >=
    /// max D^2 solves `sum (D_i c_i/(nu - D_i^2))^2 = 1`.
    pub fn farthest(&self) -> (DVec3, f64) {
        let Self { squares, centre, .. } = *self;
        let largest = squares.max_element();
        let w = |nu: f64| {
            let part = |square: f64, c: f64| if c == 0.0 { 0.0 } else { square.sqrt() * c / (nu - square) };
            DVec3::new(part(squares.x, centre.x), part(squares.y, centre.y), part(squares.z, centre.z))
        };
        // If the sum stays below 1 at the pole, the centre has no component along the longest axis,
        // and nu is the pole itself.
        let start = largest * (1.0 + 4.0 * f64::EPSILON);
        let is_pole = w(start).length_squared() <= 1.0;
        let nu = if is_pole { largest } else { decreasing_root(|nu| w(nu).length_squared() - 1.0, start, largest) };
        let term = |square: f64, c: f64| if c == 0.0 { 0.0 } else { c * c * nu / (nu - square) };
        let square = nu + term(squares.x, centre.x) + term(squares.y, centre.y) + term(squares.z, centre.z);
        // On the unit sphere of the second, where it is `centre + D u`.
        let mut u = if is_pole { w(start) } else { w(nu) };
        if is_pole {
            let longest = squares.max_position();
            u[longest] = 0.0;
            u[longest] = (1.0 - u.length_squared()).max(0.0).sqrt();
        }
        (centre + squares.map(f64::sqrt) * u.normalize(), square)
    }
}

/// Returns the root of a decreasing function that is positive at `low`. `unit` is a first estimate
/// of the distance of the root from `low`.
fn decreasing_root(f: impl Fn(f64) -> f64, low: f64, unit: f64) -> f64 {
    let (mut low, mut high) = (low, low + unit);
    for _ in 0..MAX_BISECTIONS {
        if f(high) <= 0.0 {
            break;
        }
        (low, high) = (high, low + 4.0 * (high - low));
    }
    for _ in 0..MAX_BISECTIONS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Returns eigenvalues and eigenvectors (columns) of a symmetric matrix by Jacobi rotations
/// \[Jacobi1846\].
fn eigen(mut m: DMat3) -> (DVec3, DMat3) {
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = m.col(q)[p];
            if off == 0.0 {
                continue;
            }
            let theta = 0.5 * (m.col(q)[q] - m.col(p)[p]) / off;
            let tangent = 1f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = cosine;
            turn.col_mut(q)[q] = cosine;
            turn.col_mut(q)[p] = tangent * cosine;
            turn.col_mut(p)[q] = -tangent * cosine;
            m = turn.transpose() * m * turn;
            vectors *= turn;
        }
    }
    (DVec3::new(m.col(0).x, m.col(1).y, m.col(2).z), vectors)
}

/// Returns the separation along n, `n.d - h_A(n) - h_B(-n)` with the offset d of the centres, m,
/// and the two support points.
pub(super) fn gap_along(pair: &Pair, n: DVec3) -> (f64, [DVec3; 2]) {
    let support = |body: &dyn Convex, turn: glam::DQuat, n: DVec3| turn * body.support(turn.inverse() * n);
    let on_a = support(pair.a.as_convex(), pair.orientation_a, n);
    let on_b = pair.offset + support(pair.b.as_convex(), pair.orientation_b, -n);
    (n.dot(on_b - on_a), [on_a, on_b])
}
