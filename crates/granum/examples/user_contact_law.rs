//! A user-defined contact law: the spring and dashpot of Hunt and Crossley, F = k d² (1 + c d').
//!
//! With u = c v, the restitution e of an impact at the velocity v is the solution of
//! u (1 + e) = ln((1 + u) / (1 - e u)). The measured restitution must satisfy this equation.

use granum::glam::DVec3;
use granum::law::{ContactLaw, EndRule, Normal, NormalForce, NormalInput, NormalState, Rolling, Tangential};
use granum::shape::Ellipsoid;
use granum::{BodySpec, Material, Simulation, World};

struct HuntCrossley {
    /// Stiffness k, N/m².
    stiffness: f64,
    /// Damping c, s/m.
    damping: f64,
}

impl NormalForce for HuntCrossley {
    fn at(&self, contact: &NormalInput) -> NormalState {
        let d = contact.overlap; // m
        NormalState {
            elastic: self.stiffness * d * d,                // N
            damping: self.damping * self.stiffness * d * d, // N s/m
            stiffness: 2.0 * self.stiffness * d,            // N/m: derivative of `elastic`
            energy: self.stiffness * d.powi(3) / 3.0,       // J: integral of `elastic`
        }
    }

    fn exponents(&self) -> (f64, f64) {
        (2.0, 2.0) // powers of d in spring and dashpot
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const SPEED: f64 = 0.5; // m/s
    const DAMPING: f64 = 0.6; // s/m
    let mut world = World::new();
    world.set_time_step(5e-7)?;
    let clay = world.add_material(Material::new("clay", 2000.0))?;
    let normal = Normal::register("Hunt-Crossley", HuntCrossley { stiffness: 1e8, damping: DAMPING })?;
    let (tangential, rolling, end) = (Tangential::None, Rolling::None, EndRule::ZeroOverlap);
    world.set_law(clay, clay, ContactLaw { normal, tangential, rolling, end })?;
    // Two eggs collide, tip to tip.
    let egg = world.add_shape(Ellipsoid { semi_axes: DVec3::new(0.015, 0.01, 0.01) })?;
    let left = world.add_body(BodySpec::at(egg, clay, DVec3::new(-0.0151, 0.0, 0.0)))?;
    let right = world.add_body(BodySpec::at(egg, clay, DVec3::new(0.0151, 0.0, 0.0)))?;
    world.set_velocity(left, SPEED * DVec3::X, DVec3::ZERO)?;

    let mut simulation = Simulation::new(world, 1)?;
    let start = simulation.energy();
    simulation.run(10_000);
    let [left, right] = [left, right].map(|egg| simulation.world().twist(egg).velocity.x);
    let (e, u, energy) = ((right - left) / SPEED, DAMPING * SPEED, simulation.energy());
    println!("restitution: {e:.5}, dissipated: {:.3e} J of {:.3e} J", energy.dissipated(), start.total());
    assert!((u * (1.0 + e) - ((1.0 + u) / (1.0 - e * u)).ln()).abs() < 1e-5);
    assert!(energy.residual(&start).abs() < 1e-4 * energy.dissipated());
    Ok(())
}
