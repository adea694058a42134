//! Vertices, edges and faces of a box or a polyhedron as plain lists, for other contact methods.

use glam::DVec3;

use super::{Cuboid, Polytope};
use crate::Shape;

/// The features of a polytope, in body axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolytopeFeatures {
    /// Vertices, m.
    pub vertices: Vec<DVec3>,
    /// The two vertices of each edge, as indices.
    pub edges: Vec<[usize; 2]>,
    /// Outward unit normal of each face, and the distance of its plane from the origin, m.
    pub faces: Vec<(DVec3, f64)>,
}

impl PolytopeFeatures {
    /// Returns the features of a box or a polyhedron; `None` for other shapes.
    pub fn of(shape: &Shape) -> Option<Self> {
        match shape {
            Shape::Box(shape) => Some(Self::of_polytope(&Cuboid(shape.half_sizes))),
            Shape::Polyhedron(shape) => Some(Self::of_polytope(shape.hull())),
            _ => None,
        }
    }

    fn of_polytope(polytope: &impl Polytope) -> Self {
        Self {
            vertices: (0..polytope.corner_count()).map(|k| polytope.corner(k)).collect(),
            edges: (0..polytope.edge_count()).map(|k| polytope.edge(k).ends.map(usize::from)).collect(),
            faces: (0..polytope.face_count()).map(|k| polytope.plane(k)).collect(),
        }
    }
}
