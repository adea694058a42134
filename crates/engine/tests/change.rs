//! Changes between steps: added bodies, changed motions of walls and removed walls. The energy
//! ledger includes them.

use glam::DVec3;
use granum_engine::{
    BodyId, BodySpec, BodyState, ContactLaw, Damping, Drive, EndRule, Material, Motion, Normal, Rolling,
};
use granum_engine::{Simulation, Stiffness, Tangential, World};
use granum_geometry::shape::{HalfSpace, Sphere};

/// Returns a ball that rests on a floor.
fn ball_on_floor() -> Simulation {
    let mut world = World::new();
    world.set_gravity(DVec3::new(0.0, 0.0, -10.0)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let material = world.add_material(Material::new("glass", 2500.0)).unwrap();
    let normal = Normal::linear(Stiffness::Constant(1e3), Damping::Restitution(0.3), EndRule::NoTension).unwrap();
    let law = ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end: EndRule::NoTension };
    world.set_law(material, material, law).unwrap();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    let ball = world.add_shape(Sphere { radius: 0.005 }).unwrap();
    world.add_body(BodySpec::fixed(floor, material, DVec3::ZERO)).unwrap();
    world.add_body(BodySpec::at(ball, material, DVec3::new(0.0, 0.0, 0.005))).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(20_000);
    simulation
}

const FLOOR: BodyId = BodyId(0);
const BALL: BodyId = BodyId(1);

#[test]
fn without_its_floor_a_ball_falls_freely() {
    let mut simulation = ball_on_floor();
    let (start, before) = (simulation.energy(), simulation.world().position(BALL).z);
    simulation.world_mut().remove_wall(FLOOR).unwrap();
    assert!(simulation.energy().residual(&start).abs() < 1e-18);
    assert!(simulation.energy().elastic == 0.0 && start.elastic > 0.0);
    simulation.run(1000);
    // g t²/2 = 0.5 mm after 10 ms. A remaining force of the floor would change the last digits.
    let fallen = before - simulation.world().position(BALL).z;
    assert!((fallen - 0.5e-3).abs() < 1e-9, "{fallen}");
    assert!(simulation.energy().residual(&start).abs() < 1e-12);
}

#[test]
fn removed_walls_are_in_no_snapshot() {
    let mut simulation = ball_on_floor();
    assert_eq!(simulation.snapshot().bodies.len(), 2);
    simulation.world_mut().remove_wall(FLOOR).unwrap();
    let world = simulation.world();
    assert_eq!((world.body(FLOOR), world.walls().count(), world.bodies().count()), (None, 0, 1));
    let snapshot = simulation.snapshot();
    assert_eq!(snapshot.bodies.iter().map(|body| body.id).collect::<Vec<_>>(), [BALL]);
}

#[test]
fn a_floor_that_starts_to_move_moves_on_from_where_it_is() {
    let mut simulation = ball_on_floor();
    let start = simulation.energy();
    let drive = Drive::steady(DVec3::new(0.0, 0.0, 0.01), DVec3::ZERO);
    simulation.world_mut().set_motion(FLOOR, Motion::Driven(drive.into())).unwrap();
    simulation.run(10_000);
    assert!((simulation.world().position(FLOOR).z - 1e-3).abs() < 1e-12);
    simulation.world_mut().set_motion(FLOOR, Motion::Fixed).unwrap();
    simulation.run(10_000);
    assert!((simulation.world().position(FLOOR).z - 1e-3).abs() < 1e-12);
    let energy = simulation.energy();
    let lifted = simulation.world().mass(BALL) * 10.0 * 1e-3;
    assert!((energy.work - start.work - lifted).abs() < 0.02 * lifted, "{} J for {lifted} J", energy.work - start.work);
    assert!(energy.residual(&start).abs() < 1e-3 * lifted, "{:e} of {lifted:e}", energy.residual(&start));
    // An oscillation starts at the present position of the floor, whatever its phase.
    let drive = Drive::oscillation(DVec3::Z * 1e-3, 10.0, 1.0);
    simulation.world_mut().set_motion(FLOOR, Motion::Driven(drive.into())).unwrap();
    simulation.run(1);
    assert!((simulation.world().position(FLOOR).z - 1e-3).abs() < 1e-6);
}

#[test]
fn energy_that_is_poured_in_is_work() {
    let mut simulation = ball_on_floor();
    let start = simulation.energy();
    let world = simulation.world_mut();
    let BodyState { shape, material, .. } = world.body(BALL).unwrap();
    let spec = BodySpec {
        velocity: DVec3::new(0.0, 0.0, -1.0),
        spin: DVec3::new(5.0, 0.0, 0.0),
        ..BodySpec::at(shape, material, DVec3::new(0.0, 0.0, 0.05))
    };
    let id = world.add_body(spec).unwrap();
    let brought = simulation.energy().work - start.work;
    let mass = simulation.world().mass(id);
    let expected = mass * (0.5 + 10.0 * 0.05) + 0.5 * 0.4 * mass * 0.005 * 0.005 * 25.0;
    assert!((brought - expected).abs() < 1e-15, "{brought} {expected}");
    simulation.run(10_000);
    let energy = simulation.energy();
    assert!(energy.residual(&start).abs() < 1e-4 * brought, "{:e}", energy.residual(&start));
    assert_eq!(simulation.world().body_count(), 3);
}
