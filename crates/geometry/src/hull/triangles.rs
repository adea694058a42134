//! The convex hull of points as triangles, by incremental insertion with the exact orientation
//! predicate.

use std::collections::HashSet;

use glam::DVec3;

use super::Degenerate;
use super::exact::side;
use crate::shape::LENGTHS;

/// Thickness, relative to the size of the point set, below which points count as coincident,
/// collinear or coplanar. It is thousands of times the tolerance of a face, so that two opposite
/// faces never merge.
const FLAT: f64 = 1e-8;

/// Returns the triangles of the hull as indices of points, anticlockwise as seen from outside.
/// Points inside the hull or on a face belong to no triangle.
pub(super) fn triangulate(points: &[DVec3]) -> Result<Vec<[u32; 3]>, Degenerate> {
    let first = tetrahedron(points)?;
    let mut triangles = vec![
        [first[0], first[1], first[2]],
        [first[0], first[3], first[1]],
        [first[1], first[3], first[2]],
        [first[2], first[3], first[0]],
    ];
    let at = |k: u32| points[k as usize];
    for k in (0..points.len() as u32).filter(|k| !first.contains(k)) {
        let sees = |t: &[u32; 3]| side(at(t[0]), at(t[1]), at(t[2]), at(k)) > 0.0;
        let (seen, hidden): (Vec<[u32; 3]>, Vec<_>) = triangles.iter().partition(|t| sees(t));
        if seen.is_empty() {
            continue;
        }
        let sides = |t: [u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let inner: HashSet<[u32; 2]> = seen.iter().copied().flat_map(sides).collect();
        triangles = hidden;
        let horizon = seen.into_iter().flat_map(sides).filter(|&[from, to]| !inner.contains(&[to, from]));
        triangles.extend(horizon.map(|[from, to]| [from, to, k]));
    }
    Ok(triangles)
}

/// Returns four points far from each other. The fourth lies on the side of the plane of the first
/// three from which these appear clockwise.
fn tetrahedron(points: &[DVec3]) -> Result<[u32; 4], Degenerate> {
    if points.len() < 4 {
        return Err(Degenerate::TooFew(points.len()));
    }
    let farthest = |distance: &dyn Fn(DVec3) -> f64| {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, &point) in points.iter().enumerate() {
            if distance(point) > best.1 {
                best = (k, distance(point));
            }
        }
        best
    };
    let (a, _) = farthest(&|p| -p.x);
    let (b, size) = farthest(&|p| (p - points[a]).length());
    if !(size > 0.0 && size.is_finite()) {
        return Err(Degenerate::OnePoint);
    }
    if size < *LENGTHS.start() {
        return Err(Degenerate::TooSmall(size));
    }
    let along = (points[b] - points[a]) / size;
    let (c, width) = farthest(&|p| along.cross(p - points[a]).length());
    if width <= FLAT * size {
        return Err(Degenerate::Line);
    }
    let normal = along.cross(points[c] - points[a]).normalize();
    let (d, thickness) = farthest(&|p| normal.dot(p - points[a]).abs());
    if thickness <= FLAT * size {
        return Err(Degenerate::Flat);
    }
    let [a, b, c, d] = [a, b, c, d].map(|k| k as u32);
    let is_above = normal.dot(points[d as usize] - points[a as usize]) > 0.0;
    Ok(if is_above { [a, c, b, d] } else { [a, b, c, d] })
}
