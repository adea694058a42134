//! Repairs: joins vertices, drops triangles without area, orients normals.

use std::collections::HashMap;

use glam::DVec3;

use super::inside::{Inside, Location};
use super::report::{duplicates, is_degenerate};
use super::topology::{Edges, Orientation};
use super::{InvalidMesh, TriangleMesh};

/// Default distance up to which vertices are joined, relative to the diagonal of the bounds. Files
/// with single precision have a rounding error of 6e-8.
pub const WELD: f64 = 1e-6;

/// Numbers of changes that a repair has made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Vertices that were joined with an earlier one.
    pub joined_vertices: usize,
    /// Vertices that no triangle used.
    pub unused_vertices: usize,
    /// Triangles without area, which were dropped.
    pub degenerate: usize,
    /// Triangles with the same vertices as an earlier one, which were dropped.
    pub duplicates: usize,
    /// Triangles whose normals were reversed.
    pub reversed: usize,
    /// Parts with one side only, whose normals were left as they are.
    pub one_sided: usize,
}

/// Returns the mesh with vertices joined, without degenerate and duplicate triangles, and with
/// normals that agree.
///
/// Vertices nearer than `weld` times the diagonal of the bounds are joined. The normals of a part
/// agree with those of its larger area. Those of a closed part point outward; those of a cavity in
/// a closed part point into the cavity. Edges that are open remain open.
pub fn repair(mesh: &TriangleMesh, weld: f64) -> Result<(TriangleMesh, Changes), InvalidMesh> {
    let mut changes = Changes::default();
    let clean = joined_with(mesh, weld, &mut changes)?;
    let (oriented, reversed, one_sided) = oriented(clean);
    (changes.reversed, changes.one_sided) = (reversed, one_sided);
    let before = oriented.vertices().len();
    let used = without_unused_vertices(oriented)?;
    changes.unused_vertices = before - used.vertices().len();
    Ok((used, changes))
}

/// Returns the mesh with vertices joined as by [`repair`], without degenerate and duplicate
/// triangles. Normals stay as they are.
pub fn joined(mesh: &TriangleMesh, weld: f64) -> Result<TriangleMesh, InvalidMesh> {
    joined_with(mesh, weld, &mut Changes::default())
}

fn joined_with(mesh: &TriangleMesh, weld: f64, changes: &mut Changes) -> Result<TriangleMesh, InvalidMesh> {
    let bounds = mesh.bounds();
    let (vertices, joined) = joined_vertices(mesh.vertices(), weld * (bounds.max - bounds.min).length());
    changes.joined_vertices = mesh.vertices().len() - vertices.len();
    let triangles = mesh.triangles().iter().map(|triangle| triangle.map(|index| joined[index as usize])).collect();
    let welded = TriangleMesh::new(vertices, triangles)?;

    let count = welded.triangles().len();
    let mut keeps: Vec<bool> = (0..count).map(|triangle| !is_degenerate(&welded, triangle)).collect();
    changes.degenerate = keeps.iter().filter(|keeps| !**keeps).count();
    for duplicate in duplicates(&welded) {
        changes.duplicates += usize::from(keeps[duplicate as usize]);
        keeps[duplicate as usize] = false;
    }
    let (vertices, mut triangles) = welded.into_parts();
    let mut kept = keeps.iter();
    triangles.retain(|_| kept.next() == Some(&true));
    TriangleMesh::new(vertices, triangles)
}

/// Returns the distinct vertices in their order, and for each vertex the index of the one that
/// stands for it. Vertices up to `distance` (m) from an earlier distinct one are joined with it.
pub fn joined_vertices(vertices: &[DVec3], distance: f64) -> (Vec<DVec3>, Vec<u32>) {
    if distance <= 0.0 {
        return equal_vertices(vertices);
    }
    // Cells of twice the distance: the ball about a vertex meets at most eight of them.
    let cell = 2.0 * distance;
    let origin = vertices.iter().fold(DVec3::INFINITY, |low, vertex| low.min(*vertex));
    let cell_of = |point: DVec3| ((point - origin) / cell).floor();
    let mut cells: HashMap<[u64; 3], Vec<u32>> = HashMap::with_capacity(vertices.len() / 4);
    let key = |cell: DVec3| cell.to_array().map(|number| (number + 0.0).to_bits());
    let mut distinct: Vec<DVec3> = Vec::new();
    let mut joined = Vec::with_capacity(vertices.len());
    for &vertex in vertices {
        let (low, high) = (cell_of(vertex - distance), cell_of(vertex + distance));
        let mut nearest: Option<u32> = None;
        for corner in 0..8 {
            let pick = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
            let is_repeated = (0..3).any(|axis| corner >> axis & 1 == 1 && high[axis] == low[axis]);
            if is_repeated {
                continue;
            }
            for &known in cells.get(&key(DVec3::new(pick(0), pick(1), pick(2)))).into_iter().flatten() {
                let is_near = distinct[known as usize].distance(vertex) <= distance;
                if is_near && nearest.is_none_or(|other| known < other) {
                    nearest = Some(known);
                }
            }
        }
        joined.push(nearest.unwrap_or_else(|| {
            let index = distinct.len() as u32;
            distinct.push(vertex);
            cells.entry(key(cell_of(vertex))).or_default().push(index);
            index
        }));
    }
    (distinct, joined)
}

