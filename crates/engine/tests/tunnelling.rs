//! A body that passes through another is found in the step in which it does, whether contacts are
//! too soft to stop it or the time step is too long to see it.

mod common;

use common::{Random, shaken_box};
use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, ContactLaw, Material, MaterialId, PassageKind, Simulation, World};
use granum_geometry::shape::{Box, Sphere};

/// Radius of the ball, m.
const RADIUS: f64 = 1e-3;

/// Returns a world with a material and the stiffness of its contacts, N/m.
fn world(stiffness: f64, time_step: f64) -> (World, MaterialId) {
    let mut world = World::new();
    let steel = world.add_material(Material::new("steel", 7800.0)).unwrap();
    world.set_law(steel, steel, ContactLaw::linear(stiffness, 0.9, 0.0).unwrap()).unwrap();
    world.set_time_step(time_step).unwrap();
    (world, steel)
}

fn add_ball(world: &mut World, steel: MaterialId, at: DVec3, velocity: DVec3) {
    let ball = world.add_shape(Sphere { radius: RADIUS }).unwrap();
    world.add_body(BodySpec { velocity, ..BodySpec::at(ball, steel, at) }).unwrap();
}

/// Adds a fixed plate in the plane z = 0.
fn add_plate(world: &mut World, steel: MaterialId, thickness: f64) {
    let plate = world.add_shape(Box { half_sizes: DVec3::new(0.1, 0.1, 0.5 * thickness) }).unwrap();
    world.add_body(BodySpec::fixed(plate, steel, DVec3::ZERO)).unwrap();
}

/// Returns a simulation of a ball that starts 3 mm above a plate of 2 mm and moves down.
fn ball_at_plate(stiffness: f64, speed: f64, time_step: f64) -> Simulation {
    let (mut world, steel) = world(stiffness, time_step);
    add_plate(&mut world, steel, 2e-3);
    add_ball(&mut world, steel, 3e-3 * DVec3::Z, -speed * DVec3::Z);
    Simulation::new(world, 1).unwrap()
}

#[test]
fn a_ball_at_300_m_per_s_does_not_pass_a_plate_unnoticed() {
    // The bodies overlap for 4 mm, 50 steps: fewer than from one check of the guards to the next.
    let mut simulation = ball_at_plate(1e5, 300.0, 4e-3 / 300.0 / 50.0);
    let done = simulation.run_until_passage(1_000);
    assert!((10..50).contains(&done), "{done} steps");
    let passages = simulation.take_passages();
    assert_eq!(passages.count, 1);
    let passage = passages.described[0];
    let PassageKind::BeyondMiddle { depth } = passage.kind else { panic!("{passage:?}") };
    assert!(depth > 1e-3 && depth < 1.1e-3 && (passage.limit - 1e-3).abs() < 1e-12, "{passage:?}");
    assert_eq!(passage.step, simulation.world().steps());
    // The advice stops the ball.
    let mut advised = ball_at_plate(passage.stiffness() * 1.1, 300.0, passage.time_step());
    assert_eq!(advised.run_until_passage(1_000), 1_000);
    let body = advised.world().bodies().nth(1).unwrap();
    assert!(body.velocity.z > 200.0 && body.position.z > 0.0, "{body:?}");
}

#[test]
fn a_ball_does_not_jump_over_a_plate_in_one_step() {
    let mut simulation = ball_at_plate(1e9, 300.0, 2e-5);
    // It moves 6 mm in the first step: from 2 mm above the plate to 1 mm below it.
    assert_eq!(simulation.run_until_passage(10), 1);
    let passages = simulation.take_passages();
    let passage = passages.described[0];
    assert!(matches!(passage.kind, PassageKind::Jump { displacement } if (displacement - 6e-3).abs() < 1e-9));
    assert!(simulation.world().contacts().count() == 0 && passages.count == 1, "{passages:?}");
    let mut advised = ball_at_plate(passage.stiffness() * 1.1, 300.0, passage.time_step());
    assert_eq!(advised.run_until_passage(1_000), 1_000);
}

