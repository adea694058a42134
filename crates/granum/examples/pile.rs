//! A pile of five shapes: grains drop onto a floor between four walls and come to rest.
//!
//! At rest floor and walls carry the weight of all grains, and the energy ledger is closed.

use granum::glam::DVec3;
use granum::law::{ContactLaw, Rolling};
use granum::shape::{self, Capsule, Cylinder, Ellipsoid, HalfSpace, Sphere};
use granum::{BodySpec, Material, Shape, Simulation, TimeStepAdvice, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.set_gravity(-9.81 * DVec3::Z)?;
    let resin = world.add_material(Material::new("resin", 1200.0))?; // kg/m³
    let rolling = Rolling::Spring { friction: 0.1, spinning: 0.1, zeta: 0.5 };
    // Stiffness 2 kN/m, restitution 0.3, friction 0.5.
    world.set_law(resin, resin, ContactLaw { rolling, ..ContactLaw::linear(2e3, 0.3, 0.5)? })?;

    // The box is 40 mm wide. A half-space is solid on the side away from its normal.
    let floor = world.add_shape(HalfSpace::new(DVec3::Z))?;
    let mut last_wall = world.add_body(BodySpec::fixed(floor, resin, DVec3::ZERO))?;
    for inward in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
        let wall = world.add_shape(HalfSpace::new(inward))?;
        last_wall = world.add_body(BodySpec::fixed(wall, resin, -0.02 * inward))?;
    }
    let shapes: [Shape; 5] = [
        Sphere { radius: 0.004 }.into(),
        Ellipsoid { semi_axes: DVec3::new(0.003, 0.004, 0.005) }.into(),
        Cylinder { radius: 0.004, half_height: 0.003 }.into(),
        Capsule { radius: 0.003, half_height: 0.002 }.into(),
        shape::Box { half_sizes: DVec3::new(0.003, 0.0025, 0.004) }.into(),
    ];
    let ids = shapes.map(|shape| world.add_shape(shape));
    for k in 0..27_u32 {
        let (column, layer) = (k % 9, k / 9);
        let cell = DVec3::new(f64::from(column % 3) - 1.0, f64::from(column / 3) - 1.0, f64::from(layer) + 0.6);
        let mut grain = BodySpec::at(ids[k as usize % 5].clone()?, resin, 0.0125 * cell);
        grain.spin = DVec3::new(20.0, 10.0, 5.0); // rad/s
        world.add_body(grain)?;
    }
    world.set_time_step(TimeStepAdvice::of(&world).recommended)?;

    let mut simulation = Simulation::new(world, 1)?;
    let start = simulation.energy();
    simulation.run((0.5 / simulation.world().time_step()) as u64); // 0.5 s
    let snapshot = simulation.snapshot();
    let weight: f64 = 9.81 * simulation.world().grains().map(|grain| grain.mass).sum::<f64>();
    // In a contact of a wall and a grain the wall is body a; a force acts on body b.
    let of_walls = snapshot.contacts.iter().filter(|contact| contact.a <= last_wall);
    let load: f64 = of_walls.map(|contact| contact.force.z).sum();
    let residual = snapshot.energy.residual(&start) / snapshot.energy.dissipated();
    println!("27 grains weigh {weight:.5} N; floor and walls carry {load:.5} N");
    println!("residual of the energy ledger: {residual:.1e} of the dissipated energy");
    assert!((load / weight - 1.0).abs() < 0.01 && residual.abs() < 0.01);
    Ok(())
}
