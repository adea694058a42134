//! Bodies of revolution roll on a plane and on a block without resistance.

mod common;

use std::f64::consts::FRAC_PI_2;

use common::world_with_grit;
use glam::{DQuat, DVec3};
use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{BodySpec, ContactLaw, Rolling, Simulation};
use granum_geometry::Shape;
use granum_geometry::shape::{Cylinder, Ellipsoid, HalfSpace, Sphere, Superellipsoid};

const RADIUS: f64 = 0.01;

/// Largest loss of speed, m/s, over 0.7 m.
const LOSS: f64 = 1e-7;

/// The same for a pillow, whose contact is softer at a pole, so that it sinks and rises.
const PILLOW_LOSS: f64 = 2e-5;

/// Returns the speed that a body loses over 0.7 m, m/s, which rolls along x with about 1 m/s. Its
/// axis z or, for a pillow, y is along y. It settles on the floor during the first 0.3 m.
fn loss(shape: Shape, floor: Shape, percussions: bool) -> f64 {
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::NEG_Z * 9.81).unwrap();
    let mut time_step = 1e-5;
    if percussions {
        time_step = 2e-4;
        world.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
        let law = PercussionLaw { rebound: Rebound::Restitution(0.3), slip: Slip::Friction(0.5) };
        world.set_percussion_law(grit, grit, law).unwrap();
    } else {
        let law = *world.law(grit, grit).unwrap();
        world.set_law(grit, grit, ContactLaw { rolling: Rolling::None, ..law }).unwrap();
    }
    world.set_time_step(time_step).unwrap();
    let top = if let Shape::Superellipsoid(block) = &floor { block.semi_axes.z } else { 0.0 };
    let floor = world.add_shape(floor).unwrap();
    world.add_body(BodySpec::fixed(floor, grit, DVec3::NEG_Z * top)).unwrap();
    let is_pillow = matches!(&shape, Shape::Superellipsoid(shape) if shape.eps[0] < shape.eps[1]);
    let lying = if is_pillow { 0.0 } else { FRAC_PI_2 };
    let shape = world.add_shape(shape).unwrap();
    let mut body = BodySpec::at(shape, grit, DVec3::new(-0.5, 0.0, RADIUS));
    body.pose.orientation = DQuat::from_rotation_y(0.3) * DQuat::from_rotation_x(lying);
    body.velocity = DVec3::X;
    body.spin = DVec3::Y / RADIUS;
    let body = world.add_body(body).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run((0.3 / time_step) as u64);
    let before = simulation.world().twist(body).velocity.x;
    simulation.run((0.7 / time_step) as u64);
    let world = simulation.world();
    let (position, velocity) = (world.position(body), world.twist(body).velocity);
    assert!((position.x - 0.5).abs() < 0.1 && (position.z - RADIUS).abs() < 1e-2 * RADIUS, "it left: {position}");
    before - velocity.x
}

fn plane() -> Shape {
    HalfSpace::new(DVec3::Z).into()
}

fn barrel(eps: f64) -> Shape {
    Superellipsoid { semi_axes: DVec3::new(RADIUS, RADIUS, 1.3 * RADIUS), eps: [1.0, eps] }.into()
}

#[test]
fn barrels_roll_on_a_plane_like_cylinders() {
    for percussions in [false, true] {
        let cylinder = Cylinder { radius: RADIUS, half_height: 1.3 * RADIUS };
        let exact = loss(cylinder.into(), plane(), percussions);
        for eps in [0.1, 0.2, 0.3] {
            let lost = loss(barrel(eps), plane(), percussions);
            assert!((lost - exact).abs() < LOSS, "eps {eps}, percussions {percussions}: {lost} m/s, not {exact}");
        }
    }
}

#[test]
fn round_bodies_still_roll_without_resistance() {
    let semi_axes = DVec3::new(RADIUS, RADIUS, 1.3 * RADIUS);
    for shape in [Sphere { radius: RADIUS }.into(), Ellipsoid { semi_axes }.into(), barrel(0.6)] {
        for percussions in [false, true] {
            let lost = loss(shape.clone(), plane(), percussions);
            assert!(lost.abs() < LOSS, "{shape:?}, percussions {percussions}: {lost} m/s");
        }
    }
}

#[test]
fn barrels_roll_on_a_flat_block() {
    let block: Shape = Superellipsoid { semi_axes: DVec3::new(1.2, 1.0, 0.4), eps: [0.1, 0.1] }.into();
    for percussions in [false, true] {
        for eps in [0.1, 0.2, 0.3] {
            let lost = loss(barrel(eps), block.clone(), percussions);
            assert!(lost.abs() < LOSS, "eps {eps}, percussions {percussions}: {lost} m/s");
        }
    }
}

/// It is a square seen from above and round from the side, and rolls over its poles.
#[test]
fn pillows_roll_on_a_plane() {
    let pillow = Superellipsoid { semi_axes: DVec3::new(RADIUS, 1.3 * RADIUS, RADIUS), eps: [0.1, 1.0] };
    for percussions in [false, true] {
        let lost = loss(pillow.into(), plane(), percussions);
        assert!(lost.abs() < PILLOW_LOSS, "percussions {percussions}: {lost} m/s");
    }
}
