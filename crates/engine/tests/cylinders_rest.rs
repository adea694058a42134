//! Coins and cans that stand, lie and carry each other stay where they are; so do cones and capsules, on the ground and on blocks.

mod common;

use common::world_with_grit;
use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, ContactLaw, Rolling, Simulation};
use granum_geometry::shape::{Box, Capsule, Cylinder, HalfSpace, TruncatedCone};
use granum_geometry::{Measure, Shape};

/// Steps in which nothing may move, and steps until all has come to rest: a can on a coin swings longest, as the dashpot of a
/// contact knows the coin's mass alone. It loses half of its swing in 30,000 steps by depth; by moments a face is as soft as one of
/// the depth's five points, and one that lies there takes 140,000.
const WATCH: u64 = 100_000;
const SETTLE: u64 = 500_000;
const SETTLE_BY_MOMENTS: u64 = 2_000_000;

/// Drift allowed in [`WATCH`] steps, in sizes, and turn, rad.
const DRIFT: f64 = 1e-6;

/// Radius of all of them, m.
const RADIUS: f64 = 0.005;

const CAN: Cylinder = Cylinder { radius: RADIUS, half_height: 1.5 * RADIUS };
const COIN: Cylinder = Cylinder { radius: RADIUS, half_height: 0.025 * RADIUS };

const CONE: TruncatedCone = TruncatedCone { radii: [RADIUS, 0.6 * RADIUS], half_height: RADIUS };
const CAPSULE: Capsule = Capsule { radius: RADIUS, half_height: 1.5 * RADIUS };
const BLOCK: Box = Box { half_sizes: DVec3::new(3.0 * RADIUS, 3.0 * RADIUS, RADIUS) };

/// A body of a scene: its shape, where it is in radii, and how it is turned.
type Placed = (Shape, DVec3, DQuat);

/// A body of a scene.
fn placed(shape: impl Into<Shape>, place: DVec3, turn: DQuat) -> Placed {
    (shape.into(), place, turn)
}

/// What holds bodies where they are.
#[derive(Clone, Copy, PartialEq)]
enum Hold {
    /// Nothing but faces and lines.
    Features,
    /// Resistance against rolling too: on a face that its own weight tilts nothing else stops a round side.
    Rolling,
}

/// Lets them settle on a plane, and returns the largest drift in sizes and the largest turn, rad, in [`WATCH`] steps.
fn drift(bodies: &[Placed], hold: Hold, measure: Measure) -> (f64, f64) {
    let (mut world, grit) = world_with_grit();
    world.set_measure(measure).unwrap();
    if hold == Hold::Features {
        let law = *world.law(grit, grit).expect("a law");
        world.set_law(grit, grit, ContactLaw { rolling: Rolling::None, ..law }).unwrap();
    }
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    let mut ids: Vec<BodyId> = Vec::new();
    for (shape, place, orientation) in bodies {
        let is_wall = matches!(shape, Shape::HalfSpace(_));
        let shape = world.add_shape(shape.clone()).expect("a shape");
        if is_wall {
            world.add_body(BodySpec::fixed(shape, grit, RADIUS * *place)).expect("a wall");
            continue;
        }
        let mut body = BodySpec::at(shape, grit, RADIUS * *place);
        body.pose.orientation = *orientation;
        ids.push(world.add_body(body).expect("a body"));
    }
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).expect("a floor");
    world.add_body(BodySpec::fixed(floor, grit, DVec3::ZERO)).expect("a body");
    world.set_time_step(1e-5).unwrap();
    let mut simulation = Simulation::new(world, 1).expect("a simulation");
    simulation.run(if measure == Measure::Moments { SETTLE_BY_MOMENTS } else { SETTLE });
    let poses = |simulation: &Simulation| {
        let world = simulation.world();
        ids.iter().map(|&id| (world.position(id), world.orientation(id))).collect::<Vec<_>>()
    };
    let before = poses(&simulation);
    simulation.run(WATCH);
    let moved = before
        .into_iter()
        .zip(poses(&simulation))
        .map(|((p, q), (r, s))| ((r - p).length() / RADIUS, (s * q.inverse()).to_scaled_axis().length()));
    moved.fold((0.0, 0.0), |(x, y), (drift, turn)| (f64::max(x, drift), f64::max(y, turn)))
}

