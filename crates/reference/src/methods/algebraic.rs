//! Relation of two ellipsoids x'Ax < 0 and x'Bx < 0, with the roots of det(lambda A + B)
//! [Wang2001, Trabelsi2009].
//!
//! Two ellipsoids are separated if and only if two roots are positive and distinct \[Wang2001\].
//! The converse of "one contains the other, therefore four roots are negative" [Trabelsi2009,
//! theorem 2.8] is false: concentric ellipsoids with the semi-axes (2,1,1) and (1,2,1) have the
//! roots -4, -1, -1, -1/4 and intersect. Therefore the relation is decided without the roots, by
//! the deepest and the farthest point ([`Reduced`]); the roots are reported as details. They solve
//!
//! ```text
//! (l + 1) prod_i (l + s_i) - l sum_i s_i c_i^2 prod_{j != i} (l + s_j) = 0
//! ```

use super::quadric::{Ellipsoids, Reduced, ellipsoid_method};
use super::{Detail, Method, Outcome};
use granum_geometry::Pair;

/// Absolute value of the inside-outside function below which two ellipsoids are tangent: some
/// thousand roundings of a function of size 1.
const TANGENT: f64 = 1e-12;

/// Number of Durand-Kerner iterations. A simple root needs about ten; a double root converges
/// linearly.
const ROOT_STEPS: usize = 200;

/// Imaginary part below which a root counts as real, relative to its real part. Rounding splits a
/// double root by the square root of the machine epsilon.
const REAL: f64 = 1e-6;

/// The method.
pub const METHOD: Method = ellipsoid_method(
    "algebraic",
    "relation of the pair (separated, tangent, crossing, inside), roots of det(lambda A + B); no gap",
    solve,
);

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

/// Returns the relation of two ellipsoids.
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

/// Returns the real and imaginary parts of the four roots, sorted by the real part.
fn pencil_roots(reduced: &Reduced) -> [(f64, f64); 4] {
    // Coefficients of the polynomial above, from the constant term upwards.
    let s = reduced.squares.recip().to_array();
    let c = reduced.centre.to_array();
    let times_linear = |p: &[f64], root: f64| -> Vec<f64> {
        let mut product = vec![0.0; p.len() + 1];
        for (k, value) in p.iter().enumerate() {
            product[k] += value * root;
            product[k + 1] += value;
        }
        product
    };
    let mut polynomial = s.iter().fold(vec![1.0, 1.0], |p, &s| times_linear(&p, s));
    for i in 0..3 {
        let others = (0..3).filter(|&j| j != i).fold(vec![0.0, s[i] * c[i] * c[i]], |p, j| times_linear(&p, s[j]));
        for (k, value) in others.iter().enumerate() {
            polynomial[k] -= value;
        }
    }
    // Durand-Kerner iteration, from four points of a circle that are not symmetric about the real
    // axis.
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
            // Product of the distances to the other roots.
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
