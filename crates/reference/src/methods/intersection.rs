//! Appendix B of the thesis: all points in which the boundaries of two ellipses cross, in fixed axes.
//!
//! Newton's method on (B.4) needs starts. Along b the function of a is a trigonometric polynomial of degree two: it has
//! at most four extremes, and between two of opposite sign one crossing. Newton's method then takes both parameters.

use std::f64::consts::TAU;

use glam::{DMat2, DVec2};

use super::harmonic::Harmonic;
use super::potential::Grains;
use super::{Detail, Method, Outcome};
use granum_geometry::{Pair, Status};

/// The method.
pub const METHOD: Method = Method {
    name: "intersection",
    about: "all points in which the two boundaries cross, 0 to 4",
    pairs: "discs and ellipses",
    serves,
    solve,
};

/// An extreme this close to zero touches the other boundary: a hundred roundings.
const TOUCHING: f64 = 1e-13;

/// Steps of Newton's method; it starts within rounding of a root, or next to a double one.
const MOST_STEPS: u32 = 8;

/// Points that are nearer than this part of the size are one.
const SAME_POINT: f64 = 1e-6;

fn serves(pair: &Pair) -> bool {
    Grains::of(pair).is_some_and(|grains| grains.ovals.iter().all(|oval| oval.n == 2.0))
}

fn solve(pair: &Pair) -> Outcome {
    let Some(grains) = Grains::of(pair) else { return Outcome::default() };
    let Some(harmonic) = Harmonic::along(&grains, 1) else { return Outcome::default() };
    let f = |theta: f64| grains.along(1, theta);
    let size = grains.ovals.iter().map(|oval| oval.axes.max_element()).fold(0.0, f64::max);
    let (extremes, mut evaluations) = harmonic.extremes();
    let mut marks: Vec<(f64, f64)> = extremes.into_iter().map(|theta| (theta, f(theta))).collect();
    if marks.iter().all(|mark| mark.1.abs() <= TOUCHING) {
        let status = Status::NotConverged { residual: 0.0 };
        let details = vec![("relation", Detail::Text("the boundaries coincide"))];
        return Outcome { touching: true, details, iterations: evaluations, status, ..Outcome::default() };
    }
    marks.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
    // Between two neighbouring extremes the function is monotone; one that is zero is a double root.
    let mut roots = Vec::new();
    for (k, &from) in marks.iter().enumerate() {
        let mut to = marks[(k + 1) % marks.len()];
        if k + 1 == marks.len() {
            to.0 += TAU;
        }
        if from.1.abs() <= TOUCHING {
            roots.push(from.0);
        } else if to.1.abs() > TOUCHING && (from.1 > 0.0) != (to.1 > 0.0) {
            roots.push(bisect(f, from.0, to.0, &mut evaluations));
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

/// A sign change of `f`, to rounding.
fn bisect(f: impl Fn(f64) -> f64, mut from: f64, mut to: f64, evaluations: &mut u32) -> f64 {
    let rises = f(to) > 0.0;
    loop {
        let middle = 0.5 * (from + to);
        if middle <= from || middle >= to {
            return middle;
        }
        *evaluations += 1;
        if (f(middle) > 0.0) == rises {
            to = middle;
        } else {
            from = middle;
        }
    }
}

/// Newton's method on `P_a(theta_a) - P_b(theta_b) = 0` (B.4): the point, and how far the two points are apart.
fn newton(grains: &Grains, start: f64, evaluations: &mut u32) -> (DVec2, f64) {
    let local = grains.frames[0].to_body(grains.point(1, start) - grains.centres[0]) / grains.ovals[0].axes;
    let mut thetas = DVec2::new(libm::atan2(local.y, local.x), start);
    let misfit = |thetas: DVec2| grains.point(0, thetas.x) - grains.point(1, thetas.y);
    let slope = |k: usize, theta: f64| {
        let (sin, cos) = libm::sincos(theta);
        grains.frames[k].to_world(grains.ovals[k].axes * DVec2::new(-sin, cos))
    };
    for _ in 0..MOST_STEPS {
        let jacobian = DMat2::from_cols(slope(0, thetas.x), -slope(1, thetas.y));
        let next = thetas - jacobian.inverse() * misfit(thetas);
        *evaluations += 1;
        // At a double root the equations are singular, and the start is as good as the answer.
        if !next.is_finite() || misfit(next).length() >= misfit(thetas).length() {
            break;
        }
        thetas = next;
    }
    (grains.point(1, thetas.y), misfit(thetas).length())
}
