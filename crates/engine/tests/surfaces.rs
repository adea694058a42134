//! Motion on triangulated surfaces: on a plane of triangles as on a half-space, history that follows
//! a grain from triangle to triangle, and fast grains that are caught. `GRANUM_STEPS=100000` lets the
//! grains move for 1 s instead of 0.2 s, on 2, 1,000 and 10,000 triangles.

mod common;

use common::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, MaterialId, Simulation, World};
use granum_geometry::Shape;
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Sphere, Superellipsoid, Surface, rock,
};
use granum_geometry::surface::TriangleMesh;

/// A square of the plane z = 0 about the origin, with the edge length `size`, cut into random
/// triangles, with the given height of each vertex.
fn ground(random: &mut Random, size: f64, cells: usize, mut height: impl FnMut(DVec3) -> f64) -> Shape {
    let spacing = size / cells as f64;
    let mut vertices = Vec::new();
    for i in 0..=cells {
        for j in 0..=cells {
            let free = |k: usize| if k == 0 || k == cells { 0.0 } else { 0.3 * spacing };
            let x = i as f64 * spacing - 0.5 * size + free(i) * random.signed();
            let y = j as f64 * spacing - 0.5 * size + free(j) * random.signed();
            let at = DVec3::new(x, y, 0.0);
            vertices.push(at.with_z(height(at)));
        }
    }
    let at = |i: usize, j: usize| (i * (cells + 1) + j) as u32;
    let mut triangles = Vec::new();
    for (i, j) in (0..cells * cells).map(|k| (k / cells, k % cells)) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        // Displacements of at most 0.3 spacings keep every cell convex.
        triangles.extend(if random.unit() < 0.5 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
    Surface::new(TriangleMesh::new(vertices, triangles).expect("a plane"), false).expect("a surface").into()
}

/// Grains of 1 cm that rest, slide and roll on the plane z = 0.
fn add_grains(world: &mut World, grit: MaterialId) -> Vec<BodyId> {
    let axes = DVec3::new(0.005, 0.004, 0.003);
    let on_side = DQuat::from_rotation_x(0.5 * std::f64::consts::PI);
    let stone = Polyhedron::new(rock([0.01, 0.009, 0.008], 20.0, 5.0).expect("a rock")).expect("a rock").into();
    let grains: [(Shape, DQuat, f64); 9] = [
        (Sphere { radius: 0.004 }.into(), DQuat::IDENTITY, 0.004),
        (Ellipsoid { semi_axes: axes }.into(), DQuat::IDENTITY, 0.003),
        (Superellipsoid { semi_axes: axes, eps: [0.8, 0.9] }.into(), DQuat::IDENTITY, 0.003),
        (Cylinder { radius: 0.004, half_height: 0.003 }.into(), DQuat::IDENTITY, 0.003),
        (Cylinder { radius: 0.004, half_height: 0.003 }.into(), on_side, 0.004),
        (Capsule { radius: 0.003, half_height: 0.003 }.into(), on_side, 0.003),
        (Box { half_sizes: axes }.into(), DQuat::IDENTITY, 0.003),
        (Superellipsoid { semi_axes: axes, eps: [0.1, 0.1] }.into(), DQuat::IDENTITY, 0.003),
        (stone, DQuat::IDENTITY, 0.005),
    ];
    let mut ids = Vec::new();
    for (k, (shape, orientation, height)) in grains.into_iter().enumerate() {
        let shape = world.add_shape(shape).unwrap();
        let at = DVec3::new(0.03 * (k % 3) as f64 - 0.04, 0.03 * (k / 3) as f64 - 0.04, height + 1e-5);
        let mut body = BodySpec::at(shape, grit, at);
        body.pose.orientation = orientation;
        body.velocity = DVec3::new(0.02, 0.013, 0.0);
        ids.push(world.add_body(body).unwrap());
    }
    ids
}

fn on_ground(wall: Shape) -> (World, Vec<BodyId>) {
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::new(0.4, 0.2, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let wall = world.add_shape(wall).unwrap();
    world.add_body(BodySpec::fixed(wall, grit, DVec3::ZERO)).unwrap();
    let ids = add_grains(&mut world, grit);
    (world, ids)
}

#[test]
fn grains_move_on_a_plane_of_random_triangles_as_on_a_half_space() {
    let wanted = std::env::var("GRANUM_STEPS").ok().and_then(|n| n.parse().ok());
    let (steps, cells) = wanted.map_or((20_000, vec![1, 60]), |steps: u64| (steps, vec![1, 22, 71]));
    let mut random = Random::new(11);
    let (world, ids) = on_ground(HalfSpace::new(DVec3::Z).into());
    let mut exact = Simulation::new(world, 1).expect("one thread");
    exact.run(steps);
    for cells in cells {
        let (world, _) = on_ground(ground(&mut random, 0.4, cells, |_| 0.0));
        let mut simulation = Simulation::new(world, 1).expect("one thread");
        simulation.run(steps);
        let mut worst = 0f64;
        for &id in &ids {
            let [on_plane, on_triangles] = [&exact, &simulation].map(|of| of.world().position(id));
            let distance = (on_plane - on_triangles).length();
            assert!(distance < 1e-9, "grain {id:?} on {cells} cells is {distance:.1e} m away from {on_plane}");
            worst = worst.max(distance);
        }
        println!("{} triangles: at most {worst:.1e} m from the half-space", 2 * cells * cells);
    }
}

#[test]
fn a_block_at_rest_on_a_rough_slope_does_not_creep() {
    let mut random = Random::new(3);
    let rough = |random: &mut Random| 2e-4 * random.unit();
    let mut heights = Random::new(9);
    let slope = ground(&mut random, 0.1, 60, |_| rough(&mut heights));
    let (mut world, grit) = world_with_grit();
    world.set_gravity(9.81 * DVec3::new(0.2, 0.0, -1.0).normalize()).unwrap();
    world.set_time_step(1e-5).unwrap();
    let wall = world.add_shape(slope).unwrap();
    world.add_body(BodySpec::fixed(wall, grit, DVec3::ZERO)).unwrap();
    let half_sizes = DVec3::new(0.006, 0.005, 0.003);
    let shape = world.add_shape(Box { half_sizes }).unwrap();
    let block = world.add_body(BodySpec::at(shape, grit, DVec3::new(0.0, 0.0, 0.00325))).unwrap();
    let mut simulation = Simulation::new(world, 1).expect("one thread");
    simulation.run(20_000);
    let start = simulation.world().position(block);
    simulation.run(100_000);
    let crept = (simulation.world().position(block) - start).length();
    assert!(crept < 1e-9 * 0.012, "the block crept by {crept:.2e} m in 1e5 steps");
}

#[test]
fn a_grain_that_flies_through_a_thin_surface_is_found() {
    for speed in [20.0, 300.0, 3000.0] {
        let (mut world, grit) = world_with_grit();
        world.set_time_step(1e-5).unwrap();
        let mut random = Random::new(3);
        let wall = world.add_shape(ground(&mut random, 0.1, 10, |_| 0.0)).unwrap();
        world.add_body(BodySpec::fixed(wall, grit, DVec3::ZERO)).unwrap();
        let ball = world.add_shape(Sphere { radius: 0.001 }).unwrap();
        let mut body = BodySpec::at(ball, grit, DVec3::new(0.003, 0.004, 0.03));
        body.velocity = DVec3::new(0.0, 0.0, -speed);
        let ball = world.add_body(body).unwrap();
        let mut simulation = Simulation::new(world, 1).expect("one thread");
        simulation.run(1000);
        let found = simulation.take_passages();
        let has_passed = simulation.world().position(ball).z < 0.0;
        assert!(!has_passed || found.count > 0, "{speed} m/s: {found:?}");
    }
}

#[test]
fn a_rock_survives_on_the_corner_of_many_triangles() {
    let stone: Polyhedron =
        Polyhedron::new((0..30).map(|k| 0.01 * Random::new(k).direction()).collect()).expect("a rock");
    let mut random = Random::new(21);
    let mut heights = Random::new(22);
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    // Hundreds of triangles below each rock.
    let wall = world
        .add_shape(ground(&mut random, 0.06, 90, |at| 0.02 * (40.0 * at.x).sin() + 3e-4 * heights.unit()))
        .unwrap();
    world.add_body(BodySpec::fixed(wall, grit, DVec3::ZERO)).unwrap();
    let shape = world.add_shape(stone).unwrap();
    let rocks: Vec<BodyId> = (0..4)
        .map(|k| world.add_body(BodySpec::at(shape, grit, DVec3::new(0.0, 0.0, 0.035 + 0.025 * k as f64))).unwrap())
        .collect();
    let mut simulation = Simulation::new(world, 1).expect("one thread");
    simulation.run(50_000);
    let energy = simulation.energy();
    println!("{energy:?}");
    for rock in rocks {
        let at = simulation.world().position(rock);
        let floor = 0.02 * (40.0 * at.x).sin();
        assert!(at.x.abs() > 0.03 || at.y.abs() > 0.03 || at.z > floor - 1e-3, "{at}");
    }
    assert_eq!(simulation.take_passages().count, 0);
}
