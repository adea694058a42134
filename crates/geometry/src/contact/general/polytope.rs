//! The expanding polytope inside `Z`: triangles with their neighbours, sorted by distance from the
//! origin.

use std::collections::BinaryHeap;

use glam::DVec3;

use super::difference::Vertex;
use super::simplex::SLIVER;

/// Error of the distance of a plane, in units: four rounding errors of a sum of order 1.
const ROUNDING: f64 = 8e-16;

/// A triangle, anticlockwise as seen from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub vertices: [usize; 3],
    /// The face across the edge from vertex `i` to vertex `i + 1`.
    neighbours: [usize; 3],
    /// Outward unit normal.
    pub normal: DVec3,
    /// Signed distance of its plane from the origin.
    pub distance: f64,
    /// Height above the longest edge. The error of the normal is a rounding error divided by it.
    height: f64,
    alive: bool,
    /// Number of the last expansion whose new vertex lies above this face.
    seen: usize,
}

/// An edge of the outline of the visible region, from the viewpoint of a new vertex: its ends and
/// the invisible face behind it.
#[derive(Clone, Copy, Debug)]
struct Horizon {
    from: usize,
    to: usize,
    behind: usize,
}

/// A face in the priority queue. The greatest element is the nearest face.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Queued {
    distance: f64,
    face: usize,
}

impl Eq for Queued {}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.distance.total_cmp(&self.distance).then(other.face.cmp(&self.face))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The polytope. It is reused from pair to pair, so that no memory is allocated.
#[derive(Debug, Default)]
pub(super) struct Polytope {
    pub vertices: Vec<Vertex>,
    faces: Vec<Face>,
    queue: BinaryHeap<Queued>,
    horizon: Vec<Horizon>,
    /// Faces that are visible from the new vertex.
    seen: Vec<usize>,
    stack: Vec<(usize, usize)>,
    /// For each vertex, the number of the expansion and the new face whose outline edge starts
    /// there.
    starts: Vec<(usize, usize)>,
    growth: usize,
}

impl Polytope {
    /// Restarts from a tetrahedron. It returns `false` if the tetrahedron is flat.
    pub fn reset(&mut self, v: [Vertex; 4]) -> bool {
        self.vertices.clear();
        self.faces.clear();
        self.queue.clear();
        self.starts.clear();
        self.growth = 0;
        let base = (v[1].z - v[0].z).cross(v[2].z - v[0].z);
        // The table of faces assumes that the fourth vertex lies below the first three.
        let v = if base.dot(v[3].z - v[0].z) > 0.0 { [v[0], v[2], v[1], v[3]] } else { v };
        for vertex in v {
            self.add_vertex(vertex);
        }
        // Faces 0, 1, 2, 3 lie opposite the vertices 3, 2, 1, 0.
        const FACES: [([usize; 3], [usize; 3]); 4] =
            [([0, 1, 2], [1, 3, 2]), ([0, 3, 1], [2, 3, 0]), ([0, 2, 3], [0, 3, 1]), ([1, 3, 2], [1, 2, 0])];
        for (vertices, neighbours) in FACES {
            let Some(plane) = self.plane(vertices) else { return false };
            self.add_face(vertices, neighbours, plane);
        }
        true
    }

    /// Removes the nearest face from the queue and returns it.
    pub fn pop(&mut self) -> Option<(usize, Face)> {
        while let Some(Queued { face, .. }) = self.queue.pop() {
            // Removed faces stay in the queue, because a binary heap cannot delete them from its
            // middle.
            if self.faces[face].alive {
                return Some((face, self.faces[face]));
            }
        }
        None
    }

    /// Returns the three corners of a face.
    pub fn corners(&self, face: &Face) -> [Vertex; 3] {
        face.vertices.map(|i| self.vertices[i])
    }

    /// Returns all faces, whether they are still queued or not.
    pub fn faces(&self) -> impl Iterator<Item = &Face> {
        self.faces.iter().filter(|face| face.alive)
    }

    /// Replaces the faces visible from `vertex` by a fan of triangles. `from` is one of these
    /// faces. It returns `false` and changes nothing if rounding errors have broken the outline of
    /// the visible region.
    pub fn grow(&mut self, from: usize, vertex: Vertex) -> bool {
        self.growth += 1;
        self.horizon.clear();
        self.stack.clear();
        self.seen.clear();
        self.mark_seen(from);
        self.stack.extend((0..3).map(|edge| (from, edge)));
        while let Some((face, edge)) = self.stack.pop() {
            let Face { vertices, neighbours, .. } = self.faces[face];
            let (i, j, behind) = (vertices[edge], vertices[(edge + 1) % 3], neighbours[edge]);
            if self.faces[behind].seen == self.growth {
                continue;
            }
            // A new triangle over this edge would be a sliver without a normal. The face behind the
            // edge is removed as well, which moves the outline to other edges.
            let sees = self.is_seen(behind, vertex.z)
                || normal_of([self.vertices[i].z, self.vertices[j].z, vertex.z]).is_none();
            if sees {
                self.mark_seen(behind);
                self.stack.extend((0..3).map(|edge| (behind, edge)));
            } else {
                self.horizon.push(Horizon { from: i, to: j, behind });
            }
        }
        // A face may first count as invisible and later be found visible through another edge.
        let (growth, faces) = (self.growth, &self.faces);
        self.horizon.retain(|edge| faces[edge.behind].seen != growth);
        self.outline_is_one_loop() && self.close(vertex)
    }

