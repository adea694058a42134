//! Tablets: elastic bounces and an elastic gas keep their energy, and tablets come to rest on a cap
//! and on the band.

mod common;

use common::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::{
    BodySpec, ContactLaw, Damping, EndRule, Material, MaterialId, Normal, Rolling, Simulation, Stiffness, Tangential,
    TimeStepAdvice, World,
};
use granum_geometry::shape::{HalfSpace, Tablet};

/// Tablets of the usual proportions, m: a round one, a lens, and one with a high band.
const TABLETS: [Tablet; 3] = [
    Tablet { radius: 0.005, half_height: 0.0012, cap_height: 0.0013 },
    Tablet { radius: 0.005, half_height: 0.0, cap_height: 0.002 },
    Tablet { radius: 0.004, half_height: 0.0025, cap_height: 0.0008 },
];

/// Density, kg/m³.
const DENSITY: f64 = 1300.0;

/// Speed of the tablets, m/s.
const SPEED: f64 = 0.5;

/// Returns a world without gravity, in which contacts lose no energy. An impact of a tablet has an
/// overlap of about `overlap`, m.
fn elastic_world(overlap: f64) -> (World, MaterialId) {
    let mut world = World::new();
    world.set_gravity(DVec3::ZERO).unwrap();
    let powder = world.add_material(Material::new("powder", DENSITY)).unwrap();
    let end = EndRule::NoTension;
    let mass = DENSITY * 2e-7;
    let stiffness = Stiffness::Constant(mass * (SPEED / overlap).powi(2));
    let normal = Normal::linear(stiffness, Damping::Restitution(1.0), end).unwrap();
    world
        .set_law(powder, powder, ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end })
        .unwrap();
    (world, powder)
}

/// Adds a tablet with a random orientation, velocity and spin.
fn add(world: &mut World, powder: MaterialId, tablet: Tablet, position: DVec3, random: &mut Random) {
    let shape = world.add_shape(tablet).unwrap();
    let mut body = BodySpec::at(shape, powder, position);
    body.pose.orientation = DQuat::from_scaled_axis(3.0 * random.in_cube());
    body.velocity = SPEED * random.in_cube();
    body.spin = 50.0 * random.in_cube();
    world.add_body(body).unwrap();
}

/// Runs a world for a time, with a multiple of the recommended time step, and returns the largest
/// error of its energy, relative to the start.
fn energy_error(mut world: World, time: f64, steps: f64) -> f64 {
    let step = steps * TimeStepAdvice::of(&world).recommended;
    world.set_time_step(step).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    let start = simulation.energy().total();
    let mut worst = 0f64;
    for _ in 0..50 {
        simulation.run((time / 50.0 / step) as u64);
        worst = worst.max((simulation.energy().total() / start - 1.0).abs());
    }
    worst
}

/// Adds the six walls of a box from the origin to `size`.
fn add_box(world: &mut World, powder: MaterialId, size: f64) {
    for (normal, at) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [(n, 0.0), (-n, size)]) {
        let wall = world.add_shape(HalfSpace::new(normal)).unwrap();
        world.add_body(BodySpec::fixed(wall, powder, DVec3::splat(at))).unwrap();
    }
}

#[test]
fn a_tablet_that_bounces_in_a_box_keeps_its_energy() {
    let mut random = Random::new(41);
    let mut worst = 0f64;
    for tablet in TABLETS {
        let (mut world, powder) = elastic_world(2e-5);
        add_box(&mut world, powder, 0.013);
        add(&mut world, powder, tablet, DVec3::splat(0.0065), &mut random);
        worst = worst.max(energy_error(world, 0.5, 1.0));
    }
    println!("tablets in a box: energy error {worst:e}");
    assert!(worst < 1e-3, "{worst:e}");
}

#[test]
fn a_gas_of_elastic_tablets_keeps_its_energy() {
    let mut random = Random::new(43);
    let (mut world, powder) = elastic_world(5e-5);
    add_box(&mut world, powder, 0.036);
    for k in 0..27 {
        let cell = DVec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64);
        add(&mut world, powder, TABLETS[k % 3], 0.012 * (cell + 0.5), &mut random);
    }
    // Most impacts are on walls, where the overlap is smooth. The depth between tablets is continuous
    // in the poses, with kinks where the touching features change.
    let [whole, half] = [1.0, 0.5].map(|steps| energy_error(world.clone(), 0.1, steps));
    println!("a gas of tablets: energy error {whole:e}, with half the step {half:e}");
    assert!(whole < 3e-4 && half < 3e-4, "{whole:e} {half:e}");
}

#[test]
fn a_tablet_rests_on_its_cap_and_on_its_band() {
    let on_band = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    for tablet in TABLETS {
        for (turn, height) in [(DQuat::IDENTITY, tablet.half_height + tablet.cap_height), (on_band, tablet.radius)] {
            if turn == on_band && tablet.half_height == 0.0 {
                continue; // A lens falls over.
            }
            let (mut world, grit) = world_with_grit();
            world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
            world.set_time_step(2e-6).unwrap();
            let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
            world.add_body(BodySpec::fixed(floor, grit, DVec3::ZERO)).unwrap();
            let shape = world.add_shape(tablet).unwrap();
            let mut body = BodySpec::at(shape, grit, DVec3::new(0.0, 0.0, height + 2e-4));
            body.pose.orientation = DQuat::from_rotation_y(0.02) * turn;
            let id = world.add_body(body).unwrap();
            let mut simulation = Simulation::new(world, 1).unwrap();
            simulation.run(500_000);
            let state = simulation.world().grains().find(|grain| grain.id == id).expect("the tablet");
            let axis = state.orientation * DVec3::Z;
            let tilt = axis.dot(turn * DVec3::Z).abs().min(1.0).acos();
            let speed = state.velocity.length() + tablet.radius * state.spin.length();
            println!("{tablet:?}: height {:.2e} m, tilt {tilt:.1e} rad, speed {speed:.1e} m/s", state.position.z);
            assert!((state.position.z - height).abs() < 2e-4 && tilt < 0.02 && speed < 1e-3, "{tablet:?}");
        }
    }
}
