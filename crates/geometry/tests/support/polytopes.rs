//! Random boxes, rocks and poses of two polytopes, for the tests of this crate and of `reference`.

use glam::DVec3;
use granum_geometry::random::Random as Rng;
use granum_geometry::shape::{Box, Polyhedron};
use granum_geometry::{Pose, Shape};

/// Returns a box with half sizes of 0.1 to 1 m.
pub fn random_box(rng: &mut Rng) -> Shape {
    Box { half_sizes: DVec3::new(rng.log_range(0.1, 1.0), rng.log_range(0.1, 1.0), rng.log_range(0.1, 1.0)) }.into()
}

/// Returns a rock: the hull of `count` points on a random ellipsoid with semi-axes of 0.3 to 1 m.
pub fn random_rock(rng: &mut Rng, count: usize) -> Shape {
    let axes = DVec3::new(rng.range(0.3, 1.0), rng.range(0.3, 1.0), rng.range(0.3, 1.0));
    let vertices = (0..count).map(|_| axes * rng.direction()).collect();
    Polyhedron::new(vertices).expect("points on an ellipsoid span a volume").into()
}

/// Returns a rock with 8 to 60 vertices.
pub fn rock_of_any_size(rng: &mut Rng) -> Shape {
    let count = 8 + rng.index(53);
    random_rock(rng, count)
}

/// Returns the poses of two bodies that nearly touch, overlap deeply, or are at a random distance.
pub fn random_poses(rng: &mut Rng, a: &Shape, b: &Shape) -> [Pose; 2] {
    let pose_a = Pose { position: rng.in_ball(), orientation: rng.rotation() };
    // One pair in eight has equal orientations, so that the faces and edges of boxes are parallel.
    let orientation = if rng.index(8) == 0 { pose_a.orientation } else { rng.rotation() };
    let n = rng.direction();
    let on_a = pose_a.orientation * a.as_convex().support(pose_a.orientation.inverse() * n);
    let on_b = orientation * b.as_convex().support(orientation.inverse() * -n);
    let touching = on_a - on_b;
    let offset = match rng.index(4) {
        0 => touching + n * rng.range(-0.1, 0.1),
        1 => touching + n * rng.log_range(1e-12, 1e-3) * if rng.index(2) == 0 { -1.0 } else { 1.0 },
        2 => touching * rng.range(0.0, 1.0),
        _ => 2.0 * rng.in_ball(),
    };
    [pose_a, Pose { position: pose_a.position + offset, orientation }]
}
