//! A slow oracle for the gap: the gap along many directions, and a pattern search from the best
//! ones.

use glam::DVec3;
use granum_geometry::Pair;
use granum_geometry::numeric::math::tangent_frame;

use super::spread;

/// Returns `n.offset - h_A(n) - h_B(-n)`, the gap along one direction, m. It is a lower bound of
/// the gap.
pub fn gap_along(pair: &Pair, n: DVec3) -> f64 {
    let a = pair.orientation_a * pair.a.as_convex().support(pair.orientation_a.inverse() * n);
    let b = pair.orientation_b * pair.b.as_convex().support(pair.orientation_b.inverse() * -n);
    n.dot(pair.offset + b - a)
}

/// Returns the largest gap, m, over `samples` directions and a pattern search from the best five.
pub fn best_gap(pair: &Pair, samples: usize) -> f64 {
    const STARTS: usize = 5;
    let mut tried: Vec<(f64, DVec3)> = spread(samples).map(|n| (gap_along(pair, n), n)).collect();
    tried.sort_by(|p, q| q.0.total_cmp(&p.0));
    tried.iter().take(STARTS).map(|&(gap, n)| climb(pair, gap, n)).fold(f64::MIN, f64::max)
}

fn climb(pair: &Pair, mut gap: f64, mut n: DVec3) -> f64 {
    const MOST_STEPS: usize = 120;
    let mut step = 0.1;
    for _ in 0..MOST_STEPS {
        let (t, u) = tangent_frame(n);
        let around = [t, -t, u, -u, t + u, t - u, -t + u, -t - u].map(|d| (n + step * d).normalize());
        let best =
            around.map(|m| (gap_along(pair, m), m)).into_iter().fold((gap, n), |p, q| if q.0 > p.0 { q } else { p });
        if best.0 > gap {
            (gap, n) = best;
        } else {
            step *= 0.4;
        }
    }
    gap
}
