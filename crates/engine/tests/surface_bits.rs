//! The same bits for any number of threads and after a restart, for grains on a rough surface that
//! moves.

mod common;

use common::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, Course, Drive, MaterialId, Motion, Simulation, Snapshot, Turning, World};
use granum_geometry::Shape;
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Sphere, Superellipsoid, Surface, rock,
};
use granum_geometry::surface::generate::{CylinderSurface, Terrain};

/// Steps of a run, in which the grains fall and meet the surface.
const STEPS: u64 = 1000;

/// Steps after which a run is restarted.
const RESTARTS: [u64; 3] = [1, 484, 999];

fn bed() -> World {
    let (mut world, grit) = world_with_grit();
    // Strong, so that the bed settles within a few steps.
    world.set_gravity(DVec3::new(9.0, -6.0, -300.0)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let terrain = Terrain { size: [0.1; 2], cells: [60; 2], hills: 2000, height: 0.0006, radius: 0.001, seed: 3 };
    let wall = world.add_shape(Surface::new(terrain.mesh().unwrap(), false).unwrap()).unwrap();
    let mut drive = Drive::oscillation(DVec3::new(0.0005, 0.0002, 0.001), 40.0, 0.3);
    drive.rotation = Drive::rotation(DVec3::ZERO, DVec3::Z * 0.8).rotation;
    let ground = BodySpec { motion: Motion::Driven(drive.into()), ..BodySpec::fixed(wall, grit, DVec3::ZERO) };
    let ground = world.add_body(ground).unwrap();
    world.record_wear(ground).unwrap();
    for axis in [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y] {
        let wall = world.add_shape(HalfSpace::new(axis)).unwrap();
        world.add_body(BodySpec::fixed(wall, grit, -0.03 * axis)).unwrap();
    }
    add_grains(&mut world, grit);
    world
}

/// A drum of facets that turns about its axis, at first slowly, so that its pairs are listed by
/// distance, and later so fast that all are listed.
fn drum() -> World {
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::new(0.0, -300.0, 0.0)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let drum = CylinderSurface { radius: 0.04, length: 0.05, facets: 60, divisions: 8, ends: true };
    let wall = world.add_shape(Surface::new(drum.mesh().unwrap(), false).unwrap()).unwrap();
    let angle = Course::Oscillation { amplitude: 2.0, frequency: 15.0, phase: -1.5 };
    let rotation = Some(Turning { axis: DVec3::Z, pivot: None, angle });
    let drive = Drive { displacement: Course::Steady(DVec3::ZERO), rotation };
    world
        .add_body(BodySpec { motion: Motion::Driven(drive.into()), ..BodySpec::fixed(wall, grit, DVec3::ZERO) })
        .unwrap();
    add_grains(&mut world, grit);
    world
}

fn add_grains(world: &mut World, grit: MaterialId) {
    let axes = DVec3::new(0.004, 0.0035, 0.003);
    let shapes: [Shape; 7] = [
        Sphere { radius: 0.003 }.into(),
        Ellipsoid { semi_axes: axes }.into(),
        Superellipsoid { semi_axes: axes, eps: [0.2, 0.4] }.into(),
        Cylinder { radius: 0.003, half_height: 0.003 }.into(),
        Capsule { radius: 0.002, half_height: 0.002 }.into(),
        Box { half_sizes: axes }.into(),
        Polyhedron::new(rock([0.008, 0.007, 0.006], 20.0, 5.0).unwrap()).unwrap().into(),
    ];
    let shapes = shapes.map(|shape| world.add_shape(shape).unwrap());
    let mut random = Random::new(4);
    for k in 0..50 {
        let cell = DVec3::new((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64);
        let mut body = BodySpec::at(shapes[k % 7], grit, 0.0105 * (cell - DVec3::new(2.0, 2.0, -0.6)));
        body.pose.orientation = DQuat::from_scaled_axis(3.0 * random.in_cube());
        body.velocity = 0.1 * random.in_cube() - 0.3 * DVec3::Z;
        body.spin = 20.0 * random.in_cube();
        world.add_body(body).unwrap();
    }
}

fn hash(world: &World) -> u64 {
    let snapshot = Snapshot::of(world);
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |value: f64| {
        for byte in value.to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for body in &snapshot.bodies {
        for vector in [body.position, body.velocity, body.spin] {
            vector.to_array().into_iter().for_each(&mut add);
        }
        body.orientation.to_array().into_iter().for_each(&mut add);
    }
    for contact in &snapshot.contacts {
        contact.force.to_array().into_iter().for_each(&mut add);
    }
    world.stored_wear().for_each(&mut add);
    [snapshot.energy.elastic, snapshot.energy.dissipated(), snapshot.energy.work].into_iter().for_each(&mut add);
    hash
}

#[test]
fn threads_and_a_restart_change_no_bit_of_a_bed_on_a_moving_surface() {
    for world in [bed, drum] {
        is_reproducible(world);
    }
}

fn is_reproducible(world: fn() -> World) {
    let run = |world: World, threads: usize, steps: u64| {
        let mut simulation = Simulation::new(world, threads).unwrap();
        simulation.use_all_threads().unwrap();
        simulation.run(steps);
        simulation.into_world()
    };
    let one = run(world(), 1, STEPS);
    let on_surface = one.contacts().filter(|contact| contact.a().0 == 0 || contact.b().0 == 0).count();
    println!("{on_surface} of {} contacts are with the surface", one.contacts().count());
    assert!(on_surface > 5);
    for threads in [2, 3] {
        assert_eq!(hash(&one), hash(&run(world(), threads, STEPS)), "{threads} threads");
    }
    let (mut restarted, mut done) = (world(), 0);
    for (threads, until) in RESTARTS.into_iter().enumerate() {
        let saved = postcard::to_allocvec(&run(restarted, 1 + threads, until - done)).unwrap();
        (restarted, done) = (postcard::from_bytes(&saved).unwrap(), until);
    }
    assert_eq!(hash(&one), hash(&run(restarted, 1, STEPS - done)), "restarts after {RESTARTS:?} steps");
}
