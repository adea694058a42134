//! Features of a surface that contacts belong to: plane regions, edges and corners.
//!
//! Docs: `docs/theory/surfaces.md`.

use std::collections::BTreeMap;

use glam::DVec3;

use super::TriangleMesh;
use super::topology::{Edges, HalfEdge};

/// Distance of a vertex from the plane of a region up to which its triangle belongs to the region,
/// relative to the size of the surface. Files with numbers of single precision round by 6e-8.
const COPLANAR: f64 = 2e-7;

/// Least cosine of the angle between the normals of a region and of a triangle that belongs to it.
/// It keeps a tiny triangle that stands upright out.
const SAME_SIDE: f64 = 0.9;

/// Sine of the angle between two faces below which their edge counts as flat.
const FLAT: f64 = 1e-7;

/// Marks the absence of a triangle.
pub(crate) const NONE: u32 = u32::MAX;

/// Shape of the surface at an edge, seen from the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// Both faces lie in one plane.
    Flat,
    /// The solid angle is less than a half-space: the edge is a ridge.
    Convex,
    /// The solid angle is more than a half-space: the edge is a valley.
    Concave,
    /// The surface ends, or its triangles do not form one surface there.
    Open,
}

/// The plane of a region: `normal.x = height`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    /// Unit normal to the front.
    pub normal: DVec3,
    /// Distance from the origin along the normal, m.
    pub height: f64,
}

/// An edge of the surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceEdge {
    /// Vertices at its ends.
    pub ends: [u32; 2],
    /// Its triangles. The second is [`NONE`] if there is one only, or more than two.
    pub triangles: [u32; 2],
    /// Shape of the surface at the edge.
    pub fold: Fold,
}

/// Regions, edges and corners of a mesh.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    /// Planes of the regions.
    pub regions: Vec<Plane>,
    /// Region of each triangle, or [`NONE`] for a degenerate one.
    pub region_of: Vec<u32>,
    /// Edges.
    pub edges: Vec<SurfaceEdge>,
    /// Edge from each corner of a triangle to the next, or [`NONE`] for a side without length.
    pub edges_of: Vec<[u32; 3]>,
    /// All triangles of the edges that have more than two, or whose two disagree on the front.
    pub crowded: BTreeMap<u32, Vec<u32>>,
    star_start: Vec<u32>,
    star: Vec<u32>,
}

