//! N6: bodies at rest. The loads follow from statics, the overlaps from the law.

use glam::{DMat3, DVec3};
use granum_engine::{BodyId, BodySpec, ContactLaw, Damping, EndRule, Motion, Simulation, Snapshot, Tangential};

use crate::laboratory::{GRAVITY, Laboratory, damped_spring, hertz};
use crate::{Case, Report};

/// Statics of balls.
pub const N6: Case = Case { name: "N6", tier: 0, about: "loads and overlaps of balls at rest", run };

/// Largest relative error. Rest is a fixed point of the integrator, so only undamped motion and the
/// rounding of positions remain: 1e-16 of a radius in overlaps of 1e-4 of a radius.
const LIMIT: f64 = 1e-10;
const RADIUS: f64 = 0.5;
const MASS: f64 = 2.0;
/// Stiffness, N/m, at which a ball at rest on the floor overlaps by 1e-4 of its radius.
const STIFFNESS: f64 = MASS * GRAVITY / (1e-4 * RADIUS);

fn run(report: &mut Report) {
    one_ball(report);
    stack(report);
    three_balls_below(report);
    triball(report);
}

fn soft() -> ContactLaw {
    damped_spring(STIFFNESS, Damping::Ratio(0.3), EndRule::NoTension)
}

/// Runs for a number of periods of a ball on the floor.
fn settle(lab: Laboratory, periods: f64) -> Simulation {
    const STEPS_PER_PERIOD: f64 = 60.0;
    let period = std::f64::consts::TAU * (MASS / STIFFNESS).sqrt();
    let mut simulation = lab.start(period / STEPS_PER_PERIOD);
    simulation.run((periods * STEPS_PER_PERIOD) as u64);
    simulation
}

fn one_ball(report: &mut Report) {
    // A modulus for which the Hertz contact is about as stiff as the linear one.
    let young = STIFFNESS / RADIUS * 50.0;
    let k = 4.0 / 3.0 * (0.5 * young) * RADIUS.sqrt();
    for (what, law, overlap) in [
        ("linear", soft(), MASS * GRAVITY / STIFFNESS),
        ("Hertz", hertz(young, Damping::Ratio(0.6)), (MASS * GRAVITY / k).powf(2.0 / 3.0)),
    ] {
        let mut lab = Laboratory::new(law).with_gravity();
        let ball = lab.ball(RADIUS, MASS, DVec3::Z * RADIUS);
        lab.add(ball);
        lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
        let snapshot = settle(lab, 40.0).snapshot();
        report.relative(format!("{what}: overlap of a ball on a floor, m"), overlap, snapshot.max_overlap(), LIMIT);
    }
}

fn stack(report: &mut Report) {
    const HEIGHT: u32 = 5;
    let mut lab = Laboratory::new(soft()).with_gravity();
    for k in 0..HEIGHT {
        let ball = lab.ball(RADIUS, MASS, DVec3::Z * (RADIUS * f64::from(2 * k + 1)));
        lab.add(ball);
    }
    lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
    let snapshot = settle(lab, 400.0).snapshot();
    let weight = MASS * GRAVITY;
    for contact in &snapshot.contacts {
        // Contact k carries all balls above it.
        let below = (contact.point.z / (2.0 * RADIUS)).round();
        let above = f64::from(HEIGHT) - below;
        let overlap = above * weight / STIFFNESS;
        report.relative(format!("stack of five: overlap under the upper {above}, m"), overlap, -contact.gap, LIMIT);
    }
}

