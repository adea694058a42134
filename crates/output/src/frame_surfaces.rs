//! The surfaces of all bodies of a frame, in world axes.

use granum_engine::{BodyState, ShapeId};
use granum_geometry::{Aabb, Mesh, Pose, Shape};

/// The surface of each body. An unbounded one ends where the scene does.
pub fn surfaces<'a>(
    bodies: &'a [BodyState],
    shapes: &'a [Shape],
    level: u32,
) -> impl Iterator<Item = (&'a BodyState, Mesh)> {
    let bounds = bounds(bodies, shapes);
    // Bodies of one shape mostly follow each other: it is triangulated once for all of them.
    let mut last: Option<(ShapeId, Mesh)> = None;
    bodies.iter().map(move |body| {
        let shape = shapes[body.shape.0 as usize].as_convex();
        let pose = Pose { position: body.position, orientation: body.orientation };
        if shape.bounding_radius().is_finite() {
            let mesh = match last.take() {
                Some((id, mesh)) if id == body.shape => mesh,
                _ => shape.surface(level, 0.0),
            };
            let placed = mesh.placed(&pose);
            last = Some((body.shape, mesh));
            (body, placed)
        } else {
            let reach = (body.position - bounds.min).abs().max((body.position - bounds.max).abs()).length();
            (body, shape.surface(level, reach).placed(&pose).clipped(&bounds))
        }
    })
}

/// The box around all that is bounded and around the points by which walls were placed, which are a container's corners.
pub fn bounds(bodies: &[BodyState], shapes: &[Shape]) -> Aabb {
    bodies.iter().filter(|body| body.position.is_finite()).fold(Aabb::EMPTY, |bounds, body| {
        let radius = shapes[body.shape.0 as usize].as_convex().bounding_radius();
        bounds.including(body.position, if radius.is_finite() { radius } else { 0.0 })
    })
}
