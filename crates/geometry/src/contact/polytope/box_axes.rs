//! The best separating axis of two boxes out of fifteen directions, in closed form.
//!
//! Let `R` be the rotation from b to a and `t` the vector between the centres. The gap along axis i
//! of a is `|t_i| - a_i - sum |R_ij| b_j`, and that along an axis of b has the same form. For edges
//! i of a and j of b the direction `a_i x b_j` has the length `l = sqrt(1 - R_ij^2)`, and its gap
//! is such a sum divided by l. The sum alone excludes most of these directions.

use glam::DVec3;

use super::cuboid::edge_along;
use super::separating_axis::{Axis, Meeting, PARALLEL};
use super::{Corners, Cuboid, Polytope, PolytopePair};

/// Rounding error of the sum, relative to the size of the pair: a few units in the last place.
const ROUNDING: f64 = 1e-15;

/// Squared sine of the angle between two edges above which the gap is accurate enough for a
/// comparison.
const WELL_APART: f64 = 1e-4;

/// Returns the best axis, or one along which the gap exceeds the margin. Two edges must exceed a
/// face by `slack`.
pub(super) fn best(pair_in_a: &PolytopePair<Cuboid, Cuboid>, margin: f64, slack: f64) -> Axis {
    let (a, b) = (pair_in_a.a.0, pair_in_a.b.0);
    let (turn, t) = (&pair_in_a.turn, pair_in_a.offset);
    let [x, y, z] = [turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs()];
    let t_b = pair_in_a.back * t;
    let gaps_a = t.abs() - a - (x * b.x + y * b.y + z * b.z);
    let gaps_b = t_b.abs() - b - DVec3::new(x.dot(a), y.dot(a), z.dot(a));
    let (i, gap_a) = largest(gaps_a);
    let (j, gap_b) = largest(gaps_b);
    let mut best = if gap_b > gap_a + slack {
        pair_in_a.along_face_b(2 * j + usize::from(t_b[j] > 0.0))
    } else {
        pair_in_a.along_face_a(2 * i + usize::from(t[i] < 0.0))
    };
    if best.gap > margin {
        return best;
    }
    let doubt = ROUNDING * pair_in_a.size();
    let columns =
        [(turn.x_axis, x, y * b.z + z * b.y), (turn.y_axis, y, z * b.x + x * b.z), (turn.z_axis, z, x * b.y + y * b.x)];
    // The best pair of edges so far, and its gap.
    let mut edges = None;
    let mut top = best.gap + slack;
    for (j, (v, w, extent_b)) in columns.into_iter().enumerate() {
        // For the three i at once: the extents of t, of a and of b along `e_i x v`.
        let along = DVec3::new(t.z * v.y - t.y * v.z, t.x * v.z - t.z * v.x, t.y * v.x - t.x * v.y).abs();
        let extent_a = DVec3::new(a.y * w.z + a.z * w.y, a.z * w.x + a.x * w.z, a.x * w.y + a.y * w.x);
        let over = along - extent_a - extent_b;
        // The length is at most one, so that a negative sum divided by it is at most the sum.
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
            } else if let Some(axis) = across(pair_in_a, i, j).filter(|axis| axis.gap > top) {
                (best, edges, top) = (axis, None, axis.gap);
            }
        }
    }
    match edges.and_then(|(i, j)| across(pair_in_a, i, j)) {
        Some(axis) if axis.gap > best.gap + slack => axis,
        _ => best,
    }
}

/// Returns the largest of three numbers and its index.
fn largest(v: DVec3) -> (usize, f64) {
    let (k, top) = if v.y > v.x { (1, v.y) } else { (0, v.x) };
    if v.z > top { (2, v.z) } else { (k, top) }
}

/// Returns the axis perpendicular to the edges along axis i of a and axis j of b.
fn across(pair_in_a: &PolytopePair<Cuboid, Cuboid>, i: usize, j: usize) -> Option<Axis> {
    let u = DVec3::AXES[i];
    let across = u.cross(pair_in_a.turn.col(j));
    // The cross product of nearly parallel edges has large rounding errors, which must not tilt it
    // along the edges.
    let across = (across - across.dot(u) * u).try_normalize()?;
    let n = across * 1f64.copysign(across.dot(pair_in_a.offset));
    let n_b = pair_in_a.back * n;
    let (corner_a, corner_b) = (pair_in_a.a.farthest(n), pair_in_a.b.farthest(-n_b));
    let gap = n.dot(pair_in_a.offset) - n.dot(pair_in_a.a.corner(corner_a)) + n_b.dot(pair_in_a.b.corner(corner_b));
    Some(Axis { n, gap, meeting: Meeting::Edges { a: edge_along(i, corner_a), b: edge_along(j, corner_b) } })
}
