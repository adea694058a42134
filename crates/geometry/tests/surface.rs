//! Contact with triangulated surfaces: on a plane of random triangles as on a half-space, and
//! against the routine `general` on single triangles. `GRANUM_PAIRS=1000000` sets the number of pairs
//! of each shape.

mod support;

use glam::{DQuat, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Sphere, Superellipsoid, Surface, Tablet, TruncatedCone,
};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use support::triangle::Triangle;

/// Returns the number of pairs of each shape: `GRANUM_PAIRS` if that is set.
fn pairs_of_each(default: usize) -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Positions of each shape on one random plane.
const ON_A_PLANE: usize = 20;

/// A square of the plane z = 0 with half the edge length 4 m, cut into random triangles.
fn random_plane(random: &mut Random, cells: usize) -> TriangleMesh {
    let spacing = 8.0 / cells as f64;
    let mut vertices = Vec::new();
    for i in 0..=cells {
        for j in 0..=cells {
            let free = |k: usize| if k == 0 || k == cells { 0.0 } else { 0.45 * spacing };
            let x = i as f64 * spacing - 4.0 + free(i) * random.signed();
            let y = j as f64 * spacing - 4.0 + free(j) * random.signed();
            vertices.push(DVec3::new(x, y, 0.0));
        }
    }
    let at = |i: usize, j: usize| (i * (cells + 1) + j) as u32;
    let mut triangles = Vec::new();
    for i in 0..cells {
        for j in 0..cells {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            // The diagonal that keeps both triangles the right way up.
            let is_up = |[p, q, r]: [u32; 3]| {
                let [p, q, r] = [p, q, r].map(|k: u32| vertices[k as usize]);
                (q - p).cross(r - p).z > 1e-3 * spacing * spacing
            };
            let (one, two) = ([[a, b, c], [a, c, d]], [[a, b, d], [b, c, d]]);
            let first = if random.unit() < 0.5 { one } else { two };
            let other = if first == one { two } else { one };
            triangles.extend(if first.into_iter().all(is_up) { first } else { other });
        }
    }
    TriangleMesh::new(vertices, triangles).expect("a plane")
}

/// Random shapes of size 1 m or less.
fn shapes(random: &mut Random) -> Vec<Shape> {
    let mut size = || random.range(0.2, 0.6);
    let (a, b, c) = (size(), size(), size());
    let mut corners = || 0.6 * random.direction();
    let rock: Vec<DVec3> = (0..14).map(|_| corners()).collect();
    vec![
        Sphere { radius: a }.into(),
        Ellipsoid { semi_axes: DVec3::new(a, b, c) }.into(),
        Superellipsoid { semi_axes: DVec3::new(a, b, c), eps: [0.8, 1.2] }.into(),
        Superellipsoid { semi_axes: DVec3::new(a, b, c), eps: [0.1, 0.1] }.into(),
        Superellipsoid { semi_axes: DVec3::new(a, a, c), eps: [1.0, 0.3] }.into(),
        Cylinder { radius: a, half_height: b }.into(),
        Capsule { radius: a, half_height: b }.into(),
        TruncatedCone { radii: [a, b], half_height: c }.into(),
        Box { half_sizes: DVec3::new(a, b, c) }.into(),
        Polyhedron::new(rock).expect("a rock").into(),
        Tablet { radius: a, cap_height: 0.3 * a, half_height: 0.3 * b }.into(),
    ]
}

/// A rotation that often lays flat parts onto the plane z = 0.
fn rotation(random: &mut Random) -> DQuat {
    let turn = DQuat::from_rotation_z(random.range(-3.0, 3.0));
    let tilt = match random.index(5) {
        0 => 0.0,
        1 => 1e-9 * random.signed(),
        2 => 1e-3 * random.signed(),
        _ => return random.rotation(),
    };
    let quarter = DQuat::from_rotation_x(0.5 * std::f64::consts::PI * random.index(4) as f64);
    DQuat::from_rotation_x(tilt) * turn * quarter
}

fn contacts(measure: Measure, pair: &Pair) -> Manifold {
    let mut manifold = Manifold::default();
    collide(measure, pair, &mut manifold);
    manifold
}

