//! Worlds shared by the engine's tests.

use glam::DVec3;
use granum_engine::{
    BodySpec, ContactLaw, Damping, Drive, EndRule, Material, MaterialId, Motion, Normal, Rolling, Stiffness,
    Tangential, World,
};
use granum_geometry::Shape;
pub use granum_geometry::random::Random;
use granum_geometry::shape::{HalfSpace, InsideCylinder, Sphere};

/// Returns a world with one material whose contacts slide, roll and lose energy.
pub fn world_with_grit() -> (World, MaterialId) {
    let mut world = World::new();
    let material = Material::new("grit", 2500.0).with_elasticity(1e7, 0.25);
    let grit = world.add_material(material).unwrap();
    let end = EndRule::NoTension;
    let law = ContactLaw {
        normal: Normal::linear(Stiffness::Constant(2000.0), Damping::Restitution(0.6), end).unwrap(),
        tangential: Tangential::Linear { friction: 0.4, ratio: 2.0 / 7.0, zeta: 0.1 },
        rolling: Rolling::Spring { friction: 0.05, spinning: 0.02, zeta: 0.3 },
        end,
    };
    world.set_law(grit, grit, law).unwrap();
    (world, grit)
}

/// Returns 300 spheres of mixed sizes above the oscillating floor of a box.
#[allow(dead_code)] // Not every test file uses it.
pub fn shaken_box() -> World {
    shaken_box_of(300, |random| Sphere { radius: random.range(0.002, 0.0049) }.into())
}

/// Returns [`shaken_box`] with `count` grains of another shape, of at most 1 cm.
#[allow(dead_code)] // Not every test file uses it.
pub fn shaken_box_of(count: usize, shape: fn(&mut Random) -> Shape) -> World {
    let (mut world, grit) = scattered(count, shape);
    let width = 0.085;
    for (normal, at) in [
        (DVec3::X, DVec3::ZERO),
        (DVec3::Y, DVec3::ZERO),
        (DVec3::NEG_X, DVec3::splat(width)),
        (DVec3::NEG_Y, DVec3::splat(width)),
    ] {
        let wall = world.add_shape(HalfSpace::new(normal)).unwrap();
        world.add_body(BodySpec::fixed(wall, grit, at)).unwrap();
    }
    add_oscillating(&mut world, grit, HalfSpace::new(DVec3::Z).into(), DVec3::ZERO);
    world
}

/// Returns `count` grains of a shape in an oscillating hollow cylinder.
#[allow(dead_code)] // Not every test file uses it.
pub fn shaken_container_of(count: usize, shape: fn(&mut Random) -> Shape) -> World {
    let (mut world, grit) = scattered(count, shape);
    let container = InsideCylinder { radius: 0.061, half_height: 0.05 };
    add_oscillating(&mut world, grit, container.into(), DVec3::new(0.0425, 0.0425, container.half_height));
    world
}

/// Returns grains in rows and layers with random velocities.
fn scattered(count: usize, shape: fn(&mut Random) -> Shape) -> (World, MaterialId) {
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::new(0.3, -0.2, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let mut random = Random::new(7);
    for k in 0..count {
        let cell = DVec3::new((k % 8) as f64, (k / 8 % 8) as f64, (k / 64) as f64);
        let shape = world.add_shape(shape(&mut random)).unwrap();
        let mut body = BodySpec::at(shape, grit, 0.01 * (cell + 0.6) + 0.0002 * random.in_cube());
        body.velocity = 0.5 * random.in_cube();
        body.spin = 20.0 * random.in_cube();
        world.add_body(body).unwrap();
    }
    (world, grit)
}

/// Adds a wall that oscillates along y and z.
fn add_oscillating(world: &mut World, grit: MaterialId, wall: Shape, at: DVec3) {
    let drive = Drive::oscillation(DVec3::new(0.0, 0.0001, 0.0003), 25.0, 0.3);
    let wall = world.add_shape(wall).unwrap();
    let body = BodySpec { motion: Motion::Driven(drive.into()), ..BodySpec::fixed(wall, grit, at) };
    world.add_body(body).unwrap();
}
