//! A world stays consistent whatever its user does: each test is named after a fault that was
//! possible while the fields of a world could be written.

mod common;

use common::{shaken_box, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::guard::Rule;
use granum_engine::percussion::{Field, Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{
    BodyId, BodySpec, Course, Drive, Energy, Guards, Material, MaterialId, Motion, ShapeId, Simulation, Stiffness,
    World, WorldError,
};
use granum_engine::{ContactLaw, Damping, EndRule, Normal, Rolling, Tangential};
use granum_geometry::Measure;
use granum_geometry::shape::{HalfSpace, Sphere};

/// Largest residual from rounding, relative to the energies in the sum.
const ROUNDING: f64 = 1e-12;

/// The driven floor of [`shaken_box`].
const FLOOR: BodyId = BodyId(304);

fn shaken(steps: u64) -> Simulation {
    let mut simulation = Simulation::new(shaken_box(), 1).unwrap();
    simulation.run(steps);
    simulation
}

fn is_closed(now: &Energy, before: &Energy) -> bool {
    let size = before.total().abs() + now.total().abs() + now.work.abs();
    now.residual(before).abs() < ROUNDING * size
}

fn is_value(result: Result<(), WorldError>) -> bool {
    matches!(result, Err(WorldError::Value(_)))
}

fn law() -> ContactLaw {
    let end = EndRule::NoTension;
    let normal = Normal::linear(Stiffness::Constant(1e3), Damping::Restitution(0.5), end).unwrap();
    ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end }
}

#[test]
fn a_time_step_set_during_a_run_does_not_set_the_clock_back() {
    let mut simulation = shaken(1000);
    let time = simulation.world().time();
    simulation.world_mut().set_time_step(5e-6).unwrap();
    assert_eq!((simulation.world().time(), simulation.world().steps()), (time, 1000));
    simulation.run(1000);
    assert!((simulation.world().time() - time - 5e-3).abs() < 1e-15);
    assert_eq!(simulation.world().steps(), 2000);
}

#[test]
fn a_time_step_set_during_a_run_does_not_displace_a_driven_wall() {
    let mut simulation = shaken(1000);
    let before = simulation.world().position(FLOOR);
    let Some(Motion::Driven(motion)) = simulation.world().motion(FLOOR) else { panic!("the floor is not driven") };
    let Course::Oscillation { amplitude, frequency, phase } = motion.prescribed[0].displacement else {
        panic!("the floor does not oscillate")
    };
    simulation.world_mut().set_time_step(5e-6).unwrap();
    assert_eq!(simulation.world().position(FLOOR), before);
    simulation.run(1);
    let time = simulation.world().time();
    let expected = amplitude * (std::f64::consts::TAU * frequency * time + phase).sin();
    assert!((simulation.world().position(FLOOR) - expected).length() < 1e-15);
}

#[test]
fn a_time_step_set_during_a_run_leaves_the_energy_balance_closed() {
    let mut simulation = shaken(10_000);
    assert!(simulation.snapshot().contacts.len() > 100);
    let before = simulation.energy();
    simulation.world_mut().set_time_step(5e-6).unwrap();
    assert!(is_closed(&simulation.energy(), &before), "{:e}", simulation.energy().residual(&before));
    simulation.run(4000);
    let residual = simulation.energy().residual(&before).abs() / simulation.energy().turned_over(&before);
    assert!(residual < 1e-3, "{residual:e}");
}

#[test]
fn gravity_set_during_a_run_leaves_the_energy_balance_closed() {
    let mut simulation = shaken(2000);
    let before = simulation.energy();
    simulation.world_mut().set_gravity(DVec3::new(3.0, 0.0, 9.81)).unwrap();
    let after = simulation.energy();
    assert!((after.potential - before.potential).abs() > before.total().abs());
    assert!(is_closed(&after, &before), "{:e}", after.residual(&before));
}

#[test]
fn gravity_set_before_a_run_is_no_work() {
    let mut world = shaken_box();
    world.set_gravity(DVec3::X).unwrap();
    assert_eq!(world.energy().work, 0.0);
}

#[test]
fn velocities_set_during_a_run_leave_the_energy_balance_closed() {
    let mut simulation = shaken(2000);
    let before = simulation.energy();
    let (velocity, spin) = (DVec3::new(1.0, -2.0, 3.0), DVec3::new(10.0, 20.0, -30.0));
    simulation.world_mut().set_velocity(BodyId(7), velocity, spin).unwrap();
    let twist = simulation.world().twist(BodyId(7));
    assert_eq!((twist.velocity, twist.spin), (velocity, spin));
    assert!(is_closed(&simulation.energy(), &before));
    simulation.world_mut().scale_velocities(0.5).unwrap();
    assert_eq!(simulation.world().twist(BodyId(7)).velocity, 0.5 * velocity);
    assert!(is_closed(&simulation.energy(), &before));
}

#[test]
fn a_law_set_during_a_run_leaves_the_energy_balance_closed() {
    let mut simulation = shaken(6000);
    let before = simulation.energy();
    simulation.world_mut().set_law(MaterialId(0), MaterialId(0), law()).unwrap();
    let after = simulation.energy();
    assert!(after.elastic != before.elastic && is_closed(&after, &before));
    simulation.run(100);
}

#[test]
fn a_packing_that_is_compressed_leaves_the_energy_balance_closed() {
    let mut simulation = shaken(6000);
    let before = simulation.energy();
    simulation.scale_positions(0.99).unwrap();
    let after = simulation.energy();
    assert!(after.elastic > 2.0 * before.elastic && is_closed(&after, &before));
}

#[test]
fn a_foreign_shape_is_refused() {
    let (mut world, grit) = world_with_grit();
    let foreign = ShapeId(0);
    assert_eq!(world.add_body(BodySpec::at(foreign, grit, DVec3::ZERO)), Err(WorldError::UnknownShape(foreign)));
    assert_eq!(world.body_count(), 0);
}

#[test]
fn a_foreign_material_is_refused() {
    let (mut world, _) = world_with_grit();
    let (ball, foreign) = (world.add_shape(Sphere { radius: 1.0 }).unwrap(), MaterialId(1));
    let unknown = WorldError::UnknownMaterial(foreign);
    assert_eq!(world.add_body(BodySpec::at(ball, foreign, DVec3::ZERO)), Err(unknown.clone()));
    assert_eq!(world.check_laws_with(&[foreign]), Err(unknown));
}

#[test]
fn a_law_for_an_unknown_material_is_refused() {
    let (mut world, grit) = world_with_grit();
    let foreign = MaterialId(9);
    assert_eq!(world.set_law(grit, foreign, law()), Err(WorldError::UnknownMaterial(foreign)));
    assert_eq!(world.law(grit, foreign), None);
    world.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
    let percussion = PercussionLaw { rebound: Rebound::Restitution(0.5), slip: Slip::Free };
    assert_eq!(world.set_percussion_law(foreign, grit, percussion), Err(WorldError::UnknownMaterial(foreign)));
}

#[test]
fn a_foreign_body_is_refused() {
    let mut world = shaken_box();
    let foreign = BodyId(100_000);
    let unknown = Err(WorldError::UnknownBody(foreign));
    assert_eq!(world.set_motion(foreign, Motion::Fixed), unknown);
    assert_eq!(world.remove_wall(foreign), unknown);
    assert_eq!(world.set_velocity(foreign, DVec3::ZERO, DVec3::ZERO), unknown);
    assert_eq!(world.name_bodies("far", 99_999..100_001), unknown);
    assert_eq!(world.body(foreign), None);
}

#[test]
fn a_body_without_a_law_is_refused_during_a_run() {
    let mut simulation = shaken(10);
    let world = simulation.world_mut();
    let clay = world.add_material(Material::new("clay", 1800.0)).unwrap();
    let ball = world.add_shape(Sphere { radius: 1e-3 }).unwrap();
    let spec = BodySpec::at(ball, clay, DVec3::new(0.04, 0.04, 0.2));
    assert_eq!(world.add_body(spec.clone()), Err(WorldError::NoLaw("clay".into(), "grit".into())));
    world.set_law(clay, MaterialId(0), law()).unwrap();
    world.add_body(spec).unwrap();
    // A second grain of clay could touch the first.
    let second = BodySpec::at(ball, clay, DVec3::new(0.04, 0.04, 0.21));
    assert_eq!(world.add_body(second.clone()), Err(WorldError::NoLaw("clay".into(), "clay".into())));
    world.set_law(clay, clay, law()).unwrap();
    world.add_body(second).unwrap();
    simulation.run(10);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let mut world = shaken_box();
    let start = world.clone();
    for bad in [f64::NAN, f64::INFINITY] {
        let vector = DVec3::new(0.0, bad, 0.0);
        assert!(is_value(world.set_time_step(bad)));
        assert!(is_value(world.set_gravity(vector)));
        assert!(is_value(world.set_velocity(BodyId(0), vector, DVec3::ZERO)));
        assert!(is_value(world.set_velocity(BodyId(0), DVec3::ZERO, vector)));
        assert!(is_value(world.scale_velocities(bad)));
        let motion = Motion::Driven(Drive::steady(vector, DVec3::ZERO).into());
        assert!(is_value(world.set_motion(FLOOR, motion.clone())));
        let good = BodySpec::at(ShapeId(0), MaterialId(0), DVec3::splat(0.5));
        for spec in [
            BodySpec::at(ShapeId(0), MaterialId(0), vector),
            BodySpec { velocity: vector, ..good.clone() },
            BodySpec { spin: vector, ..good.clone() },
            BodySpec { motion, ..good.clone() },
            BodySpec { mass: Some((bad, DVec3::ONE)), ..good.clone() },
            BodySpec { mass: Some((1.0, DVec3::new(1.0, f64::NAN, 1.0))), ..good.clone() },
        ] {
            assert!(is_value(world.add_body(spec).map(|_| ())));
        }
    }
    for time_step in [0.0, -1e-5] {
        assert!(is_value(world.set_time_step(time_step)));
    }
    let mut turned = BodySpec::at(ShapeId(0), MaterialId(0), DVec3::ZERO);
    turned.pose.orientation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert!(is_value(world.add_body(turned).map(|_| ())));
    assert_eq!(world.body_count(), start.body_count());
    assert_eq!((world.time_step(), world.gravity()), (start.time_step(), start.gravity()));
}

#[test]
fn a_planar_world_is_not_left() {
    let mut world = World::planar();
    assert!(is_value(world.set_gravity(DVec3::NEG_Z)));
    let glass = world.add_material(Material::new("glass", 2500.0)).unwrap();
    world.set_law(glass, glass, law()).unwrap();
    let disc = world.add_shape(granum_geometry::shape::Disc { radius: 0.01 }).unwrap();
    let line = world.add_shape(HalfSpace::new(DVec3::Y)).unwrap();
    let disc = world.add_body(BodySpec::at(disc, glass, DVec3::Y)).unwrap();
    let wall = world.add_body(BodySpec::fixed(line, glass, DVec3::ZERO)).unwrap();
    assert!(is_value(world.set_velocity(disc, DVec3::Z, DVec3::ZERO)));
    assert!(is_value(world.set_velocity(disc, DVec3::X, DVec3::X)));
    world.set_velocity(disc, DVec3::X, DVec3::Z).unwrap();
    let out_of_plane = Drive::steady(DVec3::ZERO, DVec3::X);
    assert!(is_value(world.set_motion(wall, Motion::Driven(out_of_plane.into()))));
}

#[test]
fn the_motion_of_a_grain_is_not_prescribed_and_no_wall_gets_a_velocity() {
    let mut world = shaken_box();
    assert!(is_value(world.set_motion(BodyId(0), Motion::Fixed)));
    assert!(is_value(world.set_motion(FLOOR, Motion::Dynamic)));
    assert!(is_value(world.remove_wall(BodyId(0))));
    assert!(is_value(world.set_velocity(FLOOR, DVec3::X, DVec3::ZERO)));
    world.remove_wall(FLOOR).unwrap();
    assert_eq!(world.motion(FLOOR), None);
    assert!(is_value(world.set_motion(FLOOR, Motion::Fixed)));
}

#[test]
fn response_and_measure_do_not_change_during_a_run() {
    let mut simulation = shaken(0);
    let world = simulation.world_mut();
    let percussion = Percussion::new(Friction::Coulomb);
    assert!(matches!(world.set_percussion(percussion), Err(WorldError::HasBegun(_))));
    assert!(matches!(world.set_measure(Measure::Depth), Err(WorldError::HasBegun(_))));
    world.set_measure(world.measure()).unwrap();
}

#[test]
fn percussion_laws_of_another_world_are_dropped() {
    let (mut large, grit) = world_with_grit();
    let clay = large.add_material(Material::new("clay", 1800.0)).unwrap();
    large.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
    let law = PercussionLaw { rebound: Rebound::Restitution(0.5), slip: Slip::Free };
    large.set_percussion_law(clay, grit, law).unwrap();
    let (mut small, _) = world_with_grit();
    small.set_percussion(large.percussion().unwrap().clone()).unwrap();
    assert_eq!(small.percussion().unwrap().laws.iter().count(), 0);
}

#[test]
fn a_simulation_needs_a_time_step() {
    let (mut world, grit) = world_with_grit();
    let ball = world.add_shape(Sphere { radius: 1.0 }).unwrap();
    world.add_body(BodySpec::at(ball, grit, DVec3::ZERO)).unwrap();
    assert!(matches!(Simulation::new(world, 1), Err(WorldError::Value(_))));
}

#[test]
fn a_storage_order_that_is_no_permutation_is_refused() {
    let mut world = shaken_box();
    let count = world.body_count() as u32;
    let twice: Vec<u32> = (0..count).map(|k| k / 2).collect();
    assert!(is_value(world.reorder_bodies(&twice)));
    assert!(is_value(world.reorder_bodies(&[0])));
    assert!(is_value(world.reorder_bodies(&(1..=count).collect::<Vec<_>>())));
    world.reorder_bodies(&(0..count).rev().collect::<Vec<_>>()).unwrap();
}

#[test]
fn several_changes_are_booked_together() {
    let mut simulation = shaken(4000);
    let before = simulation.energy();
    simulation.world_mut().change(|world| {
        world.set_gravity(DVec3::NEG_Y).unwrap();
        world.set_motion(FLOOR, Motion::Fixed).unwrap();
        world.remove_wall(BodyId(300)).unwrap();
        world.scale_velocities(0.1).unwrap();
    });
    assert!(is_closed(&simulation.energy(), &before));
}

#[test]
fn a_world_that_replaces_that_of_a_simulation_is_moved_as_in_a_simulation_of_its_own() {
    let mut world = World::new();
    world.set_time_step(1e-5).unwrap();
    world.set_gravity(DVec3::NEG_Z).unwrap();
    let glass = world.add_material(Material::new("glass", 2500.0)).unwrap();
    world.set_law(glass, glass, law()).unwrap();
    // The other world has more shapes, and the first of them is smaller.
    let ball = world.add_shape(Sphere { radius: 0.1 }).unwrap();
    for k in 0..2 {
        world.add_body(BodySpec::at(ball, glass, DVec3::new(0.0, 0.0, 0.199 * f64::from(k)))).unwrap();
    }
    let mut own = Simulation::new(world.clone(), 1).unwrap();
    own.run(2000);
    let mut simulation = shaken(1000);
    *simulation.world_mut() = world;
    simulation.run(2000);
    let position = |simulation: &Simulation, k| simulation.world().position(BodyId(k));
    assert_ne!(position(&own, 1).z - position(&own, 0).z, 0.199);
    for k in 0..2 {
        assert_eq!(position(&simulation, k), position(&own, k));
    }
}

#[test]
#[should_panic(expected = "the time step must be set before the first step")]
fn a_world_without_a_time_step_is_not_moved_in_place_of_another() {
    let mut simulation = shaken(10);
    *simulation.world_mut() = World::new();
    simulation.run(1);
}

#[test]
fn a_law_with_impossible_constants_is_refused() {
    let (mut world, grit) = world_with_grit();
    let good = law();
    let mut refused = |law: ContactLaw| is_value(world.set_law(grit, grit, law));
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(ContactLaw::linear(1e3, 0.5, bad).is_err());
        let normal = Normal::Linear { stiffness: Stiffness::Constant(bad), zeta: 0.1, time_factor: 9.0 };
        assert!(refused(ContactLaw { normal, ..good }));
        let normal = Normal::Linear { stiffness: Stiffness::Constant(1e3), zeta: bad, time_factor: 9.0 };
        assert!(refused(ContactLaw { normal, ..good }));
        assert!(refused(ContactLaw { normal: Normal::Hertz { modulus: 1e9, alpha: bad }, ..good }));
        let tangential = Tangential::Linear { friction: bad, ratio: 0.3, zeta: 0.1 };
        assert!(refused(ContactLaw { tangential, ..good }));
        let tangential = Tangential::Mindlin { friction: 0.3, modulus: bad, zeta: 0.1 };
        assert!(refused(ContactLaw { tangential, ..good }));
        let rolling = Rolling::Spring { friction: 0.1, spinning: bad, zeta: 0.1 };
        assert!(refused(ContactLaw { rolling, ..good }));
    }
    assert!(!refused(good));
    world.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
    let (rebound, slip) = (Rebound::Restitution(0.5), Slip::Free);
    let mut refused = |rebound, slip| is_value(world.set_percussion_law(grit, grit, PercussionLaw { rebound, slip }));
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(refused(Rebound::Kappa(bad), slip) && refused(Rebound::Restitution(bad), slip));
        assert!(refused(rebound, Slip::Friction(bad)) && refused(rebound, Slip::Viscosity(bad)));
    }
    assert!(refused(Rebound::Restitution(1.1), slip) && !refused(rebound, slip));
}

#[test]
fn a_force_field_that_is_not_a_number_is_refused() {
    let (mut world, _) = world_with_grit();
    let bed = |normal: DVec3, modulus: f64| Percussion {
        fields: vec![Field::Bed { normal, offset: 0.0, modulus }],
        ..Percussion::new(Friction::Coulomb)
    };
    assert!(is_value(world.set_percussion(bed(DVec3::Z, f64::NAN))));
    assert!(is_value(world.set_percussion(bed(DVec3::ZERO, 1.0))));
    world.set_percussion(bed(DVec3::Z, 1.0)).unwrap();
    assert!(is_value(world.change_percussion(&bed(DVec3::Z, f64::INFINITY))));
}

#[test]
fn guards_with_an_interval_of_zero_are_checked_in_every_step() {
    let off = Rule::Off;
    let guards = Guards {
        every: 0,
        not_finite: off,
        domain: off,
        bounds: (DVec3::ZERO, DVec3::ONE),
        overlap: off,
        overlap_limit: 0.1,
        tunnelling: off,
        ledger: off,
        ledger_limit: 0.1,
    };
    assert_eq!((guards.next_look(0), guards.next_look(7)), (1, 8));
}
