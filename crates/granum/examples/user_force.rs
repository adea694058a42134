//! A user-defined force: a glass bead sinks in glycerine, under buoyancy and Stokes' drag.
//!
//! It approaches the terminal velocity 2/9 (rho_bead - rho_fluid) g R² / eta.

use std::f64::consts::PI;

use granum::glam::DVec3;
use granum::shape::Sphere;
use granum::{BodyId, BodySpec, Material, Simulation, World, Wrench};

const RADIUS: f64 = 1e-3; // m
const BEAD: f64 = 2500.0; // kg/m³
const GLYCERINE: f64 = 1260.0; // kg/m³
const VISCOSITY: f64 = 1.4; // Pa s
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81); // m/s²

/// Force, N, and torque, N m, of the fluid on a bead.
fn fluid(world: &World, bead: BodyId) -> Wrench {
    let twist = world.twist(bead);
    let buoyancy = -GLYCERINE * 4.0 / 3.0 * PI * RADIUS.powi(3) * GRAVITY;
    Wrench {
        force: buoyancy - 6.0 * PI * VISCOSITY * RADIUS * twist.velocity,
        torque: -8.0 * PI * VISCOSITY * RADIUS.powi(3) * twist.spin,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.set_gravity(GRAVITY)?;
    world.set_time_step(1e-5)?;
    let glass = world.add_material(Material::new("glass", BEAD))?;
    let ball = world.add_shape(Sphere { radius: RADIUS })?;
    let bead = world.add_body(BodySpec::at(ball, glass, DVec3::ZERO))?;

    let mut simulation = Simulation::new(world, 1)?;
    simulation.set_force(fluid);
    let start = simulation.energy();
    for _ in 0..5 {
        simulation.run(100);
        let (time, speed) = (simulation.world().time(), -simulation.world().twist(bead).velocity.z);
        println!("t = {:.0} ms: {:.4} mm/s", 1e3 * time, 1e3 * speed);
    }
    let terminal = -2.0 / 9.0 * (BEAD - GLYCERINE) * GRAVITY.z * RADIUS * RADIUS / VISCOSITY;
    println!("terminal velocity: {:.4} mm/s", 1e3 * terminal);
    let speed = -simulation.world().twist(bead).velocity.z;
    assert!((speed / terminal - 1.0).abs() < 1e-4);
    // The work of the fluid is in the energy ledger.
    let energy = simulation.energy();
    assert!(energy.work < 0.0 && energy.residual(&start).abs() < 1e-3 * energy.work.abs());
    Ok(())
}
