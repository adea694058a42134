//! All intersection points of the boundaries of two ellipses, in fixed axes [Martinez2003, appendix
//! B].
//!
//! Newton's method on [Martinez2003, eq. B.4] needs initial values. Along the boundary of b the
//! inside-outside function of a is a trigonometric polynomial of degree two ([`Harmonic`]). It has
//! at most four extrema, and between two neighbours of opposite sign one zero. Newton's method
//! starts there and solves for the parameters on both boundaries.

use std::f64::consts::TAU;

use glam::{DMat2, DVec2};

use super::harmonic::Harmonic;
use super::potential::Grains;
use super::{Detail, Method, Outcome};
use granum_geometry::numeric::math::bisect;
use granum_geometry::{Pair, Status};

/// The method.
pub const METHOD: Method = Method {
    name: "intersection",
    about: "all intersection points of the two boundaries, 0 to 4",
    pairs: "discs and ellipses",
    serves,
    solve,
};

/// Absolute value of the inside-outside function below which an extremum counts as zero, that is,
/// as a point of tangency: a hundred roundings of a function of size 1.
const TOUCHING: f64 = 1e-13;

/// Limit of the Newton steps. The start is a root up to rounding, or close to a double root.
const MAX_STEPS: u32 = 8;

/// Distance below which two points count as one, relative to the largest semi-axis: a double root
/// is known to the square root of rounding only.
const SAME_POINT: f64 = 1e-6;

fn serves(pair: &Pair) -> bool {
    Grains::of(pair).is_some_and(|grains| grains.ovals.iter().all(|oval| oval.n == 2.0))
}

fn solve(pair: &Pair) -> Outcome {
    let Some(grains) = Grains::of(pair) else { return Outcome::default() };
    let Some(harmonic) = Harmonic::along(&grains, 1) else { return Outcome::default() };
    let f = |theta: f64| grains.along(1, theta);
    let size = grains.ovals.iter().map(|oval| oval.axes.max_element()).fold(0.0, f64::max);
    let (extrema, mut evaluations) = harmonic.extrema();
    let mut extrema: Vec<(f64, f64)> = extrema.into_iter().map(|theta| (theta, f(theta))).collect();
    if extrema.iter().all(|extremum| extremum.1.abs() <= TOUCHING) {
        let status = Status::NotConverged { residual: 0.0 };
        let details = vec![("relation", Detail::Text("the boundaries coincide"))];
        return Outcome { touching: true, details, iterations: evaluations, status, ..Outcome::default() };
    }
    extrema.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
    // Between two neighbouring extrema the function is monotone. An extremum that is zero is a
    // double root.
    let mut roots = Vec::new();
    for (k, &from) in extrema.iter().enumerate() {
        let mut to = extrema[(k + 1) % extrema.len()];
        if k + 1 == extrema.len() {
            to.0 += TAU;
        }
        if from.1.abs() <= TOUCHING {
            roots.push(from.0);
        } else if to.1.abs() > TOUCHING && (from.1 > 0.0) != (to.1 > 0.0) {
            let rises = to.1 > 0.0;
            let [low, high] = bisect(from.0, to.0, |theta| {
                evaluations += 1;
                (f(theta) > 0.0) == rises
            });
            roots.push(0.5 * (low + high));
        }
    }
    let mut points: Vec<DVec2> = Vec::new();
    let mut residual = 0f64;
    for theta in roots {
        let (point, misfit) = newton(&grains, theta, &mut evaluations);
        residual = residual.max(misfit);
        if points.iter().all(|other| other.distance(point) > SAME_POINT * size) {
            points.push(point);
        }
    }
    let inside = grains.inside_outside(0, grains.centres[1]) < 0.0 || grains.inside_outside(1, grains.centres[0]) < 0.0;
    let relation = match points.len() {
        0 if inside => "one lies in the other",
        0 => "apart",
        1 => "touching in one point",
        _ => "crossing",
    };
    Outcome {
        touching: !points.is_empty() || inside,
        details: vec![
            ("relation", Detail::Text(relation)),
            ("intersections", Detail::Points(points.iter().map(|point| point.extend(0.0)).collect())),
        ],
        iterations: evaluations,
        status: if residual > TOUCHING.sqrt() * size { Status::NotConverged { residual } } else { Status::Converged },
        ..Outcome::default()
    }
}

/// Solves `P_a(theta_a) - P_b(theta_b) = 0` [Martinez2003, eq. B.4] by Newton's method. Returns the
/// point and the distance of the two boundary points, m.
fn newton(grains: &Grains, start: f64, evaluations: &mut u32) -> (DVec2, f64) {
    let local = grains.frames[0].to_body(grains.point(1, start) - grains.centres[0]) / grains.ovals[0].axes;
    let mut thetas = DVec2::new(libm::atan2(local.y, local.x), start);
    let misfit = |thetas: DVec2| grains.point(0, thetas.x) - grains.point(1, thetas.y);
    let slope = |k: usize, theta: f64| {
        let (sin, cos) = libm::sincos(theta);
        grains.frames[k].to_world(grains.ovals[k].axes * DVec2::new(-sin, cos))
    };
    for _ in 0..MAX_STEPS {
        let jacobian = DMat2::from_cols(slope(0, thetas.x), -slope(1, thetas.y));
        let next = thetas - jacobian.inverse() * misfit(thetas);
        *evaluations += 1;
        // At a double root the Jacobian is singular, and the start is as accurate as any iterate.
        if !next.is_finite() || misfit(next).length() >= misfit(thetas).length() {
            break;
        }
        thetas = next;
    }
    (grains.point(1, thetas.y), misfit(thetas).length())
}
