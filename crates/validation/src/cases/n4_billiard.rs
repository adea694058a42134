//! N4: frictionless elastic billiards of ellipsoids: conserved quantities over many bounces.

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, MaterialId, Motion, Simulation};
use granum_geometry::shape::{Ellipsoid, InsideSphere, Surface};
use granum_geometry::surface::generate::BoxSurface;

use crate::laboratory::{Laboratory, spring};
use crate::{Case, Report};

/// Billiards of ellipsoids.
pub const N4: Case = Case { name: "N4-space", tier: 2, about: "billiards of ellipsoids keep energy and momentum", run };

/// A box of triangles.
pub const N4_TRIANGLES: Case = Case {
    name: "N4-triangles",
    tier: 2,
    about: "an ellipsoid in a box of triangles, as between planes",
    run: on_triangles,
};

/// Stiffness, N/m. The bodies have a mass of 1 kg and a speed of about 1 m/s.
const STIFFNESS: f64 = 1e4;
/// Contact time of a ball against the wall, s.
const CONTACT: f64 = 0.0314;
/// Largest number of steps, more than any case needs.
const MOST_STEPS: u64 = 20_000_000;
/// Steps per contact in a box. The error of the energy decreases with the square of the step; with 200
/// steps it is 3.2e-6.
const IN_BOX: f64 = 500.0;
/// Number of bounces in a box.
const BOUNCES: usize = 1000;
/// Distance up to which two paths are the same, m, and least number of bounces for which they are.
const SAME: f64 = 1e-6;
const COMMON: usize = 20;

fn run(report: &mut Report) {
    let (drift, bounces) = in_a_box(planes, IN_BOX);
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

fn on_triangles(report: &mut Report) {
    let (drift, bounces) = in_a_box(triangles, IN_BOX);
    report.at_most(format!("box of triangles, {bounces} bounces: drift of energy over energy"), drift, 1e-6);
    let common = bounces_in_common(IN_BOX);
    report.at_least("bounces after which the path is that between planes", common as f64, COMMON as f64);
    report.note(format!("to {SAME:e} m; rounding errors grow by a factor at each bounce"));
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

/// Half the width of the box, m. It is slightly wider than the body, so that it bounces every few
/// tenths of a second.
const HALF_WIDTH: f64 = 1.4;

/// Adds a box of half-spaces.
fn planes(lab: &mut Laboratory) {
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        lab.wall(axis, -HALF_WIDTH * axis, Motion::Fixed);
        lab.wall(-axis, HALF_WIDTH * axis, Motion::Fixed);
    }
}

/// Adds a closed box of triangles.
fn triangles(lab: &mut Laboratory) {
    let mesh = BoxSurface { size: [2.0 * HALF_WIDTH; 3], lid: true }.mesh().expect("a valid box");
    // The planes of the triangles have the same coordinates as the half-spaces.
    let mesh = mesh.translated(DVec3::NEG_Z * HALF_WIDTH).expect("finite corners");
    let shape = Surface::new(mesh, false).expect("a surface without faults");
    let shape = lab.world.add_shape(shape).expect("a valid shape");
    lab.add(BodySpec::fixed(shape, MaterialId(0), DVec3::ZERO));
}

/// Returns the simulation of a body in a box, and the body.
fn boxed(container: fn(&mut Laboratory), steps_per_contact: f64) -> (Simulation, BodyId) {
    let mut lab = Laboratory::new(spring(STIFFNESS));
    container(&mut lab);
    let velocity = DVec3::new(0.7, -0.5, 0.6);
    let spin = DVec3::new(0.2, 0.5, -0.3);
    let body = ellipsoid(&mut lab, DVec3::new(0.5, 0.8, 1.2), DVec3::ZERO, velocity, spin);
    (lab.start(CONTACT / steps_per_contact), body)
}

/// Returns the number of bounces before the paths in the two boxes differ by [`SAME`].
fn bounces_in_common(steps_per_contact: f64) -> usize {
    let (mut one, body_of_one) = boxed(planes, steps_per_contact);
    let (mut other, body_of_other) = boxed(triangles, steps_per_contact);
    let (mut bounces, mut touched) = (0, false);
    while bounces < BOUNCES {
        one.run(8);
        other.run(8);
        let now = touches(&one);
        bounces += usize::from(touched && !now);
        touched = now;
        if one.world().position(body_of_one).distance(other.world().position(body_of_other)) > SAME {
            break;
        }
    }
    bounces
}

/// Returns the energy drift from the means over the first and the last tenth of the flights.
fn in_a_box(container: fn(&mut Laboratory), steps_per_contact: f64) -> (f64, usize) {
    let (mut simulation, _) = boxed(container, steps_per_contact);
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
