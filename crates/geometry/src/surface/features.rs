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

/// Tolerance of the test whether a corner has contact normals, relative to unit vectors. It is far
/// above rounding, so that a corner in doubt has some.
const IN_CONE: f64 = 1e-6;

/// Sine of the angle of two edges below which their plane is not known.
const PARALLEL: f64 = 1e-9;

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
    /// Largest distance of a vertex from the plane of its region, m.
    pub thickness: f64,
    /// For each triangle the sides (bits 0 to 2) and corners (bits 3 to 5) that can have contacts. A
    /// valley has none.
    acting: Vec<u8>,
    star_start: Vec<u32>,
    star: Vec<u32>,
}

impl Features {
    /// Finds the features of a mesh whose triangles agree on the front where they can.
    pub fn new(mesh: &TriangleMesh, is_two_sided: bool) -> Self {
        let all_edges = Edges::new(mesh);
        let bounds = mesh.bounds();
        let thickness = COPLANAR * (bounds.max - bounds.min).length();
        let (regions, region_of) = regions(mesh, &all_edges, thickness);
        let mut features = Self {
            regions,
            region_of,
            thickness,
            acting: Vec::new(),
            edges: Vec::with_capacity(all_edges.count()),
            edges_of: vec![[NONE; 3]; mesh.triangles().len()],
            crowded: BTreeMap::new(),
            star_start: Vec::new(),
            star: Vec::new(),
        };
        for sides in all_edges.iter() {
            features.add_edge(mesh, sides);
        }
        drop(all_edges);
        features.fill_stars(mesh.vertices().len());
        features.find_acting(mesh, is_two_sided);
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

    /// Returns the sides of a triangle that can have contacts, by number.
    pub fn acting_edges(&self, triangle: u32) -> impl Iterator<Item = u32> {
        let (acting, edges) = (self.acting[triangle as usize], &self.edges_of[triangle as usize]);
        (0..3).filter(move |side| acting >> side & 1 == 1).map(|side| edges[side])
    }

    /// Returns the corners of a triangle, given with its vertices, that can have contacts.
    pub fn acting_corners(&self, triangle: u32, vertices: [u32; 3]) -> impl Iterator<Item = u32> + use<> {
        let acting = self.acting[triangle as usize];
        (0..3).filter(move |corner| acting >> (3 + corner) & 1 == 1).map(move |corner| vertices[corner])
    }

    fn find_acting(&mut self, mesh: &TriangleMesh, is_two_sided: bool) {
        let has_fan = |edge: u32| {
            edge != NONE
                && match self.edges[edge as usize].fold {
                    Fold::Convex | Fold::Open => true,
                    Fold::Concave => is_two_sided,
                    Fold::Flat => false,
                }
        };
        let mut directions = Vec::new();
        let mut can_touch = |vertex: usize| self.has_normals(mesh, vertex as u32, is_two_sided, &mut directions);
        let of_vertices: Vec<bool> = (0..mesh.vertices().len()).map(&mut can_touch).collect();
        let of_triangle = |(edges, vertices): (&[u32; 3], &[u32; 3])| {
            let bit =
                |k: usize| u8::from(has_fan(edges[k])) << k | u8::from(of_vertices[vertices[k] as usize]) << (3 + k);
            bit(0) | bit(1) | bit(2)
        };
        self.acting = self.edges_of.iter().zip(mesh.triangles()).map(of_triangle).collect();
    }

    /// Returns whether a vertex has contact normals: whether there is an n with `n.d <= 0` for the
    /// direction d of each of its edges, on a side that acts. The set of all n is a cone, so that it is
    /// enough to test its extreme rays: those which are perpendicular to two of the edges.
    fn has_normals(&self, mesh: &TriangleMesh, vertex: u32, is_two_sided: bool, directions: &mut Vec<DVec3>) -> bool {
        let star = self.star(vertex);
        if star.iter().all(|&edge| self.edges[edge as usize].fold == Fold::Flat) {
            return false;
        }
        let at = mesh.vertices()[vertex as usize];
        directions.clear();
        directions.extend(star.iter().map(|&edge| {
            let [a, b] = self.edges[edge as usize].ends;
            (mesh.vertices()[if a == vertex { b } else { a } as usize] - at).normalize_or_zero()
        }));
        let is_on_acting_side = |normal: DVec3| {
            let of_triangle = |&triangle: &u32| {
                let region = self.region_of[triangle as usize];
                region != NONE && self.regions[region as usize].normal.dot(normal) > -IN_CONE
            };
            is_two_sided || star.iter().any(|&edge| self.triangles_of(edge).iter().any(of_triangle))
        };
        let mut plane: Option<DVec3> = None;
        let mut spans_space = false;
        for (k, one) in directions.iter().enumerate() {
            for other in &directions[k + 1..] {
                let cross = one.cross(*other);
                let sine = cross.length();
                if sine < PARALLEL {
                    continue;
                }
                let ray = cross / sine;
                spans_space |= plane.get_or_insert(ray).cross(ray).length_squared() > IN_CONE * IN_CONE;
                for ray in [ray, -ray] {
                    if directions.iter().all(|direction| ray.dot(*direction) <= IN_CONE) && is_on_acting_side(ray) {
                        return true;
                    }
                }
            }
        }
        // Edges in one plane leave a line of normals free, whose ends alone are rays.
        !spans_space
    }

    /// Returns the memory that it takes, bytes, without crowded edges, which are rare.
    pub fn memory(&self) -> usize {
        fn of<T>(values: &Vec<T>) -> usize {
            values.capacity() * size_of::<T>()
        }
        let regions = of(&self.regions) + of(&self.region_of);
        let edges = of(&self.edges) + of(&self.edges_of) + of(&self.acting);
        regions + edges + of(&self.star_start) + of(&self.star)
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
fn regions(mesh: &TriangleMesh, edges: &Edges, thickness: f64) -> (Vec<Plane>, Vec<u32>) {
    let neighbours = edges.neighbours(mesh);
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
    let planes = in_order_of_triangles(&planes, &mut region_of);
    (planes, region_of)
}

/// Numbers the regions in the order of their first triangles, so that neighbours in space are
/// neighbours in memory.
fn in_order_of_triangles(planes: &[Plane], region_of: &mut [u32]) -> Vec<Plane> {
    let mut numbers = vec![NONE; planes.len()];
    let mut ordered = Vec::with_capacity(planes.len());
    for region in region_of.iter_mut().filter(|region| **region != NONE) {
        let number = &mut numbers[*region as usize];
        if *number == NONE {
            *number = ordered.len() as u32;
            ordered.push(planes[*region as usize]);
        }
        *region = *number;
    }
    ordered
}
