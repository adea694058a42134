//! User-defined forces with the smooth response: motion, work in the energy ledger,
//! reproducibility.

mod common;

use common::shaken_box;
use glam::DVec3;
use granum_engine::{BodyId, BodySpec, Material, Simulation, Snapshot, World, Wrench};
use granum_geometry::shape::Ellipsoid;

/// Returns a world of one ellipsoid without gravity or contacts.
fn lone_grain(time_step: f64) -> (World, BodyId) {
    let mut world = World::new();
    world.set_time_step(time_step).unwrap();
    let resin = world.add_material(Material::new("resin", 1200.0)).unwrap();
    let shape = world.add_shape(Ellipsoid { semi_axes: DVec3::new(0.01, 0.02, 0.03) }).unwrap();
    let grain = world.add_body(BodySpec::at(shape, resin, DVec3::new(0.1, 0.0, 0.0))).unwrap();
    (world, grain)
}

#[test]
fn a_spring_to_the_origin_swings_with_its_period() {
    let (mut world, grain) = lone_grain(1e-3);
    world.set_velocity(grain, DVec3::ZERO, DVec3::ZERO).unwrap();
    // The period is 1 s.
    let stiffness = world.mass(grain) * std::f64::consts::TAU.powi(2);
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.set_force(move |world, id| Wrench { force: -stiffness * world.position(id), ..Wrench::default() });
    let start = simulation.energy();
    simulation.run(250);
    // After a quarter of a period all energy of the spring is kinetic energy, booked as work.
    let stored = 0.5 * stiffness * 0.1 * 0.1;
    let energy = simulation.energy();
    assert!((energy.work / stored - 1.0).abs() < 1e-4, "{} of {stored}", energy.work);
    assert!(energy.residual(&start).abs() < 2e-5 * stored, "{}", energy.residual(&start) / stored);
    simulation.run(750);
    assert!((simulation.world().position(grain) - DVec3::new(0.1, 0.0, 0.0)).length() < 1e-5);
    assert!(simulation.energy().residual(&start).abs() < 1e-9 * stored);
}

#[test]
fn drag_and_torque_are_second_order_and_booked() {
    // The velocity is v0 exp(-t/tau). The torque acts about a principal axis.
    const TAU: f64 = 0.05;
    let error = |steps: u32| {
        let (mut world, grain) = lone_grain(0.1 / f64::from(steps));
        world.set_velocity(grain, DVec3::X, DVec3::ZERO).unwrap();
        let mass = world.mass(grain);
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.set_force(move |world, id| Wrench {
            force: -mass / TAU * world.twist(id).velocity,
            torque: DVec3::new(0.0, 0.0, 1e-6),
        });
        let start = simulation.energy();
        simulation.run(u64::from(steps));
        let energy = simulation.energy();
        assert!(energy.work < 0.0 && energy.kinetic_rotational > 0.0);
        assert!(energy.residual(&start).abs() < 3e-3 * start.total(), "{}", energy.residual(&start) / start.total());
        (simulation.world().twist(grain).velocity.x - (-0.1f64 / TAU).exp()).abs()
    };
    let (coarse, fine) = (error(50), error(100));
    assert!(coarse < 1e-3 && coarse / fine > 3.5, "{coarse:e} {fine:e}");
}

/// Returns a force that depends on position, velocity and time.
fn swirl(world: &World, id: BodyId) -> Wrench {
    let (position, twist) = (world.position(id), world.twist(id));
    let force = 1e-3 * DVec3::Z.cross(position) * (20.0 * world.time()).sin() - 1e-4 * twist.velocity;
    Wrench { force, torque: -1e-8 * twist.spin }
}

fn run(threads: usize) -> Simulation {
    let mut simulation = Simulation::new(shaken_box(), threads).unwrap();
    simulation.use_all_threads().unwrap();
    simulation.set_force(swirl);
    simulation.run(3000);
    simulation
}

fn bits(world: &World) -> Vec<u64> {
    let snapshot = Snapshot::of(world);
    let bodies = snapshot.bodies.iter().flat_map(|body| [body.position, body.velocity, body.spin]);
    let energy = [snapshot.energy.work, snapshot.energy.total(), snapshot.energy.dissipated()];
    bodies.flat_map(|vector| vector.to_array()).chain(energy).map(f64::to_bits).collect()
}

#[test]
fn threads_and_a_restart_change_no_bit() {
    let one = bits(run(1).world());
    assert_eq!(one, bits(run(8).world()));
    let mut simulation = Simulation::new(shaken_box(), 2).unwrap();
    simulation.set_force(swirl);
    simulation.run(1000);
    let saved = postcard::to_allocvec(simulation.world()).unwrap();
    let mut resumed = Simulation::new(postcard::from_bytes(&saved).unwrap(), 1).unwrap();
    resumed.set_force(swirl);
    resumed.run(2000);
    assert_eq!(one, bits(resumed.world()));
}

#[test]
fn the_ledger_closes_with_contacts() {
    let start = Simulation::new(shaken_box(), 1).unwrap().energy();
    let energy = run(2).energy();
    let residual = energy.residual(&start).abs() / start.total();
    assert!(residual < 1e-4, "residual {residual:e}");
}

#[test]
fn a_function_of_the_world_moves_grains_like_one_of_each_body() {
    let wind = |world: &World, id: BodyId| Wrench {
        force: 1e-3 * (DVec3::X - world.twist(id).velocity),
        torque: 1e-9 * world.position(id),
    };
    let mut one = Simulation::new(shaken_box(), 1).unwrap();
    one.set_force(wind);
    let mut all = Simulation::new(shaken_box(), 2).unwrap();
    all.use_all_threads().unwrap();
    all.set_forces(move |world, wrenches| {
        for (id, wrench) in wrenches.iter_mut().enumerate() {
            *wrench = wind(world, BodyId(id as u32));
        }
    });
    one.run(300);
    all.run(300);
    let (by_body, at_once) = (one.snapshot(), all.snapshot());
    assert_eq!((by_body.bodies, by_body.energy), (at_once.bodies, at_once.energy));
    all.remove_force();
    one.run(100);
    all.run(100);
    assert_ne!(one.snapshot().bodies, all.snapshot().bodies);
}
