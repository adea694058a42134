//! Outlets and flow planes: grains that leave are counted, and the energy ledger contains them.

use glam::DVec3;
use granum_engine::{
    BodyId, BodySpec, ContactLaw, Damping, EndRule, FlowCount, FlowPlane, Material, Normal, Rolling, Simulation,
    Stiffness, Tangential, World, WorldError,
};
use granum_geometry::shape::{Box, HalfSpace, Sphere};

/// Steps between two counts.
const EVERY: u64 = 25;

fn plane(name: &str, z: f64, removes: bool) -> FlowPlane {
    FlowPlane { name: name.into(), centre: DVec3::Z * z, normal: DVec3::NEG_Z, radius: None, removes }
}

/// Returns a world of balls and boxes that slide down a tilted floor between two walls and fall off
/// two slabs that leave a slot between them, through a flow plane and an outlet.
fn discharge() -> World {
    let mut world = World::new();
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    world.set_time_step(2e-5).unwrap();
    let material = world.add_material(Material::new("glass", 2500.0)).unwrap();
    let normal = Normal::linear(Stiffness::Constant(1e3), Damping::Restitution(0.5), EndRule::NoTension).unwrap();
    let tangential = Tangential::Linear { friction: 0.3, ratio: 2.0 / 7.0, zeta: 0.1 };
    let rolling = Rolling::Spring { friction: 0.02, spinning: 0.01, zeta: 0.3 };
    let law = ContactLaw { normal, tangential, rolling, end: EndRule::NoTension };
    world.set_law(material, material, law).unwrap();
    for axis in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
        let side = world.add_shape(HalfSpace::new(axis)).unwrap();
        world.add_body(BodySpec::fixed(side, material, -0.02 * axis)).unwrap();
    }
    let slab = world.add_shape(Box { half_sizes: DVec3::new(0.01, 0.02, 0.002) }).unwrap();
    for x in [-0.0185, 0.0185] {
        world.add_body(BodySpec::fixed(slab, material, DVec3::new(x, 0.0, 0.0))).unwrap();
    }
    let ball = world.add_shape(Sphere { radius: 0.003 }).unwrap();
    let block = world.add_shape(Box { half_sizes: DVec3::new(0.002, 0.0025, 0.003) }).unwrap();
    for k in 0..100 {
        let cell = DVec3::new(f64::from(k % 5) - 2.0, f64::from(k / 5 % 5) - 2.0, f64::from(k / 25));
        let shape = if k % 3 == 0 { block } else { ball };
        world.add_body(BodySpec::at(shape, material, 0.0078 * cell + DVec3::Z * 0.008)).unwrap();
    }
    world.add_flow_plane(plane("slot", -0.003, false)).unwrap();
    world.add_flow_plane(plane("outlet", -0.012, true)).unwrap();
    world
}

fn run(simulation: &mut Simulation, steps: u64) {
    for _ in 0..steps / EVERY {
        simulation.run(EVERY);
        simulation.count_flow();
    }
}

#[test]
fn the_ledger_contains_grains_that_leave_through_an_outlet() {
    let mut simulation = Simulation::new(discharge(), 1).unwrap();
    let start = simulation.energy();
    let mut left = 0;
    for _ in 0..1000 {
        simulation.run(EVERY);
        let before = simulation.energy();
        let contacts = simulation.snapshot().contacts.len();
        simulation.count_flow();
        let energy = simulation.energy();
        // The energy of removed grains is booked to rounding. The dissipated energy decreases only
        // by the half step that a contact books in advance and a removed one does not.
        assert!(energy.residual(&before).abs() < 1e-15, "{:e}", energy.residual(&before));
        let change = energy.dissipated() - before.dissipated();
        assert!(change.abs() <= 1e-4 * before.dissipated(), "{change:e} of {:e}", before.dissipated());
        let now = simulation.snapshot().flows[1].forward.grains;
        assert!(now > left || simulation.snapshot().contacts.len() == contacts);
        left = now;
    }
    let world = simulation.world();
    assert!(left > 20 && world.grain_count() as u64 == 100 - left, "{left}");
    let energy = simulation.energy();
    let residual = energy.residual(&start).abs() / energy.turned_over(&start);
    assert!(residual < 1e-3 && energy.work < 0.0, "{residual:e}");
    // Grains that left are in no snapshot, and all that left have passed the slot before.
    let snapshot = simulation.snapshot();
    assert_eq!(snapshot.bodies.iter().filter(|body| body.is_grain()).count(), world.grain_count());
    let [slot, outlet] = &snapshot.flows[..] else { panic!("two planes") };
    assert!(slot.forward.grains - slot.backward.grains >= outlet.forward.grains);
    let below = world.grains().filter(|grain| grain.position.z < -0.003).count() as u64;
    assert_eq!(slot.forward.grains - slot.backward.grains - outlet.forward.grains, below);
    let mass: f64 = world.grains().map(|grain| grain.mass).sum();
    let all: f64 = discharge().grains().map(|grain| grain.mass).sum();
    assert!((outlet.forward.mass - (all - mass)).abs() < 1e-15);
}

