//! Load and wear of triangles: their sums are the forces, impulses and losses of the contacts.

mod common;

use common::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{
    BodyId, BodySpec, Drive, Energy, Material, MaterialId, Motion, Simulation, TriangleWear, World, WorldError,
};
use granum_geometry::shape::{Box, Cylinder, Ellipsoid, HalfSpace, Sphere, Surface};
use granum_geometry::surface::generate::{Mixer, RandomPlane, Terrain};
use granum_geometry::{Shape, TriangleMesh};

const G: f64 = 9.81;

/// Sums over the triangles of the first surface: normal force from the mean pressure, N, greatest
/// force of a triangle, N, friction work and impact work, J.
fn sums(world: &World, mesh: &TriangleMesh) -> [f64; 4] {
    let wear = &world.surface_wear()[0];
    let mut sums = [0.0; 4];
    for TriangleWear { triangle, pressure, peak_pressure, friction_work, impact_work } in &wear.triangles {
        let area = mesh.vector_area(*triangle as usize).length();
        for (sum, density) in sums.iter_mut().zip([pressure, peak_pressure, friction_work, impact_work]) {
            *sum += area * density;
        }
    }
    sums
}

fn terrain(height: f64) -> TriangleMesh {
    Terrain { size: [0.2; 2], cells: [60; 2], hills: 400, height, radius: 0.004, seed: 3 }.mesh().unwrap()
}

/// Returns a world with one grain of each kind, too far from each other to touch, above a surface
/// as body 0.
fn lone_grains(mesh: &TriangleMesh, motion: Motion) -> World {
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::new(0.3, 0.1, -G)).unwrap();
    world.set_time_step(1e-5).unwrap();
    add_surface(&mut world, grit, mesh, motion);
    add_lone_grains(&mut world, grit);
    world
}

fn add_surface(world: &mut World, material: MaterialId, mesh: &TriangleMesh, motion: Motion) {
    let shape = world.add_shape(Surface::new(mesh.clone(), false).unwrap()).unwrap();
    let id = world.add_body(BodySpec { motion, ..BodySpec::fixed(shape, material, DVec3::ZERO) }).unwrap();
    world.record_wear(id).unwrap();
}

fn add_lone_grains(world: &mut World, material: MaterialId) {
    let axes = DVec3::new(0.005, 0.004, 0.003);
    let shapes: [Shape; 4] = [
        Sphere { radius: 0.004 }.into(),
        Ellipsoid { semi_axes: axes }.into(),
        Box { half_sizes: axes }.into(),
        Cylinder { radius: 0.004, half_height: 0.003 }.into(),
    ];
    let mut random = Random::new(5);
    for (k, shape) in shapes.into_iter().enumerate() {
        let shape = world.add_shape(shape).unwrap();
        let mut body =
            BodySpec::at(shape, material, DVec3::new(0.1 * (k % 2) as f64 - 0.06, 0.1 * (k / 2) as f64 - 0.05, 0.012));
        body.pose.orientation = DQuat::from_scaled_axis(2.0 * random.in_cube());
        body.velocity = DVec3::new(0.1, 0.02 * random.signed(), -0.3);
        body.spin = 20.0 * random.in_cube();
        world.add_body(body).unwrap();
    }
}

#[test]
fn pressure_times_area_is_the_weight_of_a_bed_at_rest() {
    let mesh = RandomPlane { size: [0.1, 0.1], points: 300, seed: 2 }.mesh().unwrap();
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::NEG_Z * G).unwrap();
    world.set_time_step(1e-5).unwrap();
    add_surface(&mut world, grit, &mesh, Motion::Fixed);
    for axis in [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y] {
        let wall = world.add_shape(HalfSpace::new(axis)).unwrap();
        world.add_body(BodySpec::fixed(wall, grit, -0.02 * axis)).unwrap();
    }
    let ball = world.add_shape(Sphere { radius: 0.004 }).unwrap();
    for k in 0..32 {
        let cell = DVec3::new((k % 4) as f64 - 1.5, (k / 4 % 4) as f64 - 1.5, (k / 16) as f64 + 0.52);
        world.add_body(BodySpec::at(ball, grit, 0.008 * cell)).unwrap();
    }
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(60_000);
    simulation.restart_pressure();
    let momentum = |world: &World| world.grains().map(|body| body.mass * body.velocity.z).sum::<f64>();
    let before = momentum(simulation.world());
    simulation.run(500);
    let world = simulation.world();
    let floor: f64 = world
        .contacts()
        .filter(|contact| contact.a() == BodyId(0) && contact.carries_force())
        .map(|c| c.force().z)
        .sum();
    let weight: f64 = world.grains().map(|body| G * body.mass).sum();
    let [force, peak, ..] = sums(world, &mesh);
    println!("weight {weight} N, floor {floor} N, pressure times area {force} N, peaks {peak} N");
    assert!((force / floor - 1.0).abs() < 2e-3, "{force} N by pressures, {floor} N by contacts");
    assert!(peak >= force * (1.0 - 1e-12));
    // The momentum that side walls and friction of the floor transfer is far below the weight.
    let transferred = weight + (momentum(world) - before) / (500.0 * 1e-5);
    assert!((force / transferred - 1.0).abs() < 0.02, "{force} N by pressures, {transferred} N by momentum");
}