fn assert_at_rest(name: &str, bodies: &[Placed]) {
    assert_at_rest_by(Hold::Features, name, bodies);
}

fn assert_at_rest_by(hold: Hold, name: &str, bodies: &[Placed]) {
    let cylinders = bodies.iter().filter(|(shape, ..)| matches!(shape, Shape::Cylinder(_))).count();
    let measures = if cylinders > 1 { &[Measure::Depth, Measure::Moments][..] } else { &[Measure::Depth] };
    for &measure in measures {
        let (drift, turn) = drift(bodies, hold, measure);
        println!("{name}, {measure:?}: drift {drift:e} sizes, turned {turn:e} rad");
        assert!(drift < DRIFT && turn < DRIFT, "{name}, {measure:?}: drift {drift:e} sizes, turned {turn:e} rad");
    }
}

const LEANING: f64 = 0.02;

fn up(z: f64) -> DVec3 {
    DVec3::new(0.0, 0.0, z)
}

fn lying() -> DQuat {
    DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)
}

#[test]
fn a_can_stands() {
    assert_at_rest("can", &[placed(CAN, up(1.52), DQuat::from_rotation_x(LEANING))]);
}

#[test]
fn a_can_lies() {
    assert_at_rest("lying can", &[placed(CAN, up(1.02), DQuat::from_rotation_x(LEANING) * lying())]);
}

#[test]
fn a_coin_lies() {
    assert_at_rest("coin", &[placed(COIN, up(0.05), DQuat::from_rotation_y(LEANING))]);
}

#[test]
fn a_coin_lies_on_a_can() {
    let coin = placed(COIN, DVec3::new(0.4, 0.1, 3.03), DQuat::IDENTITY);
    assert_at_rest("coin on can", &[placed(CAN, up(1.5), DQuat::IDENTITY), coin]);
}

