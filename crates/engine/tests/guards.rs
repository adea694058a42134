//! Guards see what is wrong with a world, name the worst first, and leave a sound one alone.

mod common;

use common::{shaken_box, world_with_grit};
use glam::DVec3;
use granum_engine::guard::{Guard, Rule};
use granum_engine::{BodyId, BodySpec, Guards, Simulation, World};
use granum_geometry::shape::{Cylinder, Sphere};

const GUARDS: Guards = Guards {
    every: 100,
    not_finite: Rule::Stop,
    domain: Rule::Warn,
    bounds: (DVec3::splat(-0.1), DVec3::splat(0.2)),
    overlap: Rule::Stop,
    overlap_limit: 0.1,
    ledger: Rule::Stop,
    ledger_limit: 0.05,
};

/// Two balls of 10 mm that overlap by this much, m.
fn pressed_together(overlap: f64) -> World {
    let (mut world, grit) = world_with_grit();
    world.set_time_step(1e-5).unwrap();
    let ball = world.add_shape(Sphere { radius: 0.005 }).unwrap();
    for x in [0.0, 0.01 - overlap] {
        world.add_body(BodySpec::at(ball, grit, DVec3::new(x, 0.0, 0.0))).unwrap();
    }
    Simulation::new(world, 1).unwrap().into_world()
}

#[test]
fn a_sound_world_is_left_alone() {
    let mut simulation = Simulation::new(shaken_box(), 1).unwrap();
    let start = simulation.energy();
    simulation.run(12_000);
    assert!(simulation.snapshot().contacts.len() > 50);
    assert_eq!(GUARDS.look(simulation.world()), []);
    assert_eq!(GUARDS.look_at_ledger(&simulation.energy(), &start), None);
}

#[test]
fn an_overlap_counts_from_a_tenth_of_the_smaller_diameter() {
    assert_eq!(GUARDS.look(&pressed_together(0.00099)), []);
    let [found] = &GUARDS.look(&pressed_together(0.00101))[..] else { panic!("one violation") };
    assert_eq!((found.guard, found.rule, found.count), (Guard::Overlap, Rule::Stop, 1));
    assert_eq!(found.pairs, [(BodyId(0), BodyId(1))]);
    assert!(found.message.contains("1.010e-3 m where 1.000e-3 m are the limit"), "{}", found.message);
    let off = Guards { overlap: Rule::Off, ..GUARDS };
    assert_eq!(off.look(&pressed_together(0.00101)), []);
}

/// Two coins of 1 mm, one on the other, that overlap by this much, m.
fn stacked_coins(overlap: f64) -> World {
    let (mut world, grit) = world_with_grit();
    world.set_time_step(1e-5).unwrap();
    let coin = world.add_shape(Cylinder { radius: 0.01, half_height: 0.0005 }).unwrap();
    for z in [0.0, 0.001 - overlap] {
        world.add_body(BodySpec::at(coin, grit, DVec3::new(0.0, 0.0, z))).unwrap();
    }
    Simulation::new(world, 1).unwrap().into_world()
}

#[test]
fn a_thin_body_is_not_passed_through() {
    // A tenth of the diameter would be far more than the thickness.
    assert_eq!(GUARDS.look(&stacked_coins(0.00049)), []);
    let [found] = &GUARDS.look(&stacked_coins(0.00051))[..] else { panic!("one violation") };
    assert_eq!(found.guard, Guard::Overlap);
    // By moments the overlap over its rate, which for a disc that is not endless is two thousandths more than the depth.
    assert!(found.message.contains("5.109e-4 m where 5.000e-4 m are the limit"), "{}", found.message);
}

#[test]
fn a_ledger_must_close_and_one_that_is_no_number_does_not() {
    let simulation = Simulation::new(shaken_box(), 1).unwrap();
    let start = simulation.energy();
    let mut now = start;
    now.dissipated_damping += 1.0;
    assert_eq!(GUARDS.look_at_ledger(&now, &start).map(|found| found.guard), Some(Guard::Ledger));
    now.potential -= 1.0;
    assert_eq!(GUARDS.look_at_ledger(&now, &start), None);
    now.potential = f64::NAN;
    assert!(GUARDS.look_at_ledger(&now, &start).is_some());
}

#[test]
fn looks_are_at_whole_numbers_of_intervals_wherever_a_run_stands() {
    assert_eq!([0, 1, 99, 100, 250].map(|step| GUARDS.next_look(step)), [100, 100, 100, 200, 300]);
}