#[test]
fn the_impulse_of_an_impact_is_the_change_of_momentum() {
    let mesh = RandomPlane { size: [0.1, 0.1], points: 40, seed: 2 }.mesh().unwrap();
    let (mut world, grit) = world_with_grit();
    world.set_time_step(1e-5).unwrap();
    add_surface(&mut world, grit, &mesh, Motion::Fixed);
    let ball = world.add_shape(Sphere { radius: 0.004 }).unwrap();
    let mut body = BodySpec::at(ball, grit, DVec3::new(0.003, 0.002, 0.0042));
    body.velocity = -DVec3::Z;
    let ball = world.add_body(body).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    // Intervals that end in the middle of the impact add up to the whole.
    let mut impulse = 0.0;
    for _ in 0..40 {
        simulation.restart_pressure();
        simulation.run(13);
        impulse += 13.0 * 1e-5 * sums(simulation.world(), &mesh)[0];
    }
    let world = simulation.world();
    let gained = world.mass(ball) * (world.twist(ball).velocity.z + 1.0);
    assert!(world.contacts().count() == 0 && world.twist(ball).velocity.z > 0.5);
    assert!((impulse / gained - 1.0).abs() < 1e-12, "{impulse} N s by pressures, {gained} N s by momentum");
}

/// Asserts that the works of all triangles are the losses of the ledger.
fn assert_works(world: &World, mesh: &TriangleMesh, energy: &Energy, what: &str) {
    assert!(world.contacts().all(|contact| contact.a() == BodyId(0)), "{what}: grains touch each other");
    let [.., friction, impact] = sums(world, mesh);
    // Both losses may be negative for a moment, and their sum small, as a contact begins.
    let scale = energy.dissipated_friction.abs() + energy.dissipated_damping.abs();
    for (work, loss, name) in
        [(friction, energy.dissipated_friction, "friction"), (impact, energy.dissipated_damping, "impact")]
    {
        assert!((work - loss).abs() <= 1e-11 * scale, "{what}: {name} work {work} J, ledger {loss} J");
    }
}

#[test]
fn works_of_triangles_are_the_losses_of_the_ledger() {
    let mesh = terrain(0.002);
    let shaken = Drive::oscillation(DVec3::new(0.0005, 0.0002, 0.001), 40.0, 0.3);
    for (name, motion) in [("fixed", Motion::Fixed), ("shaken", Motion::Driven(shaken.into()))] {
        let mut simulation = Simulation::new(lone_grains(&mesh, motion), 1).unwrap();
        let mut in_contact = 0;
        for _ in 0..60 {
            simulation.run(331);
            let world = simulation.world();
            in_contact += usize::from(world.contacts().any(|contact| contact.carries_force()));
            assert_works(world, &mesh, &simulation.energy(), name);
        }
        let energy = simulation.energy();
        println!("{name}: friction {} J, damping {} J", energy.dissipated_friction, energy.dissipated_damping);
        assert!(in_contact > 10 && energy.dissipated_friction > 0.0 && energy.dissipated_damping > 0.0);
    }
}

