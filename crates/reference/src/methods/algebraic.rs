//! How two ellipsoids stand to each other, from the roots of `det(lambda A + B)`.
//!
//! "Separated iff two distinct positive roots" holds. "Four negative roots iff one contains the other" (paper 003, theorem 2.8)
//! does not: concentric ellipsoids (2,1,1) and (1,2,1) have the roots -4, -1, -1, -1/4 and cross. Inside is decided by the farthest
//! point, and all of it without the roots, which are only shown.

use super::quadric::{Ellipsoids, Reduced};
use super::{Detail, Method, Outcome};
use granum_geometry::Pair;

/// Value of the inside-outside function that is rounding: such ellipsoids are tangent.
const TANGENT: f64 = 1e-12;

/// Steps of the simultaneous iteration for the roots.
const ROOT_STEPS: usize = 200;

/// Part of a root that may be imaginary by rounding: a double root splits by the square root of it.
const REAL: f64 = 1e-6;

/// The method.
pub const METHOD: Method = Method {
    name: "algebraic",
    about: "relation of the pair (separated, tangent, crossing, inside) from det(lambda A + B); no gap",
    pairs: "spheres and ellipsoids",
    serves: |pair| Ellipsoids::of(pair).is_some(),
    solve,
};

fn solve(pair: &Pair) -> Outcome {
    let Some(pair) = Ellipsoids::of(pair) else { return Outcome::default() };
    let relation = relation(&pair);
    let roots = pencil_roots(&pair.reduced());
    let count = |sign: f64| roots.iter().filter(|(re, im)| im.abs() <= REAL * re.abs() && re * sign > 0.0).count();
    let mut details = vec![
        ("relation", Detail::Text(relation)),
        ("positive_roots", Detail::Number(count(1.0) as f64)),
        ("negative_roots", Detail::Number(count(-1.0) as f64)),
    ];
    for ((re, _), name) in roots.into_iter().zip(["root_1", "root_2", "root_3", "root_4"]) {
        details.push((name, Detail::Number(re)));
    }
    Outcome { touching: relation != "separated", details, ..Outcome::default() }
}

/// The relation of two ellipsoids in a word.
fn relation(pair: &Ellipsoids) -> &'static str {
    let reduced = pair.reduced();
    match reduced.deepest() {
        Some((_, e)) if e > TANGENT => return "separated",
        Some((_, e)) if e >= -TANGENT => return "tangent",
        _ => {}
    }
    if reduced.farthest() <= 1.0 + TANGENT {
        "b inside a"
    } else if pair.swapped().reduced().farthest() <= 1.0 + TANGENT {
        "a inside b"
    } else {
        "crossing"
    }
}

/// Real and imaginary parts of the four roots, by the real part.
fn pencil_roots(reduced: &Reduced) -> [(f64, f64); 4] {
    // (l + 1) prod (l + s_i) - l sum s_i c_i^2 prod' (l + s_j), as coefficients from the constant term up.
    let s = reduced.squares.recip().to_array();
    let c = reduced.centre.to_array();
    let times = |p: &[f64], root: f64| -> Vec<f64> {
        let mut product = vec![0.0; p.len() + 1];
        for (k, value) in p.iter().enumerate() {
            product[k] += value * root;
            product[k + 1] += value;
        }
        product
    };
    let mut polynomial = s.iter().fold(vec![1.0, 1.0], |p, &s| times(&p, s));
    for i in 0..3 {
        let others = (0..3).filter(|&j| j != i).fold(vec![0.0, s[i] * c[i] * c[i]], |p, j| times(&p, s[j]));
        for (k, value) in others.iter().enumerate() {
            polynomial[k] -= value;
        }
    }
    // Durand and Kerner's iteration, from four points of a circle that no symmetry favours.
    let size = 1.0 + polynomial[..4].iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let multiply = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    let mut roots = [0.4, 1.9, 3.5, 5.1].map(|angle| (size * libm::cos(angle), size * libm::sin(angle)));
    for _ in 0..ROOT_STEPS {
        for i in 0..4 {
            let z = roots[i];
            let value = polynomial.iter().rev().fold((0.0, 0.0), |sum, &k| {
                let product = multiply(sum, z);
                (product.0 + k, product.1)
            });
            let slope =
                (0..4).filter(|&j| j != i).fold((1.0, 0.0), |p, j| multiply(p, (z.0 - roots[j].0, z.1 - roots[j].1)));
            let norm = slope.0 * slope.0 + slope.1 * slope.1;
            if norm > 0.0 {
                let step = multiply(value, (slope.0 / norm, -slope.1 / norm));
                roots[i] = (z.0 - step.0, z.1 - step.1);
            }
        }
    }
    roots.sort_by(|p, q| p.0.total_cmp(&q.0));
    roots
}