#[test]
fn a_can_lies_on_two_cans() {
    let standing = |x: f64| placed(CAN, DVec3::new(x, 0.0, 1.5), DQuat::IDENTITY);
    let across = placed(CAN, up(4.0), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
    // The cans lean towards the side to which the one on them rolls: without resistance its place is unstable, and roundings grow tenfold
    // in 270,000 steps.
    assert_at_rest_by(Hold::Rolling, "lying on two cans", &[standing(-1.0), standing(1.001), across]);
}

#[test]
fn a_can_stands_on_a_can() {
    let upper = placed(CAN, DVec3::new(0.2, 0.3, 4.5), DQuat::IDENTITY);
    assert_at_rest("standing on a can", &[placed(CAN, up(1.5), DQuat::IDENTITY), upper]);
}

#[test]
fn a_coin_lies_on_a_coin() {
    let upper = placed(COIN, DVec3::new(0.5, -0.2, 0.075), DQuat::IDENTITY);
    assert_at_rest("coin on coin", &[placed(COIN, up(0.025), DQuat::IDENTITY), upper]);
}

#[test]
fn a_can_stands_on_a_coin() {
    let can = placed(CAN, DVec3::new(0.3, 0.1, 1.55), DQuat::IDENTITY);
    assert_at_rest("can on coin", &[placed(COIN, up(0.025), DQuat::IDENTITY), can]);
}

#[test]
fn a_can_lies_on_a_coin() {
    let can = placed(CAN, DVec3::new(0.1, 0.1, 1.05), lying());
    assert_at_rest_by(Hold::Rolling, "can lying on coin", &[placed(COIN, up(0.025), DQuat::IDENTITY), can]);
}

#[test]
fn a_coin_stands_on_its_edge() {
    assert_at_rest("coin on edge", &[placed(COIN, up(1.0), lying())]);
}

#[test]
fn a_coin_stands_on_its_edge_on_a_can() {
    let coin = placed(COIN, DVec3::new(0.2, 0.1, 4.0), lying());
    assert_at_rest_by(Hold::Rolling, "coin on edge on can", &[placed(CAN, up(1.5), DQuat::IDENTITY), coin]);
}

#[test]
fn a_can_leans_on_a_can() {
    // With its lower rim on the floor and its side on the other's rim.
    let angle: f64 = 0.2;
    let (sin, cos) = angle.sin_cos();
    let touch = DVec3::new(1.0, 0.0, 3.0) - DVec3::new(-cos, 0.0, sin);
    let along = DVec3::new(-sin, 0.0, cos);
    // Down its axis until the rim meets the floor.
    let place = touch - along * ((touch.z - 1.5 * cos - sin) / cos);
    let leaning = placed(CAN, place, DQuat::from_rotation_y(-angle));
    assert_at_rest("leaning can", &[placed(CAN, up(1.5), DQuat::IDENTITY), leaning]);
}

#[test]
fn a_coin_leans_on_a_can() {
    // With its lower rim on the floor and its face on the can's rim.
    let angle: f64 = 1.2;
    let (sin, cos) = angle.sin_cos();
    let coin = placed(COIN, DVec3::new(1.0 + 0.03 * sin + cos, 0.0, sin + 0.025 * cos), DQuat::from_rotation_y(angle));
    assert_at_rest("leaning coin", &[placed(CAN, up(1.5), DQuat::IDENTITY), coin]);
}

#[test]
fn a_cone_stands() {
    let cone = placed(CONE, up(0.96), DQuat::from_rotation_x(LEANING));
    assert_at_rest("cone", &[cone]);
}

#[test]
fn a_capsule_lies() {
    let capsule = placed(CAPSULE, up(1.02), DQuat::from_rotation_x(LEANING) * lying());
    assert_at_rest("capsule", &[capsule]);
}

/// Walls on both sides of two bodies of radius 1 that lie side by side.
fn walls() -> [Placed; 2] {
    [-1.0, 1.0].map(|side| placed(HalfSpace::new(-side * DVec3::X), DVec3::new(2.0 * side, 0.0, 0.0), DQuat::IDENTITY))
}

#[test]
fn a_capsule_lies_on_two_capsules() {
    let lower = |x: f64| placed(CAPSULE, DVec3::new(x, 0.1 * x, 1.0), lying());
    let upper = placed(CAPSULE, DVec3::new(0.0, 0.3, 1.0 + 3f64.sqrt()), DQuat::from_rotation_x(LEANING) * lying());
    let [left, right] = walls();
    assert_at_rest("capsule on two", &[left, right, lower(-1.0), lower(1.0), upper]);
}

#[test]
fn a_capsule_lies_on_a_can() {
    let capsule = placed(CAPSULE, DVec3::new(0.2, 0.3, 4.0), lying());
    assert_at_rest_by(Hold::Rolling, "capsule on can", &[placed(CAN, up(1.5), DQuat::IDENTITY), capsule]);
}

/// A block on the ground with another body on it.
fn on_a_block(shape: impl Into<Shape>, place: DVec3, turn: DQuat) -> [Placed; 2] {
    [placed(BLOCK, up(1.0), DQuat::IDENTITY), placed(shape, place + up(2.0), turn)]
}

#[test]
fn a_can_stands_on_a_block() {
    assert_at_rest("can on block", &on_a_block(CAN, DVec3::new(0.2, 0.3, 1.5), DQuat::IDENTITY));
}

#[test]
fn a_can_lies_on_a_block() {
    assert_at_rest_by(Hold::Rolling, "can lying on block", &on_a_block(CAN, DVec3::new(0.3, 0.2, 1.0), lying()));
}
