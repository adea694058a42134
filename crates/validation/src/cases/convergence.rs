//! R1: order of convergence, from the errors at two step lengths or the differences between three.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, Damping, EndRule, Motion, Simulation, Tangential};

use crate::laboratory::{Laboratory, damped_spring, spring};
use crate::{Case, Report};

/// Order of the integrator with contacts. Free rotation has order four: F2.
pub const R1: Case = Case { name: "R1", tier: 1, about: "order of convergence with contacts", run };

/// Largest deviation from the order: a tenth, as in F2.
const LIMIT: f64 = 0.1;
const RADIUS: f64 = 0.5;
const STIFFNESS: f64 = 1e3;

fn run(report: &mut Report) {
    cage(report);
    impact(report);
    sticking(report);
}

/// A ball is pressed between three pairs of walls. Each pair acts as a spring of twice the
/// stiffness, so the ball is a three-dimensional oscillator.
fn cage(report: &mut Report) {
    let start = DVec3::new(0.02, -0.01, 0.015);
    let velocity = DVec3::new(0.3, 0.5, -0.2);
    let time = 1.0;
    for zeta in [0.0, 0.05] {
        let rate = (2.0 * STIFFNESS).sqrt();
        // Two dashpots of 2 zeta sqrt(k m) each, on a mass of one.
        let decay = 2.0 * zeta * STIFFNESS.sqrt();
        let damped = (rate * rate - decay * decay).sqrt();
        let (sin, cos) = (damped * time).sin_cos();
        let exact = (-decay * time).exp() * (start * cos + (velocity + decay * start) / damped * sin);
        let error = |steps: u32| {
            let mut lab = Laboratory::new(damped_spring(STIFFNESS, Damping::Ratio(zeta), EndRule::NoTension));
            let mut ball = lab.ball(RADIUS, 1.0, start);
            ball.velocity = velocity;
            let id = lab.add(ball);
            for normal in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
                lab.wall(normal, -0.9 * RADIUS * normal, Motion::Fixed);
            }
            (after(lab, time, steps).world().position(id) - exact).length()
        };
        let order = (error(1000) / error(2000)).log2();
        report.absolute(format!("orbit between springs, damping ratio {zeta}"), 2.0, order, LIMIT);
    }
}

/// A ball hits a wall. The contact begins and ends within a step. The error is the root mean
/// square over impacts that begin at different phases of a step.
fn impact(report: &mut Report) {
    const PHASES: u32 = 32;
    for zeta in [0.0, 0.2f64] {
        let rate = STIFFNESS.sqrt();
        let damped = rate * (1.0 - zeta * zeta).sqrt();
        // The contact ends at zero overlap, the closed form of P1.
        let (duration, restitution) = (PI / damped, (-zeta * rate * PI / damped).exp());
        let time = 3.0 * duration;
        let error = |steps: u32| {
            let mut sum = 0.0;
            for phase in 0..PHASES {
                let gap = 0.5 * duration + time / f64::from(steps) * f64::from(phase) / f64::from(PHASES);
                let law = damped_spring(STIFFNESS, Damping::Ratio(zeta), EndRule::ZeroOverlap);
                let mut lab = Laboratory::new(law);
                let mut ball = lab.ball(RADIUS, 1.0, DVec3::Z * (RADIUS + gap));
                ball.velocity = -DVec3::Z;
                let id = lab.add(ball);
                lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
                let exact = RADIUS + restitution * (time - gap - duration);
                sum += (after(lab, time, steps).world().position(id).z - exact).powi(2);
            }
            (sum / f64::from(PHASES)).sqrt()
        };
        let order = (error(300) / error(600)).log2();
        report.absolute(format!("impact and rebound, damping ratio {zeta}"), 2.0, order, LIMIT);
    }
}

/// A ball with three different moments of inertia sticks to a floor, which combines friction,
/// torque and rotation. There is no closed form; three step lengths give the order.
fn sticking(report: &mut Report) {
    let state = |steps: u32| {
        let mut law = spring(STIFFNESS);
        law.tangential = Tangential::Linear { friction: 10.0, ratio: 2.0 / 7.0, zeta: 0.02 };
        let mut lab = Laboratory::new(law).with_gravity();
        let mut ball = lab.ball(RADIUS, 1.0, DVec3::Z * RADIUS);
        ball.mass = Some((1.0, DVec3::new(0.08, 0.1, 0.13)));
        ball.velocity = DVec3::new(0.2, 0.1, 0.0);
        ball.spin = DVec3::new(0.5, -0.3, 2.0);
        ball.pose.position.z -= 9.81 / STIFFNESS;
        let id = lab.add(ball);
        lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
        pose(&after(lab, 1.0, steps), id)
    };
    let states = [1000, 2000, 4000].map(state);
    let difference = |k: usize| {
        let ((p, q), (s, t)) = (states[k], states[k + 1]);
        [(p - s).length(), (q.conjugate() * t).xyz().length()]
    };
    let (coarse, fine) = (difference(0), difference(1));
    report.absolute("sticking ball: order of the position", 2.0, (coarse[0] / fine[0]).log2(), LIMIT);
    report.absolute("sticking ball: order of the attitude", 2.0, (coarse[1] / fine[1]).log2(), LIMIT);
}

fn after(lab: Laboratory, time: f64, steps: u32) -> Simulation {
    let mut simulation = lab.start(time / f64::from(steps));
    simulation.run(u64::from(steps));
    simulation
}

fn pose(simulation: &Simulation, id: BodyId) -> (DVec3, DQuat) {
    (simulation.world().position(id), simulation.world().orientation(id))
}
