//! The box in which unbounded walls are drawn.

use granum_engine::BodyState;
use granum_geometry::{Aabb, Kind, Pose, Shape};
use granum_output::bounds;

/// Part of an infinite floor that is shown around the grains, relative to the size of the scene.
const MARGIN: f64 = 0.06;

/// Least component of a unit normal along an axis to which it counts as parallel.
const PARALLEL: f64 = 0.99;

/// Level of detail of containers whose bounds are taken.
const COARSE: u32 = 2;

/// Returns the box of all bounded bodies, of the positions of walls, which are the corners of a
/// container, and of triangulated surfaces. Outside a container it has a margin.
pub(crate) fn room(bodies: &[BodyState], shapes: &[Shape]) -> Aabb {
    let mut room = bounds(bodies, shapes);
    for body in bodies.iter().filter(|body| body.position.is_finite()) {
        let shape = &shapes[body.shape.0 as usize];
        let pose = Pose { position: body.position, orientation: body.orientation };
        let is_container = matches!(
            shape.kind(),
            Kind::InsideSphere | Kind::InsideEllipsoid | Kind::InsideCylinder | Kind::InsideCircle
        );
        if is_container {
            let mesh = shape.as_convex().surface(COARSE, 0.0).placed(&pose);
            room = mesh.vertices.iter().fold(room, |room, &vertex| room.including(vertex, 0.0));
        } else if shape.kind() == Kind::Surface {
            let own = shape.as_convex().aabb(&pose);
            room = Aabb { min: room.min.min(own.min), max: room.max.max(own.max) };
        }
    }
    let has_planes = bodies.iter().any(|body| matches!(shapes[body.shape.0 as usize], Shape::HalfSpace(_)));
    let size = (room.max - room.min).length();
    if !has_planes || !size.is_finite() {
        return room;
    }
    let margin = MARGIN * size;
    // A plane parallel to a side and near it bounds the box; elsewhere there is a margin.
    for axis in 0..3 {
        let bound = |side: f64, place: f64| {
            let planes = bodies.iter().filter_map(|body| match &shapes[body.shape.0 as usize] {
                Shape::HalfSpace(wall) => Some((body.orientation * wall.normal(), body.position)),
                _ => None,
            });
            let near = planes.filter(|(normal, position)| {
                normal[axis] * side < -PARALLEL && (position[axis] - place).abs() <= margin
            });
            near.map(|(_, position)| position[axis]).next().unwrap_or(place + side * margin)
        };
        (room.min[axis], room.max[axis]) = (bound(-1.0, room.min[axis]), bound(1.0, room.max[axis]));
    }
    room
}