#[test]
fn fast_balls_do_not_jump_over_each_other_and_a_miss_is_none() {
    for (aside, expected) in [(0.0, 1), (0.5 * RADIUS, 1), (1.9 * RADIUS, 1), (2.001 * RADIUS, 0), (0.02, 0)] {
        let (mut world, steel) = world(1e9, 1e-4);
        for side in [-1.0, 1.0] {
            let at = DVec3::new(side * 0.01, 0.5 * side * aside, 0.0);
            add_ball(&mut world, steel, at, -side * 150.0 * DVec3::X);
        }
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.run(3);
        assert_eq!(simulation.take_passages().count, expected, "{aside} m aside");
    }
}

#[test]
fn balls_that_fly_side_by_side_or_away_are_no_alarm() {
    let (mut world, steel) = world(1e9, 1e-4);
    add_plate(&mut world, steel, 2e-3);
    for k in 0..10 {
        // 10 mm in a step, each farther from the plate than the one before.
        add_ball(&mut world, steel, (2.1e-3 + 2.1e-3 * k as f64) * DVec3::Z, 100.0 * DVec3::Z);
    }
    let mut simulation = Simulation::new(world, 1).unwrap();
    assert_eq!(simulation.run_until_passage(100), 100);
}

#[test]
fn no_ball_passes_a_plate_whatever_its_speed_and_angle() {
    let mut random = Random::new(311);
    let (mut deep, mut jumps) = (0, 0);
    for case in 0..400 {
        let thickness = 2.0 * RADIUS * random.log_range(0.1, 5.0);
        let step = 2.0 * RADIUS * random.log_range(0.01, 20.0); // displacement in a step, m
        // Contacts are so soft that the ball flies straight on.
        let (mut world, steel) = world(1e-9, 1e-6);
        add_plate(&mut world, steel, thickness);
        let turn = DQuat::from_rotation_y(random.range(-0.8, 0.8));
        let distance = RADIUS + thickness + step * random.range(0.0, 1.0);
        let target = 0.01 * random.in_cube().with_z(0.0);
        let position = target + distance / (turn * DVec3::Z).z * (turn * DVec3::Z);
        add_ball(&mut world, steel, position, -step / 1e-6 * (turn * DVec3::Z));
        let mut simulation = Simulation::new(world, 1).unwrap();
        let behind = |simulation: &Simulation| {
            let z = simulation.world().bodies().nth(1).unwrap().position.z;
            z < -RADIUS - 0.5 * thickness - step
        };
        while simulation.run_until_passage(1) == 1 && !behind(&simulation) {}
        let passages = simulation.take_passages();
        assert!(passages.count > 0, "case {case}: thickness {thickness}, step {step}");
        match passages.described[0].kind {
            PassageKind::BeyondMiddle { .. } => deep += 1,
            PassageKind::Jump { .. } => jumps += 1,
        }
    }
    assert!(deep > 100 && jumps > 100, "{deep} {jumps}");
}

#[test]
fn impacts_that_contacts_stop_are_no_alarm_and_threads_do_not_matter() {
    let mut simulation = Simulation::new(shaken_box(), 1).unwrap();
    assert_eq!(simulation.run_until_passage(6_000), 6_000);
    // The ball is stopped at nine tenths of the limit.
    let stiffness = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3) * (300.0 / 0.9e-3f64).powi(2);
    assert_eq!(ball_at_plate(stiffness, 300.0, 1e-8).run_until_passage(5_000), 5_000);
    let cloud = |threads: usize| {
        let (mut world, steel) = world(1e3, 1e-4);
        let mut random = Random::new(5);
        for _ in 0..400 {
            add_ball(&mut world, steel, 0.03 * random.in_cube(), 100.0 * random.in_cube());
        }
        let mut simulation = Simulation::new(world, threads).unwrap();
        simulation.run(3);
        simulation.take_passages()
    };
    let one = cloud(1);
    assert!(one.count > 8 && one.described.len() == 8, "{one:?}");
    assert_eq!(one, cloud(2));
}