#[test]
fn blades_that_turn_wear_at_their_faces() {
    let blades = Mixer {
        radius: 0.05,
        shaft_radius: 0.008,
        length: 0.06,
        rows: 3,
        paddles: 2,
        width: 0.015,
        thickness: 0.003,
        angle: 0.6,
        facets: 16,
    };
    let mesh = blades.mesh().unwrap();
    let (mut world, grit) = world_with_grit();
    world.set_time_step(1e-5).unwrap();
    let spin = Motion::Driven(Drive::rotation(DVec3::ZERO, 20.0 * DVec3::Z).into());
    add_surface(&mut world, grit, &mesh, spin);
    let ball = world.add_shape(Sphere { radius: 0.003 }).unwrap();
    world.add_body(BodySpec::at(ball, grit, DVec3::new(0.03, 0.03, 0.012))).unwrap();
    world.add_body(BodySpec::at(ball, grit, DVec3::new(-0.03, 0.03, 0.045))).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    for _ in 0..20 {
        simulation.run(500);
        assert_works(simulation.world(), &mesh, &simulation.energy(), "blades");
    }
    let worn = &simulation.world().surface_wear()[0].triangles;
    assert!(!worn.is_empty() && worn.len() < mesh.triangles().len() / 4, "{} triangles", worn.len());
}

#[test]
fn percussions_wear_by_what_they_dissipate() {
    for friction in [Friction::Coulomb, Friction::Viscous] {
        let mesh = terrain(0.002);
        let mut world = World::new();
        let rock = world.add_material(Material::new("rock", 2500.0)).unwrap();
        world.set_percussion(Percussion::new(friction)).unwrap();
        let slip = match friction {
            Friction::Coulomb => Slip::Friction(0.4),
            Friction::Viscous => Slip::Viscosity(0.01),
        };
        let law = PercussionLaw { rebound: Rebound::Restitution(0.4), slip };
        world.set_percussion_law(rock, rock, law).unwrap();
        world.set_gravity(DVec3::new(0.3, 0.1, -G)).unwrap();
        world.set_time_step(5e-4).unwrap();
        add_surface(&mut world, rock, &mesh, Motion::Fixed);
        add_lone_grains(&mut world, rock);
        let mut simulation = Simulation::new(world, 1).unwrap();
        for _ in 0..10 {
            simulation.restart_pressure();
            simulation.run(40);
            assert_works(simulation.world(), &mesh, &simulation.energy(), "percussions");
        }
        let energy = simulation.energy();
        assert!(energy.dissipated_friction > 0.0 && energy.dissipated_damping > 0.0, "{energy:?}");
        // Grains that bounce press with their weight on average.
        let weight: f64 = simulation.world().grains().map(|body| G * body.mass).sum();
        let [force, peak, ..] = sums(simulation.world(), &mesh);
        assert!(0.2 * weight < force && force < 2.0 * weight && peak > force, "{force} N, peaks {peak} N, {weight} N");
    }
}

#[test]
fn recording_wear_changes_no_motion_and_needs_a_surface() {
    let mesh = terrain(0.002);
    let run = |records: bool| {
        let mut world = lone_grains(&mesh, Motion::Fixed);
        if !records {
            world = {
                let (mut plain, grit) = world_with_grit();
                plain.set_gravity(world.gravity()).unwrap();
                plain.set_time_step(1e-5).unwrap();
                let shape = plain.add_shape(Surface::new(mesh.clone(), false).unwrap()).unwrap();
                plain.add_body(BodySpec::fixed(shape, grit, DVec3::ZERO)).unwrap();
                add_lone_grains(&mut plain, grit);
                plain
            };
        }
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.run(5000);
        let places: Vec<DVec3> = simulation.world().grains().map(|body| body.position).collect();
        (places, simulation.world().surface_wear().len())
    };
    let (with, without) = (run(true), run(false));
    assert_eq!((with.0, with.1, without.1), (without.0, 1, 0));

    let (mut world, grit) = world_with_grit();
    let plane = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    let plane = world.add_body(BodySpec::fixed(plane, grit, DVec3::ZERO)).unwrap();
    assert!(matches!(world.record_wear(plane), Err(WorldError::Value(_))));
    assert!(matches!(world.record_wear(BodyId(7)), Err(WorldError::UnknownBody(_))));
    // Nothing is left of a surface that was removed.
    let mut world = lone_grains(&mesh, Motion::Fixed);
    world.remove_wall(BodyId(0)).unwrap();
    assert!(world.surface_wear().is_empty() && world.check().is_ok());
}
