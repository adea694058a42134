//! A box-like superellipsoid comes to rest on a plane and stays: no rocking, no drift.

mod common;

use common::world_with_grit;
use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, ContactLaw, Rolling, Simulation};
use granum_geometry::shape::{HalfSpace, Superellipsoid};

/// Steps until the grain is at rest, and steps in which it must not move.
const SETTLE: u64 = 100_000;
const WATCH: u64 = 100_000;

/// Drift allowed in [`WATCH`] steps, in sizes.
const DRIFT: f64 = 1e-6;

/// Tilt on the face, rad: the grain's weight is carried by four points, and gravity is a little inclined.
const FLAT: f64 = 1e-3;

#[test]
fn a_flat_face_neither_rocks_nor_drifts() {
    let (mut world, grit) = world_with_grit();
    // Nothing but the face itself may hold the grain.
    let law = *world.laws.get(grit, grit).unwrap();
    world.set_law(grit, grit, ContactLaw { rolling: Rolling::None, ..law });
    world.gravity = DVec3::new(0.5, 0.2, -9.81);
    let size = 0.005;
    let semi_axes = size * DVec3::new(1.0, 0.9, 0.7);
    let shape = world.add_shape(Superellipsoid { semi_axes, eps: [0.1, 0.1] }).unwrap();
    let mut grain = BodySpec::at(shape, grit, DVec3::new(0.0, 0.0, 1.02 * semi_axes.z));
    grain.pose.orientation = DQuat::from_rotation_x(0.01) * DQuat::from_rotation_y(-0.02);
    let grain = world.add_body(grain).unwrap();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    world.add_body(BodySpec::fixed(floor, grit, DVec3::ZERO)).unwrap();
    world.time_step = 1e-5;
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(SETTLE);
    let pose = |simulation: &Simulation| (simulation.world().position(grain), simulation.world().orientation(grain));
    let before = pose(&simulation);
    simulation.run(WATCH);
    let after = pose(&simulation);
    let tilt = (after.1 * DVec3::Z).cross(DVec3::Z).length();
    let drift = (after.0 - before.0).length() / size;
    let turned = (after.1 * before.1.inverse()).to_scaled_axis().length();
    println!("drift {drift:e} sizes, turned {turned:e} rad; tilt {tilt:e} rad");
    assert!(tilt < FLAT, "the grain lies {tilt:e} rad from flat");
    assert!(drift < DRIFT && turned < DRIFT, "drift {drift:e} sizes, turned {turned:e} rad");
}
