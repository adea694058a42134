//! The meshes of shapes. Shapes that differ by their size only share one, with a scale.

use std::collections::HashMap;

use glam::DVec3;
use granum_engine::ShapeId;
use granum_geometry::shape::{Box, Sphere};
use granum_geometry::{Mesh, Shape};

use super::document::{Document, Index};

/// Relative resolution at which two meshes count as equal up to their size.
const SAME: f64 = 1e-6;

/// Meshes of a document.
pub struct Models {
    level: u32,
    known: HashMap<Vec<i32>, Index>,
    of_shapes: HashMap<u32, (Index, DVec3)>,
}

impl Models {
    /// Starts without meshes. `level` is that of [`granum_geometry::Convex::surface`].
    pub fn new(level: u32) -> Self {
        Self { level, known: HashMap::new(), of_shapes: HashMap::new() }
    }

    /// Returns the mesh of a shape and its scale along the body axes.
    pub fn of(&mut self, id: ShapeId, shape: &Shape, material: Index, document: &mut Document) -> (Index, DVec3) {
        if let Some(known) = self.of_shapes.get(&id.0) {
            return *known;
        }
        let (mesh, scale) = unit_mesh(shape, self.level);
        let rounded = |vertex: &DVec3| (*vertex / SAME).to_array().map(|x| x.round() as i32);
        let key: Vec<i32> = mesh.vertices.iter().flat_map(rounded).collect();
        let name = shape.kind().name();
        let index = *self.known.entry(key).or_insert_with(|| document.mesh(&name, &mesh, &[], material));
        self.of_shapes.insert(id.0, (index, scale));
        (index, scale)
    }
}

/// Returns a mesh of about unit size, and the scale to the size of the shape.
fn unit_mesh(shape: &Shape, level: u32) -> (Mesh, DVec3) {
    match shape {
        Shape::Sphere(ball) => (unit_ball(level), DVec3::splat(ball.radius)),
        Shape::Ellipsoid(egg) => (unit_ball(level), egg.semi_axes),
        Shape::Box(brick) => {
            (Shape::from(Box { half_sizes: DVec3::ONE }).as_convex().surface(level, 0.0), brick.half_sizes)
        }
        shape => {
            let size = shape.as_convex().drawn_radius();
            let mut mesh = shape.as_convex().surface(level, size);
            mesh.vertices.iter_mut().for_each(|vertex| *vertex /= size);
            (mesh, DVec3::splat(size))
        }
    }
}

fn unit_ball(level: u32) -> Mesh {
    Shape::from(Sphere { radius: 1.0 }).as_convex().surface(level, 0.0)
}
