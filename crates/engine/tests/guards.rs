//! Guards detect faults of a world, list the worst first, and do not report a correct one.

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
    tunnelling: Rule::Stop,
    ledger: Rule::Stop,
    ledger_limit: 0.05,
};

/// Returns two balls of 10 mm with an overlap, m.
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
fn a_correct_world_violates_no_guard() {
    let mut simulation = Simulation::new(shaken_box(), 1).unwrap();
    let start = simulation.energy();
    simulation.run(12_000);
    assert!(simulation.snapshot().contacts.len() > 50);
    assert_eq!(GUARDS.look(simulation.world()), []);
    assert_eq!(GUARDS.look_at_ledger(&simulation.energy(), &start, simulation.world()), None);
}

#[test]
fn an_overlap_of_more_than_a_tenth_of_the_smaller_diameter_is_a_violation() {
    assert_eq!(GUARDS.look(&pressed_together(0.00099)), []);
    let [found] = &GUARDS.look(&pressed_together(0.00101))[..] else { panic!("one violation") };
    assert_eq!((found.guard, found.rule, found.count), (Guard::Overlap, Rule::Stop, 1));
    assert_eq!(found.pairs, [(BodyId(0), BodyId(1))]);
    assert!(found.message.contains("1.010e-3 m where 1.000e-3 m are the limit"), "{}", found.message);
    let off = Guards { overlap: Rule::Off, ..GUARDS };
    assert_eq!(off.look(&pressed_together(0.00101)), []);
}

/// Returns two coins of 1 mm, one on the other, with an overlap, m.
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
fn an_overlap_beyond_the_middle_of_a_thin_body_is_a_violation() {
    // A tenth of the diameter would be far more than the thickness.
    assert_eq!(GUARDS.look(&stacked_coins(0.00049)), []);
    let [found] = &GUARDS.look(&stacked_coins(0.00051))[..] else { panic!("one violation") };
    assert_eq!(found.guard, Guard::Overlap);
    assert!(found.message.contains("5.100e-4 m where 5.000e-4 m are the limit"), "{}", found.message);
}

#[test]
fn a_ledger_that_does_not_close_or_is_not_a_number_is_a_violation() {
    let simulation = Simulation::new(shaken_box(), 1).unwrap();
    let start = simulation.energy();
    let mut now = start;
    now.dissipated_damping += 1.0;
    assert_eq!(GUARDS.look_at_ledger(&now, &start, simulation.world()).map(|found| found.guard), Some(Guard::Ledger));
    now.potential -= 1.0;
    assert_eq!(GUARDS.look_at_ledger(&now, &start, simulation.world()), None);
    now.potential = f64::NAN;
    assert!(GUARDS.look_at_ledger(&now, &start, simulation.world()).is_some());
}

#[test]
fn checks_are_at_multiples_of_the_interval() {
    assert_eq!([0, 1, 99, 100, 250].map(|step| GUARDS.next_look(step)), [100, 100, 100, 200, 300]);
}

#[test]
fn the_advice_on_an_open_ledger_depends_on_its_cause() {
    let advice = |world: &World| {
        let start = granum_engine::Energy::default();
        let now = granum_engine::Energy { kinetic_translational: 1.0, ..start };
        GUARDS.look_at_ledger(&now, &start, world).expect("1 J of nothing").message
    };
    let soft = advice(&pressed_together(0.0005));
    assert!(soft.contains("probably a soft contact: the deepest overlap is 5.0 %"), "{soft}");
    let mut world = pressed_together(0.0005);
    world.set_time_step(1e-2).unwrap();
    let long = advice(&world);
    assert!(long.contains("probably a long step: time step 1.000e-2 s is too long"), "{long}");
    let neither = advice(&pressed_together(1e-5));
    assert!(neither.contains("is short enough for the contacts"), "{neither}");
}