impl Features {
    /// Finds the features of a mesh whose triangles agree on the front where they can.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let all_edges = Edges::new(mesh);
        let (regions, region_of) = regions(mesh, &all_edges);
        let mut features = Self {
            regions,
            region_of,
            edges: Vec::with_capacity(all_edges.count()),
            edges_of: vec![[NONE; 3]; mesh.triangles().len()],
            crowded: BTreeMap::new(),
            star_start: Vec::new(),
            star: Vec::new(),
        };
        for sides in all_edges.iter() {
            features.add_edge(mesh, sides);
        }
        features.fill_stars(mesh.vertices().len());
        features
    }

    fn add_edge(&mut self, mesh: &TriangleMesh, sides: &[HalfEdge]) {
        // A degenerate triangle has no plane. Its neighbours meet across it only if the mesh was
        // repaired.
        let region = |side: &HalfEdge| self.region_of[side.triangle()];
        let proper: Vec<HalfEdge> = sides.iter().copied().filter(|side| region(side) != NONE).collect();
        let number = self.edges.len() as u32;
        for side in sides {
            self.edges_of[side.triangle()][side.side()] = number;
        }
        let ends = sides[0].ends(mesh);
        let triangle = |k: usize| proper.get(k).map_or(NONE, |side| side.triangle() as u32);
        let (triangles, fold) = match proper[..] {
            [a, b] if a.ends(mesh) != b.ends(mesh) => ([triangle(0), triangle(1)], self.fold(mesh, a, b)),
            [] | [_] => ([triangle(0), NONE], Fold::Open),
            _ => {
                self.crowded.insert(number, proper.iter().map(|side| side.triangle() as u32).collect());
                ([triangle(0), NONE], Fold::Open)
            }
        };
        self.edges.push(SurfaceEdge { ends, triangles, fold });
    }

    fn fold(&self, mesh: &TriangleMesh, a: HalfEdge, b: HalfEdge) -> Fold {
        let [region_a, region_b] = [a, b].map(|side| self.region_of[side.triangle()]);
        if region_a == region_b {
            return Fold::Flat;
        }
        let normal = self.regions[region_a as usize].normal;
        let [from, to] = a.ends(mesh).map(|vertex| mesh.vertices()[vertex as usize]);
        let beyond = mesh.vertices()[b.opposite(mesh) as usize] - from;
        let along = (to - from).normalize_or_zero();
        let rise = normal.dot((beyond - beyond.dot(along) * along).normalize_or_zero());
        match rise {
            _ if rise < -FLAT => Fold::Convex,
            _ if rise > FLAT => Fold::Concave,
            // A leaf that is folded back onto the other has no rise either.
            _ if normal.dot(self.regions[region_b as usize].normal) < 0.0 => Fold::Convex,
            _ => Fold::Flat,
        }
    }

    fn fill_stars(&mut self, vertices: usize) {
        self.star_start = vec![0; vertices + 1];
        for edge in &self.edges {
            edge.ends.iter().for_each(|&vertex| self.star_start[vertex as usize + 1] += 1);
        }
        for k in 0..vertices {
            self.star_start[k + 1] += self.star_start[k];
        }
        let mut next = self.star_start.clone();
        self.star = vec![0; 2 * self.edges.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            for &vertex in &edge.ends {
                self.star[next[vertex as usize] as usize] = number as u32;
                next[vertex as usize] += 1;
            }
        }
    }

    /// Returns the edges that meet in a vertex.
    pub fn star(&self, vertex: u32) -> &[u32] {
        &self.star[self.star_start[vertex as usize] as usize..self.star_start[vertex as usize + 1] as usize]
    }

    /// Returns the triangles of an edge.
    pub fn triangles_of(&self, edge: u32) -> &[u32] {
        let triangles = &self.edges[edge as usize].triangles;
        match self.crowded.get(&edge) {
            Some(all) => all,
            None => &triangles[..triangles.iter().filter(|&&triangle| triangle != NONE).count()],
        }
    }
}

/// Returns the planes of the regions and the region of each triangle.
///
/// A region grows from its largest triangle, whose plane is known best.
fn regions(mesh: &TriangleMesh, edges: &Edges) -> (Vec<Plane>, Vec<u32>) {
    let neighbours = edges.neighbours(mesh);
    let bounds = mesh.bounds();
    let thickness = COPLANAR * (bounds.max - bounds.min).length();
    let count = mesh.triangles().len();
    let areas: Vec<f64> = (0..count).map(|triangle| mesh.vector_area(triangle).length()).collect();
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by(|&a, &b| areas[b as usize].total_cmp(&areas[a as usize]).then(a.cmp(&b)));
    let mut region_of = vec![NONE; count];
    let mut planes = Vec::new();
    let mut waiting = Vec::new();
    for seed in order {
        if region_of[seed as usize] != NONE {
            continue;
        }
        let Some(normal) = mesh.normal(seed as usize) else { continue };
        let plane = Plane { normal, height: normal.dot(mesh.corners(seed as usize)[0]) };
        let number = planes.len() as u32;
        planes.push(plane);
        region_of[seed as usize] = number;
        waiting.push(seed as usize);
        while let Some(triangle) = waiting.pop() {
            for side in 0..3 {
                let Some(other) = neighbours.across(triangle, side) else { continue };
                let neighbour = other.triangle();
                let agree = other.ends(mesh) != HalfEdge::new(triangle, side).ends(mesh);
                let is_coplanar = || {
                    mesh.normal(neighbour).is_some_and(|other| other.dot(normal) > SAME_SIDE)
                        && mesh.corners(neighbour).iter().all(|x| (normal.dot(*x) - plane.height).abs() <= thickness)
                };
                if region_of[neighbour] == NONE && agree && is_coplanar() {
                    region_of[neighbour] = number;
                    waiting.push(neighbour);
                }
            }
        }
    }
    (planes, region_of)
}
