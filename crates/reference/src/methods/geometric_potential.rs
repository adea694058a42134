//! Lin and Ng's geometric potential for ellipsoids, with the bisection of paper 003, repaired.
//!
//! C is the point of a deepest in b, C' that of b deepest in a. The level of b's function at C is found by growing or
//! shrinking b until it touches a from outside: "separated" is monotone in the level. As printed the bisection never moves
//! (both ends are equal), and the line C-C', 10 degrees off the normal, is taken for the normal: here it is the mean of the two
//! gradients at the middle.

use glam::DVec3;

use super::quadric::{Ellipsoids, gap_along};
use super::{Detail, Method, Outcome};
use granum_geometry::{ContactPoint, Pair};

/// Halvings of the interval of levels.
const HALVINGS: u32 = 60;

/// The method.
pub const METHOD: Method = Method {
    name: "potential",
    about: "Lin and Ng's deepest points by bisection; normal from the gradients at their middle",
    pairs: "spheres and ellipsoids",
    serves: |pair| Ellipsoids::of(pair).is_some(),
    solve,
};

/// The level of the second's function at which it touches the first from outside, and the touching point.
fn level(pair: &Ellipsoids, iterations: &mut u32) -> Option<(f64, DVec3)> {
    let is_separated = |level: f64| {
        let scaled = pair.with_second_scaled((1.0 + level).max(f64::MIN_POSITIVE).sqrt());
        scaled.reduced().deepest().is_some_and(|(_, e)| e > 0.0)
    };
    // At the centre of the first the level is surely reached.
    let (mut low, mut high) = (-1.0, pair.function(1, DVec3::ZERO).0.max(-1.0));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if is_separated(middle) { low = middle } else { high = middle }
    }
    *iterations += HALVINGS;
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
        // A centre lies inside the other body: no level touches from outside.
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
        contacts: vec![ContactPoint { arm: middle, normal, gap, curvature, feature: 0 }],
        details: vec![
            ("level_of_b", Detail::Number(level_b)),
            ("level_of_a", Detail::Number(level_a)),
            ("line_off_normal_deg", Detail::Number(off)),
        ],
        iterations,
        ..Outcome::default()
    }
}
