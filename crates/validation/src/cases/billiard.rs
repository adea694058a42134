//! N4: an elastic ellipse bounces between walls. Its energy over a thousand bounces, its angular
//! momentum in a circle, and the momenta of a free pair must be conserved.

use glam::{DVec2, DVec3};
use granum_engine::{BodyId, Motion, Simulation};
use granum_geometry::shape::InsideCircle;

use super::planar_impact::{add_ellipse, laboratory};
use crate::{Case, Report};

/// The case.
pub const N4: Case = Case { name: "N4", tier: 2, about: "elastic ellipse in a box, in a circle, and a free pair", run };

/// Stiffness, N/m. A contact of 1 kg lasts 0.03 s.
const STIFFNESS: f64 = 1e4;
/// Time step for the energy, whose error is of second order, s.
const TIME_STEP: f64 = 5e-6;
/// Time step for the momenta of a pair, s. They are conserved except for rounding errors, of which
/// fewer steps cause fewer.
const COARSE_STEP: f64 = 1e-4;
/// Speed, m/s.
const SPEED: f64 = 10.0;
const BOUNCES: usize = 1000;
/// Steps between two samples, shorter than any contact and any flight.
const LOOK: u64 = 50;

fn run(report: &mut Report) {
    in_box(report);
    in_circle(report);
    free_pair(report);
}

fn touches(simulation: &Simulation) -> bool {
    simulation.world().contacts().any(|contact| contact.is_loaded())
}

/// Returns the relative energy change after each of `bounces` bounces.
fn energies(simulation: &mut Simulation, bounces: usize) -> Vec<f64> {
    let start = simulation.energy().total();
    let mut found = Vec::new();
    let mut touched = false;
    while found.len() < bounces {
        simulation.run(LOOK);
        let touching = touches(simulation);
        if touched && !touching {
            found.push(simulation.energy().total() / start - 1.0);
        }
        touched = touching;
    }
    found
}

fn in_box(report: &mut Report) {
    let mut lab = laboratory(STIFFNESS, 1.0);
    for normal in [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y] {
        lab.wall(normal, -2.5 * normal, Motion::Fixed);
    }
    add_ellipse(&mut lab, DVec2::ZERO, 0.4, SPEED * DVec2::from_angle(0.7));
    let drift = energies(&mut lab.start(TIME_STEP), BOUNCES);
    let largest = drift.iter().fold(0f64, |largest, error| largest.max(error.abs()));
    report.at_most(format!("box: greatest change of the energy in {BOUNCES} bounces"), largest, 1e-6);
    // Linear trend of the energies over all bounces.
    let n = drift.len() as f64;
    let mean = drift.iter().sum::<f64>() / n;
    let middle = 0.5 * (n - 1.0);
    let (mut with, mut square) = (0.0, 0.0);
    for (k, error) in drift.iter().enumerate() {
        with += (k as f64 - middle) * (error - mean);
        square += (k as f64 - middle).powi(2);
    }
    report.at_most(format!("box: trend of the energy over {BOUNCES} bounces"), with / square * n, 1e-6);
}

/// Returns momentum and angular momentum about the origin of a set of bodies.
fn momenta(simulation: &Simulation, bodies: &[BodyId]) -> (DVec3, f64) {
    let world = simulation.world();
    let (mut linear, mut angular) = (DVec3::ZERO, 0.0);
    for &id in bodies {
        let p = world.mass(id) * world.twist(id).velocity;
        linear += p;
        angular += world.position(id).cross(p).z + world.angular_momentum(id).z;
    }
    (linear, angular)
}

fn in_circle(report: &mut Report) {
    let mut lab = laboratory(STIFFNESS, 1.0);
    let rim = lab.world.add_shape(InsideCircle { radius: 5.0 }).expect("a valid radius");
    let spec = lab.of_shape(rim, 1.0, DVec3::ONE);
    lab.add(granum_engine::BodySpec { motion: Motion::Fixed, ..spec });
    let id = add_ellipse(&mut lab, DVec2::new(0.5, 0.3), 0.4, SPEED * DVec2::from_angle(2.0));
    let mut simulation = lab.start(TIME_STEP);
    let (_, before) = momenta(&simulation, &[id]);
    energies(&mut simulation, 100);
    let (_, after) = momenta(&simulation, &[id]);
    report.relative("circle: angular momentum about its centre after 100 bounces", before, after, 1e-12);
}

fn free_pair(report: &mut Report) {
    let mut lab = laboratory(STIFFNESS, 1.0);
    let a = add_ellipse(&mut lab, DVec2::ZERO, 0.3, DVec2::new(1.0, 0.2));
    let b = add_ellipse(&mut lab, DVec2::new(4.2, 0.7), 1.1, DVec2::new(-1.0, 0.1));
    let mut simulation = lab.start(COARSE_STEP);
    let (linear, angular) = momenta(&simulation, &[a, b]);
    energies(&mut simulation, 1);
    let (linear_after, angular_after) = momenta(&simulation, &[a, b]);
    report.at_most("free pair: change of the momentum, kg m/s", (linear_after - linear).length(), 1e-12);
    report.absolute("free pair: angular momentum, kg m2/s", angular, angular_after, 1e-12);
}
