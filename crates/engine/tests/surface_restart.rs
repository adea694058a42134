//! The same bits for any number of threads and after a restart: grains pressed by a servo-controlled
//! surface on rough triangles, and percussions on a surface that moves.

mod common;

use common::{Random, world_with_grit};
use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{BodyId, BodySpec, Drive, Guide, Material, Motion, Simulation, Snapshot, WallMotion, World};
use granum_geometry::Shape;
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Sphere, Superellipsoid, Surface, rock,
};
use granum_geometry::surface::generate::{RandomPlane, Terrain};

use glam::{DQuat, DVec3};

/// Shapes of about 8 mm times `scale`.
fn shapes(scale: f64) -> [Shape; 7] {
    let axes = scale * DVec3::new(0.004, 0.0035, 0.003);
    [
        Sphere { radius: 0.003 * scale }.into(),
        Ellipsoid { semi_axes: axes }.into(),
        Superellipsoid { semi_axes: axes, eps: [0.2, 0.4] }.into(),
        Cylinder { radius: 0.003 * scale, half_height: 0.003 * scale }.into(),
        Capsule { radius: 0.002 * scale, half_height: 0.002 * scale }.into(),
        Box { half_sizes: axes }.into(),
        Polyhedron::new(rock([0.008 * scale, 0.007 * scale, 0.006 * scale], 20.0, 5.0).unwrap()).unwrap().into(),
    ]
}

fn rough(scale: f64) -> Shape {
    let size = [0.1 * scale; 2];
    let (height, radius) = (0.0006 * scale, 0.001 * scale);
    let terrain = Terrain { size, cells: [60; 2], hills: 2000, height, radius, seed: 3 };
    Surface::new(terrain.mesh().unwrap(), false).unwrap().into()
}

/// Adds walls around the bed and its grains, two layers of 25.
fn add_bed(world: &mut World, scale: f64) {
    let material = world.material_named("grit").unwrap();
    for axis in [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y] {
        let wall = world.add_shape(HalfSpace::new(axis)).unwrap();
        world.add_body(BodySpec::fixed(wall, material, -0.03 * scale * axis)).unwrap();
    }
    let shapes = shapes(scale).map(|shape| world.add_shape(shape).unwrap());
    let mut random = Random::new(4);
    for k in 0..50 {
        let cell = DVec3::new((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64);
        let mut body = BodySpec::at(shapes[k % 7], material, 0.0105 * scale * (cell - DVec3::new(2.0, 2.0, -0.6)));
        body.pose.orientation = DQuat::from_scaled_axis(3.0 * random.in_cube());
        body.velocity = scale * 0.3 * (random.in_cube() - DVec3::Z);
        body.spin = 10.0 * random.in_cube();
        world.add_body(body).unwrap();
    }
}

/// A bed on a rough floor under a plate of triangles that a servo presses down and that shakes
/// sideways.
fn pressed() -> World {
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::new(9.0, -6.0, -300.0)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let plate = RandomPlane { size: [0.1; 2], points: 300, seed: 2 }.mesh().unwrap().reversed();
    let plate = world.add_shape(Surface::new(plate, false).unwrap()).unwrap();
    let motion = WallMotion {
        prescribed: vec![Drive::oscillation(DVec3::new(0.0005, 0.0002, 0.0), 40.0, 0.3)],
        guide: Some(Guide::servo(DVec3::NEG_Z, 2.0, 1.5)),
    };
    world
        .add_body(BodySpec { motion: Motion::Driven(motion), ..BodySpec::fixed(plate, grit, DVec3::Z * 0.024) })
        .unwrap();
    let floor = world.add_shape(rough(1.0)).unwrap();
    world.add_body(BodySpec::fixed(floor, grit, DVec3::ZERO)).unwrap();
    add_bed(&mut world, 1.0);
    world
}

/// A bed of 2 m on a rough floor that oscillates, with percussions.
fn struck() -> World {
    const SCALE: f64 = 30.0;
    let mut world = World::new();
    let grit = world.add_material(Material::new("grit", 2500.0)).unwrap();
    world.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
    let law = PercussionLaw { rebound: Rebound::Restitution(0.2), slip: Slip::Friction(0.5) };
    world.set_percussion_law(grit, grit, law).unwrap();
    world.set_gravity(DVec3::NEG_Z * 9.81).unwrap();
    world.set_time_step(1e-3).unwrap();
    let mut drive = Drive::oscillation(DVec3::new(0.02, 0.01, 0.02), 4.0, 0.3);
    drive.rotation = Drive::rotation(DVec3::ZERO, DVec3::Z * 0.3).rotation;
    let floor = world.add_shape(rough(SCALE)).unwrap();
    world
        .add_body(BodySpec { motion: Motion::Driven(drive.into()), ..BodySpec::fixed(floor, grit, DVec3::ZERO) })
        .unwrap();
    add_bed(&mut world, SCALE);
    world
}

/// Returns the bits of poses, velocities, contact forces and energies.
fn bits(world: &World) -> Vec<u64> {
    let snapshot = Snapshot::of(world);
    let mut numbers = Vec::new();
    for body in &snapshot.bodies {
        for vector in [body.position, body.velocity, body.spin] {
            numbers.extend(vector.to_array());
        }
        numbers.extend(body.orientation.to_array());
    }
    for contact in &snapshot.contacts {
        numbers.extend(contact.force.to_array());
    }
    numbers.extend([snapshot.energy.elastic, snapshot.energy.dissipated(), snapshot.energy.work]);
    numbers.into_iter().map(f64::to_bits).collect()
}

fn run(world: World, threads: usize, steps: u64) -> World {
    let mut simulation = Simulation::new(world, threads).unwrap();
    simulation.use_all_threads().unwrap();
    simulation.run(steps);
    simulation.into_world()
}

/// Compares runs on several threads, and runs that are saved and read after `parts` steps. The
/// bodies `walls` must have contacts at the end.
fn compare(bed: fn() -> World, steps: u64, parts: [u64; 3], walls: &[BodyId]) -> World {
    let one = run(bed(), 1, steps);
    for &wall in walls {
        let count = one.contacts().filter(|contact| contact.a() == wall || contact.b() == wall).count();
        println!("wall {} has {count} contacts", wall.0);
        assert!(count > 0);
    }
    for threads in [2, 3] {
        assert!(bits(&one) == bits(&run(bed(), threads, steps)), "{threads} threads");
    }
    for first in parts {
        let saved = postcard::to_allocvec(&run(bed(), 2, first)).unwrap();
        let read: World = postcard::from_bytes(&saved).unwrap();
        assert!(bits(&one) == bits(&run(read, 1, steps - first)), "restart after {first} steps");
    }
    one
}

#[test]
fn threads_and_a_restart_change_no_bit_under_a_servo_controlled_surface() {
    let end = compare(pressed, 1200, [1, 734, 1199], &[BodyId(0), BodyId(1)]);
    let height = end.position(BodyId(0)).z;
    println!("the plate is at {height:.4} m");
    assert!(height < 0.0235, "the servo has not moved the plate: {height}");
}

#[test]
fn threads_and_a_restart_change_no_bit_of_percussions_on_a_moving_surface() {
    compare(struck, 400, [1, 250, 399], &[BodyId(0)]);
}
