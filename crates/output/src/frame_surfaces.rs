//! Triangulated surfaces of all bodies of a frame, in world axes.

use granum_engine::{BodyState, ShapeId};
use granum_geometry::{Aabb, Mesh, Pose, Shape};

/// Returns the surface of each body. Unbounded surfaces are clipped to the bounds of the scene.
pub fn surfaces<'a>(
    bodies: &'a [BodyState],
    shapes: &'a [Shape],
    level: u32,
) -> impl Iterator<Item = (&'a BodyState, Mesh)> {
    let bounds = bounds(bodies, shapes);
    // Consecutive bodies usually share a shape, which is triangulated once for all of them.
    let mut last: Option<(ShapeId, Mesh)> = None;
    bodies.iter().map(move |body| {
        let shape = shapes[body.shape.0 as usize].as_convex();
        let pose = Pose { position: body.position, orientation: body.orientation };
        if shape.drawn_radius().is_finite() {
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

/// Returns the bounding box of all bounded bodies and of the positions of walls, which are the
/// corners of a container.
pub fn bounds(bodies: &[BodyState], shapes: &[Shape]) -> Aabb {
    bodies.iter().filter(|body| body.position.is_finite()).fold(Aabb::EMPTY, |bounds, body| {
        let radius = shapes[body.shape.0 as usize].as_convex().bounding_radius();
        bounds.including(body.position, if radius.is_finite() { radius } else { 0.0 })
    })
}
