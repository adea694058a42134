//! Common normal of two superellipsoids by two angles \[Wellmann2008\].
//!
//! The contact direction c has two angles about the line of centres. `f = |p_2 - p_1|^2`, with the
//! surface points that have the normals c and -c, is minimised by Newton's method with a
//! Levenberg-Marquardt shift [Levenberg1944, Marquardt1963] and Armijo's rule \[Armijo1966\]:
//!
//! - As soon as `c.(p_2 - p_1) > 0`, the tangent plane separates the bodies, and the search ends
//!   [Wellmann2008, eq. 14]. The method gives no distance of separated bodies, only this bound.
//! - A minimum counts if p_2 - p_1 is along c [Wellmann2008, eq. 5] and each point lies in the other
//!   body. Otherwise it is a local minimum, and the search starts again from the best of random
//!   directions, improved by the simplex of \[Nelder1965\].
//!
//! The derivatives are those of [Wellmann2008, eq. 11], corrected ([`parameters`]). The published
//! tolerance of the gradient is a number for bodies of about 2 m; here it grows with the square of
//! their size, as f does.

mod parameters;

use glam::{DQuat, DVec2, DVec3};

use super::quadric::superellipsoid_of;
use super::{Detail, Method, Outcome};
use granum_geometry::contact::{SuperellipsoidSurface, Symmetric2};
use granum_geometry::numeric::math::tangent_frame;
use granum_geometry::shape::Superellipsoid;
use granum_geometry::{ContactPoint, Pair, Status};
use parameters::{Jet, SECOND, inside_outside, surface_point};

/// Norm of the gradient of f, m^2/rad, at which the search for bodies of the published size ends
/// \[Wellmann2008\].
const GRADIENT: f64 = 1e-6;

/// Mean semi-axis of the published pairs, m.
const PUBLISHED_SEMI_AXIS: f64 = 1.75;

/// Limit of the Newton steps of a search \[Wellmann2008\].
const MAX_STEPS: u32 = 50;

/// Limit of the restarts. \[Wellmann2008\] needed 15 at most.
const MAX_RESTARTS: u32 = 50;

/// Fraction of the predicted decrease that a step must achieve \[Armijo1966\].
const ARMIJO: f64 = 1e-4;

/// Limit of the halvings of a step: the step is then below rounding.
const MAX_HALVINGS: u32 = 40;

/// Smallest eigenvalue of a Hessian that counts as positive definite, and the smallest one after the
/// Levenberg-Marquardt shift, relative to the largest.
const POSITIVE: f64 = 1e-10;
const SHIFTED: f64 = 1e-3;

/// Number of random directions of a restart.
const RANDOM_DIRECTIONS: usize = 100;

/// Number of steps of the simplex of a restart.
const SIMPLEX_STEPS: usize = 60;

/// Edge of the first simplex, rad.
const SIMPLEX_EDGE: f64 = 0.1;

/// Part of p_2 - p_1 across c, relative to its length and to the mean semi-axis, up to which c is a
/// common normal. The second number is the position that the gradient determines.
const ACROSS: f64 = 1e-3;
const ACROSS_OF_SIZE: f64 = 1e-6;

/// Excess of the inside-outside function over 1 that counts as rounding.
const ON_SURFACE: f64 = 1e-9;

/// The method.
pub const METHOD: Method = Method {
    name: "common-normal",
    about: "two angles by Newton's method with Levenberg-Marquardt shift and Armijo's rule, with random restarts",
    pairs: "spheres, ellipsoids and superellipsoids",
    serves: |pair| superellipsoid_of(pair.a).is_some() && superellipsoid_of(pair.b).is_some(),
    solve,
};

/// A body of the pair, centred at the origin.
struct Body<'a> {
    shape: &'a Superellipsoid,
    orientation: DQuat,
    surface: SuperellipsoidSurface<'a>,
}

impl<'a> Body<'a> {
    fn new(shape: &'a Superellipsoid, orientation: DQuat) -> Self {
        Self { shape, orientation, surface: SuperellipsoidSurface::new(shape, orientation) }
    }

    /// Returns the surface point with the normal `c` and its derivatives.
    fn point(&self, c: Jet) -> Jet {
        let inverse = self.orientation.inverse();
        surface_point(self.shape, c.map(|v| inverse * v)).map(|v| self.orientation * v)
    }

    fn contains(&self, point: DVec3) -> bool {
        inside_outside(self.shape, self.orientation.inverse() * point) <= 1.0 + ON_SURFACE
    }
}

