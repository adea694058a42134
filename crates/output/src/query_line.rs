//! A pair of placed bodies as a line of JSON that `granum contact` reads.

use glam::DQuat;
use granum_geometry::shape::HalfSpace;
use granum_geometry::{Pose, Shape};
use serde_json::{Map, Value, json};

/// A shape with its pose, in space or in the plane z = 0.
pub struct PlacedShape<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Pose of the body axes.
    pub pose: Pose,
    /// True in a planar world.
    pub planar: bool,
}

/// Returns one line of JSON that requests the contact of two bodies. Numbers have all their digits.
pub fn query_line(a: &PlacedShape, b: &PlacedShape) -> String {
    json!({ "a": body_value(a), "b": body_value(b), "method": "auto" }).to_string()
}

/// Returns a body as in a query: `{"shape": SHAPE, "position": [x, y, z], "orientation": [w, x, y,
/// z]}`, or in the plane `{"shape": SHAPE, "position": [x, y], "angle_deg": d}`.
pub fn body_value(body: &PlacedShape) -> Value {
    // A query describes a shape in the axes in which it was given, not in its principal axes.
    let Pose { position, orientation } = body.shape.as_convex().frame().inverse().moved_by(&body.pose);
    let (shape, orientation) = match body.shape {
        // The normal of a half-space is given in world axes.
        Shape::HalfSpace(plane) => (HalfSpace::new(orientation * plane.normal()).into(), DQuat::IDENTITY),
        shape => (shape.clone(), orientation),
    };
    let DQuat { x, y, z, w } = orientation;
    if body.planar {
        let angle = 2.0 * libm::atan2(z, w);
        return json!({
            "shape": tagged(&shape),
            "position": [position.x, position.y],
            "angle_deg": angle.to_degrees(),
        });
    }
    json!({ "shape": tagged(&shape), "position": position, "orientation": [w, x, y, z] })
}

/// Returns a shape with its kind as a field: `{"type": "sphere", "radius": 0.01}`.
fn tagged(shape: &Shape) -> Value {
    let mut fields = Map::new();
    // Serde writes a shape as a table with one key, its kind.
    if let Ok(Value::Object(table)) = serde_json::to_value(shape)
        && let Some((kind, Value::Object(sizes))) = table.into_iter().next()
    {
        fields.insert("type".into(), kind.into());
        fields.extend(sizes);
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3};
    use granum_geometry::shape::{Ellipse, Sphere};
    use granum_reference::query::{Choice, Query, parse_query};

    use super::*;

    #[test]
    fn a_line_is_read_as_the_pair_it_was_written_from() {
        let sphere = Shape::from(Sphere { radius: 0.1 / 3.0 });
        let ball = PlacedShape {
            shape: &sphere,
            pose: Pose { position: DVec3::new(0.1, 1e-300, -1.0 / 3.0), orientation: DQuat::from_rotation_x(0.3) },
            planar: false,
        };
        let half_space = Shape::from(HalfSpace::new(DVec3::Z));
        let plane = PlacedShape {
            shape: &half_space,
            pose: Pose { position: DVec3::X, orientation: DQuat::from_rotation_y(0.5) },
            planar: false,
        };
        let Query { a, b, method, .. } = parse_query(&query_line(&ball, &plane)).unwrap();
        assert_eq!((a.shape, a.pose.position, method), (sphere.clone(), ball.pose.position, Choice::Auto));
        assert!(a.pose.orientation.angle_between(ball.pose.orientation) < 1e-7);
        let Shape::HalfSpace(read) = b.shape else { panic!("not a half-space") };
        assert!((read.normal() - DQuat::from_rotation_y(0.5) * DVec3::Z).length() < 1e-15);
    }

    #[test]
    fn a_planar_pair_is_written_as_one() {
        let turned = |position, angle| Pose { position, orientation: DQuat::from_rotation_z(angle) };
        let half_space = Shape::from(HalfSpace::new(DVec3::Y));
        let wall = PlacedShape { shape: &half_space, pose: turned(DVec3::X, 0.4), planar: true };
        let ellipse = Shape::from(Ellipse { semi_axes: DVec2::new(0.3, 0.1) });
        let grain = PlacedShape { shape: &ellipse, pose: turned(DVec3::new(1.0 / 3.0, 0.2, 0.0), -2.5), planar: true };
        let line = query_line(&wall, &grain);
        assert!(line.contains("angle_deg") && !line.contains("orientation"), "{line}");
        let Query { a, b, .. } = parse_query(&line).unwrap();
        assert!(a.planar && b.planar);
        assert_eq!((&b.shape, b.pose.position), (grain.shape, grain.pose.position));
        // The conversion to degrees and back rounds the angle twice.
        assert!(b.pose.orientation.dot(grain.pose.orientation).abs() > 1.0 - 1e-15);
        let Shape::HalfSpace(read) = a.shape else { panic!("not a half-space") };
        assert!((read.normal() - DQuat::from_rotation_z(0.4) * DVec3::Y).length() < 1e-15);
    }
}
