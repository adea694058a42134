//! Merges the coplanar triangles of a hull into flat polygonal faces.

use std::collections::HashMap;

use glam::DVec3;

use super::Degenerate;

/// Largest distance of a corner from the plane of its face, relative to the size of the polyhedron.
/// Coordinates with twelve decimals are this exact. The error of a penetration depth is a small
/// multiple of it.
pub(super) const COPLANAR: f64 = 1e-11;

/// Indices of the corners of a face, anticlockwise as seen from outside.
pub(super) type Loop = Vec<u32>;

/// Returns the faces of a triangulated hull. A point inside an edge or a face is not a corner.
pub(super) fn merge(points: &[DVec3], triangles: &[[u32; 3]], size: f64) -> Result<Vec<Loop>, Degenerate> {
    let (region, count) = regions(points, triangles, size);
    let mut loops = Vec::with_capacity(count);
    for k in 0..count {
        let inside = (0..triangles.len()).filter(|&t| region[t] == k).map(|t| triangles[t]);
        loops.push(outline(inside.collect())?);
    }
    // A corner of a polyhedron belongs to three faces at least. Other points lie inside an edge.
    let mut meeting = vec![0u32; points.len()];
    for &corner in loops.iter().flatten() {
        meeting[corner as usize] += 1;
    }
    for corners in &mut loops {
        corners.retain(|&corner| meeting[corner as usize] >= 3);
        if corners.len() < 3 {
            return Err(Degenerate::Sliver);
        }
    }
    Ok(loops)
}

/// Returns the face number of every triangle. A face grows from the largest triangle that is left,
/// because its plane is known best. The plane of a sliver is noise, so that slivers join the face
/// of a neighbour.
fn regions(points: &[DVec3], triangles: &[[u32; 3]], size: f64) -> (Vec<usize>, usize) {
    let corners = |t: usize| triangles[t].map(|k| points[k as usize]);
    let normal = |t: usize| {
        let [a, b, c] = corners(t);
        (b - a).cross(c - a)
    };
    // The triangle on the left of each directed edge.
    let mut beside = HashMap::new();
    for (t, &[a, b, c]) in triangles.iter().enumerate() {
        beside.extend([([a, b], t), ([b, c], t), ([c, a], t)]);
    }
    // Large triangles first: their planes are known best. Indices break ties.
    let mut by_area: Vec<usize> = (0..triangles.len()).collect();
    by_area.sort_by(|&s, &t| normal(t).length_squared().total_cmp(&normal(s).length_squared()).then(s.cmp(&t)));
    const NONE: usize = usize::MAX;
    let mut region = vec![NONE; triangles.len()];
    let mut count = 0;
    for seed in by_area {
        if region[seed] != NONE {
            continue;
        }
        let n = normal(seed).normalize();
        let origin = corners(seed)[0];
        region[seed] = count;
        let mut open = vec![seed];
        while let Some(t) = open.pop() {
            let [a, b, c] = triangles[t];
            for edge in [[b, a], [c, b], [a, c]] {
                let next = beside[&edge];
                let is_in_plane = |p: DVec3| n.dot(p - origin).abs() <= COPLANAR * size;
                if region[next] == NONE && corners(next).into_iter().all(is_in_plane) {
                    region[next] = count;
                    open.push(next);
                }
            }
        }
        count += 1;
    }
    (region, count)
}

/// Returns the outline of connected triangles, starting at its lowest index.
fn outline(triangles: Vec<[u32; 3]>) -> Result<Loop, Degenerate> {
    let sides = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let all: std::collections::HashSet<(u32, u32)> = triangles.iter().flat_map(sides).collect();
    // Directed edges whose opposite belongs to another face.
    let outer: Vec<(u32, u32)> = triangles.iter().flat_map(sides).filter(|&(a, b)| !all.contains(&(b, a))).collect();
    let next: HashMap<u32, u32> = outer.iter().copied().collect();
    let start = outer.iter().map(|side| side.0).min().ok_or(Degenerate::Sliver)?;
    let mut corners = vec![start];
    let mut at = next[&start];
    while at != start && corners.len() <= outer.len() {
        corners.push(at);
        at = *next.get(&at).ok_or(Degenerate::Sliver)?;
    }
    // An outline that touches itself, or a second outline, belongs to a face too thin to be
    // resolved.
    if corners.len() == outer.len() && next.len() == outer.len() { Ok(corners) } else { Err(Degenerate::Sliver) }
}
