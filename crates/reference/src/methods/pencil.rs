//! The roots of det(lambda A + B) of two ellipsoids x'Ax < 0 and x'Bx < 0 [Wang2001, Trabelsi2009].
//!
//! In the coordinates of [`Reduced`] they solve
//!
//! ```text
//! P(l) = (l + 1) prod_g (l + s_g) - l sum_g w_g prod_{h != g} (l + s_h) = 0,     w_g = sum s_i c_i^2
//! ```
//!
//! with one factor for each different s. Equal s_i, and those with a zero weight, are roots -s_i
//! themselves. At -s_g the sign of P alternates, which brackets all roots but two; the sum and the
//! product of the roots give these two. No step loses digits at multiple roots, at which a general
//! root finder splits a root by the square root of the machine epsilon, or by its fourth root.

use super::quadric::Reduced;

/// Difference of two numbers s_i up to which they are equal, relative to their size: some thousand
/// roundings of the eigenvalues.
const SAME: f64 = 1e-12;

/// Weight w_g that counts as zero, relative to s_g. Without it a root moves by as much.
const NO_WEIGHT: f64 = 1e-24;

/// Discriminant that counts as zero, in roundings of the terms that it is computed from.
const ROUNDINGS: f64 = 64.0;

/// A root of the pencil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Root {
    /// Real part.
    pub re: f64,
    /// True if the imaginary part is zero.
    pub is_real: bool,
}

/// Returns the four roots, sorted by the real part.
pub(super) fn pencil_roots(reduced: &Reduced) -> [Root; 4] {
    let mut squares: Vec<(f64, f64)> =
        (0..3).map(|i| (1.0 / reduced.squares[i], reduced.centre[i])).map(|(s, c)| (s, s * c * c)).collect();
    squares.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut roots = Vec::with_capacity(4);
    let mut groups: Vec<(f64, f64)> = Vec::new();
    for (s, w) in squares {
        match groups.last_mut() {
            Some(group) if s - group.0 <= SAME * s => {
                group.1 += w;
                roots.push(real(-s));
            }
            _ => groups.push((s, w)),
        }
    }
    groups.retain(|&(s, w)| {
        let is_kept = w > NO_WEIGHT * s;
        if !is_kept {
            roots.push(real(-s));
        }
        is_kept
    });
    if groups.is_empty() {
        roots.push(real(-1.0));
    } else {
        roots.extend(roots_of(&groups));
    }
    roots.sort_by(|p: &Root, q| p.re.total_cmp(&q.re));
    roots.try_into().expect("a polynomial of degree four")
}

fn real(re: f64) -> Root {
    Root { re, is_real: true }
}

/// Returns the roots of P for different s in ascending order with positive weights.
fn roots_of(groups: &[(f64, f64)]) -> Vec<Root> {
    let value = |l: f64| {
        let all: f64 = groups.iter().map(|(s, _)| l + s).product();
        let others =
            |k: usize| -> f64 { groups.iter().enumerate().filter(|(h, _)| *h != k).map(|(_, (s, _))| l + s).product() };
        (l + 1.0) * all - l * groups.iter().enumerate().map(|(k, (_, w))| w * others(k)).sum::<f64>()
    };
    // A root lies between -s of two neighbours.
    let between: Vec<f64> = groups
        .windows(2)
        .enumerate()
        .map(|(k, pair)| {
            let rises = k % 2 == 0;
            let [low, high] =
                granum_geometry::numeric::math::bisect(-pair[1].0, -pair[0].0, |l| (value(l) > 0.0) == rises);
            0.5 * (low + high)
        })
        .collect();
    // Sum and product of the other two roots.
    let terms = || groups.iter().flat_map(|&(s, w)| [-s, w]).chain(between.iter().map(|root| -root)).chain([-1.0]);
    let sum: f64 = terms().sum();
    let size: f64 = terms().map(f64::abs).sum();
    let product =
        groups.iter().map(|group| group.0).product::<f64>() / between.iter().map(|root| root.abs()).product::<f64>();
    let discriminant = sum * sum - 4.0 * product;
    let rounding = ROUNDINGS * f64::EPSILON * (sum.abs() * size + product);
    let two = if discriminant > rounding {
        // The root with the larger magnitude first: the other one would suffer from cancellation.
        let large = 0.5 * (sum + discriminant.sqrt().copysign(sum));
        [real(large), real(product / large)]
    } else {
        [Root { re: 0.5 * sum, is_real: discriminant >= -rounding }; 2]
    };
    between.into_iter().map(real).chain(two).collect()
}
