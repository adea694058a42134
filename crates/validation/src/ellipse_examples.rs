//! The worked examples 4.1 to 4.17 of \[Martinez2003\]: two ellipses each, with the printed, the
//! recomputed and the exact results.

use glam::{DQuat, DVec2, DVec3};
use granum_geometry::shape::Ellipse;
use granum_geometry::{Pair, Pose, Shape};
use serde_json::Value;

/// One example.
pub struct Example {
    /// Its number, such as `4.12.b`.
    pub id: String,
    /// The ellipses a and b.
    pub shapes: [Shape; 2],
    /// Their poses in the plane z = 0.
    pub poses: [Pose; 2],
    /// The tolerance of the search that is printed with it, rad.
    pub tolerance: f64,
    data: Value,
}

impl Example {
    /// Returns the example as input of a pair routine.
    pub fn pair(&self) -> Pair<'_> {
        Pair::new(&self.shapes[0], &self.poses[0], &self.shapes[1], &self.poses[1])
    }

    /// Returns a result from one of the tables `printed`, `global_min` and `exact`; `None` if the
    /// example has no such result.
    pub fn number(&self, table: &str, key: &str) -> Option<f64> {
        self.data[table][key].as_f64()
    }
}

/// Returns the examples in their order.
pub fn examples() -> Vec<Example> {
    let text = include_str!("../data/ellipse_examples.json");
    let rows: Vec<Value> = serde_json::from_str(text).expect("the file of examples is valid");
    let example = |data: Value| {
        let body = |name: &str| {
            let [a, b, angle, x, y] = [0, 1, 2, 3, 4].map(|k| data[name][k].as_f64().expect("five numbers a body"));
            let shape = Shape::from(Ellipse { semi_axes: DVec2::new(a, b) });
            let orientation = DQuat::from_rotation_z(angle.to_radians());
            (shape, Pose { position: DVec3::new(x, y, 0.0), orientation })
        };
        let ((a, pose_a), (b, pose_b)) = (body("A"), body("B"));
        let id = data["id"].as_str().unwrap_or_default().to_owned();
        let tolerance = data["tol"].as_f64().expect("a tolerance");
        Example { id, shapes: [a, b], poses: [pose_a, pose_b], tolerance, data }
    };
    rows.into_iter().map(example).collect()
}