    fn mark_seen(&mut self, face: usize) {
        self.faces[face].seen = self.growth;
        self.seen.push(face);
    }

    /// Returns whether `z` lies above a face by more than a rounding error. A face is invisible
    /// from a vertex in its plane. Otherwise rounding would make some triangles of a flat side
    /// visible and others not, and the fan would fold over.
    fn is_seen(&self, face: usize, z: DVec3) -> bool {
        let Face { vertices, normal, distance, height, .. } = self.faces[face];
        // The normal is inaccurate by a rounding error over the height of the triangle, which
        // displaces the plane by that angle times the distance of the point.
        let lever = z.distance(self.vertices[vertices[0]].z);
        normal.dot(z) - distance > ROUNDING * (1.0 + lever / height)
    }

    /// Returns whether the outline edges form one closed loop.
    fn outline_is_one_loop(&mut self) -> bool {
        for (k, edge) in self.horizon.iter().enumerate() {
            // Two edges start at the same vertex: the outline touches itself.
            if self.starts[edge.from].0 == self.growth {
                return false;
            }
            self.starts[edge.from] = (self.growth, k);
        }
        let mut at = 0;
        for k in 0..self.horizon.len() {
            // The walk has returned to its start before it has seen all edges: there are several
            // loops.
            if k > 0 && at == 0 {
                return false;
            }
            let (growth, next) = self.starts[self.horizon[at].to];
            if growth != self.growth {
                return false;
            }
            at = next;
        }
        at == 0 && self.horizon.len() >= 3
    }

    /// Removes the visible faces and connects the outline to the vertex.
    fn close(&mut self, vertex: Vertex) -> bool {
        let apex = self.vertices.len();
        let first = self.faces.len();
        self.add_vertex(vertex);
        for k in 0..self.horizon.len() {
            let edge = self.horizon[k];
            // All planes are checked before a face is changed, so that a failure leaves the
            // polytope intact.
            if self.plane([edge.from, edge.to, apex]).is_none() {
                self.vertices.pop();
                self.starts.pop();
                return false;
            }
        }
        for &face in &self.seen {
            self.faces[face].alive = false;
        }
        let count = self.horizon.len();
        for k in 0..count {
            let Horizon { from, to, behind } = self.horizon[k];
            let vertices = [from, to, apex];
            // The new faces are stored in the order of the outline edges, so that the number of an
            // edge gives the number of its face.
            let after = first + self.starts[to].1;
            if let Some(plane) = self.plane(vertices) {
                self.add_face(vertices, [behind, after, usize::MAX], plane);
            }
            let side = (0..3).find(|&i| self.faces[behind].vertices[i] == to);
            if let Some(side) = side {
                self.faces[behind].neighbours[side] = first + k;
            }
        }
        for face in first..first + count {
            let after = self.faces[face].neighbours[1];
            self.faces[after].neighbours[2] = face;
        }
        true
    }

    fn add_vertex(&mut self, vertex: Vertex) {
        self.vertices.push(vertex);
        self.starts.push((0, 0));
    }

    fn add_face(&mut self, vertices: [usize; 3], neighbours: [usize; 3], plane: Plane) {
        let Plane { normal, distance, height } = plane;
        self.queue.push(Queued { distance, face: self.faces.len() });
        self.faces.push(Face { vertices, neighbours, normal, distance, height, alive: true, seen: 0 });
    }

    fn plane(&self, vertices: [usize; 3]) -> Option<Plane> {
        let corners = vertices.map(|i| self.vertices[i].z);
        normal_of(corners).map(|(normal, height)| {
            // The mean of the three corners has a smaller rounding error than any one of them.
            let distance = normal.dot(corners[0] + corners[1] + corners[2]) / 3.0;
            Plane { normal, distance, height }
        })
    }
}

/// The plane of a face, see [`Face`].
struct Plane {
    normal: DVec3,
    distance: f64,
    height: f64,
}

/// Returns the unit normal of a triangle, from its two shorter edges, and its height above the
/// longest edge. It returns `None` for a sliver.
fn normal_of(v: [DVec3; 3]) -> Option<(DVec3, f64)> {
    let edges = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
    let squares = edges.map(DVec3::length_squared);
    let longest = (0..3).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let (i, j) = ((longest + 1) % 3, (longest + 2) % 3);
    let normal = edges[i].cross(edges[j]);
    let length = normal.length();
    (length * length > SLIVER * SLIVER * squares[i] * squares[j])
        .then(|| (normal / length, length / squares[longest].sqrt()))
}
