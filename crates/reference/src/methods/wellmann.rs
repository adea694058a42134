//! Common normal of two superellipsoids by two angles \[Wellmann2008\].
//!
//! The contact direction c has two angles about the line of centres. `f = |p_2 - p_1|^2`, with the
//! surface points that have the normals c and -c, is minimised by Newton's method with a
//! Levenberg-Marquardt shift [Levenberg1944, Marquardt1963] and Armijo's rule \[Armijo1966\]. A
//! search that fails starts again from the best of random directions, improved by the simplex of
//! \[Nelder1965\]. Deviations from the printed method:
//!
//! - The surface points and their curvature radii R are derivatives of the support function. The
//!   printed parametrisation is wrong at the poles, because [Wellmann2008, eq. 4] has > for >=.
//! - The gradient is exact, `df/dangle = -2 (dc/dangle).R (p_2 - p_1)`. The Hessian is its
//!   difference; the second term of [Wellmann2008, eq. 11] is misprinted.
//! - The gradient also vanishes where curvature radii vanish. Therefore a solution must have
//!   p_2 - p_1 along c as well.

use glam::{DVec2, DVec3};

use super::quadric::superellipsoid_of;
use super::{Detail, Method, Outcome};
use granum_geometry::contact::{SuperellipsoidSurface, Symmetric2};
use granum_geometry::numeric::math::tangent_frame;
use granum_geometry::{ContactPoint, Pair, Status};

/// Norm of the gradient of f, m^2/rad, at which \[Wellmann2008\] stops.
const GRADIENT: f64 = 1e-6;

/// Limit of the Newton steps of a search \[Wellmann2008\].
const MAX_STEPS: u32 = 50;

/// Limit of the restarts \[Wellmann2008\].
const MAX_RESTARTS: u32 = 15;

/// Fraction of the predicted decrease that a step must achieve \[Armijo1966\].
const ARMIJO: f64 = 1e-4;

/// Limit of the halvings of a step: the step is then below rounding.
const MAX_HALVINGS: u32 = 40;

/// Number of random directions of a restart.
const RANDOM_DIRECTIONS: usize = 100;

/// Number of steps of the simplex of a restart.
const SIMPLEX_STEPS: usize = 60;

/// Edge of the first simplex, rad.
const SIMPLEX_EDGE: f64 = 0.1;

/// Step of the central difference of the gradient, rad: its truncation error and rounding are about
/// equal.
const DIFFERENCE: f64 = 1e-5;

/// Fraction of `|p_2 - p_1|^2` that may be tangential at a common normal.
const COMMON: f64 = 1e-6;

/// The method.
pub const METHOD: Method = Method {
    name: "common-normal",
    about: "two angles by Newton's method with Levenberg-Marquardt shift and Armijo's rule, with random restarts",
    pairs: "spheres, ellipsoids and superellipsoids",
    serves: |pair| superellipsoid_of(pair.a).is_some() && superellipsoid_of(pair.b).is_some(),
    solve,
};

/// The function f of two angles.
struct Search<'a> {
    a: SuperellipsoidSurface<'a>,
    b: SuperellipsoidSurface<'a>,
    /// Centre of b minus centre of a, m.
    offset: DVec3,
    /// The direction with both angles zero, along the line of centres, and two across it.
    axes: [DVec3; 3],
}

