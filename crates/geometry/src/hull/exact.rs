//! On which side of a plane a point lies, without rounding.
//!
//! A hull built on rounded signs may come out with holes or folds. So the sign is computed in f64 with a bound of its
//! error, and where that leaves doubt once more with expansions: sums of f64 that hold every bit (Shewchuk, 1997).

use glam::DVec3;

/// Error of the determinant in f64 over the sum of its terms' sizes: Shewchuk's bound `(7 + 56 eps) eps`.
const ROUNDING: f64 = 7.771_561_172_376_103e-16;

/// Positive if `p` lies on the side of the plane through a, b, c from which they turn anticlockwise; 0 if it is in it.
pub(super) fn side(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
    let (e, f, g) = (b - a, c - a, p - a);
    let terms = [e.y * f.z, e.z * f.y, e.z * f.x, e.x * f.z, e.x * f.y, e.y * f.x];
    let det = g.x * (terms[0] - terms[1]) + g.y * (terms[2] - terms[3]) + g.z * (terms[4] - terms[5]);
    let size = g.x.abs() * (terms[0].abs() + terms[1].abs())
        + g.y.abs() * (terms[2].abs() + terms[3].abs())
        + g.z.abs() * (terms[4].abs() + terms[5].abs());
    if det.abs() > ROUNDING * size { det } else { exact_side(a, b, c, p) }
}

/// The same in expansions: the largest part of the result has its sign.
fn exact_side(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
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
    det.last().copied().unwrap_or(0.0)
}

/// `a + b` as the rounded sum and what rounding lost.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

fn difference(a: f64, b: f64) -> Vec<f64> {
    let (sum, lost) = two_sum(a, -b);
    [lost, sum].into_iter().filter(|&part| part != 0.0).collect()
}

/// Adds a number to an expansion: parts that do not overlap, the smallest first.
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
            // Added to a coordinate of 0, so that it is not lost.
            let at = DVec3::new(0.75, 0.75, step);
            assert_eq!(side(a, b, c, at).signum(), up, "{step}");
            assert_eq!(side(a, b, c, at.with_z(-step)).signum(), -up, "{step}");
        }
    }
}
