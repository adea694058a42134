//! Percussions: collisions at one instant instead of contact forces, with long time steps.
//!
//! A ball bounces with the restitution of its law. A tower of blocks stays upright on a plane that
//! is less steep than the angle of friction.

use granum::glam::{DQuat, DVec3};
use granum::law::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum::shape::{self, HalfSpace, Sphere};
use granum::{BodyId, BodySpec, Material, Simulation, World, WorldError};

/// Returns a plane through the origin that is inclined by `angle`, rad, and its material.
fn inclined_plane(angle: f64, law: PercussionLaw) -> Result<(World, granum::MaterialId), WorldError> {
    let mut world = World::new();
    world.set_gravity(9.81 * DVec3::new(angle.sin(), 0.0, -angle.cos()))?;
    world.set_time_step(1e-3)?;
    let granite = world.add_material(Material::new("granite", 2700.0))?;
    world.set_percussion(Percussion::new(Friction::Coulomb))?;
    world.set_percussion_law(granite, granite, law)?;
    let plane = world.add_shape(HalfSpace::new(DVec3::Z))?;
    world.add_body(BodySpec::fixed(plane, granite, DVec3::ZERO))?;
    Ok((world, granite))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let law = PercussionLaw { rebound: Rebound::Restitution(0.8), slip: Slip::Friction(0.5) };
    let (mut world, granite) = inclined_plane(0.0, law)?;
    let ball = world.add_shape(Sphere { radius: 0.02 })?;
    let mut falling = BodySpec::at(ball, granite, DVec3::new(0.0, 0.0, 0.021));
    falling.velocity = DVec3::new(0.0, 0.0, -2.0); // m/s
    let ball = world.add_body(falling)?;
    let mut simulation = Simulation::new(world, 1)?;
    simulation.run(2);
    let speed = simulation.world().twist(ball).velocity.z;
    println!("the ball arrives at 2 m/s and leaves at {speed:.3} m/s");
    assert!((speed / 2.0 - 0.8).abs() < 0.01);

    let law = PercussionLaw { rebound: Rebound::Restitution(0.0), slip: Slip::Friction(0.5) };
    for (angle, stays) in [(20.0_f64, true), (32.0, false)] {
        let (mut world, granite) = inclined_plane(angle.to_radians(), law)?;
        let block = world.add_shape(shape::Box { half_sizes: DVec3::new(0.05, 0.05, 0.02) })?;
        let mut tower: Vec<BodyId> = Vec::new();
        for level in 0..3 {
            let mut spec = BodySpec::at(block, granite, DVec3::new(0.0, 0.0, 0.02 + 0.04 * f64::from(level)));
            spec.pose.orientation = DQuat::from_rotation_z(0.3 * f64::from(level));
            tower.push(world.add_body(spec)?);
        }
        let mut simulation = Simulation::new(world, 1)?;
        simulation.run(500); // 0.5 s
        let slid = simulation.world().position(tower[0]).x;
        println!("slope of {angle} degrees: the lowest block has slid by {:.2} mm", 1e3 * slid);
        assert_eq!(slid < 1e-3, stays, "the angle of friction is 26.6 degrees");
    }
    Ok(())
}
