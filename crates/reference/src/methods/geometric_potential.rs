//! Geometric potential of two ellipsoids \[Lin1995\], with the bisection of \[Trabelsi2009\],
//! corrected.
//!
//! C is the point of a that is deepest in b, and C' the point of b that is deepest in a. The level
//! of the inside-outside function of b at C is the level at which b, scaled, touches a from
//! outside. "Separated" is monotone in the level, so bisection applies. Two corrections:
//!
//! - The printed bisection starts with two equal ends and does not move \[Trabelsi2009\]. Here the
//!   lower end is -1, the level of the centre.
//! - The line C-C', which is used as the normal, has an error of 20 degrees (median). Here the
//!   normal is the mean of the two gradients in the middle of C and C', with an error of 0.05
//!   degrees.
//!
//! If a centre lies inside the other body, no level gives contact from outside. Then both bodies
//! are scaled by one factor about their centres, and the gradient at their point of contact is the
//! normal. A grain in a hollow ellipsoid is in `hollow.rs`.

use glam::DVec3;

use super::hollow::Hollow;
use super::quadric::{Ellipsoids, gap_along};
use super::{Detail, Method, Outcome};
use granum_geometry::{ContactPoint, Pair, Status};

/// Number of bisections of the interval of levels: 2^-60 is below rounding.
pub(super) const BISECTIONS: u32 = 60;

/// The method.
pub const METHOD: Method = Method {
    name: "potential",
    about: "deepest points of the geometric potential by bisection; normal from the gradients at their middle",
    pairs: "spheres and ellipsoids, and one of these in a hollow sphere or ellipsoid",
    serves: |pair| Ellipsoids::of(pair).is_some() || Hollow::of(pair).is_some(),
    solve: |pair| match (Ellipsoids::of(pair), Hollow::of(pair)) {
        (Some(grains), _) => solve(pair, &grains),
        (None, Some(hollow)) => hollow.potential(),
        (None, None) => Outcome::default(),
    },
};

/// Returns the level of the function of the second ellipsoid at which it touches the first from
/// outside, and the point of contact. `None` if the centre of the second lies in the first.
fn level(pair: &Ellipsoids, iterations: &mut u32) -> Option<(f64, DVec3)> {
    let is_separated = |level: f64| {
        let scaled = pair.scaled([1.0, (1.0 + level).max(f64::MIN_POSITIVE).sqrt()]);
        scaled.reduced().deepest().is_some_and(|(_, e)| e > 0.0)
    };
    // Bodies scaled to the level of the centre of the first overlap.
    let (mut low, mut high) = (-1.0, pair.function(1, DVec3::ZERO).0.max(-1.0));
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if is_separated(middle) { low = middle } else { high = middle }
    }
    *iterations += BISECTIONS;
    let reduced = pair.reduced();
    let (point, _) = reduced.deepest()?;
    Some((0.5 * (low + high), reduced.from_reduced * point))
}

fn solve(pair: &Pair, grains: &Ellipsoids) -> Outcome {
    let mut iterations = 0;
    let (Some((level_b, on_a)), Some((level_a, on_b))) =
        (level(grains, &mut iterations), level(&grains.swapped(), &mut iterations))
    else {
        return deep(pair, grains);
    };
    let on_b = pair.offset + on_b;
    let middle = 0.5 * (on_a + on_b);
    let gradient = |which: usize| grains.function(which, middle).1.normalize_or_zero();
    let normal = (gradient(0) - gradient(1)).normalize_or(pair.offset.normalize_or(DVec3::X));
    let (gap, _) = gap_along(pair, normal);
    let line = (on_b - on_a).normalize_or_zero();
    let off = libm::acos(line.dot(normal).abs().min(1.0)).to_degrees();
    let curvature = curvature(pair);
    Outcome {
        touching: level_b <= 0.0,
        gap: Some(gap),
        normal: Some(normal),
        points: Some([on_a, on_b]),
        contacts: vec![ContactPoint { arm: middle, normal, gap, curvature, feature: 0, overlap: None }],
        details: vec![
            ("level_of_b", Detail::Number(level_b)),
            ("level_of_a", Detail::Number(level_a)),
            ("line_off_normal_deg", Detail::Number(off)),
        ],
        iterations,
        ..Outcome::default()
    }
}

/// Returns the contact where a centre lies inside the other body, by the factor at which both
/// bodies, scaled, touch from outside.
fn deep(pair: &Pair, grains: &Ellipsoids) -> Outcome {
    let scaled = |factor: f64| grains.scaled([factor, factor]);
    let levels = ("levels", Detail::Text("a centre lies inside the other body: both are scaled"));
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        let is_separated = scaled(middle).reduced().deepest().is_some_and(|(_, e)| e > 0.0);
        if is_separated { low = middle } else { high = middle }
    }
    let touching = scaled(low);
    let Some((point, _)) = touching.reduced().deepest().filter(|_| low > 0.0) else {
        // Concentric bodies overlap at every factor, and no direction is better than another.
        let status = Status::NotConverged { residual: pair.offset.length() };
        return Outcome { touching: true, details: vec![levels], iterations: BISECTIONS, status, ..Outcome::default() };
    };
    let point = touching.reduced().from_reduced * point;
    let normal = touching.function(0, point).1.normalize_or(DVec3::X);
    let (gap, points) = gap_along(pair, normal);
    let arm = 0.5 * (points[0] + points[1]);
    Outcome {
        touching: true,
        gap: Some(gap),
        normal: Some(normal),
        points: Some(points),
        contacts: vec![ContactPoint { arm, normal, gap, curvature: curvature(pair), feature: 0, overlap: None }],
        details: vec![levels, ("factor", Detail::Number(low))],
        iterations: BISECTIONS,
        ..Outcome::default()
    }
}

/// Returns a mean curvature for contact laws, 1/m, from the sizes of the bodies.
fn curvature(pair: &Pair) -> f64 {
    1.0 / pair.a.as_convex().bounding_radius() + 1.0 / pair.b.as_convex().bounding_radius()
}
