//! A slow oracle for the overlap of two cylinders, by slices perpendicular to their common
//! perpendicular.
//!
//! A slice is two rectangles. They overlap if and only if four margins are positive. The margins
//! are concave functions of the position of the slice, so that the position of the largest least
//! margin is found by golden section search.

use glam::DVec3;
use granum_geometry::{Pair, Shape};

/// Number of steps of the golden section search, which fixes the position to the last bit.
const STEPS: usize = 90;

/// Returns the largest least margin over all slices, m. It is positive if and only if the two
/// cylinders overlap.
pub fn overlap_margin(pair: &Pair) -> f64 {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { panic!("the oracle needs two cylinders") };
    let n1 = pair.orientation_a * DVec3::Z;
    let mut n2 = pair.orientation_b * DVec3::Z;
    if n1.dot(n2) < 0.0 {
        n2 = -n2;
    }
    let cross = n2.cross(n1);
    let sin = cross.length();
    let offset = pair.offset;
    let flat = offset - offset.dot(n1) * n1;
    let across = if sin > 1e-12 { cross / sin } else { flat.try_normalize().unwrap_or(n1.any_orthonormal_vector()) };
    let across = (across - across.dot(n1) * n1).normalize();
    let (up, up2) = (n1.cross(across), n2.cross(across));
    let (sin, cos) = if sin > 1e-12 { (sin, n1.dot(n2)) } else { (0.0, 1.0) };
    let d = offset.dot(across);
    let (y12, z12) = (offset.dot(up).abs(), offset.dot(n1).abs());
    let (y21, z21) = (offset.dot(up2).abs(), offset.dot(n2).abs());
    let (low, high) = ((-a.radius).max(d - b.radius), a.radius.min(d + b.radius));
    if low >= high {
        return high - low;
    }
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    let margin = |angle: f64| {
        let x = (middle + half * angle.sin()).clamp(low, high);
        let w1 = (a.radius * a.radius - x * x).max(0.0).sqrt();
        let w2 = (b.radius * b.radius - (x - d) * (x - d)).max(0.0).sqrt();
        (w1 + cos * w2 + sin * b.half_height - y12)
            .min(a.half_height + sin * w2 + cos * b.half_height - z12)
            .min(w2 + cos * w1 + sin * a.half_height - y21)
            .min(b.half_height + sin * w1 + cos * a.half_height - z21)
    };
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let quarter = std::f64::consts::FRAC_PI_2;
    let (mut l, mut u) = (-quarter, quarter);
    let (mut x1, mut x2) = (u - golden * (u - l), l + golden * (u - l));
    let (mut f1, mut f2) = (margin(x1), margin(x2));
    let mut best = f1.max(f2).max(margin(l)).max(margin(u));
    for _ in 0..STEPS {
        if f1 < f2 {
            (l, x1, f1) = (x1, x2, f2);
            x2 = l + golden * (u - l);
            f2 = margin(x2);
        } else {
            (u, x2, f2) = (x2, x1, f1);
            x1 = u - golden * (u - l);
            f1 = margin(x1);
        }
        best = best.max(f1).max(f2);
    }
    best
}
