//! The method `vertex-edge` on boxes and polyhedra, against the pair routines of the table.

use glam::DVec3;
use granum_geometry::random::Random as Rng;
use granum_geometry::shape::{Box, Polyhedron};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use granum_reference::methods::{Detail, Outcome, named};

/// Gap below which touching cannot be decided, m. Sizes are about 1 m.
const TOLERANCE: f64 = 1e-10;

fn random_box(rng: &mut Rng) -> Shape {
    Box { half_sizes: DVec3::new(rng.log_range(0.1, 1.0), rng.log_range(0.1, 1.0), rng.log_range(0.1, 1.0)) }.into()
}

/// A polyhedron whose 8 to 60 vertices lie on a random ellipsoid.
fn random_polyhedron(rng: &mut Rng) -> Shape {
    let count = 8 + rng.index(53);
    let axes = DVec3::new(rng.range(0.3, 1.0), rng.range(0.3, 1.0), rng.range(0.3, 1.0));
    let vertices = (0..count).map(|_| axes * rng.direction()).collect();
    Polyhedron::new(vertices).expect("points on an ellipsoid span a polyhedron").into()
}

/// Poses of two bodies that nearly touch, overlap deeply, or lie anywhere.
fn random_poses(rng: &mut Rng, a: &Shape, b: &Shape) -> [Pose; 2] {
    let pose_a = Pose { position: rng.in_ball(), orientation: rng.rotation() };
    // One pair in eight is aligned: faces and edges are then parallel.
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

fn vertex_edge(pair: &Pair) -> Outcome {
    (named("vertex-edge").expect("a method").solve)(pair)
}

#[test]
fn vertices_and_edges_of_both_bodies_decide_who_touches() {
    const PAIRS: usize = 4000;
    let mut rng = Rng::new(17);
    let (mut touching, mut by_edges_alone) = (0, 0);
    for k in 0..PAIRS {
        let shape = if k % 2 == 0 { random_box } else { random_polyhedron };
        let (a, b) = (shape(&mut rng), shape(&mut rng));
        let [pose_a, pose_b] = random_poses(&mut rng, &a, &b);
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let mut manifold = Manifold::default();
        collide(Measure::Depth, &pair, &mut manifold);
        let gap = manifold.deepest().expect("no margin").gap;
        let outcome = vertex_edge(&pair);
        assert!(outcome.touching == (gap <= 0.0) || gap.abs() <= TOLERANCE, "{k}: {gap} {outcome:?}");
        touching += usize::from(outcome.touching);
        let found = |name: &str| {
            let detail = outcome.details.iter().find(|(key, _)| *key == name).map(|(_, detail)| detail);
            matches!(detail, Some(Detail::Number(count)) if *count > 0.0)
        };
        by_edges_alone += usize::from(outcome.touching && !found("corners_b_in_a") && !found("corners_a_in_b"));
    }
    assert!(touching > PAIRS / 4 && by_edges_alone > PAIRS / 100, "{touching} touch, {by_edges_alone} by edges alone");
}

#[test]
fn a_rod_through_a_plate_is_found_whichever_comes_first() {
    let plate: Shape = Box { half_sizes: DVec3::new(1.0, 1.0, 0.1) }.into();
    let rod: Shape = Box { half_sizes: DVec3::new(0.1, 0.1, 2.0) }.into();
    for (a, b, finds) in [(&plate, &rod, "edges_b_in_a"), (&rod, &plate, "edges_a_in_b")] {
        let outcome = vertex_edge(&Pair::new(a, &Pose::IDENTITY, b, &Pose::IDENTITY));
        assert!(outcome.touching);
        // Only the four long edges of the rod pass through the plate. A test of the edges of the
        // plate alone would miss them.
        for (name, detail) in &outcome.details {
            let expected = if *name == finds { 4.0 } else { 0.0 };
            assert_eq!(*detail, Detail::Number(expected), "{name}");
        }
    }
}
