//! The best axis of two boxes: fifteen directions in closed form.
//!
//! With `R` the turn from b to a and `t` from centre to centre, the gap along axis i of a is `|t_i| - a_i - sum |R_ij| b_j`, and
//! likewise for b. Across edges i of a and j of b, the direction `a_i x b_j` has the length `l = sqrt(1 - R_ij^2)` and its gap is
//! of this form, over l. The numerator alone tells most of them to be worse.

use glam::DVec3;

use super::axis::{Axis, Meeting, PARALLEL};
use super::cuboid::edge_along;
use super::{Corners, Cuboid, Placed, Solid};

/// Rounding of a gap's numerator, in sizes of the pair: a few units in the last place.
const ROUNDING: f64 = 1e-15;

/// Square of the sine of the angle of two edges above which the gap across them needs no second look to be compared.
const WELL_APART: f64 = 1e-4;

/// The best axis, or one along which the gap is larger than the margin. Two edges must beat a face by `slack`.
pub(super) fn best(placed: &Placed<Cuboid, Cuboid>, margin: f64, slack: f64) -> Axis {
    let (a, b) = (placed.a.0, placed.b.0);
    let (turn, t) = (&placed.turn, placed.offset);
    let [x, y, z] = [turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs()];
    let t_b = placed.back * t;
    let gaps_a = t.abs() - a - (x * b.x + y * b.y + z * b.z);
    let gaps_b = t_b.abs() - b - DVec3::new(x.dot(a), y.dot(a), z.dot(a));
    let (i, gap_a) = largest(gaps_a);
    let (j, gap_b) = largest(gaps_b);
    let mut best = if gap_b > gap_a + slack {
        placed.along_face_b(2 * j + usize::from(t_b[j] > 0.0))
    } else {
        placed.along_face_a(2 * i + usize::from(t[i] < 0.0))
    };
    if best.gap > margin {
        return best;
    }
    let doubt = ROUNDING * placed.size();
    let columns =
        [(turn.x_axis, x, y * b.z + z * b.y), (turn.y_axis, y, z * b.x + x * b.z), (turn.z_axis, z, x * b.y + y * b.x)];
    // The likeliest edges so far, and the gap across them.
    let mut edges = None;
    let mut top = best.gap + slack;
    for (j, (v, w, reach_b)) in columns.into_iter().enumerate() {
        // For the three i at once: `e_i x v`, its length, how far t reaches along it, and the bodies' own reaches.
        let along = DVec3::new(t.z * v.y - t.y * v.z, t.x * v.z - t.z * v.x, t.y * v.x - t.x * v.y).abs();
        let reach_a = DVec3::new(a.y * w.z + a.z * w.y, a.z * w.x + a.x * w.z, a.x * w.y + a.y * w.x);
        let over = along - reach_a - reach_b;
        // Lengths are at most one: below zero the numerator must be above the gap itself.
        if over.max_element() + doubt <= top.min(0.0) {
            continue;
        }
        let squares = DVec3::ONE - v * v;
        let rows = [(over.x, squares.x), (over.y, squares.y), (over.z, squares.z)];
        for (i, (over, square)) in rows.into_iter().enumerate() {
            if over + doubt <= top.min(0.0) || square <= PARALLEL * PARALLEL {
                continue;
            }
            let length = square.sqrt();
            if over + doubt <= top * length {
                continue;
            }
            if square > WELL_APART {
                (edges, top) = (Some((i, j)), top.max(over / length));
            } else if let Some(axis) = across(placed, i, j).filter(|axis| axis.gap > top) {
                (best, edges, top) = (axis, None, axis.gap);
            }
        }
    }
    match edges.and_then(|(i, j)| across(placed, i, j)) {
        Some(axis) if axis.gap > best.gap + slack => axis,
        _ => best,
    }
}

/// The largest of three numbers and its place.
fn largest(v: DVec3) -> (usize, f64) {
    let (k, top) = if v.y > v.x { (1, v.y) } else { (0, v.x) };
    if v.z > top { (2, v.z) } else { (k, top) }
}

/// The axis across edges along axis i of a and axis j of b.
fn across(placed: &Placed<Cuboid, Cuboid>, i: usize, j: usize) -> Option<Axis> {
    let u = DVec3::AXES[i];
    let across = u.cross(placed.turn.col(j));
    // Of nearly parallel edges the product is mostly rounding, which must not tilt it along them.
    let across = (across - across.dot(u) * u).try_normalize()?;
    let n = across * 1f64.copysign(across.dot(placed.offset));
    let n_b = placed.back * n;
    let (corner_a, corner_b) = (placed.a.farthest(n), placed.b.farthest(-n_b));
    let gap = n.dot(placed.offset) - n.dot(placed.a.corner(corner_a)) + n_b.dot(placed.b.corner(corner_b));
    Some(Axis { n, gap, meeting: Meeting::Edges { a: edge_along(i, corner_a), b: edge_along(j, corner_b) } })
}
