//! Box-like superellipsoids come to rest on a plane and on each other, without rocking or drift.

mod common;

use common::world_with_grit;
use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, ContactLaw, Rolling, Simulation};
use granum_geometry::shape::{HalfSpace, Superellipsoid};

/// Steps until the grains are at rest, and steps during which they must not move.
const SETTLE: u64 = 200_000;
const WATCH: u64 = 100_000;

/// Largest drift in [`WATCH`] steps, in sizes, and largest rotation, rad.
const DRIFT: f64 = 1e-6;

/// Largest tilt of a resting grain, rad. Four points carry its weight, and gravity is slightly
/// inclined.
const FLAT: f64 = 1e-3;

#[test]
fn a_flat_face_neither_rocks_nor_drifts() {
    check_stack_at_rest(1);
}

#[test]
fn a_stack_of_flat_faces_neither_rocks_nor_drifts() {
    check_stack_at_rest(3);
}

/// Drops a stack of grains from a small height, each tilted and rotated relative to the one below,
/// and checks that it stays at rest.
fn check_stack_at_rest(count: u32) {
    let (mut world, grit) = world_with_grit();
    // Without rolling resistance only the contacts of the faces hold the grains.
    let law = *world.law(grit, grit).unwrap();
    world.set_law(grit, grit, ContactLaw { rolling: Rolling::None, ..law }).unwrap();
    world.set_gravity(DVec3::new(0.5, 0.2, -9.81)).unwrap();
    let size = 0.005;
    let semi_axes = size * DVec3::new(1.0, 0.9, 0.7);
    let shape = world.add_shape(Superellipsoid { semi_axes, eps: [0.1, 0.1] }).unwrap();
    let grains: Vec<_> = (0..count)
        .map(|k| {
            let height = (2.05 * f64::from(k) + 1.02) * semi_axes.z;
            let mut grain = BodySpec::at(shape, grit, DVec3::new(2e-4 * f64::from(k), 0.0, height));
            let turn = DQuat::from_rotation_z(0.3 * f64::from(k));
            grain.pose.orientation = DQuat::from_rotation_x(0.01) * DQuat::from_rotation_y(-0.02) * turn;
            world.add_body(grain).unwrap()
        })
        .collect();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    world.add_body(BodySpec::fixed(floor, grit, DVec3::ZERO)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(SETTLE);
    let pose =
        |simulation: &Simulation, grain| (simulation.world().position(grain), simulation.world().orientation(grain));
    let before: Vec<_> = grains.iter().map(|&grain| pose(&simulation, grain)).collect();
    simulation.run(WATCH);
    for (k, (&grain, before)) in grains.iter().zip(before).enumerate() {
        let after = pose(&simulation, grain);
        let tilt = (after.1 * DVec3::Z).cross(DVec3::Z).length();
        let drift = (after.0 - before.0).length() / size;
        let turned = (after.1 * before.1.inverse()).to_scaled_axis().length();
        println!("grain {k}: drift {drift:e} sizes, rotation {turned:e} rad; tilt {tilt:e} rad");
        assert!(tilt < FLAT, "grain {k} is tilted by {tilt:e} rad");
        assert!(drift < DRIFT && turned < DRIFT, "grain {k}: drift {drift:e} sizes, rotation {turned:e} rad");
    }
}
