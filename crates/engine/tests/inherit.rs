//! A world that starts from the state of another one.

mod common;

use common::{shaken_box, world_with_grit};
use glam::DVec3;
use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::record::{Contact, Phase};
use granum_engine::{
    BodyId, BodySpec, ContactLaw, Inherited, Material, MaterialId, Simulation, Snapshot, World, WorldError,
};
use granum_geometry::shape::{Box as Cuboid, HalfSpace, Sphere};

/// The driven floor of [`shaken_box`], which stands elsewhere in a new world.
const FLOOR: u32 = 304;

/// Returns the first `count` bodies, which have the same ids in both worlds.
fn same_ids(count: u32) -> Vec<Inherited> {
    (0..count).map(|id| Inherited { from: BodyId(id), to: BodyId(id) }).collect()
}

fn settled() -> World {
    let mut simulation = Simulation::new(shaken_box(), 1).unwrap();
    simulation.run(8000);
    simulation.into_world()
}

/// Largest relative change of a spring: the first evaluation projects it into the contact plane,
/// and so removes the rounding errors of earlier rotations.
const ROUNDING: f64 = 1e-12;

/// Returns the loaded contacts without those of the floor.
fn loaded(world: &World) -> Vec<Contact> {
    let records = world.ordered_contact_records().into_iter().map(|(contact, ..)| contact);
    records.filter(|contact| contact.phase == Phase::Holds && contact.a != FLOOR && contact.b != FLOOR).collect()
}

/// Expects the same forces and springs, and returns the number of contacts.
fn expect_same(one: &World, other: &World) -> usize {
    let (one, other) = (loaded(one), loaded(other));
    assert_eq!(one.len(), other.len());
    assert!(one.iter().any(|contact| contact.slide != DVec3::ZERO));
    for (one, other) in one.iter().zip(&other) {
        let key = |contact: &Contact| (contact.a, contact.b, contact.feature, contact.force);
        assert_eq!(key(one), key(other));
        assert!((one.slide - other.slide).length() <= ROUNDING * one.slide.length(), "{} {}", one.slide, other.slide);
    }
    one.len()
}

#[test]
fn a_world_that_inherits_a_packing_keeps_its_forces_and_springs() {
    let before = settled();
    let mut world = shaken_box();
    let count = world.inherit(&before, &same_ids(FLOOR)).unwrap();
    let simulation = Simulation::new(world, 1).unwrap();
    assert_eq!(expect_same(simulation.world(), &before), count);
    assert!(count > 50, "{count}");
    for id in (0..300).map(BodyId) {
        assert_eq!(simulation.world().position(id), before.position(id));
        assert_eq!(simulation.world().twist(id), before.twist(id));
        assert_eq!(simulation.world().angular_momentum(id), before.angular_momentum(id));
    }
}

#[test]
fn a_body_that_is_added_before_the_first_step_leaves_inherited_springs() {
    let before = settled();
    let mut world = shaken_box();
    world.inherit(&before, &same_ids(FLOOR)).unwrap();
    let ball = world.add_shape(Sphere { radius: 1e-3 }).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    let far = BodySpec::at(ball, MaterialId(0), DVec3::new(0.04, 0.04, 0.5));
    simulation.world_mut().add_body(far).unwrap();
    simulation.run(0);
    expect_same(simulation.world(), &before);
}

#[test]
fn another_law_or_response_drops_the_history_of_contacts() {
    let before = settled();
    let mut world = shaken_box();
    let grit = MaterialId(0);
    world.set_law(grit, grit, ContactLaw::linear(1000.0, 0.5, 0.2).unwrap()).unwrap();
    assert_eq!(world.inherit(&before, &same_ids(FLOOR)), Ok(0));
    let mut world = shaken_box();
    world.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
    assert_eq!(world.inherit(&before, &same_ids(FLOOR)), Ok(0));
    assert_eq!(world.position(BodyId(17)), before.position(BodyId(17)));
}

#[test]
fn a_body_of_another_shape_is_not_inherited() {
    let before = settled();
    let mut world = shaken_box();
    let swapped = Inherited { from: BodyId(0), to: BodyId(1) };
    assert!(matches!(world.inherit(&before, &[swapped]), Err(WorldError::Value(_))));
    let unknown = Inherited { from: BodyId(9999), to: BodyId(1) };
    assert_eq!(world.inherit(&before, &[unknown]), Err(WorldError::UnknownBody(BodyId(9999))));
    let mut simulation = Simulation::new(world, 1).unwrap();
    assert!(matches!(simulation.world_mut().inherit(&before, &same_ids(1)), Err(WorldError::HasBegun(_))));
}

/// Returns boxes above a floor, with percussions.
fn boxes() -> World {
    let mut world = World::new();
    let rock = world.add_material(Material::new("rock", 1000.0)).unwrap();
    world.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
    let law = PercussionLaw { rebound: Rebound::Restitution(0.2), slip: Slip::Friction(0.5) };
    world.set_percussion_law(rock, rock, law).unwrap();
    world.set_gravity(DVec3::NEG_Z * 9.81).unwrap();
    world.set_time_step(1e-3).unwrap();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    world.add_body(BodySpec::fixed(floor, rock, DVec3::ZERO)).unwrap();
    for k in 0..12 {
        let half_sizes = DVec3::new(0.1, 0.1 + 0.003 * f64::from(k), 0.08);
        let shape = world.add_shape(Cuboid { half_sizes }).unwrap();
        let at = DVec3::new(0.15 * f64::from(k % 2), 0.12 * f64::from(k % 3), 0.3 + 0.25 * f64::from(k));
        let spin = DVec3::new(1.0, f64::from(k), 0.3);
        world.add_body(BodySpec { spin, ..BodySpec::at(shape, rock, at) }).unwrap();
    }
    world
}

#[test]
fn a_world_that_inherits_every_body_moves_with_the_same_bits_with_percussions() {
    let mut whole = Simulation::new(boxes(), 1).unwrap();
    whole.run(900);
    let mut world = boxes();
    assert!(world.inherit(whole.world(), &same_ids(13)).unwrap() > 10);
    let mut continued = Simulation::new(world, 1).unwrap();
    whole.run(200);
    continued.run(200);
    assert_eq!(Snapshot::of(continued.world()).bodies, Snapshot::of(whole.world()).bodies);
}

#[test]
fn young_of_a_material_can_change_during_a_run() {
    let (mut world, grit) = world_with_grit();
    let stiff = Material::new("stiff", 1.0).with_elasticity(2e7, 0.3).elasticity;
    world.set_elasticity(grit, stiff).unwrap();
    assert_eq!(world.material(grit).elasticity, stiff);
    let bad = Material::new("bad", 1.0).with_elasticity(-1.0, 0.3).elasticity;
    assert!(matches!(world.set_elasticity(grit, bad), Err(WorldError::Value(_))));
    assert_eq!(world.set_elasticity(MaterialId(7), stiff), Err(WorldError::UnknownMaterial(MaterialId(7))));
}
