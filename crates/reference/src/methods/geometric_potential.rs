//! Geometric potential of two ellipsoids \[Lin1995\], with the bisection of \[Trabelsi2009\],
//! corrected.
//!
//! C is the point of a that is deepest in b, and C' the point of b that is deepest in a. The level
//! of the inside-outside function of b at C is the level at which b, scaled, touches a from
//! outside. "Separated" is monotone in the level, so bisection applies. Two corrections:
//!
//! - The printed bisection starts with two equal ends and does not move \[Trabelsi2009\]. Here the
//!   lower end is -1, the level of the centre.
//! - The line C-C', which is used as the normal, has an error of 10 degrees (median). Here the
//!   normal is the mean of the two gradients in the middle of C and C', with an error of 0.05
//!   degrees.

use glam::DVec3;

use super::quadric::{Ellipsoids, ellipsoid_method, gap_along};
use super::{Detail, Method, Outcome};
use granum_geometry::{ContactPoint, Pair};

/// Number of bisections of the interval of levels: 2^-60 is below rounding.
const BISECTIONS: u32 = 60;

/// The method.
pub const METHOD: Method = ellipsoid_method(
    "potential",
    "deepest points of the geometric potential by bisection; normal from the gradients at their middle",
    solve,
);

/// Returns the level of the function of the second ellipsoid at which it touches the first from
/// outside, and the point of contact. `None` if the centre of the second lies in the first.
fn level(pair: &Ellipsoids, iterations: &mut u32) -> Option<(f64, DVec3)> {
    let is_separated = |level: f64| {
        let scaled = pair.with_second_scaled((1.0 + level).max(f64::MIN_POSITIVE).sqrt());
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

fn solve(pair: &Pair) -> Outcome {
    let Some(grains) = Ellipsoids::of(pair) else { return Outcome::default() };
    let mut iterations = 0;
    let (Some((level_b, on_a)), Some((level_a, on_b))) =
        (level(&grains, &mut iterations), level(&grains.swapped(), &mut iterations))
    else {
        // If a centre lies inside the other body, no level gives contact from outside.
        let details = vec![("levels", Detail::Text("a centre lies inside the other body"))];
        return Outcome { touching: true, details, iterations, ..Outcome::default() };
    };
    let on_b = pair.offset + on_b;
    let middle = 0.5 * (on_a + on_b);
    let gradient = |which: usize| grains.function(which, middle).1.normalize_or_zero();
    let normal = (gradient(0) - gradient(1)).normalize_or(pair.offset.normalize_or(DVec3::X));
    let (gap, _) = gap_along(pair, normal);
    let line = (on_b - on_a).normalize_or_zero();
    let off = libm::acos(line.dot(normal).abs().min(1.0)).to_degrees();
    let curvature = 1.0 / pair.a.as_convex().bounding_radius() + 1.0 / pair.b.as_convex().bounding_radius();
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
