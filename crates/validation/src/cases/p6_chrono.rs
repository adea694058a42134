//! P6: the unit tests of Chrono \[Tasora2016\] for smooth contacts: Hertz's law, spheres of 1 kg
//! and radius 0.5 m, E = 2e5 Pa, dt = 3e-5 s.

use glam::DVec3;
use granum_engine::smooth::reduced_modulus;
use granum_engine::{BodySpec, ContactLaw, Damping, EndRule, Material, Normal, Rolling, Simulation, Tangential};
use granum_geometry::shape::{HalfSpace, Sphere};

use super::impact::{Ball, Meeting, hertz_stiffness, smooth, world_of};
use super::worst::Worst;
use crate::{Case, Report};

/// The case.
pub const P6: Case =
    Case { name: "P6", tier: 1, about: "Chrono's contact tests: restitution, stack, coming to rest", run };

const RADIUS: f64 = 0.5;
const DT: f64 = 3e-5;
const G: f64 = 9.81;
/// Largest error, as in the tests of Chrono.
const LIMIT: f64 = 1e-3;
const FRICTION: f64 = 0.3;
const ROLLING: f64 = 0.05;
/// Time for the oscillation of the rolling spring (period 1.2 s) to decay, s.
const SETTLING: f64 = 4.0;

fn run(report: &mut Report) {
    restitution(report);
    rest(report);
    stack(report);
    coming_to_rest(report);
}

fn stuff() -> Material {
    Material::new("chrono", 1.0).with_elasticity(2e5, 0.3)
}

fn hertz(e: f64, end: EndRule) -> Normal {
    Normal::hertz(&stuff(), &stuff(), Damping::Restitution(e), end).expect("a valid restitution")
}

fn restitution(report: &mut Report) {
    for end in [EndRule::ZeroOverlap, EndRule::NoTension] {
        let mut worst = Worst::absolute();
        for e in [0.0, 0.25, 0.5, 0.75, 1.0] {
            if e == 0.0 && end == EndRule::NoTension {
                continue;
            }
            let ball = Ball::of_mass(RADIUS, 1.0);
            let (up, down) = (ball.moving(DVec3::Z), ball.moving(DVec3::Z * -1.0));
            let mut meeting = Meeting::of_two(up, down, smooth(hertz(e, end), end), 0.0, DT);
            // The longest elastic contact lasts 0.06 s; a perfectly plastic one does not end.
            meeting.sim.run((0.5 / DT) as u64);
            worst.see(format!("e {e}"), e, 0.5 * meeting.velocity().z);
        }
        worst.row(report, format!("restitution, {end:?}"), LIMIT, "");
        if end == EndRule::NoTension {
            report.note("e = 0 is refused under this rule: it is for ZeroOverlap alone");
        }
    }
}

/// Returns a law with friction and low restitution.
fn rough() -> ContactLaw {
    ContactLaw {
        tangential: Tangential::mindlin(&stuff(), &stuff(), FRICTION, 0.3).expect("an elastic material"),
        rolling: Rolling::Spring { friction: ROLLING, spinning: ROLLING, zeta: 0.7 },
        ..smooth(hertz(0.3, EndRule::NoTension), EndRule::NoTension)
    }
}

/// Returns the equilibrium overlap of a ball of 1 kg on the floor, m.
fn sunk() -> f64 {
    (G / hertz_stiffness(reduced_modulus(&stuff(), &stuff()).expect("elastic"), RADIUS)).powf(2.0 / 3.0)
}

fn rest(report: &mut Report) {
    let mut meeting = Meeting::on_floor(Ball::of_mass(RADIUS, 1.0), rough(), 0.0, DVec3::Z * -G, DT);
    meeting.sim.run((2.0 / DT) as u64);
    report.relative("sphere at rest sinks by (m g/k)^(2/3), m", sunk(), -meeting.gap(), LIMIT);
    report.absolute("sphere at rest: speed, m/s", 0.0, meeting.velocity().length(), LIMIT);
}

/// Five spheres are stacked. Each contact carries the weight above it.
fn stack(report: &mut Report) {
    let mut world = world_of(DVec3::Z * -G, DT);
    let material = world.add_material(stuff()).expect("a valid material");
    world.set_law(material, material, rough()).expect("a valid value");
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).expect("a valid normal");
    let sphere = world.add_shape(Sphere { radius: RADIUS }).expect("a valid radius");
    world.add_body(BodySpec::fixed(floor, material, DVec3::ZERO)).expect("a valid floor");
    let mass = Some((1.0, DVec3::splat(0.4 * RADIUS * RADIUS)));
    for n in 0..5 {
        let at = DVec3::Z * (RADIUS * f64::from(2 * n + 1));
        world.add_body(BodySpec { mass, ..BodySpec::at(sphere, material, at) }).expect("a valid sphere");
    }
    let mut sim = Simulation::new(world, 1).expect("a complete world");
    sim.run((4.0 / DT) as u64);
    let snapshot = sim.snapshot();
    let mut loads = Worst::relative();
    for (n, contact) in snapshot.contacts.iter().enumerate() {
        loads.see(format!("contact {} of {}", n + 1, snapshot.contacts.len()), (5.0 - n as f64) * G, contact.force.z);
    }
    loads.row(report, "stack of five: load of each contact, N", LIMIT, "");
    let fastest = snapshot.bodies.iter().map(|body| body.velocity.length()).fold(0.0, f64::max);
    report.absolute("stack of five: largest speed, m/s", 0.0, fastest, LIMIT);
}

/// Friction ends sliding, rolling and spinning.
fn coming_to_rest(report: &mut Report) {
    let ball = Ball::of_mass(RADIUS, 1.0);
    // Sliding changes to rolling at 5/7 v after 2 v/(7 mu g). Then the torque mu_r R m g reduces
    // the velocity at the rate 5/7 mu_r g. Friction about the normal reduces the spin at 5/2 mu_s
    // g/R.
    let rolling = |v: f64| v / (5.0 / 7.0 * ROLLING * G);
    let starts = [
        ("sliding", ball.moving(DVec3::X), 2.0 / (7.0 * FRICTION * G) + rolling(5.0 / 7.0)),
        ("rolling", ball.moving(DVec3::X).spinning(DVec3::Y / RADIUS), rolling(1.0)),
        ("spinning", ball.spinning(DVec3::Z), RADIUS / (2.5 * ROLLING * G)),
    ];
    for (name, ball, expected) in starts {
        let mut meeting = Meeting::on_floor(ball, rough(), -sunk(), DVec3::Z * -G, DT);
        let speed = |meeting: &Meeting| meeting.velocity().length() + RADIUS * meeting.spin().length();
        meeting.sim.run((0.9 * expected / DT) as u64);
        let moving = speed(&meeting);
        meeting.sim.run(((0.1 * expected + SETTLING) / DT) as u64);
        report.absolute(format!("{name}: speed and r w in the end, m/s"), 0.0, speed(&meeting), LIMIT);
        report.note(format!("{moving:.3} m/s at nine tenths of the {expected:.3} s that the limits of friction give"));
    }
}
