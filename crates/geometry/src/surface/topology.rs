//! Adjacency of the triangles of a mesh, and agreement of their normals.

use super::TriangleMesh;

/// A side of a triangle, from one of its corners to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HalfEdge(u32);

impl HalfEdge {
    /// Creates the half-edge from corner `side` (0, 1 or 2) of a triangle to the next corner.
    pub fn new(triangle: usize, side: usize) -> Self {
        Self((3 * triangle + side) as u32)
    }

    /// Returns the triangle.
    #[inline]
    pub fn triangle(self) -> usize {
        self.0 as usize / 3
    }

    /// Returns the number of the side: 0, 1 or 2.
    #[inline]
    pub fn side(self) -> usize {
        self.0 as usize % 3
    }

    /// Returns the vertices at its start and at its end.
    #[inline]
    pub fn ends(self, mesh: &TriangleMesh) -> [u32; 2] {
        let corners = mesh.triangles()[self.triangle()];
        [corners[self.side()], corners[(self.side() + 1) % 3]]
    }

    /// Returns the vertex opposite to it.
    #[inline]
    pub fn opposite(self, mesh: &TriangleMesh) -> u32 {
        mesh.triangles()[self.triangle()][(self.side() + 2) % 3]
    }
}

/// The edges of a mesh, each with the half-edges along it.
///
/// Edges are sorted by their vertices, the half-edges of an edge by their triangles. A side whose
/// two ends are the same vertex belongs to no edge.
#[derive(Clone, Debug)]
pub struct Edges {
    half_edges: Vec<HalfEdge>,
    /// Start of each edge in `half_edges`, and the end of the last one.
    starts: Vec<u32>,
}

impl Edges {
    /// Finds the edges of a mesh.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let mut sides = Vec::with_capacity(3 * mesh.triangles().len());
        for triangle in 0..mesh.triangles().len() {
            for side in 0..3 {
                let half_edge = HalfEdge::new(triangle, side);
                let [from, to] = half_edge.ends(mesh);
                if from != to {
                    sides.push((u64::from(from.min(to)) << 32 | u64::from(from.max(to)), half_edge));
                }
            }
        }
        sides.sort_unstable();
        let mut starts: Vec<u32> = Vec::with_capacity(sides.len() / 2 + 1);
        for (k, side) in sides.iter().enumerate() {
            if k == 0 || sides[k - 1].0 != side.0 {
                starts.push(k as u32);
            }
        }
        starts.push(sides.len() as u32);
        Self { half_edges: sides.into_iter().map(|(_, half_edge)| half_edge).collect(), starts }
    }

    /// Returns the number of edges.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the half-edges of an edge.
    pub fn edge(&self, edge: usize) -> &[HalfEdge] {
        &self.half_edges[self.starts[edge] as usize..self.starts[edge + 1] as usize]
    }

    /// Returns the half-edges of each edge: one on the rim of an open surface, two inside it, more
    /// on a non-manifold edge.
    pub fn iter(&self) -> impl Iterator<Item = &[HalfEdge]> {
        (0..self.count()).map(|edge| self.edge(edge))
    }

    /// Returns for each side of each triangle the half-edge of the neighbour.
    pub fn neighbours(&self, mesh: &TriangleMesh) -> Neighbours {
        let mut sides = vec![[NONE; 3]; mesh.triangles().len()];
        for half_edges in self.iter() {
            if let &[a, b] = half_edges {
                sides[a.triangle()][a.side()] = b.0;
                sides[b.triangle()][b.side()] = a.0;
            }
        }
        Neighbours { sides }
    }

    /// Returns whether the surface is closed and its normals agree: each edge has as many
    /// half-edges of one direction as of the other. Only such a surface encloses a volume.
    pub fn are_closed(&self, mesh: &TriangleMesh) -> bool {
        self.iter().all(|half_edges| {
            let upward = half_edges.iter().filter(|half_edge| is_upward(**half_edge, mesh)).count();
            2 * upward == half_edges.len()
        })
    }
}

/// Returns whether a half-edge runs from the vertex of lower index to that of higher index.
fn is_upward(half_edge: HalfEdge, mesh: &TriangleMesh) -> bool {
    let [from, to] = half_edge.ends(mesh);
    from < to
}

/// No neighbour. Meshes are too small for this number of half-edges.
const NONE: u32 = u32::MAX;

