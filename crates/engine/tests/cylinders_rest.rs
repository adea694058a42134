//! Coins, cans, cones and capsules stay at rest on the ground, on blocks and on each other.

mod common;

use common::world_with_grit;
use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, ContactLaw, Rolling, Simulation};
use granum_geometry::shape::{Box, Capsule, Cylinder, HalfSpace, TruncatedCone};
use granum_geometry::{Measure, Shape};

/// Steps in which nothing may move, and steps until all bodies are at rest. A can on a coin rocks
/// longest, because the dashpot of a contact depends on the mass of the coin only. By depth the
/// amplitude halves in 30,000 steps. By moments it takes 140,000 if the can lies, because a face is
/// as soft as one of the five points by depth.
const WATCH: u64 = 100_000;
const SETTLE: u64 = 500_000;
const SETTLE_BY_MOMENTS: u64 = 2_000_000;

/// Largest drift in [`WATCH`] steps, in radii, and largest rotation, rad.
const DRIFT: f64 = 1e-6;

/// Radius of all round bodies, m.
const RADIUS: f64 = 0.005;

const CAN: Cylinder = Cylinder { radius: RADIUS, half_height: 1.5 * RADIUS };
const COIN: Cylinder = Cylinder { radius: RADIUS, half_height: 0.025 * RADIUS };

const CONE: TruncatedCone = TruncatedCone { radii: [RADIUS, 0.6 * RADIUS], half_height: RADIUS };
const CAPSULE: Capsule = Capsule { radius: RADIUS, half_height: 1.5 * RADIUS };
const BLOCK: Box = Box { half_sizes: DVec3::new(3.0 * RADIUS, 3.0 * RADIUS, RADIUS) };

/// A body of a scene: shape, centre in radii, and orientation.
type SceneBody = (Shape, DVec3, DQuat);

/// Returns a body of a scene.
fn body(shape: impl Into<Shape>, centre: DVec3, orientation: DQuat) -> SceneBody {
    (shape.into(), centre, orientation)
}

/// The resistance that keeps bodies at rest.
#[derive(Clone, Copy, PartialEq)]
enum Hold {
    /// Contacts of faces and lines only.
    Features,
    /// Rolling resistance too. The weight of a lying cylinder tilts the face below, on which it
    /// would roll.
    Rolling,
}

