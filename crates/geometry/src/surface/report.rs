//! Report on a mesh: numbers of its parts, and its faults.

use super::predicates::{are_folded, meet_beyond_corner, triangles_meet};
use super::topology::{Edges, HalfEdge, Orientation, component_count};
use super::tree::BoxTree;
use super::{THINNEST, TriangleMesh};
use crate::Aabb;

/// Number of intersecting pairs after which the search ends: more of them add no information, and
/// there can be as many as the square of the number of triangles.
pub const MOST_PAIRS: usize = 100_000;

/// Measures and faults of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Area, m².
    pub area: f64,
    /// Smallest box around all triangles.
    pub bounds: Aabb,
    /// Volume inside, m³, if the surface is closed and its normals agree. It is negative if they
    /// point inward.
    pub volume: Option<f64>,
    /// Number of components: sets of triangles that are connected by edges.
    pub components: usize,
    /// Vertices of the edges of one triangle only.
    pub open_edges: Vec<[u32; 2]>,
    /// Vertices of the edges of more than two triangles.
    pub non_manifold_edges: Vec<[u32; 2]>,
    /// Triangles whose normals disagree with the larger area of their part of the surface.
    pub flipped: Vec<u32>,
    /// Number of parts that have one side only, such as a Möbius strip.
    pub one_sided: usize,
    /// Triangles without area: [`is_degenerate`].
    pub degenerate: Vec<u32>,
    /// Triangles that have the same three vertices as an earlier one.
    pub duplicates: Vec<u32>,
    /// Pairs of triangles that share points which are not their common vertices or edges. Touching
    /// counts. The test is exact for the coordinates as they are. It leaves out degenerate and
    /// duplicate triangles.
    pub intersecting: Vec<[u32; 2]>,
    /// True if the search for intersecting pairs ended at [`MOST_PAIRS`].
    pub has_more_pairs: bool,
}

impl Report {
    /// Examines a mesh.
    pub fn of(mesh: &TriangleMesh) -> Self {
        let edges = Edges::new(mesh);
        let orientation = Orientation::new(mesh, &edges.neighbours(mesh));
        let degenerate: Vec<u32> = all(mesh).filter(|&triangle| is_degenerate(mesh, triangle as usize)).collect();
        let duplicates = duplicates(mesh);
        let mut left_out = vec![false; mesh.triangles().len()];
        degenerate.iter().chain(&duplicates).for_each(|&triangle| left_out[triangle as usize] = true);
        let (intersecting, has_more_pairs) = intersecting(mesh, &left_out);
        let ends = |half_edges: &[HalfEdge]| {
            let [from, to] = half_edges[0].ends(mesh);
            [from.min(to), from.max(to)]
        };
        Self {
            vertices: mesh.vertices().len(),
            triangles: mesh.triangles().len(),
            area: mesh.area(),
            bounds: mesh.bounds(),
            volume: edges.are_closed(mesh).then(|| mesh.signed_volume()),
            components: component_count(mesh, &edges),
            open_edges: edges.iter().filter(|half_edges| half_edges.len() == 1).map(ends).collect(),
            non_manifold_edges: edges.iter().filter(|half_edges| half_edges.len() > 2).map(ends).collect(),
            flipped: all(mesh).filter(|&triangle| orientation.is_flipped[triangle as usize]).collect(),
            one_sided: orientation.one_sided.len(),
            degenerate,
            duplicates,
            intersecting,
            has_more_pairs,
        }
    }
}

fn all(mesh: &TriangleMesh) -> std::ops::Range<u32> {
    0..mesh.triangles().len() as u32
}

/// Returns whether a triangle has no area: two of its corners are equal, or its height is less than
/// [`THINNEST`] of its longest side.
pub fn is_degenerate(mesh: &TriangleMesh, triangle: usize) -> bool {
    let [a, b, c] = mesh.corners(triangle);
    let size = [b - a, c - b, a - c].map(|side| side.abs().max_element()).into_iter().fold(0.0, f64::max);
    if size == 0.0 {
        return true;
    }
    // Relative to their size, so that no square of a length vanishes.
    let [ab, bc, ca] = [b - a, c - b, a - c].map(|side| side / size);
    let longest = ab.length_squared().max(bc.length_squared()).max(ca.length_squared());
    ab.cross(ca).length() <= THINNEST * longest
}

/// Returns the triangles that have the same three vertices as an earlier one, in any order.
pub(super) fn duplicates(mesh: &TriangleMesh) -> Vec<u32> {
    let mut sorted: Vec<([u32; 3], u32)> = all(mesh)
        .map(|triangle| {
            let mut vertices = mesh.triangles()[triangle as usize];
            vertices.sort_unstable();
            (vertices, triangle)
        })
        .collect();
    sorted.sort_unstable();
    let mut found: Vec<u32> = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).collect();
    found.sort_unstable();
    found
}

/// Returns the pairs of triangles that intersect, and whether there are more.
fn intersecting(mesh: &TriangleMesh, left_out: &[bool]) -> (Vec<[u32; 2]>, bool) {
    let tree = BoxTree::new(mesh.triangles().len(), |triangle| mesh.triangle_bounds(triangle));
    let mut pairs = Vec::new();
    for &first in tree.items() {
        if left_out[first as usize] {
            continue;
        }
        let bounds = mesh.triangle_bounds(first as usize);
        tree.visit(
            |of_node| of_node.overlaps(&bounds),
            |second| {
                let second = second as u32;
                let is_new = first < second && !left_out[second as usize] && pairs.len() < MOST_PAIRS;
                if is_new && mesh.triangle_bounds(second as usize).overlaps(&bounds) && intersect(mesh, first, second) {
                    pairs.push([first, second]);
                }
            },
        );
        if pairs.len() >= MOST_PAIRS {
            break;
        }
    }
    let has_more = pairs.len() >= MOST_PAIRS;
    pairs.sort_unstable();
    (pairs, has_more)
}

/// Returns whether two triangles share points that are not their common vertices or edges.
fn intersect(mesh: &TriangleMesh, first: u32, second: u32) -> bool {
    let [t, u] = [first, second].map(|triangle| mesh.triangles()[triangle as usize]);
    let point = |index: u32| mesh.vertices()[index as usize];
    let common = |k: &usize| u.contains(&t[*k]);
    match (0..3).filter(common).count() {
        0 => triangles_meet(&t.map(point), &u.map(point)),
        1 => {
            let k = (0..3).find(common).unwrap_or_default();
            let j = u.iter().position(|&index| index == t[k]).unwrap_or_default();
            let from = |of: [u32; 3], start: usize| [0, 1, 2].map(|step| point(of[(start + step) % 3]));
            meet_beyond_corner(&from(t, k), &from(u, j))
        }
        2 => {
            let alone = (0..3).find(|k| !common(k)).unwrap_or_default();
            let other = u.iter().find(|index| !t.contains(index)).copied().unwrap_or(u[0]);
            let [a, b, c] = [1, 2, 0].map(|step| point(t[(alone + step) % 3]));
            are_folded(a, b, c, point(other))
        }
        _ => false,
    }
}
