//! Energy of elastic bodies without friction between walls, at the automatic time step: on a plane,
//! between planes and in hollow containers. `GRANUM_SECONDS=2` makes each flight last 2 s.

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use granum_engine::{
    BodyId, BodySpec, ContactLaw, Damping, EndRule, Material, Normal, Rolling, Simulation, Stiffness, Tangential,
    TimeStepAdvice, World,
};
use granum_geometry::shape::{
    Box, Capsule, Cylinder, HalfSpace, InsideCylinder, InsideEllipsoid, InsideSphere, Polyhedron, Superellipsoid,
    Tablet, TruncatedCone, rock,
};
use granum_geometry::{Pose, Shape};

/// Largest relative change of the energy.
const LIMIT: f64 = 1e-3;

/// Overlap of an impact at 1 m/s, m. It sets the stiffness.
const OVERLAP: f64 = 5e-5;

/// Half the width of the room between planes, and the radius of tight containers, m.
const ROOM: f64 = 0.015;
const TIGHT: f64 = 0.0105;

/// Duration of a flight in a room, s.
const SECONDS: f64 = 0.2;

fn seconds() -> f64 {
    std::env::var("GRANUM_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(SECONDS)
}

/// A wall and its position, m.
type Wall = (Shape, DVec3);

fn plane(normal: DVec3, distance: f64) -> Wall {
    (HalfSpace::new(normal).into(), -distance * normal)
}

fn planes() -> Vec<Wall> {
    DVec3::AXES.into_iter().flat_map(|axis| [plane(axis, ROOM), plane(-axis, ROOM)]).collect()
}

fn container(shape: impl Into<Shape>) -> Vec<Wall> {
    vec![(shape.into(), DVec3::ZERO)]
}

/// Returns a world with walls and one elastic body without friction.
fn world(walls: &[Wall], body: &Shape, pose: Pose, [velocity, spin]: [DVec3; 2]) -> (World, BodyId) {
    let mut world = World::new();
    let material = Material::new("glass", 2500.0).with_elasticity(1e9, 0.2);
    let glass = world.add_material(material).expect("a material");
    for (shape, position) in walls {
        let shape = world.add_shape(shape.clone()).expect("a shape");
        world.add_body(BodySpec::fixed(shape, glass, *position)).expect("a wall");
    }
    let shape = world.add_shape(body.clone()).expect("a shape");
    let id = world.add_body(BodySpec { pose, velocity, spin, ..BodySpec::at(shape, glass, DVec3::ZERO) });
    let id = id.expect("a body");
    let mass = world.mass(id);
    let end = EndRule::NoTension;
    let stiffness = Stiffness::Constant(mass / (OVERLAP * OVERLAP));
    let normal = Normal::linear(stiffness, Damping::Restitution(1.0), end).expect("a law");
    world
        .set_law(glass, glass, ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end })
        .unwrap();
    (world, id)
}

/// Returns the largest relative change of the energy during a run, and the number of checks before
/// which the body hit a wall. The energy is compared in free flight: during a contact it oscillates
/// by the square of the step over the contact time.
fn energy_error((mut world, body): (World, BodyId), seconds: f64) -> (f64, usize) {
    const CHECKS: u64 = 400;
    world.set_time_step(TimeStepAdvice::of(&world).recommended).unwrap();
    let steps = (seconds / world.time_step()) as u64;
    let gravity = world.gravity();
    let mut simulation = Simulation::new(world, 1).expect("a simulation");
    let start = simulation.energy().total();
    let (mut worst, mut bounces) = (0f64, 0);
    let free = |simulation: &Simulation| simulation.world().twist(body).velocity - gravity * simulation.world().time();
    let mut before = free(&simulation);
    for _ in 0..CHECKS {
        simulation.run(steps / CHECKS);
        let touches = simulation.world().contacts().next().is_some();
        let now = free(&simulation);
        bounces += usize::from((now - before).length() > 1e-3);
        before = now;
        if !touches {
            worst = worst.max((simulation.energy().total() / start - 1.0).abs());
        }
    }
    (worst, bounces)
}

#[test]
fn a_cone_dropped_almost_on_its_side_keeps_its_energy() {
    let cone: Shape = TruncatedCone { radii: [0.006, 0.003], half_height: 0.004 }.into();
    for degrees in [0.1, 1.0, 2.0, 5.0, 20.0] {
        // The side leans by the angle whose tangent is 3/8.
        let lying = std::f64::consts::FRAC_PI_2 - f64::atan(3.0 / 8.0);
        let orientation = DQuat::from_rotation_x(lying + f64::to_radians(degrees));
        let pose = Pose { position: 0.012 * DVec3::Z, orientation };
        let (mut world, id) = world(&[plane(DVec3::Z, 0.0)], &cone, pose, [DVec3::ZERO; 2]);
        world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
        let (error, bounces) = energy_error((world, id), 0.5);
        println!("a cone at {degrees} degrees from its side: energy error {error:.1e}");
        assert!(error < LIMIT && bounces > 2, "{degrees}: {error:e}, {bounces}");
    }
}

