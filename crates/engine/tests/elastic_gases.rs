//! Energy conservation of gases of elastic, frictionless grains of one shape and of all shapes
//! mixed, at the automatic time step. A spring to the origin holds the grains together, so that no
//! wall takes part. `GRANUM_GAS_TIME=2` runs them for 2 s.

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use granum_engine::{
    BodySpec, ContactLaw, Damping, EndRule, Material, Normal, Rolling, Simulation, Stiffness, Tangential,
    TimeStepAdvice, World, Wrench,
};
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, Polyhedron, Sphere, Superellipsoid, Tablet, TruncatedCone, rock,
};
use granum_geometry::{Measure, Shape};

/// Number of grains.
const GRAINS: usize = 30;

/// Default duration, s.
const TIME: f64 = 0.1;

/// Overlap of two grains that meet at 1 m/s, m: a twentieth of a radius.
const OVERLAP: f64 = 2.5e-4;

/// Angular frequency of the spring to the origin, 1/s.
const TRAP: f64 = 60.0;

/// Returns the relative change of the energy of a gas, and the number of collisions. The change is
/// a mean over the last quarter of the time, because the energy of a contact oscillates by the square
/// of the time step while it lasts.
fn energy_error(measure: Measure, shape: impl Fn(usize) -> Shape) -> (f64, usize) {
    let time = std::env::var("GRANUM_GAS_TIME").ok().and_then(|time| time.parse().ok()).unwrap_or(TIME);
    let mut random = Random::new(51);
    let mut world = World::new();
    world.set_measure(measure).expect("a new world");
    let glass = world.add_material(Material::new("glass", 2500.0)).expect("a material");
    let mut lightest = f64::INFINITY;
    for k in 0..GRAINS {
        let shape = world.add_shape(shape(k)).expect("a shape");
        let cell = DVec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64) - DVec3::new(1.0, 1.0, 1.5);
        let mut body = BodySpec::at(shape, glass, 0.02 * cell);
        body.pose.orientation = DQuat::from_scaled_axis(3.0 * random.in_cube());
        body.velocity = random.in_cube();
        body.spin = 100.0 * random.in_cube();
        let id = world.add_body(body).expect("a body");
        lightest = world.mass(id).min(lightest);
    }
    let end = EndRule::NoTension;
    let stiffness = Stiffness::Constant(0.5 * lightest / (OVERLAP * OVERLAP));
    let normal = Normal::linear(stiffness, Damping::Restitution(1.0), end).expect("a law");
    let law = ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end };
    world.set_law(glass, glass, law).unwrap();
    world.set_time_step(TimeStepAdvice::of(&world).recommended).unwrap();
    let step = world.time_step();
    let mut simulation = Simulation::new(world, 1).expect("a simulation");
    simulation.set_force(|world, id| Wrench {
        force: -world.mass(id) * TRAP * TRAP * world.position(id),
        torque: DVec3::ZERO,
    });
    let start = simulation.energy();
    let (mut sum, mut count, mut collisions, mut touching) = (0.0, 0.0, 0, 0);
    const SAMPLE: u64 = 10;
    let samples = (time / step) as u64 / SAMPLE;
    for k in 0..samples {
        simulation.run(SAMPLE);
        let now = simulation.world().contacts().count();
        collisions += now.saturating_sub(touching);
        touching = now;
        if 4 * k >= 3 * samples {
            sum += simulation.energy().residual(&start) / start.total();
            count += 1.0;
        }
    }
    (f64::abs(sum / count), collisions)
}

fn check(name: &str, shape: impl Fn(usize) -> Shape) {
    let (error, collisions) = energy_error(Measure::Moments, &shape);
    println!("{GRAINS} {name}: {collisions} collisions, energy error {error:.1e}");
    if std::env::var("GRANUM_GAS_DEPTH").is_ok() {
        println!("{GRAINS} {name} by depth: {:.1e}", energy_error(Measure::Depth, &shape).0);
    }
    assert!(collisions > 100 && error < 1e-3, "{name}: {collisions} collisions, {error:e}");
}

fn sphere(_: usize) -> Shape {
    Sphere { radius: 0.005 }.into()
}

fn ellipsoid(_: usize) -> Shape {
    Ellipsoid { semi_axes: DVec3::new(0.006, 0.005, 0.004) }.into()
}

fn superellipsoid(_: usize) -> Shape {
    Superellipsoid { semi_axes: DVec3::new(0.006, 0.005, 0.004), eps: [0.7, 0.6] }.into()
}

fn cylinder(_: usize) -> Shape {
    Cylinder { radius: 0.005, half_height: 0.004 }.into()
}

fn capsule(_: usize) -> Shape {
    Capsule { radius: 0.004, half_height: 0.004 }.into()
}

fn cone(_: usize) -> Shape {
    TruncatedCone { radii: [0.006, 0.003], half_height: 0.004 }.into()
}

fn brick(_: usize) -> Shape {
    Box { half_sizes: DVec3::new(0.006, 0.005, 0.004) }.into()
}

fn stone(k: usize) -> Shape {
    let lengths = [0.012, 0.010, 0.008];
    Polyhedron::new(rock(lengths, 20.0, k as f64).expect("a rock")).expect("a polyhedron").into()
}

fn any_of(shapes: &[fn(usize) -> Shape], k: usize) -> Shape {
    shapes[k % shapes.len()](k)
}

#[test]
fn a_gas_of_30_boxes_keeps_its_energy() {
    check("boxes", brick);
}

#[test]
fn a_gas_of_30_rocks_keeps_its_energy() {
    check("rocks", stone);
}

#[test]
fn a_gas_of_30_capsules_keeps_its_energy() {
    check("capsules", capsule);
}

#[test]
fn a_gas_of_30_smooth_grains_keeps_its_energy() {
    check("spheres and ellipsoids", |k| any_of(&[sphere, ellipsoid], k));
    check("superellipsoids", superellipsoid);
}

#[test]
fn a_gas_of_30_cylinders_keeps_its_energy() {
    check("cylinders", cylinder);
}

#[test]
fn a_gas_of_conservative_pairs_keeps_its_energy() {
    check("mixed grains", |k| any_of(&[sphere, capsule, brick, stone, ellipsoid], k));
}

// The following gases have pairs without a conservative overlap: their force comes from the depth,
// whose contact point jumps when a face or a straight side becomes parallel to another. They show by
// how much such pairs miss the limit (`--include-ignored`), and pass when the pair gets moments.

#[test]
#[ignore = "cones are measured by depth, which does not conserve energy"]
fn a_gas_of_30_cones() {
    check("cones", cone);
}

#[test]
#[ignore = "flat sides of superellipsoids are measured by depth, which does not conserve energy"]
fn a_gas_of_30_barrels() {
    check("barrels", |_| Superellipsoid { semi_axes: DVec3::new(0.005, 0.005, 0.006), eps: [1.0, 0.3] }.into());
}

#[test]
#[ignore = "tablets are measured by depth, which does not conserve energy"]
fn a_gas_of_30_tablets() {
    check("tablets", |_| Tablet { radius: 0.006, half_height: 0.002, cap_height: 0.002 }.into());
}

#[test]
#[ignore = "some pairs are measured by depth, which does not conserve energy"]
fn a_gas_of_all_shapes() {
    check("grains of all shapes", |k| {
        any_of(&[sphere, ellipsoid, superellipsoid, cylinder, capsule, cone, brick, stone], k)
    });
}
