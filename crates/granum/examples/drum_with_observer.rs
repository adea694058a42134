//! A rotating drum, with an observer that receives a snapshot every 5 ms.
//!
//! In steady flow the torque of the drum balances that of the weight of the grains, M g x for their
//! centre of mass at x. The power of the drum is therefore the spin of the drum times M g x.

use std::f64::consts::FRAC_PI_2;

use granum::glam::{DQuat, DVec3};
use granum::law::ContactLaw;
use granum::shape::{Cylinder, InsideCylinder};
use granum::{BodySpec, Drive, Material, Motion, Simulation, Snapshot, World};

const SPIN: f64 = 2.0; // rad/s

/// An observer of the centre of mass of the grains.
#[derive(Default)]
struct CentreOfMass {
    moment: DVec3, // sum over all snapshots of mass times position, kg m
    snapshots: f64,
}

impl CentreOfMass {
    fn observe(&mut self, snapshot: &Snapshot) {
        let grains = snapshot.bodies.iter().filter(|body| body.is_grain());
        self.moment += grains.map(|grain| grain.mass * grain.position).sum::<DVec3>();
        self.snapshots += 1.0;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.set_gravity(-9.81 * DVec3::Z)?;
    world.set_time_step(5e-5)?;
    let wood = world.add_material(Material::new("wood", 700.0))?; // kg/m³
    world.set_law(wood, wood, ContactLaw::linear(300.0, 0.4, 0.4)?)?; // N/m, restitution, friction
    let hollow = world.add_shape(InsideCylinder { radius: 0.05, half_height: 0.01 })?;
    let mut drum = BodySpec::fixed(hollow, wood, DVec3::ZERO);
    drum.pose.orientation = DQuat::from_rotation_x(FRAC_PI_2); // its axis is y
    drum.motion = Motion::Driven(Drive::steady(DVec3::ZERO, -SPIN * DVec3::Y).into());
    world.add_body(drum)?;
    let disc = world.add_shape(Cylinder { radius: 0.005, half_height: 0.003 })?;
    for k in 0..30_i32 {
        let cell = DVec3::new(f64::from(k % 5 - 2), f64::from(k / 5 % 2) - 0.5, f64::from(k / 10) - 2.5);
        world.add_body(BodySpec::at(disc, wood, cell * DVec3::new(0.012, 0.0092, 0.0115)))?;
    }
    let mut simulation = Simulation::new(world, 1)?;
    simulation.run(8_000); // 0.4 s: then the flow is steady
    let (start, mut centre) = (simulation.energy(), CentreOfMass::default());
    for _ in 0..200 {
        simulation.run(100);
        centre.observe(&simulation.snapshot());
    }
    let (energy, moment) = (simulation.energy(), centre.moment / centre.snapshots);
    let (power, expected) = (energy.work - start.work, SPIN * 9.81 * moment.x.abs()); // J in 1 s
    println!("mean slope angle: {:.1} degrees", moment.x.abs().atan2(-moment.z).to_degrees());
    println!("power of the drum: {:.3} mW, expected: {:.3} mW", 1e3 * power, 1e3 * expected);
    assert!((power / expected - 1.0).abs() < 0.05 && energy.residual(&start).abs() < 0.01 * energy.work);
    Ok(())
}
