//! Perram and Wertheim's contact function: the factor by which two ellipsoids must grow to touch, by one unknown.

use glam::DVec3;

use super::quadric::Ellipsoids;
use super::{Detail, Method, Outcome};
use granum_geometry::{Manifold, Pair, collide};

/// Halvings of the interval (0, 1).
const HALVINGS: u32 = 52;

/// The method.
pub const METHOD: Method = Method {
    name: "perram-wertheim",
    about: "greatest value of l (1 - l) d'[(1 - l) S_A + l S_B]^-1 d, then Newton's steps of the gap",
    pairs: "spheres and ellipsoids",
    serves: |pair| Ellipsoids::of(pair).is_some(),
    solve,
};

fn solve(pair: &Pair) -> Outcome {
    let Some(Ellipsoids { axes, offset }) = Ellipsoids::of(pair) else { return Outcome::default() };
    let [s_a, s_b] = axes.map(|axes| axes * axes.transpose());
    // The function is concave: the sign of its slope says where the maximum is.
    let at = |l: f64| -> (f64, f64, DVec3) {
        let x = (s_a * (1.0 - l) + s_b * l).inverse() * offset;
        let slope = (1.0 - 2.0 * l) * offset.dot(x) - l * (1.0 - l) * x.dot((s_b - s_a) * x);
        (l * (1.0 - l) * offset.dot(x), slope, x)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if at(middle).1 > 0.0 { low = middle } else { high = middle }
    }
    let (function, _, x) = at(0.5 * (low + high));
    // The direction of growth is close to the normal; the routine of the simulation makes the last steps from it.
    let mut manifold = Manifold::default();
    collide(&Pair { warm: x.try_normalize(), ..*pair }, &mut manifold);
    let mut outcome = Outcome::of(&manifold).unwrap_or_default();
    outcome.iterations += HALVINGS;
    outcome.details.push(("contact_function", Detail::Number(function)));
    outcome.details.push(("lambda", Detail::Number(0.5 * (low + high))));
    outcome
}