#[test]
fn a_capsule_between_two_planes_keeps_its_energy() {
    let capsule = Capsule { radius: 0.004, half_height: 0.005 }.into();
    let walls = [plane(DVec3::Z, 0.011), plane(DVec3::NEG_Z, 0.011)];
    for seed in 0..2 {
        let mut random = Random::new(seed);
        let pose = Pose { position: DVec3::ZERO, orientation: DQuat::from_scaled_axis(3.0 * random.in_cube()) };
        let motion = [random.in_cube().normalize(), 100.0 * random.in_cube()];
        let (error, bounces) = energy_error(world(&walls, &capsule, pose, motion), 5.0);
        println!("a capsule between two planes: energy error {error:.1e}");
        assert!(error < LIMIT && bounces > 2, "{seed}: {error:e}, {bounces}");
    }
}

#[test]
fn tablets_and_barrels_keep_their_energy_between_planes() {
    let tablet: Shape = Tablet { radius: 0.006, half_height: 0.002, cap_height: 0.002 }.into();
    let barrel = |eps| Superellipsoid { semi_axes: DVec3::new(0.005, 0.005, 0.006), eps: [1.0, eps] }.into();
    for (name, body) in [("tablet", tablet), ("barrel", barrel(0.3)), ("sharp barrel", barrel(0.15))] {
        let mut random = Random::new(7);
        for _ in 0..3 {
            let pose = Pose { position: DVec3::ZERO, orientation: DQuat::from_scaled_axis(3.0 * random.in_cube()) };
            let motion = [random.in_cube().normalize(), 100.0 * random.in_cube()];
            let (mut world, id) = world(&planes(), &body, pose, motion);
            world.set_gravity(DVec3::ZERO).unwrap();
            let (error, bounces) = energy_error((world, id), seconds());
            println!("{name} between planes: {bounces} bounces, energy error {error:.1e}");
            assert!(error < LIMIT && bounces > 5, "{name}: {error:e}, {bounces}");
        }
    }
}

#[test]
fn bodies_keep_their_energy_in_every_room() {
    let bodies: [(&str, Shape); 5] = [
        ("capsule", Capsule { radius: 0.004, half_height: 0.005 }.into()),
        ("cone", TruncatedCone { radii: [0.006, 0.003], half_height: 0.004 }.into()),
        ("cylinder", Cylinder { radius: 0.004, half_height: 0.005 }.into()),
        ("box", Box { half_sizes: DVec3::new(0.006, 0.005, 0.004) }.into()),
        (
            "rock",
            Polyhedron::new(rock([0.012, 0.010, 0.008], 24.0, 3.0).expect("a rock")).expect("a polyhedron").into(),
        ),
    ];
    let rooms = [
        ("between planes", planes()),
        ("in a hollow sphere", container(InsideSphere { radius: TIGHT })),
        ("in a hollow ellipsoid", container(InsideEllipsoid { semi_axes: DVec3::new(TIGHT, 0.012, 0.0115) })),
        ("in a hollow cylinder", container(InsideCylinder { radius: TIGHT, half_height: TIGHT })),
    ];
    for (body_name, body) in &bodies {
        for (room, walls) in &rooms {
            let mut random = Random::new(7);
            let pose = Pose { position: DVec3::ZERO, orientation: DQuat::from_scaled_axis(3.0 * random.in_cube()) };
            let motion = [random.in_cube().normalize(), 100.0 * random.in_cube()];
            let (error, bounces) = energy_error(world(walls, body, pose, motion), seconds());
            println!("a {body_name} {room}: energy error {error:.1e}");
            assert!(error < LIMIT && bounces > 2, "{body_name} {room}: {error:e}, {bounces}");
        }
    }
}

#[test]
fn a_capsule_rolls_on_its_side_without_resistance() {
    let radius = 0.004;
    let capsule = Capsule { radius, half_height: 0.005 }.into();
    // The axis is along y, and the weight is carried at the start.
    let pose = Pose { position: radius * DVec3::Z, orientation: DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2) };
    let speed = 1.0;
    let motion = [speed * DVec3::X, speed / radius * DVec3::Y];
    let (mut world, id) = world(&[plane(DVec3::Z, 0.0)], &capsule, pose, motion);
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    let material = world.material_named("glass").expect("a material");
    let mut law = *world.law(material, material).expect("a law");
    law.tangential = Tangential::Linear { friction: 0.5, ratio: 2.0 / 7.0, zeta: 0.1 };
    world.set_law(material, material, law).unwrap();
    world.set_time_step(TimeStepAdvice::of(&world).recommended).unwrap();
    let steps = (0.3 / world.time_step()) as u64;
    let mut simulation = Simulation::new(world, 1).expect("a simulation");
    simulation.run(steps);
    let velocity = simulation.world().twist(id).velocity;
    assert!((velocity.x / speed - 1.0).abs() < 1e-3, "{velocity}");
}