#[test]
fn every_shape_meets_a_plane_of_random_triangles_as_a_half_space() {
    let mut random = Random::new(1);
    for round in 0..pairs_of_each(60 * ON_A_PLANE).div_ceil(ON_A_PLANE) {
        let cells = [1, 3, 40][round % 3];
        let mesh = random_plane(&mut random, cells);
        let wall_pose = Pose { position: random.in_cube(), orientation: random.rotation() };
        let surface: Shape = Surface::new(mesh, round % 2 == 0).expect("a surface").into();
        let plane: Shape = HalfSpace::new(DVec3::Z).into();
        for shape in shapes(&mut random) {
            for _ in 0..ON_A_PLANE {
                let orientation = rotation(&mut random);
                let down = shape.as_convex().support_value(orientation.inverse() * DVec3::NEG_Z);
                let depth = random.log_range(1e-9, 0.1) * down * if random.unit() < 0.2 { -1.0 } else { 1.0 };
                let local = Pose { position: DVec3::new(random.signed(), random.signed(), down - depth), orientation };
                let pose = Pose {
                    position: wall_pose.point(local.position),
                    orientation: wall_pose.orientation * local.orientation,
                };
                for measure in [Measure::Depth, Measure::Moments] {
                    let pair = |wall| Pair { margin: 1e-3, ..Pair::new(wall, &wall_pose, &shape, &pose) };
                    let (found, expected) = (contacts(measure, &pair(&surface)), contacts(measure, &pair(&plane)));
                    let context = || format!("{shape:?} {local:?} {cells} {found:?} {expected:?}");
                    assert_eq!(found.points().len(), expected.points().len(), "{}", context());
                    for (p, q) in found.points().iter().zip(expected.points()) {
                        assert!((p.gap - q.gap).abs() < 1e-12, "{}", context());
                        let difference = (p.law_overlap() - q.law_overlap()).abs();
                        assert!(difference < 1e-12 + 1e-9 * depth.abs(), "{difference:e} {}", context());
                        let slack = 1e-8 + 1e-15 / depth.abs();
                        assert!((p.arm - q.arm).length() < slack, "{}", context());
                        assert!((p.normal - q.normal).length() < 1e-12, "{}", context());
                    }
                }
            }
        }
    }
}

#[test]
fn a_single_triangle_is_met_when_and_only_when_the_bodies_overlap() {
    let mut random = Random::new(2);
    let (mut overlapping, mut separate) = (0, 0);
    for _ in 0..pairs_of_each(200) {
        for shape in shapes(&mut random) {
            let scale = random.log_range(0.05, 5.0);
            let corners = [0; 3].map(|_| scale * random.in_cube());
            let mesh = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("a triangle");
            let surface: Shape = Surface::new(mesh, true).expect("a surface").into();
            let pose = Pose { position: 0.5 * scale.max(1.0) * random.in_cube(), orientation: random.rotation() };
            let reference: Shape = Triangle(corners).into();
            let exact = contacts(Measure::Depth, &Pair::new(&reference, &Pose::IDENTITY, &shape, &pose));
            let gap = exact.deepest().expect("an unlimited search finds a gap").gap;
            if gap.abs() < 1e-7 {
                continue;
            }
            let found =
                contacts(Measure::Depth, &Pair { margin: 0.0, ..Pair::new(&surface, &Pose::IDENTITY, &shape, &pose) });
            let touches = found.points().iter().any(|point| point.gap < 0.0);
            assert_eq!(touches, gap < 0.0, "{shape:?} {corners:?} {pose:?} {gap} {found:?}");
            if gap > 0.0 {
                separate += 1;
                let found = contacts(Measure::Depth, &Pair::new(&surface, &Pose::IDENTITY, &shape, &pose));
                let nearest = found.deepest().unwrap_or_else(|| panic!("{shape:?} {corners:?} {pose:?} {gap}"));
                assert!((nearest.gap - gap).abs() < 1e-6, "{shape:?} {corners:?} {pose:?} {gap} {nearest:?}");
            } else {
                overlapping += 1;
            }
        }
    }
    println!("{overlapping} overlapping and {separate} separate pairs");
}
