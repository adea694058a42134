//! The point of a simplex with up to four vertices that is nearest to the origin.
//!
//! All features are tried and the nearest one is kept. This costs a few multiplications more than a
//! walk through Voronoi regions, but a sliver cannot lead it to a wrong region.

use glam::DVec3;

use super::difference::Vertex;

/// Sine of an angle below which a triangle counts as a segment, because its plane is lost to
/// rounding.
pub(super) const SLIVER: f64 = 1e-13;

/// One to four vertices with the weights of the point nearest to the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    len: usize,
}

impl Simplex {
    pub fn point(vertex: Vertex) -> Self {
        let mut simplex = Self::default();
        simplex.push(vertex, 1.0);
        simplex
    }

    fn push(&mut self, vertex: Vertex, weight: f64) {
        self.vertices[self.len] = vertex;
        self.weights[self.len] = weight;
        self.len += 1;
    }

    fn of(vertices: &[Vertex], weights: &[f64]) -> Self {
        let mut simplex = Self::default();
        for (&vertex, &weight) in vertices.iter().zip(weights) {
            simplex.push(vertex, weight);
        }
        simplex
    }

    /// Returns the nearest point and the corresponding point of a.
    pub fn nearest(&self) -> Vertex {
        let mut mean = Vertex::default();
        for (vertex, weight) in self.vertices[..self.len].iter().zip(self.weights) {
            mean.z += vertex.z * weight;
            mean.a += vertex.a * weight;
        }
        mean
    }

    /// Returns whether `z` is one of the vertices.
    pub fn contains(&self, z: DVec3) -> bool {
        self.vertices[..self.len].iter().any(|vertex| vertex.z == z)
    }

    /// Adds a vertex and keeps only the feature nearest to the origin. It returns `None` if the
    /// origin is inside.
    pub fn with(&self, vertex: Vertex) -> Option<Self> {
        let mut vertices = self.vertices;
        vertices[self.len] = vertex;
        match self.len {
            1 => Some(segment([vertices[0], vertices[1]])),
            2 => Some(triangle([vertices[0], vertices[1], vertices[2]])),
            // A tetrahedron is never stored: it is reduced to a face, or the origin is inside and
            // the search ends.
            _ => tetrahedron(vertices),
        }
    }
}

fn nearer(best: Simplex, other: Simplex) -> Simplex {
    if other.nearest().z.length_squared() < best.nearest().z.length_squared() { other } else { best }
}

fn segment(v: [Vertex; 2]) -> Simplex {
    let edge = v[1].z - v[0].z;
    let length_squared = edge.length_squared();
    let t = -v[0].z.dot(edge);
    // The second condition excludes a division by zero if both vertices coincide.
    if t <= 0.0 || length_squared == 0.0 {
        Simplex::point(v[0])
    } else if t >= length_squared {
        Simplex::point(v[1])
    } else {
        let t = t / length_squared;
        Simplex::of(&v, &[1.0 - t, t])
    }
}

/// Returns the barycentric coordinates of the projection of the origin, or `None` for a sliver.
pub(super) fn foot(v: [DVec3; 3]) -> Option<[f64; 3]> {
    let (e, f) = (v[1] - v[0], v[2] - v[0]);
    let normal = e.cross(f);
    let area_squared = normal.length_squared();
    if area_squared <= SLIVER * SLIVER * e.length_squared() * f.length_squared() {
        return None;
    }
    let weights = [
        v[1].cross(v[2]).dot(normal) / area_squared,
        v[2].cross(v[0]).dot(normal) / area_squared,
        v[0].cross(v[1]).dot(normal) / area_squared,
    ];
    // The sum differs from 1 by rounding. Without this division the nearest point would lie off the
    // plane of the triangle.
    let sum: f64 = weights.iter().sum();
    Some(weights.map(|weight| weight / sum))
}

fn triangle(v: [Vertex; 3]) -> Simplex {
    if let Some(weights) = foot(v.map(|vertex| vertex.z))
        && weights.iter().all(|&weight| weight > 0.0)
    {
        return Simplex::of(&v, &weights);
    }
    // The projection is outside the triangle or the triangle is a sliver, so that the nearest point
    // is on an edge.
    nearer(nearer(segment([v[0], v[1]]), segment([v[1], v[2]])), segment([v[2], v[0]]))
}

fn tetrahedron(v: [Vertex; 4]) -> Option<Simplex> {
    const FACES: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
    let mut best: Option<Simplex> = None;
    for [i, j, k, opposite] in FACES {
        let normal = (v[j].z - v[i].z).cross(v[k].z - v[i].z);
        let origin_side = -normal.dot(v[i].z);
        let body_side = normal.dot(v[opposite].z - v[i].z);
        // A flat tetrahedron has no interior, so that all its faces are tried.
        let outside = origin_side * body_side <= 0.0;
        if outside {
            let face = triangle([v[i], v[j], v[k]]);
            best = Some(best.map_or(face, |best| nearer(best, face)));
        }
    }
    best
}
