//! Two ellipsoids in the axes in which the first is the unit ball and the second is aligned: most questions then have one
//! unknown.

use glam::{DMat3, DVec3};

use granum_geometry::shape::{Convex, Superellipsoid};
use granum_geometry::{Pair, Shape};

/// Halvings of an interval down to the last bit.
const HALVINGS: usize = 200;

/// Sweeps of Jacobi's rotations: they converge quadratically.
const SWEEPS: usize = 12;

/// The shape as a superellipsoid, if it is one of the smooth grains.
pub(super) fn superellipsoid_of(shape: &Shape) -> Option<Superellipsoid> {
    match shape {
        Shape::Sphere(ball) => Some(Superellipsoid { semi_axes: DVec3::splat(ball.radius), eps: [1.0; 2] }),
        Shape::Ellipsoid(body) => Some(Superellipsoid { semi_axes: body.semi_axes, eps: [1.0; 2] }),
        Shape::Superellipsoid(body) => Some(*body),
        _ => None,
    }
}

/// The semi-axes as columns, world axes, if the shape is an ellipsoid.
fn axes_of(shape: &Shape, orientation: glam::DQuat) -> Option<DMat3> {
    let body = superellipsoid_of(shape).filter(|body| body.eps == [1.0; 2])?;
    Some(DMat3::from_quat(orientation) * DMat3::from_diagonal(body.semi_axes))
}

/// Two ellipsoids `{ c + M y : |y| <= 1 }`, as matrices of semi-axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ellipsoids {
    pub axes: [DMat3; 2],
    pub offset: DVec3,
}

impl Ellipsoids {
    pub fn of(pair: &Pair) -> Option<Self> {
        let axes = [axes_of(pair.a, pair.orientation_a)?, axes_of(pair.b, pair.orientation_b)?];
        Some(Self { axes, offset: pair.offset })
    }

    pub fn swapped(&self) -> Self {
        Self { axes: [self.axes[1], self.axes[0]], offset: -self.offset }
    }

    /// With the second ellipsoid `factor` times as large.
    pub fn with_second_scaled(&self, factor: f64) -> Self {
        Self { axes: [self.axes[0], self.axes[1] * factor], ..*self }
    }

    /// The pair in the axes in which the first is the unit ball.
    pub fn reduced(&self) -> Reduced {
        let to_ball = self.axes[0].inverse();
        let second = to_ball * self.axes[1];
        let (squares, turn) = eigen(second * second.transpose());
        let from_reduced = self.axes[0] * turn;
        Reduced { squares, centre: turn.transpose() * (to_ball * self.offset), from_reduced }
    }

    /// The inside-outside function of one of them, and its gradient, at a point from the centre of the first.
    pub fn function(&self, which: usize, point: DVec3) -> (f64, DVec3) {
        let inverse = self.axes[which].inverse();
        let y = inverse * (point - if which == 0 { DVec3::ZERO } else { self.offset });
        (y.length_squared() - 1.0, 2.0 * (inverse.transpose() * y))
    }
}

/// The first ellipsoid is the unit ball; the second has these squared semi-axes and centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced {
    pub squares: DVec3,
    pub centre: DVec3,
    pub from_reduced: DMat3,
}

impl Reduced {
    /// The point of the first that is deepest in the second (reduced axes), and the second's function there. None if the
    /// second's centre lies in the first.
    pub fn deepest(&self) -> Option<(DVec3, f64)> {
        let Self { squares, centre, .. } = *self;
        if centre.length_squared() <= 1.0 {
            return None;
        }
        let s = squares.recip();
        let at = |mu: f64| s * centre / (s + DVec3::splat(mu));
        let mu = falling_root(|mu| at(mu).length_squared() - 1.0, 0.0, s.max_element());
        let y = at(mu).normalize();
        Some((y, (s * (y - centre) * (y - centre)).element_sum() - 1.0))
    }

    /// The largest squared distance of the second's points from the centre of the ball: at most 1 if it lies inside.
    pub fn farthest(&self) -> f64 {
        let Self { squares, centre, .. } = *self;
        let largest = squares.max_element();
        let w = |nu: f64| {
            let part = |square: f64, c: f64| if c == 0.0 { 0.0 } else { square.sqrt() * c / (nu - square) };
            DVec3::new(part(squares.x, centre.x), part(squares.y, centre.y), part(squares.z, centre.z))
        };
        let start = largest * (1.0 + 4.0 * f64::EPSILON);
        let nu = if w(start).length_squared() <= 1.0 {
            largest
        } else {
            falling_root(|nu| w(nu).length_squared() - 1.0, start, largest)
        };
        let term = |square: f64, c: f64| if c == 0.0 { 0.0 } else { c * c * nu / (nu - square) };
        nu + term(squares.x, centre.x) + term(squares.y, centre.y) + term(squares.z, centre.z)
    }
}

/// The root of a falling function that is positive at `low`; `unit` is a first guess of how far it lies.
fn falling_root(f: impl Fn(f64) -> f64, low: f64, unit: f64) -> f64 {
    let (mut low, mut high) = (low, low + unit);
    while f(high) > 0.0 {
        (low, high) = (high, low + 4.0 * (high - low));
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations.
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

/// `n.offset - h_A(n) - h_B(n)` of a pair of smooth grains.
pub(super) fn gap_along(pair: &Pair, n: DVec3) -> (f64, [DVec3; 2]) {
    let support = |body: &dyn Convex, turn: glam::DQuat, n: DVec3| turn * body.support(turn.inverse() * n);
    let on_a = support(pair.a.as_convex(), pair.orientation_a, n);
    let on_b = pair.offset + support(pair.b.as_convex(), pair.orientation_b, -n);
    (n.dot(on_b - on_a), [on_a, on_b])
}
