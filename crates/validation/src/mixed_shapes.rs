//! A mixture of shapes for cases in which every kind of grain takes part.

use glam::DVec3;
use granum_geometry::Shape;
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, Polyhedron, Sphere, Superellipsoid, Tablet, TruncatedCone, rock,
};

/// Length of the largest of the shapes, m, for the scale 1.
const LENGTH: f64 = 0.008;

/// Returns nine shapes with their names. The longest have this length, m.
pub fn mixed_shapes(length: f64) -> [(&'static str, Shape); 9] {
    let scale = length / LENGTH;
    let axes = scale * DVec3::new(0.004, 0.0035, 0.003);
    let rock = rock([0.008, 0.007, 0.006].map(|side| scale * side), 20.0, 5.0).expect("a valid rock");
    [
        ("sphere", Sphere { radius: scale * 0.003 }.into()),
        ("ellipsoid", Ellipsoid { semi_axes: axes }.into()),
        ("superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.3, 0.4] }.into()),
        ("cylinder", Cylinder { radius: scale * 0.003, half_height: scale * 0.003 }.into()),
        ("capsule", Capsule { radius: scale * 0.002, half_height: scale * 0.002 }.into()),
        ("box", Box { half_sizes: axes }.into()),
        ("rock", Polyhedron::new(rock).expect("a valid rock").into()),
        (
            "cone",
            TruncatedCone { radii: [0.004, 0.002].map(|radius| scale * radius), half_height: scale * 0.003 }.into(),
        ),
        ("tablet", Tablet { radius: scale * 0.004, half_height: scale * 0.001, cap_height: scale * 0.001 }.into()),
    ]
}
