//! The exact orientation predicate: the side of a plane on which a point lies.
//!
//! A hull built on rounded signs may have holes or folds. The sign is computed in f64 with an error
//! bound. If the bound leaves a doubt, it is computed again with expansions, which are sums of f64
//! without any rounding error `\[Shewchuk1997\]`.

use glam::DVec3;

/// Relative error bound of the determinant in f64, `(7 + 56 eps) eps` `\[Shewchuk1997\]`. It is
/// relative to the sum of the absolute values of the terms.
const ROUNDING: f64 = 7.771_561_172_376_103e-16;

/// Returns a positive number if `p` lies on the side of the plane from which a, b, c appear
/// anticlockwise, a negative one on the other side, and 0 if `p` lies in the plane.
pub(crate) fn side(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
    let (e, f, g) = (b - a, c - a, p - a);
    let terms = [e.y * f.z, e.z * f.y, e.z * f.x, e.x * f.z, e.x * f.y, e.y * f.x];
    let det = g.x * (terms[0] - terms[1]) + g.y * (terms[2] - terms[3]) + g.z * (terms[4] - terms[5]);
    let size = g.x.abs() * (terms[0].abs() + terms[1].abs())
        + g.y.abs() * (terms[2].abs() + terms[3].abs())
        + g.z.abs() * (terms[4].abs() + terms[5].abs());
    // The sign is certain unless the determinant is within its error bound.
    if det.abs() > ROUNDING * size { det } else { exact_side(a, b, c, p) }
}

/// Computes the same with expansions. The largest component of the result has its sign.
fn exact_side(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
    // Differences of coordinates as expansions without rounding error.
    let apart = |to: DVec3| [0, 1, 2].map(|k| difference(to[k], a[k]));
    let (e, f, g) = (apart(b), apart(c), apart(p));
    let mut det = Vec::new();
    for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let mut minor = product(&e[j], &f[k]);
        for part in product(&e[k], &f[j]) {
            add(&mut minor, -part);
        }
        for part in product(&g[i], &minor) {
            add(&mut det, part);
        }
    }
    // Components are sorted by size: the last one is the largest.
    det.last().copied().unwrap_or(0.0)
}

/// Returns `a + b` as the rounded sum and the rounding error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    // Knuth's algorithm: exact for any order of magnitude.
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

fn difference(a: f64, b: f64) -> Vec<f64> {
    let (sum, lost) = two_sum(a, -b);
    [lost, sum].into_iter().filter(|&part| part != 0.0).collect()
}

/// Adds a number to an expansion. Its components do not overlap and are sorted by size, smallest
/// first.
fn add(expansion: &mut Vec<f64>, number: f64) {
    let mut carried = number;
    let mut kept = 0;
    for k in 0..expansion.len() {
        let (sum, lost) = two_sum(carried, expansion[k]);
        carried = sum;
        if lost != 0.0 {
            expansion[kept] = lost;
            kept += 1;
        }
    }
    expansion.truncate(kept);
    if carried != 0.0 {
        expansion.push(carried);
    }
}

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut sum = Vec::new();
    for &x in a {
        for &y in b {
            let rounded = x * y;
            // The fused multiplication returns the rounding error of the product.
            add(&mut sum, x.mul_add(y, -rounded));
            add(&mut sum, rounded);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_one_rounding_off_the_plane_is_seen_there() {
        // The plane x + y + z = 1.5 through points whose coordinates are exact.
        let (a, b, c) = (DVec3::new(0.5, 0.5, 0.5), DVec3::new(1.5, -0.5, 0.5), DVec3::new(0.5, 1.5, -0.5));
        let on = DVec3::new(0.25, 0.75, 0.5);
        assert_eq!(side(a, b, c, on), 0.0);
        let up = side(a, b, c, DVec3::new(10.0, 10.0, 10.0)).signum();
        for step in [f64::EPSILON, 1e-17, 1e-200] {
            // The tiny number is added to a coordinate of 0, so that no bit of it is rounded away.
            let at = DVec3::new(0.75, 0.75, step);
            assert_eq!(side(a, b, c, at).signum(), up, "{step}");
            assert_eq!(side(a, b, c, at.with_z(-step)).signum(), -up, "{step}");
        }
    }
}
