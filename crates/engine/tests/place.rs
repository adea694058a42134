//! Grains that a program places at other poses between two steps.

mod common;

use common::shaken_box;
use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, ContactLaw, Material, Simulation, World};
use granum_geometry::Pose;
use granum_geometry::shape::{Ellipsoid, HalfSpace, Sphere};

#[test]
fn placed_grains_keep_the_energy_balance_closed() {
    let mut simulation = Simulation::new(shaken_box(), 1).unwrap();
    simulation.run(400);
    let start = simulation.energy();
    let before: Vec<_> = simulation.world().grains().collect();
    // Ten grains are lifted out of the bed, and every contact of theirs ends.
    let lifted: Vec<(BodyId, Pose)> = before
        .iter()
        .take(10)
        .enumerate()
        .map(|(k, body)| {
            let position = DVec3::new(0.04, 0.04, 0.5 + 0.02 * k as f64);
            (body.id, Pose { position, orientation: body.orientation })
        })
        .collect();
    simulation.place(&lifted).unwrap();
    let energy = simulation.energy();
    assert!(energy.residual(&start).abs() < 1e-12 * energy.work.abs(), "{}", energy.residual(&start));
    for (id, pose) in &lifted {
        let body = simulation.world().body(*id).unwrap();
        let was = before.iter().find(|body| body.id == *id).unwrap();
        assert_eq!(body.position, pose.position);
        assert_eq!((body.velocity, body.spin), (was.velocity, was.spin));
        assert!(simulation.world().contacts().all(|contact| contact.a() != *id && contact.b() != *id));
    }
    simulation.run(200);
    assert!(simulation.energy().residual(&start).abs() < 2e-3 * simulation.energy().turned_over(&start));
}

#[test]
fn a_grain_placed_where_it_was_before_repeats_its_flight() {
    let grain = |placed: bool| {
        let mut world = World::new();
        world.set_time_step(1e-4).unwrap();
        let resin = world.add_material(Material::new("resin", 1200.0)).unwrap();
        let shape = world.add_shape(Ellipsoid { semi_axes: DVec3::new(0.01, 0.02, 0.03) }).unwrap();
        let spec = BodySpec::at(shape, resin, DVec3::ZERO);
        let id = world.add_body(BodySpec { spin: DVec3::new(3.0, -1.0, 2.0), ..spec }).unwrap();
        let mut simulation = Simulation::new(world, 1).unwrap();
        if placed {
            let turned = Pose { position: DVec3::X, orientation: DQuat::from_rotation_y(0.7) };
            simulation.place(&[(id, turned)]).unwrap();
            simulation.place(&[(id, Pose::IDENTITY)]).unwrap();
        }
        simulation.run(1000);
        simulation.world().body(id).unwrap()
    };
    let (free, placed) = (grain(false), grain(true));
    assert!(free.orientation.angle_between(placed.orientation) < 1e-12);
    assert!((free.spin - placed.spin).length() < 1e-12);
}

#[test]
fn impossible_placements_are_refused_and_change_nothing() {
    let mut world = World::new();
    world.set_time_step(1e-4).unwrap();
    let steel = world.add_material(Material::new("steel", 7800.0)).unwrap();
    world.set_law(steel, steel, ContactLaw::linear(1e4, 0.5, 0.3).unwrap()).unwrap();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    let floor = world.add_body(BodySpec::fixed(floor, steel, DVec3::ZERO)).unwrap();
    let ball = world.add_shape(Sphere { radius: 0.01 }).unwrap();
    let ball = world.add_body(BodySpec::at(ball, steel, DVec3::Z)).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    let stays = (ball, Pose::at(DVec3::X));
    let mut refused = |pose| simulation.place(&[stays, pose]).unwrap_err().to_string();
    assert!(refused((floor, Pose::IDENTITY)).contains("not a grain"));
    assert!(refused((ball, Pose::at(DVec3::NAN))).contains("finite"));
    let twice = Pose { position: DVec3::ZERO, orientation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0) };
    assert!(refused((ball, twice)).contains("norm 1"));
    assert!(refused((BodyId(7), Pose::IDENTITY)).contains('7'));
    assert_eq!(simulation.world().position(ball), DVec3::Z);
}
