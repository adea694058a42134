//! Walls that rotate about a pivot, on ramps and by tables: grains follow them, and the energy
//! ledger contains their work.

use glam::DVec3;
use granum_engine::{
    BodyId, BodySpec, ContactLaw, Course, Damping, Drive, EndRule, Material, Motion, Normal, Rolling, Simulation,
    Stiffness, Tangential, Turning, World,
};
use granum_geometry::shape::{HalfSpace, Sphere};

const FLOOR: BodyId = BodyId(0);

/// Returns a layer of balls on a floor that has a motion, in a box of fixed walls.
fn balls_on_a_driven_floor(drive: Drive) -> Simulation {
    let mut world = World::new();
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let material = world.add_material(Material::new("glass", 2500.0)).unwrap();
    let normal = Normal::linear(Stiffness::Constant(2e3), Damping::Restitution(0.5), EndRule::NoTension).unwrap();
    let tangential = Tangential::Linear { friction: 0.4, ratio: 2.0 / 7.0, zeta: 0.1 };
    let law = ContactLaw { normal, tangential, rolling: Rolling::None, end: EndRule::NoTension };
    world.set_law(material, material, law).unwrap();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    let motion = Motion::Driven(drive.into());
    world.add_body(BodySpec { motion, ..BodySpec::fixed(floor, material, DVec3::ZERO) }).unwrap();
    for axis in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
        let side = world.add_shape(HalfSpace::new(axis)).unwrap();
        world.add_body(BodySpec::fixed(side, material, -0.03 * axis)).unwrap();
    }
    let ball = world.add_shape(Sphere { radius: 0.004 }).unwrap();
    for k in 0..27 {
        let cell = DVec3::new(f64::from(k % 3) - 1.0, f64::from(k / 3 % 3) - 1.0, f64::from(k / 9));
        let shift = DVec3::new(0.001 * f64::from(k / 9), 0.0007 * f64::from(k % 4), 0.006);
        world.add_body(BodySpec::at(ball, material, 0.0085 * cell + shift)).unwrap();
    }
    Simulation::new(world, 1).unwrap()
}

/// Returns the residual of the energy balance after `steps`, relative to the energy turned over,
/// and the work of the drive, J.
fn residual_and_work(simulation: &mut Simulation, steps: u64) -> (f64, f64) {
    let start = simulation.energy();
    simulation.run(steps);
    let now = simulation.energy();
    (now.residual(&start).abs() / now.turned_over(&start), now.work)
}

#[test]
fn the_work_of_a_floor_that_turns_about_a_pivot_closes_the_ledger() {
    // The floor tilts about a hinge 6 cm beside its centre, starting from rest, so that a wall that
    // does not turn yet must not lose its distant grains.
    let angle = Course::ramp(&[(0.05, 0.0), (0.1, 2.0), (0.2, 2.0), (0.25, 0.0)]).unwrap();
    let hinge = Turning { axis: DVec3::Y, pivot: Some(DVec3::new(0.06, 0.0, 0.0)), angle };
    let drive = Drive { displacement: Course::Steady(DVec3::ZERO), rotation: Some(hinge) };
    let mut simulation = balls_on_a_driven_floor(drive);
    let (residual, work) = residual_and_work(&mut simulation, 30_000);
    assert!(residual < 1e-3 && work > 1e-3, "{residual:e} {work:e}");
    // The floor has turned by 0.3 rad, and its centre lies on a circle about the hinge.
    let centre = simulation.world().position(FLOOR);
    let (sin, cos) = 0.3f64.sin_cos();
    assert!((centre - 0.06 * DVec3::new(1.0 - cos, 0.0, sin)).length() < 1e-14, "{centre}");
    let normal = simulation.world().orientation(FLOOR) * DVec3::Z;
    // No ball has fallen through the floor.
    let below = |grain: granum_engine::BodyState| (grain.position - centre).dot(normal) < 0.0035;
    assert!(!simulation.world().grains().any(below));
}

#[test]
fn the_work_of_a_floor_that_follows_a_table_closes_the_ledger() {
    let lift = |z: f64| DVec3::new(0.0, 0.0, z);
    let points = [(0.05, lift(0.0)), (0.1, lift(0.005)), (0.15, lift(0.004)), (0.2, lift(0.01))];
    let drive = Drive { displacement: Course::table(&points).unwrap(), rotation: None };
    let mut simulation = balls_on_a_driven_floor(drive);
    let (residual, work) = residual_and_work(&mut simulation, 30_000);
    assert!((simulation.world().position(FLOOR).z - 0.01).abs() < 1e-15);
    assert!(residual < 1e-3 && work > 1e-4, "{residual:e} {work:e}");
}

#[test]
fn a_rotating_floor_gives_the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let angle = Course::Oscillation { amplitude: 0.2, frequency: 10.0, phase: 0.4 };
        let hinge = Turning { axis: DVec3::X, pivot: Some(DVec3::new(0.0, 0.05, 0.0)), angle };
        let drive = Drive { displacement: Course::Steady(DVec3::ZERO), rotation: Some(hinge) };
        let world = balls_on_a_driven_floor(drive).into_world();
        let mut simulation = Simulation::new(world, threads).unwrap();
        simulation.run(10_000);
        simulation.world().ordered_body_records().collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(3));
}