#[test]
fn an_outlet_gives_the_same_bits_on_any_number_of_threads_and_after_a_restart() {
    let records = |simulation: &Simulation| {
        let world = simulation.world();
        let contacts =
            world.ordered_contact_records().into_iter().map(|(contact, ..)| (contact.a, contact.b, contact.force));
        let flows: Vec<_> = world.flow_states().collect();
        (world.ordered_body_records().collect::<Vec<_>>(), contacts.collect::<Vec<_>>(), flows)
    };
    let mut one = Simulation::new(discharge(), 1).unwrap();
    run(&mut one, 15_000);
    assert!(one.world().flow_states().last().unwrap().forward.grains > 5);
    let mut other = Simulation::new(discharge(), 3).unwrap();
    run(&mut other, 8_000);
    let saved = postcard::to_allocvec(other.world()).unwrap();
    let world: World = postcard::from_bytes(&saved).unwrap();
    world.check().unwrap();
    let mut other = Simulation::new(world, 2).unwrap();
    run(&mut other, 7_000);
    assert!(records(&one) == records(&other));
    assert_eq!(one.energy(), other.energy());
}

#[test]
fn grains_are_counted_in_both_directions_within_the_disc() {
    let mut world = World::new();
    world.set_time_step(1e-3).unwrap();
    let material = world.add_material(Material::new("glass", 1000.0)).unwrap();
    let normal = Normal::linear(Stiffness::Constant(1e3), Damping::Restitution(0.5), EndRule::NoTension).unwrap();
    let law = ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end: EndRule::NoTension };
    world.set_law(material, material, law).unwrap();
    let ball = world.add_shape(Sphere { radius: 0.1 }).unwrap();
    let mut add = |position: DVec3, velocity: DVec3| {
        world.add_body(BodySpec { velocity, ..BodySpec::at(ball, material, position) }).unwrap();
    };
    add(DVec3::new(0.0, 0.0, 0.5), DVec3::NEG_Z);
    add(DVec3::new(0.4, 0.0, 0.5), DVec3::NEG_Z);
    add(DVec3::new(-0.4, 0.0, -0.5), DVec3::Z);
    // This one crosses the plane outside the disc, and is over the disc when it is counted.
    add(DVec3::new(0.0, -1.55, 0.4), DVec3::new(0.0, 10.0, -4.0));
    // This one starts beyond the plane.
    add(DVec3::new(0.0, 0.0, -2.0), DVec3::ZERO);
    let disc = FlowPlane { radius: Some(0.5), ..plane("disc", 0.0, false) };
    world.add_flow_plane(disc.clone()).unwrap();
    world.add_flow_plane(FlowPlane { name: "all".into(), radius: None, ..disc.clone() }).unwrap();
    for bad in [
        FlowPlane { normal: DVec3::ZERO, ..disc.clone() },
        FlowPlane { radius: Some(-1.0), ..disc.clone() },
        FlowPlane { centre: DVec3::NAN, ..disc },
    ] {
        assert!(matches!(world.add_flow_plane(bad), Err(WorldError::Value(_))));
    }
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(140);
    simulation.count_flow();
    simulation.run(500);
    simulation.count_flow();
    let states: Vec<_> = simulation.world().flow_states().collect();
    let grains = |count: FlowCount| count.grains;
    assert_eq!((grains(states[0].forward), grains(states[0].backward)), (2, 1));
    assert_eq!((grains(states[1].forward), grains(states[1].backward)), (3, 1));
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    assert!((states[0].forward.mass - 2.0 * mass).abs() < 1e-12);
}

#[test]
fn a_removed_grain_is_gone_and_its_partners_move_on() {
    let mut simulation = Simulation::new(discharge(), 1).unwrap();
    run(&mut simulation, 5000);
    let contact = simulation.snapshot().contacts.iter().find(|contact| contact.a.0 > 5).copied().unwrap();
    let before = simulation.energy();
    simulation.world_mut().remove_grains(&[contact.a, contact.b]).unwrap();
    assert!(simulation.energy().residual(&before).abs() < 1e-15);
    let world = simulation.world();
    assert_eq!((world.body(contact.a), world.motion(contact.b)), (None, None));
    let names_one = |a: BodyId, b: BodyId| [a, b].iter().any(|id| [contact.a, contact.b].contains(id));
    assert!(!world.contacts().any(|one| names_one(one.a(), one.b())));
    for wrong in [contact.a, BodyId(0), BodyId(9999)] {
        assert!(simulation.world_mut().remove_grains(&[wrong]).is_err());
    }
    run(&mut simulation, 2500);
    assert!(simulation.energy().residual(&before).abs() < 1e-3 * simulation.energy().turned_over(&before));
}