/// Returns the same for vertices with equal coordinates, by sorting: a hash table of millions of
/// vertices is slower.
fn equal_vertices(vertices: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    // Adding 0 turns -0 into 0, so that both are the same vertex.
    let key = |vertex: DVec3| (vertex + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut sorted: Vec<([u64; 3], u32)> = vertices.iter().map(|&vertex| key(vertex)).zip(0..).collect();
    sorted.sort_unstable();
    // The first of equal vertices stands for all of them.
    let mut joined = vec![0; vertices.len()];
    let mut first = 0;
    for k in 0..sorted.len() {
        if k == 0 || sorted[k].0 != sorted[k - 1].0 {
            first = sorted[k].1;
        }
        joined[sorted[k].1 as usize] = first;
    }
    let mut distinct = Vec::new();
    for (k, &vertex) in vertices.iter().enumerate() {
        // An earlier vertex has its final number already.
        joined[k] = if joined[k] as usize == k {
            distinct.push(vertex + DVec3::ZERO);
            distinct.len() as u32 - 1
        } else {
            joined[joined[k] as usize]
        };
    }
    (distinct, joined)
}

/// Returns the mesh with normals that agree on each part, outward on closed parts; the number of
/// reversed triangles; and the number of parts with one side only.
fn oriented(mesh: TriangleMesh) -> (TriangleMesh, usize, usize) {
    let edges = Edges::new(&mesh);
    let orientation = Orientation::new(&mesh, &edges.neighbours(&mesh));
    let part = |triangle: usize| orientation.parts[triangle] as usize;
    let mut is_closed = vec![true; orientation.part_count()];
    for half_edges in edges.iter().filter(|half_edges| half_edges.len() != 2) {
        half_edges.iter().for_each(|half_edge| is_closed[part(half_edge.triangle())] = false);
    }
    orientation.one_sided.iter().for_each(|&one_sided| is_closed[one_sided as usize] = false);

    let mut turns = orientation.is_flipped.clone();
    if is_closed.contains(&true) {
        // Six times the volume of each part, about an apex close to all of them.
        let bounds = mesh.bounds();
        let apex = bounds.min.midpoint(bounds.max);
        let mut volumes = vec![0.0; orientation.part_count()];
        let mut firsts = vec![None; orientation.part_count()];
        for triangle in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner - apex);
            volumes[part(triangle)] += if turns[triangle] { -1.0 } else { 1.0 } * a.dot(b.cross(c));
            firsts[part(triangle)].get_or_insert(triangle);
        }
        let inside = Inside::new(&mesh);
        let faces_wrong: Vec<bool> = (0..orientation.part_count())
            .map(|of| {
                let Some(first) = firsts[of].filter(|_| is_closed[of]) else { return false };
                // A part inside an odd number of others is the surface of a cavity.
                let [a, b, c] = mesh.corners(first);
                let point = (a + b + c) / 3.0;
                let is_cavity =
                    inside.locate_in(point, |other| part(other) != of && is_closed[part(other)]) == Location::Inside;
                (volumes[of] < 0.0) != is_cavity
            })
            .collect();
        for triangle in 0..mesh.triangles().len() {
            turns[triangle] ^= faces_wrong[part(triangle)];
        }
    }
    let reversed = turns.iter().filter(|turns| **turns).count();
    let one_sided = orientation.one_sided.len();
    (mesh.with_reversed(&turns), reversed, one_sided)
}

/// Returns the mesh without the vertices that no triangle uses.
pub fn without_unused_vertices(mesh: TriangleMesh) -> Result<TriangleMesh, InvalidMesh> {
    const UNUSED: u32 = u32::MAX;
    let (vertices, mut triangles) = mesh.into_parts();
    let mut places = vec![UNUSED; vertices.len()];
    triangles.iter().flatten().for_each(|&index| places[index as usize] = 0);
    let mut kept = Vec::with_capacity(vertices.len());
    for (vertex, place) in vertices.into_iter().zip(&mut places) {
        if *place != UNUSED {
            *place = kept.len() as u32;
            kept.push(vertex);
        }
    }
    triangles.iter_mut().flatten().for_each(|index| *index = places[*index as usize]);
    TriangleMesh::new(kept, triangles)
}
