//! Contact function of two ellipsoids \[Perram1985\].
//!
//! With S = M M' of each ellipsoid and the offset d of the centres,
//!
//! ```text
//! F = max over l in (0, 1) of  l (1 - l) d' [(1 - l) S_A + l S_B]^-1 d
//! ```
//!
//! is the squared factor by which both ellipsoids must be scaled to touch: F < 1 if they overlap.
//! The vector [(1 - l) S_A + l S_B]^-1 d at the maximum has the direction of the normal of the
//! scaled bodies. The pair routine of the simulation starts from it and computes the exact gap.

use glam::DVec3;

use super::quadric::{Ellipsoids, ellipsoid_method};
use super::{Detail, Method, Outcome};
use granum_geometry::{Manifold, Measure, Pair, collide};

/// Number of bisections of the interval (0, 1): the accuracy of a double.
const BISECTIONS: u32 = 52;

/// The method.
pub const METHOD: Method = ellipsoid_method(
    "perram-wertheim",
    "maximum of l (1 - l) d'[(1 - l) S_A + l S_B]^-1 d, then Newton steps for the gap",
    solve,
);

fn solve(pair: &Pair) -> Outcome {
    let Some(Ellipsoids { axes, offset }) = Ellipsoids::of(pair) else { return Outcome::default() };
    let [s_a, s_b] = axes.map(|axes| axes * axes.transpose());
    // The function is concave, so the sign of its derivative shows on which side the maximum is.
    let at = |l: f64| -> (f64, f64, DVec3) {
        let x = (s_a * (1.0 - l) + s_b * l).inverse() * offset;
        let slope = (1.0 - 2.0 * l) * offset.dot(x) - l * (1.0 - l) * x.dot((s_b - s_a) * x);
        (l * (1.0 - l) * offset.dot(x), slope, x)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if at(middle).1 > 0.0 { low = middle } else { high = middle }
    }
    let (function, _, x) = at(0.5 * (low + high));
    // The normal of the scaled bodies is close to the contact normal: a warm start for the routine.
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair { warm: x.try_normalize(), ..*pair }, &mut manifold);
    let mut outcome = Outcome::of(&manifold).unwrap_or_default();
    outcome.iterations += BISECTIONS;
    outcome.details.push(("contact_function", Detail::Number(function)));
    outcome.details.push(("lambda", Detail::Number(0.5 * (low + high))));
    outcome
}
