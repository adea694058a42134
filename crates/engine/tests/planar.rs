//! Planar worlds in the spatial engine: bodies stay in the plane, and spatial shapes are rejected.

use glam::{DQuat, DVec2, DVec3};
use granum_engine::{
    BodySpec, ContactLaw, Damping, Drive, EndRule, Material, Motion, Normal, Rolling, Simulation, Stiffness,
    Tangential, World,
};
use granum_geometry::Pose;
use granum_geometry::shape::{Disc, Ellipse, HalfSpace, InsideCircle, Segment, Sphere, Superellipse};

fn law(stiffness: Stiffness, rolling: Rolling) -> ContactLaw {
    let end = EndRule::NoTension;
    ContactLaw {
        normal: Normal::linear(stiffness, Damping::Restitution(0.6), end).unwrap(),
        tangential: Tangential::Linear { friction: 0.4, ratio: 2.0 / 7.0, zeta: 0.1 },
        rolling,
        end,
    }
}

const STIFF: Stiffness = Stiffness::Constant(1e5);

/// Returns discs (0), ellipses (1) and superellipses (2) in a rotating drum with a shelf. `kinds`
/// are the numbers of the shapes in use.
fn drum(kinds: &[usize], law: ContactLaw) -> World {
    let mut world = World::planar();
    world.set_gravity(DVec3::NEG_Y * 9.81).unwrap();
    world.set_time_step(2e-5).unwrap();
    let stuff = Material::new("stuff", 1000.0);
    let material = world.add_material(stuff).unwrap();
    world.set_law(material, material, law).unwrap();
    let rim = world.add_shape(InsideCircle { radius: 0.1 }).unwrap();
    let motion = Motion::Driven(Drive::steady(DVec3::ZERO, DVec3::Z * 3.0).into());
    world.add_body(BodySpec { motion, ..BodySpec::fixed(rim, material, DVec3::ZERO) }).unwrap();
    let shelf = Segment { from: DVec2::new(-0.03, -0.06), to: DVec2::new(0.03, -0.06), radius: 0.0 };
    let shelf = world.add_shape(shelf).unwrap();
    world.add_body(BodySpec::fixed(shelf, material, DVec3::ZERO)).unwrap();
    let semi_axes = DVec2::new(0.009, 0.005);
    let shapes = [
        world.add_shape(Disc { radius: 0.006 }).unwrap(),
        world.add_shape(Ellipse { semi_axes }).unwrap(),
        world.add_shape(Superellipse { semi_axes, n: 4.0 }).unwrap(),
    ];
    for k in 0..24 {
        let position = DVec3::new(0.02 * f64::from(k % 6) - 0.05, 0.02 * f64::from(k / 6) - 0.03, 0.0);
        let orientation = DQuat::from_rotation_z(0.7 * f64::from(k));
        let spec = BodySpec::at(shapes[kinds[k as usize % kinds.len()]], material, position);
        world.add_body(BodySpec { pose: Pose { position, orientation }, ..spec }).unwrap();
    }
    world
}

#[test]
fn nothing_leaves_the_plane_and_threads_do_not_matter() {
    let mut one = Simulation::new(drum(&[0, 1, 2], law(STIFF, Rolling::None)), 1).unwrap();
    let mut two = Simulation::new(drum(&[0, 1, 2], law(STIFF, Rolling::None)), 2).unwrap();
    two.use_all_threads().unwrap();
    one.run(20_000);
    two.run(20_000);
    assert!(one.snapshot().contacts.len() > 10, "the grains have not settled");
    for body in one.world().bodies() {
        let (centre, turn) = (body.position, body.orientation);
        assert_eq!((centre.z, turn.x, turn.y), (0.0, 0.0, 0.0));
        assert_eq!((body.velocity.z, body.spin.x, body.spin.y), (0.0, 0.0, 0.0));
        if body.is_grain() {
            assert!(centre.length() < 0.1, "a grain has left the drum: {centre}");
        }
    }
    for id in 0..one.world().body_count() as u32 {
        let id = granum_engine::BodyId(id);
        assert_eq!(one.world().position(id), two.world().position(id));
        assert_eq!(one.world().orientation(id), two.world().orientation(id));
    }
}

/// Returns the residual of the energy ledger of a drum after 0.3 s, relative to the energy
/// dissipated and present.
fn residual(name: &str, kinds: &[usize], law: ContactLaw) -> f64 {
    let mut simulation = Simulation::new(drum(kinds, law), 1).unwrap();
    let start = simulation.energy();
    simulation.run(15_000);
    let energy = simulation.energy();
    let scale = energy.dissipated() + energy.total().abs();
    assert!(energy.dissipated() > 0.1 * scale, "the grains have not collided");
    let found = energy.residual(&start).abs() / scale;
    println!("| {name} | {found:.1e} |");
    found
}

#[test]
fn the_ledger_of_discs_and_ellipses_closes() {
    let found = residual("discs and ellipses", &[0, 1], law(STIFF, Rolling::None));
    assert!(found < 1e-4, "{found}");
}

#[test]
fn the_ledger_closes_while_the_lever_of_rolling_changes() {
    let rolling = Rolling::Spring { friction: 0.1, spinning: 0.0, zeta: 0.1 };
    let found = residual("ellipses, rolling friction 0.1", &[1], law(STIFF, rolling));
    assert!(found < 1e-4, "{found}");
    let found = residual("superellipses, rolling friction 0.1", &[2], law(STIFF, rolling));
    assert!(found < 1e-4, "superellipses: {found}");
}

#[test]
fn a_contact_time_makes_no_energy_of_ellipses() {
    let found = residual("ellipses, contact time", &[1], law(Stiffness::ContactTime(2e-3), Rolling::None));
    assert!(found < 1e-4, "{found}");
}

#[test]
fn corners_come_and_go_at_a_hollow_rim_without_a_jump_of_energy() {
    let found = residual("superellipses", &[2], law(STIFF, Rolling::None));
    assert!(found < 1e-4, "{found}");
}

#[test]
fn foreign_shapes_and_motions_are_refused() {
    let mut planar = World::planar();
    assert!(planar.add_shape(Sphere { radius: 1.0 }).unwrap_err().to_string().contains("this world is planar"));
    assert!(planar.add_shape(HalfSpace::new(DVec3::Z)).is_err());
    assert!(planar.add_shape(HalfSpace::new(DVec3::X)).is_ok());
    let mut spatial = World::new();
    assert!(spatial.add_shape(Disc { radius: 1.0 }).unwrap_err().to_string().contains("this world is not planar"));

    let stuff = Material::new("stuff", 1000.0);
    let material = planar.add_material(stuff).unwrap();
    let disc = planar.add_shape(Disc { radius: 1.0 }).unwrap();
    let good = BodySpec::at(disc, material, DVec3::X);
    assert!(planar.add_body(good.clone()).is_ok());
    assert!(planar.add_body(BodySpec { velocity: DVec3::Z, ..good.clone() }).is_err());
    assert!(planar.add_body(BodySpec { spin: DVec3::X, ..good.clone() }).is_err());
    assert!(planar.add_body(BodySpec { pose: Pose::at(DVec3::Z), ..good.clone() }).is_err());
    let tilted = Pose { orientation: DQuat::from_rotation_x(0.1), ..Pose::IDENTITY };
    assert!(planar.add_body(BodySpec { pose: tilted, ..good.clone() }).is_err());
}