/// A frictionless ball rests on three fixed balls. The three directions determine the three loads.
fn three_balls_below(report: &mut Report) {
    let weight = DVec3::Z * (MASS * GRAVITY);
    for (what, directions) in [
        (
            "even",
            [
                DVec3::new(1.0, 0.0, -1.0),
                DVec3::new(-0.5, 0.75f64.sqrt(), -1.0),
                DVec3::new(-0.5, -(0.75f64.sqrt()), -1.0),
            ],
        ),
        ("uneven", [DVec3::new(1.0, 0.2, -0.8), DVec3::new(-0.7, 0.6, -1.0), DVec3::new(-0.2, -0.9, -1.5)]),
    ] {
        let mut lab = Laboratory::new(soft()).with_gravity();
        let ball = lab.ball(RADIUS, MASS, DVec3::ZERO);
        lab.add(ball);
        for direction in directions {
            let below = lab.ball(RADIUS, MASS, 2.0 * RADIUS * direction.normalize());
            lab.add(BodySpec { motion: Motion::Fixed, ..below });
        }
        let snapshot = settle(lab, 60.0).snapshot();
        // The normals point down, from the ball to those below: sum of N_k n_k = - weight.
        let normals =
            DMat3::from_cols(snapshot.contacts[0].normal, snapshot.contacts[1].normal, snapshot.contacts[2].normal);
        let loads = normals.inverse() * -weight;
        for (contact, load) in snapshot.contacts.iter().zip(loads.to_array()) {
            report.relative(format!("ball on three, {what}: load, N"), load, contact.force.length(), LIMIT);
        }
    }
}

/// A ball rests on three others that stand on a floor and do not touch each other. Friction alone
/// holds them.
fn triball(report: &mut Report) {
    // Relative error of the statics of rigid balls: overlaps of 1e-8 of a radius change the
    // directions by as much.
    const RIGID: f64 = 1e-6;
    const SOFTNESS: f64 = 1e-4;
    let mut law = damped_spring(STIFFNESS / SOFTNESS, Damping::Ratio(0.3), EndRule::NoTension);
    law.tangential = Tangential::Linear { friction: 0.5, ratio: 2.0 / 7.0, zeta: 0.3 };
    let mut lab = Laboratory::new(law).with_gravity();
    let outwards = [0.0, 1.0, 2.0].map(|k| {
        let (sin, cos) = (std::f64::consts::TAU * k / 3.0).sin_cos();
        DVec3::new(cos, sin, 0.0)
    });
    let distance = 1.25 * RADIUS;
    for direction in outwards {
        let ball = lab.ball(RADIUS, MASS, distance * direction + DVec3::Z * RADIUS);
        lab.add(ball);
    }
    let tilt = (distance / (2.0 * RADIUS)).asin();
    let upper = lab.ball(RADIUS, MASS, DVec3::Z * (RADIUS + 2.0 * RADIUS * tilt.cos()));
    let upper = lab.add(upper);
    let floor = lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
    let step = SOFTNESS.sqrt() * std::f64::consts::TAU * (MASS / STIFFNESS).sqrt() / 60.0;
    let mut simulation = lab.start(step);
    simulation.run(20_000);
    let snapshot = simulation.snapshot();
    // The torques on a lower ball balance if the friction forces at the floor and at the top are
    // equal. The balance of forces gives the normal force N = m g/3 at the top and 4/3 m g at the
    // floor, and the friction N tan(tilt/2).
    let third = MASS * GRAVITY / 3.0;
    let friction = third * (0.5 * tilt).tan();
    for (what, body, normal) in [("upper ball", upper, third), ("floor", floor, 4.0 * third)] {
        let (load, slip) = loads(&snapshot, body);
        report.relative(format!("triball: normal load at the {what}, N"), normal, load, RIGID);
        report.relative(format!("triball: friction at the {what}, N"), friction, slip, RIGID);
    }
}

/// Returns the mean normal force and friction of the three contacts of a body, N.
fn loads(snapshot: &Snapshot, body: BodyId) -> (f64, f64) {
    let (mut load, mut friction) = (0.0, 0.0);
    for contact in snapshot.contacts.iter().filter(|contact| contact.a == body || contact.b == body) {
        let along = contact.force.dot(contact.normal);
        load += along / 3.0;
        friction += (contact.force - along * contact.normal).length() / 3.0;
    }
    (load, friction)
}