impl Search<'_> {
    /// Returns the unit vector c.
    fn direction(&self, angles: DVec2) -> DVec3 {
        let (s1, c1) = libm::sincos(angles.x);
        let (s2, c2) = libm::sincos(angles.y);
        c1 * c2 * self.axes[0] + s1 * c2 * self.axes[1] + s2 * self.axes[2]
    }

    /// Returns `p_2 - p_1`, m. The surface point of b with the normal -c is the centre of b minus
    /// the point with the normal c, because b is symmetric.
    fn between_points(&self, angles: DVec2) -> DVec3 {
        let c = self.direction(angles);
        self.offset - self.a.point(c) - self.b.point(c)
    }

    fn value(&self, angles: DVec2) -> f64 {
        self.between_points(angles).length_squared()
    }

    fn gradient(&self, angles: DVec2) -> DVec2 {
        let c = self.direction(angles);
        let (t, u) = tangent_frame(c);
        let radii = self.a.curvature_radii(c, t, u).plus(self.b.curvature_radii(c, t, u));
        let between = self.between_points(angles);
        let pull = radii.times(DVec2::new(t.dot(between), u.dot(between)));
        let pull = pull.x * t + pull.y * u;
        let (s1, c1) = libm::sincos(angles.x);
        let (s2, c2) = libm::sincos(angles.y);
        let by_first = c2 * (c1 * self.axes[1] - s1 * self.axes[0]);
        let by_second = c2 * self.axes[2] - s2 * (c1 * self.axes[0] + s1 * self.axes[1]);
        -2.0 * DVec2::new(by_first.dot(pull), by_second.dot(pull))
    }

    fn hessian(&self, angles: DVec2) -> Symmetric2 {
        let along = |e: DVec2| {
            (self.gradient(angles + DIFFERENCE * e) - self.gradient(angles - DIFFERENCE * e)) / (2.0 * DIFFERENCE)
        };
        let (x, y) = (along(DVec2::X), along(DVec2::Y));
        Symmetric2 { xx: x.x, xy: 0.5 * (x.y + y.x), yy: y.y }
    }

    /// Minimises f from given angles. Returns the angles, and whether the gradient is small.
    fn newton(&self, mut angles: DVec2, iterations: &mut u32) -> (DVec2, bool) {
        for _ in 0..MAX_STEPS {
            let gradient = self.gradient(angles);
            if gradient.length() < GRADIENT {
                return (angles, true);
            }
            *iterations += 1;
            let hessian = self.hessian(angles);
            let least = hessian.least_eigenvalue();
            let size = hessian.trace().abs().max(least.abs());
            // The shift makes the Hessian positive definite, so that the step is a descent
            // direction.
            let shifted = if least <= 1e-10 * size { hessian.shifted(1e-3 * size - least) } else { hessian };
            let step = shifted.newton_step(gradient).unwrap_or(-gradient);
            let (now, slope) = (self.value(angles), gradient.dot(step));
            let mut part = 1.0;
            let mut is_better = false;
            for _ in 0..MAX_HALVINGS {
                let next = angles + part * step;
                if self.value(next) <= now + ARMIJO * part * slope {
                    (angles, is_better) = (next, true);
                    break;
                }
                part *= 0.5;
            }
            if !is_better {
                return (angles, false);
            }
        }
        (angles, false)
    }

    /// Returns whether p_2 - p_1 is along c, that is, whether c is a common normal.
    fn is_common_normal(&self, angles: DVec2) -> bool {
        let (c, between) = (self.direction(angles), self.between_points(angles));
        let along = c.dot(between);
        between.length_squared() - along * along <= COMMON * between.length_squared()
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
        a: SuperellipsoidSurface::new(&a, pair.orientation_a),
        b: SuperellipsoidSurface::new(&b, pair.orientation_b),
        offset: pair.offset,
        axes: [first, second, third],
    };
    let (mut iterations, mut restarts, mut seed) = (0, 0, 0x9e37_79b9_7f4a_7c15);
    let (mut angles, mut is_found) = search.newton(DVec2::ZERO, &mut iterations);
    while !(is_found && search.is_common_normal(angles)) && restarts < MAX_RESTARTS {
        restarts += 1;
        let start = search.restart(&mut seed);
        (angles, is_found) = search.newton(start, &mut iterations);
    }
    let (c, between) = (search.direction(angles), search.between_points(angles));
    let gap = c.dot(between);
    let residual = (between - gap * c).length();
    let on_a = search.a.point(c);
    let (t, u) = tangent_frame(c);
    let curvature = search.a.curvature(c, t, u) + search.b.curvature(c, t, u);
    let is_converged = is_found && search.is_common_normal(angles);
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
        details: vec![("restarts", Detail::Number(f64::from(restarts)))],
        iterations,
        status: if is_converged { Status::Converged } else { Status::NotConverged { residual } },
    }
}