/// The end of one search.
enum End {
    /// `c.(p_2 - p_1) > 0`.
    Separated,
    /// The gradient is below the tolerance.
    Minimum,
    /// No step decreases f, or there were too many.
    Stuck,
}

/// The function f of two angles.
struct Search<'a> {
    a: Body<'a>,
    b: Body<'a>,
    /// Centre of b minus centre of a, m.
    offset: DVec3,
    /// The direction with both angles zero, along the line of centres, and two across it.
    axes: [DVec3; 3],
    /// Mean semi-axis of both bodies, m.
    size: f64,
}

impl Search<'_> {
    /// Returns the unit vector c [Wellmann2008, eq. 6].
    fn direction(&self, angles: DVec2) -> DVec3 {
        let ((s1, c1), (s2, c2)) = (libm::sincos(angles.x), libm::sincos(angles.y));
        c1 * c2 * self.axes[0] + s1 * c2 * self.axes[1] + s2 * self.axes[2]
    }

    /// Returns `p_2 - p_1`, m. The surface point of b with the normal -c is the centre of b minus
    /// the point with the normal c, because b is symmetric.
    fn between_points(&self, angles: DVec2) -> DVec3 {
        let c = self.direction(angles);
        self.offset - self.a.surface.point(c) - self.b.surface.point(c)
    }

    fn value(&self, angles: DVec2) -> f64 {
        self.between_points(angles).length_squared()
    }

    /// Returns gradient and Hessian of f [Wellmann2008, eqs. 10 and 11].
    fn derivatives(&self, angles: DVec2) -> (DVec2, Symmetric2) {
        let ((s1, c1), (s2, c2)) = (libm::sincos(angles.x), libm::sincos(angles.y));
        let [e1, e2, e3] = self.axes;
        let value = c1 * c2 * e1 + s1 * c2 * e2 + s2 * e3;
        let c = Jet {
            value,
            first: [c2 * (c1 * e2 - s1 * e1), c2 * e3 - s2 * (c1 * e1 + s1 * e2)],
            second: [-c2 * (c1 * e1 + s1 * e2), s2 * (s1 * e1 - c1 * e2), -value],
        };
        let points = self.a.point(c).plus(self.b.point(c));
        let d = self.between_points(angles);
        let gradient = points.first.map(|slope| -2.0 * d.dot(slope));
        let [xx, xy, yy] = [0, 1, 2].map(|m| {
            let [i, j] = SECOND[m];
            2.0 * (points.first[i].dot(points.first[j]) - d.dot(points.second[m]))
        });
        (DVec2::from(gradient), Symmetric2 { xx, xy, yy })
    }

    /// Minimises f from given angles, and returns the last ones.
    fn newton(&self, mut angles: DVec2, iterations: &mut u32) -> (DVec2, End) {
        let tolerance = GRADIENT * (self.size / PUBLISHED_SEMI_AXIS).powi(2);
        for step_count in 0..=MAX_STEPS {
            let between = self.between_points(angles);
            if self.direction(angles).dot(between) > 0.0 {
                return (angles, End::Separated);
            }
            let (gradient, hessian) = self.derivatives(angles);
            if gradient.length() < tolerance {
                return (angles, End::Minimum);
            }
            if step_count == MAX_STEPS {
                break;
            }
            *iterations += 1;
            let least = hessian.least_eigenvalue();
            let size = (hessian.trace() - least).abs().max(least.abs());
            // The shift makes the Hessian positive definite, so that the step is a descent
            // direction.
            let shifted = if least <= POSITIVE * size { hessian.shifted(SHIFTED * size - least) } else { hessian };
            let step = shifted.newton_step(gradient).unwrap_or(-gradient / size);
            let (now, slope) = (between.length_squared(), gradient.dot(step));
            let mut part = 1.0;
            let is_better = |part: f64| self.value(angles + part * step) <= now + ARMIJO * part * slope;
            for _ in 0..MAX_HALVINGS {
                if is_better(part) {
                    break;
                }
                part *= 0.5;
            }
            if !is_better(part) {
                break;
            }
            angles += part * step;
        }
        (angles, End::Stuck)
    }

    /// Returns whether c is a common normal and each point lies in the other body.
    fn is_contact(&self, angles: DVec2) -> bool {
        let (c, between) = (self.direction(angles), self.between_points(angles));
        let across = (between - c.dot(between) * c).length();
        let on_a = self.a.surface.point(c);
        across <= (ACROSS * between.length()).max(ACROSS_OF_SIZE * self.size)
            && self.a.contains(on_a + between)
            && self.b.contains(on_a - self.offset)
    }

    /// Returns the best of random directions, improved by the simplex of \[Nelder1965\].
    ///
    /// The three shifts are an xorshift generator, the only one beside `granum_geometry::random`
    /// and the validation cases: the recorded results of this method depend on its sequence.
    fn restart(&self, seed: &mut u64) -> DVec2 {
        let mut random = || {
            *seed ^= *seed << 13;
            *seed ^= *seed >> 7;
            *seed ^= *seed << 17;
            (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let half_turn = std::f64::consts::PI;
        let mut tried: Vec<DVec2> =
            (0..RANDOM_DIRECTIONS).map(|_| half_turn * DVec2::new(random(), random())).collect();
        tried.sort_by(|p, q| self.value(*p).total_cmp(&self.value(*q)));
        let best = tried[0];
        let mut simplex = [best, best + DVec2::new(SIMPLEX_EDGE, 0.0), best + DVec2::new(0.0, SIMPLEX_EDGE)];
        for _ in 0..SIMPLEX_STEPS {
            simplex.sort_by(|p, q| self.value(*p).total_cmp(&self.value(*q)));
            let middle = 0.5 * (simplex[0] + simplex[1]);
            let away = middle - simplex[2];
            let moves = [2.0, 1.0, 0.5, -0.5].map(|part| middle + part * away);
            let good = moves.into_iter().min_by(|p, q| self.value(*p).total_cmp(&self.value(*q)));
            match good {
                Some(point) if self.value(point) < self.value(simplex[2]) => simplex[2] = point,
                _ => {
                    simplex[1] = 0.5 * (simplex[0] + simplex[1]);
                    simplex[2] = 0.5 * (simplex[0] + simplex[2]);
                }
            }
        }
        simplex[0]
    }
}

fn solve(pair: &Pair) -> Outcome {
    let (Some(a), Some(b)) = (superellipsoid_of(pair.a), superellipsoid_of(pair.b)) else { return Outcome::default() };
    let first = pair.offset.normalize_or(DVec3::X);
    let (second, third) = tangent_frame(first);
    let search = Search {
        a: Body::new(&a, pair.orientation_a),
        b: Body::new(&b, pair.orientation_b),
        offset: pair.offset,
        axes: [first, second, third],
        size: (a.semi_axes.element_sum() + b.semi_axes.element_sum()) / 6.0,
    };
    let (mut iterations, mut restarts, mut seed) = (0, 0, 0x9e37_79b9_7f4a_7c15);
    let (mut angles, mut end) = search.newton(DVec2::ZERO, &mut iterations);
    let in_first_search = iterations;
    loop {
        let is_done = match end {
            End::Separated => true,
            End::Minimum => search.is_contact(angles),
            End::Stuck => false,
        };
        if is_done || restarts == MAX_RESTARTS {
            break;
        }
        restarts += 1;
        let start = search.restart(&mut seed);
        (angles, end) = search.newton(start, &mut iterations);
    }
    let (c, between) = (search.direction(angles), search.between_points(angles));
    let gap = c.dot(between);
    let counts = [
        ("iterations_of_first_search", Detail::Number(f64::from(in_first_search))),
        ("restarts", Detail::Number(f64::from(restarts))),
    ];
    if matches!(end, End::Separated) {
        let bound = [("gap_at_least", Detail::Number(gap))];
        return Outcome { details: bound.into_iter().chain(counts).collect(), iterations, ..Outcome::default() };
    }
    let on_a = search.a.surface.point(c);
    let (t, u) = tangent_frame(c);
    let curvature = search.a.surface.curvature(c, t, u) + search.b.surface.curvature(c, t, u);
    let status = if search.is_contact(angles) {
        Status::Converged
    } else {
        Status::NotConverged { residual: (between - gap * c).length() }
    };
    Outcome {
        touching: gap <= 0.0,
        gap: Some(gap),
        normal: Some(c),
        points: Some([on_a, on_a + between]),
        contacts: vec![ContactPoint {
            arm: on_a + 0.5 * between,
            normal: c,
            gap,
            curvature,
            feature: 0,
            overlap: None,
        }],
        details: counts.into(),
        iterations,
        status,
    }
}
