//! N4: frictionless elastic billiards of ellipsoids: conserved quantities over many bounces.

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, MaterialId, Motion, Simulation};
use granum_geometry::shape::{Ellipsoid, InsideSphere};

use crate::laboratory::{Laboratory, spring};
use crate::{Case, Report};

/// Billiards of ellipsoids.
pub const N4: Case = Case { name: "N4-space", tier: 2, about: "billiards of ellipsoids keep energy and momentum", run };

/// Stiffness, N/m. The bodies have a mass of 1 kg and a speed of about 1 m/s.
const STIFFNESS: f64 = 1e4;
/// Contact time of a ball against the wall, s.
const CONTACT: f64 = 0.0314;
/// Largest number of steps, more than any case needs.
const MOST_STEPS: u64 = 10_000_000;
/// Number of bounces in a box.
const BOUNCES: usize = 1000;

fn run(report: &mut Report) {
    let (drift, bounces) = in_a_box(200.0);
    report.at_most(format!("box, {bounces} bounces: drift of energy over energy"), drift, 1e-6);
    let (turn, bounces) = in_a_sphere(50.0);
    report.at_most(
        format!("spherical wall, {bounces} bounces: change of angular momentum about its centre"),
        turn,
        1e-12,
    );
    let [momentum, angular, later] = pair(50.0);
    report.at_most("free pair: change of momentum", momentum, 1e-12);
    report.at_most("free pair: change of angular momentum in the collision", angular, 1e-12);
    report.at_most("free pair: change of angular momentum, with five seconds of flight", later, 1e-12);
}

fn ellipsoid(lab: &mut Laboratory, semi_axes: DVec3, position: DVec3, velocity: DVec3, spin: DVec3) -> BodyId {
    let shape = lab.world.add_shape(Ellipsoid { semi_axes }).expect("valid semi-axes");
    let squares = semi_axes * semi_axes;
    let moments = DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y) / 5.0;
    let mut spec = BodySpec::at(shape, MaterialId(0), position);
    spec.pose.orientation = DQuat::from_scaled_axis(DVec3::new(0.3, -0.7, 1.1));
    (spec.velocity, spec.spin, spec.mass) = (velocity, spin, Some((1.0, moments)));
    lab.add(spec)
}

fn touches(simulation: &Simulation) -> bool {
    simulation.world().contacts().any(|c| c.carries_force())
}

/// Returns kinetic plus elastic energy, J.
fn energy(simulation: &Simulation) -> f64 {
    simulation.energy().total()
}

/// Returns the energy drift from the means over the first and the last tenth of the flights.
fn in_a_box(steps_per_contact: f64) -> (f64, usize) {
    // The box is slightly wider than the body, so that it bounces every few tenths of a second.
    const HALF_WIDTH: f64 = 1.4;
    let mut lab = Laboratory::new(spring(STIFFNESS));
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        lab.wall(axis, -HALF_WIDTH * axis, Motion::Fixed);
        lab.wall(-axis, HALF_WIDTH * axis, Motion::Fixed);
    }
    let velocity = DVec3::new(0.7, -0.5, 0.6);
    ellipsoid(&mut lab, DVec3::new(0.5, 0.8, 1.2), DVec3::ZERO, velocity, DVec3::new(0.2, 0.5, -0.3));
    let mut simulation = lab.start(CONTACT / steps_per_contact);
    let (mut flights, mut touched) = (vec![energy(&simulation)], false);
    while flights.len() <= BOUNCES && simulation.world().steps() < MOST_STEPS {
        simulation.run(8);
        let now = touches(&simulation);
        if touched && !now {
            flights.push(energy(&simulation));
        }
        touched = now;
    }
    let tenth = flights.len() / 10;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let drift = (mean(&flights[flights.len() - tenth..]) / mean(&flights[..tenth]) - 1.0).abs();
    (drift, flights.len() - 1)
}

/// Returns the largest relative change of the angular momentum about the centre of a hollow sphere.
fn in_a_sphere(steps_per_contact: f64) -> (f64, usize) {
    let mut lab = Laboratory::new(spring(STIFFNESS));
    let inside = lab.world.add_shape(InsideSphere { radius: 2.0 }).expect("a valid radius");
    lab.add(BodySpec::fixed(inside, MaterialId(0), DVec3::ZERO));
    let semi_axes = DVec3::new(0.5, 0.8, 1.2);
    let start = DVec3::new(0.5, 0.2, -0.4);
    let body = ellipsoid(&mut lab, semi_axes, start, DVec3::new(0.7, -0.5, 0.6), DVec3::new(0.2, 0.5, -0.3));
    let mut simulation = lab.start(CONTACT / steps_per_contact);
    let angular = |simulation: &Simulation| {
        let world = simulation.world();
        world.position(body).cross(world.twist(body).velocity) + world.angular_momentum(body)
    };
    let before = angular(&simulation);
    let (mut worst, mut bounces, mut touched) = (0f64, 0, false);
    while bounces < 100 && simulation.world().steps() < MOST_STEPS {
        simulation.run(8);
        let now = touches(&simulation);
        bounces += usize::from(touched && !now);
        touched = now;
        worst = worst.max((angular(&simulation) - before).length() / before.length());
    }
    (worst, bounces)
}

/// Returns the relative changes over a collision of two ellipsoids: of the momentum, of the angular
/// momentum right after the contact, and of that after a long flight.
fn pair(steps_per_contact: f64) -> [f64; 3] {
    let mut lab = Laboratory::new(spring(STIFFNESS));
    let (one, other) = (DVec3::new(0.5, 0.8, 1.2), DVec3::new(1.0, 0.4, 0.7));
    let a = ellipsoid(&mut lab, one, DVec3::new(-1.5, 0.1, 0.0), DVec3::X, DVec3::new(0.2, 0.5, -0.3));
    let b = ellipsoid(&mut lab, other, DVec3::new(1.5, -0.2, 0.3), DVec3::NEG_X, DVec3::new(-0.4, 0.1, 0.6));
    let mut simulation = lab.start(CONTACT / steps_per_contact);
    let momenta = |simulation: &Simulation| {
        let world = simulation.world();
        let of = |id| world.twist(id).velocity;
        let about = |id| world.position(id).cross(of(id)) + world.angular_momentum(id);
        (of(a) + of(b), about(a) + about(b))
    };
    let before = momenta(&simulation);
    let turned = |after: (DVec3, DVec3)| (after.1 - before.1).length() / before.1.length();
    let mut touched = false;
    while !touched || touches(&simulation) {
        if simulation.world().steps() > MOST_STEPS {
            return [f64::NAN; 3];
        }
        simulation.run(1);
        touched |= touches(&simulation);
    }
    let parted = momenta(&simulation);
    simulation.run((5.0 / simulation.world().time_step()) as u64);
    let later = momenta(&simulation);
    // The total momentum is zero; that of one body is 1 kg m/s.
    [(later.0 - before.0).length(), turned(parted), turned(later)]
}