/// Lets bodies settle on a plane. Returns the largest drift, in radii, and the largest rotation,
/// rad, in [`WATCH`] steps.
fn drift(bodies: &[SceneBody], hold: Hold, measure: Measure) -> (f64, f64) {
    let (mut world, grit) = world_with_grit();
    world.set_measure(measure).unwrap();
    if hold == Hold::Features {
        let law = *world.law(grit, grit).expect("a law");
        world.set_law(grit, grit, ContactLaw { rolling: Rolling::None, ..law }).unwrap();
    }
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    let mut ids: Vec<BodyId> = Vec::new();
    for (shape, centre, orientation) in bodies {
        let is_wall = matches!(shape, Shape::HalfSpace(_));
        let shape = world.add_shape(shape.clone()).expect("a shape");
        if is_wall {
            world.add_body(BodySpec::fixed(shape, grit, RADIUS * *centre)).expect("a wall");
            continue;
        }
        let mut body = BodySpec::at(shape, grit, RADIUS * *centre);
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

fn assert_at_rest(name: &str, bodies: &[SceneBody]) {
    assert_at_rest_by(Hold::Features, name, bodies);
}

fn assert_at_rest_by(hold: Hold, name: &str, bodies: &[SceneBody]) {
    let cylinders = bodies.iter().filter(|(shape, ..)| matches!(shape, Shape::Cylinder(_))).count();
    let measures = if cylinders > 1 { &[Measure::Depth, Measure::Moments][..] } else { &[Measure::Depth] };
    for &measure in measures {
        let (drift, turn) = drift(bodies, hold, measure);
        println!("{name}, {measure:?}: drift {drift:e} radii, rotation {turn:e} rad");
        assert!(drift < DRIFT && turn < DRIFT, "{name}, {measure:?}: drift {drift:e} radii, rotation {turn:e} rad");
    }
}

/// Initial tilt, rad.
const TILT: f64 = 0.02;

fn up(z: f64) -> DVec3 {
    DVec3::new(0.0, 0.0, z)
}

fn lying() -> DQuat {
    DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)
}

#[test]
fn a_can_stands() {
    assert_at_rest("can", &[body(CAN, up(1.52), DQuat::from_rotation_x(TILT))]);
}

#[test]
fn a_can_lies() {
    assert_at_rest("lying can", &[body(CAN, up(1.02), DQuat::from_rotation_x(TILT) * lying())]);
}

#[test]
fn a_coin_lies() {
    assert_at_rest("coin", &[body(COIN, up(0.05), DQuat::from_rotation_y(TILT))]);
}

#[test]
fn a_coin_lies_on_a_can() {
    let coin = body(COIN, DVec3::new(0.4, 0.1, 3.03), DQuat::IDENTITY);
    assert_at_rest("coin on can", &[body(CAN, up(1.5), DQuat::IDENTITY), coin]);
}

#[test]
fn a_can_lies_on_two_cans() {
    let standing = |x: f64| body(CAN, DVec3::new(x, 0.0, 1.5), DQuat::IDENTITY);
    let across = body(CAN, up(4.0), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
    // The standing cans tilt to the side to which the lying one rolls. Without rolling resistance
    // its equilibrium is unstable: rounding errors grow tenfold in 270,000 steps.
    assert_at_rest_by(Hold::Rolling, "lying on two cans", &[standing(-1.0), standing(1.001), across]);
}

#[test]
fn a_can_stands_on_a_can() {
    let upper = body(CAN, DVec3::new(0.2, 0.3, 4.5), DQuat::IDENTITY);
    assert_at_rest("standing on a can", &[body(CAN, up(1.5), DQuat::IDENTITY), upper]);
}

#[test]
fn a_coin_lies_on_a_coin() {
    let upper = body(COIN, DVec3::new(0.5, -0.2, 0.075), DQuat::IDENTITY);
    assert_at_rest("coin on coin", &[body(COIN, up(0.025), DQuat::IDENTITY), upper]);
}

#[test]
fn a_can_stands_on_a_coin() {
    let can = body(CAN, DVec3::new(0.3, 0.1, 1.55), DQuat::IDENTITY);
    assert_at_rest("can on coin", &[body(COIN, up(0.025), DQuat::IDENTITY), can]);
}

#[test]
fn a_can_lies_on_a_coin() {
    let can = body(CAN, DVec3::new(0.1, 0.1, 1.05), lying());
    assert_at_rest_by(Hold::Rolling, "can lying on coin", &[body(COIN, up(0.025), DQuat::IDENTITY), can]);
}

#[test]
fn a_coin_stands_on_its_edge() {
    assert_at_rest("coin on edge", &[body(COIN, up(1.0), lying())]);
}

#[test]
fn a_coin_stands_on_its_edge_on_a_can() {
    let coin = body(COIN, DVec3::new(0.2, 0.1, 4.0), lying());
    assert_at_rest_by(Hold::Rolling, "coin on edge on can", &[body(CAN, up(1.5), DQuat::IDENTITY), coin]);
}

#[test]
fn a_can_leans_on_a_can() {
    // Its lower rim touches the floor, and its side the rim of the other can.
    let angle: f64 = 0.2;
    let (sin, cos) = angle.sin_cos();
    let touch = DVec3::new(1.0, 0.0, 3.0) - DVec3::new(-cos, 0.0, sin);
    let along = DVec3::new(-sin, 0.0, cos);
    // The can is shifted along its axis until its rim touches the floor.
    let centre = touch - along * ((touch.z - 1.5 * cos - sin) / cos);
    let leaning = body(CAN, centre, DQuat::from_rotation_y(-angle));
    assert_at_rest("leaning can", &[body(CAN, up(1.5), DQuat::IDENTITY), leaning]);
}

#[test]
fn a_coin_leans_on_a_can() {
    // Its lower rim touches the floor, and its face the rim of the can.
    let angle: f64 = 1.2;
    let (sin, cos) = angle.sin_cos();
    let coin = body(COIN, DVec3::new(1.0 + 0.03 * sin + cos, 0.0, sin + 0.025 * cos), DQuat::from_rotation_y(angle));
    assert_at_rest("leaning coin", &[body(CAN, up(1.5), DQuat::IDENTITY), coin]);
}

#[test]
fn a_cone_stands() {
    let cone = body(CONE, up(0.96), DQuat::from_rotation_x(TILT));
    assert_at_rest("cone", &[cone]);
}

#[test]
fn a_capsule_lies() {
    let capsule = body(CAPSULE, up(1.02), DQuat::from_rotation_x(TILT) * lying());
    assert_at_rest("capsule", &[capsule]);
}

/// Returns walls on both sides of two lying bodies of radius 1.
fn walls() -> [SceneBody; 2] {
    [-1.0, 1.0].map(|side| body(HalfSpace::new(-side * DVec3::X), DVec3::new(2.0 * side, 0.0, 0.0), DQuat::IDENTITY))
}

#[test]
fn a_capsule_lies_on_two_capsules() {
    let lower = |x: f64| body(CAPSULE, DVec3::new(x, 0.1 * x, 1.0), lying());
    let upper = body(CAPSULE, DVec3::new(0.0, 0.3, 1.0 + 3f64.sqrt()), DQuat::from_rotation_x(TILT) * lying());
    let [left, right] = walls();
    assert_at_rest("capsule on two", &[left, right, lower(-1.0), lower(1.0), upper]);
}

#[test]
fn a_capsule_lies_on_a_can() {
    let capsule = body(CAPSULE, DVec3::new(0.2, 0.3, 4.0), lying());
    assert_at_rest_by(Hold::Rolling, "capsule on can", &[body(CAN, up(1.5), DQuat::IDENTITY), capsule]);
}

/// Returns a block on the ground with another body on it.
fn on_a_block(shape: impl Into<Shape>, centre: DVec3, orientation: DQuat) -> [SceneBody; 2] {
    [body(BLOCK, up(1.0), DQuat::IDENTITY), body(shape, centre + up(2.0), orientation)]
}

#[test]
fn a_can_stands_on_a_block() {
    assert_at_rest("can on block", &on_a_block(CAN, DVec3::new(0.2, 0.3, 1.5), DQuat::IDENTITY));
}

#[test]
fn a_can_lies_on_a_block() {
    assert_at_rest_by(Hold::Rolling, "can lying on block", &on_a_block(CAN, DVec3::new(0.3, 0.2, 1.0), lying()));
}