/// The neighbours of all triangles: 12 bytes per triangle.
#[derive(Clone, Debug)]
pub struct Neighbours {
    sides: Vec<[u32; 3]>,
}

impl Neighbours {
    /// Returns the half-edge of the neighbour across a side of a triangle, or `None` if the edge
    /// has one triangle only or more than two.
    #[inline]
    pub fn across(&self, triangle: usize, side: usize) -> Option<HalfEdge> {
        let half_edge = self.sides[triangle][side];
        (half_edge != NONE).then_some(HalfEdge(half_edge))
    }
}

/// Parts of a mesh that are connected by edges of two triangles each, and the triangles whose
/// normals must be reversed so that all of a part agree.
#[derive(Clone, Debug)]
pub struct Orientation {
    /// Part of each triangle, from 0.
    pub parts: Vec<u32>,
    /// True for a triangle that disagrees with the larger area of its part.
    pub is_flipped: Vec<bool>,
    /// Parts that have one side only, such as a Möbius strip. No orientation agrees on them, and
    /// none of their triangles is marked as flipped.
    pub one_sided: Vec<u32>,
    count: usize,
}

impl Orientation {
    /// Follows the surface from triangle to triangle.
    pub fn new(mesh: &TriangleMesh, neighbours: &Neighbours) -> Self {
        const UNKNOWN: u32 = u32::MAX;
        let count = mesh.triangles().len();
        let mut found =
            Self { parts: vec![UNKNOWN; count], is_flipped: vec![false; count], one_sided: Vec::new(), count: 0 };
        let mut members: Vec<usize> = Vec::new();
        for start in 0..count {
            if found.parts[start] != UNKNOWN {
                continue;
            }
            let part = found.count as u32;
            found.count += 1;
            found.parts[start] = part;
            members.clear();
            members.push(start);
            let mut is_one_sided = false;
            let mut next = 0;
            while next < members.len() {
                let triangle = members[next];
                next += 1;
                for side in 0..3 {
                    let Some(other) = neighbours.across(triangle, side) else { continue };
                    // Triangles that agree run along their common edge in opposite directions.
                    let agree = is_upward(HalfEdge::new(triangle, side), mesh) != is_upward(other, mesh);
                    let needed = found.is_flipped[triangle] == agree;
                    let neighbour = other.triangle();
                    if found.parts[neighbour] == UNKNOWN {
                        found.parts[neighbour] = part;
                        found.is_flipped[neighbour] = needed;
                        members.push(neighbour);
                    } else if found.is_flipped[neighbour] != needed {
                        is_one_sided = true;
                    }
                }
            }
            found.settle(mesh, &members, is_one_sided, part);
        }
        found
    }

    /// Decides which side of a part is the one with the larger area.
    fn settle(&mut self, mesh: &TriangleMesh, members: &[usize], is_one_sided: bool, part: u32) {
        if is_one_sided {
            members.iter().for_each(|&triangle| self.is_flipped[triangle] = false);
            self.one_sided.push(part);
            return;
        }
        let area = |flipped: bool| -> f64 {
            let those = members.iter().filter(|&&triangle| self.is_flipped[triangle] == flipped);
            those.map(|&triangle| mesh.vector_area(triangle).length()).sum()
        };
        if area(true) > area(false) {
            members.iter().for_each(|&triangle| self.is_flipped[triangle] ^= true);
        }
    }

    /// Returns the number of parts.
    pub fn part_count(&self) -> usize {
        self.count
    }
}

/// Returns the number of components: sets of triangles that are connected by edges of any kind.
pub fn component_count(mesh: &TriangleMesh, edges: &Edges) -> usize {
    let mut roots: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
    fn root(roots: &mut [u32], mut of: u32) -> u32 {
        while roots[of as usize] != of {
            // Halves the path, so that later searches are short.
            roots[of as usize] = roots[roots[of as usize] as usize];
            of = roots[of as usize];
        }
        of
    }
    let mut count = roots.len();
    for half_edges in edges.iter() {
        for pair in half_edges.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|half_edge| root(&mut roots, half_edge.triangle() as u32));
            if a != b {
                // The lower index becomes the root, whatever the order of the edges.
                roots[a.max(b) as usize] = a.min(b);
                count -= 1;
            }
        }
    }
    count
}
