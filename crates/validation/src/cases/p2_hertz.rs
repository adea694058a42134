//! P2 and P3: Hertz's spring, elastic and with Tsuji's dashpot.

use glam::DVec3;
use granum_engine::smooth::reduced_modulus;
use granum_engine::{Damping, EndRule, Material, Normal};
use std::f64::consts::PI;

use super::impact::{Ball, Collision, Meeting, hertz_depth, hertz_stiffness, hertz_time, smooth};
use super::worst::{Order, Worst};
use crate::{Case, Report};

/// Elastic impact.
pub const P2: Case =
    Case { name: "P2", tier: 0, about: "Hertz elastic impact: depth, force and contact time", run: elastic };
/// Impact with a dashpot.
pub const P3: Case =
    Case { name: "P3", tier: 0, about: "Hertz with Tsuji's dashpot: restitution under both end rules", run: damped };

/// Restitution for which alpha is chosen, and the restitution if the contact ends at zero force.
const TABLE: [(f64, f64); 6] =
    [(0.9, 0.90203), (0.7, 0.71820), (0.5, 0.55028), (0.3, 0.39714), (0.2, 0.32486), (0.1, 0.25273)];
/// Phases of the step at which the contact begins.
const PHASES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];
/// Radius, m.
const RADIUS: f64 = 0.5;
/// Reason for a miss, found with a separate program that uses the same scheme.
const ENDS: &str =
    "the dashpot grows like t^(1/4) from the start: whole steps after the first leave an error of dt^(5/4)";

fn elastic(report: &mut Report) {
    let normal = hertz(Damping::Ratio(0.0), EndRule::ZeroOverlap);
    let k = stiffness();
    let (depth, time) = (hertz_depth(k, 1.0, 1.0), hertz_time(k, 1.0, 1.0));
    let [mut depths, mut forces, mut times] = [(); 3].map(|()| Worst::relative());
    let mut order = Order::default();
    for (level, steps) in Order::STEPS.into_iter().enumerate() {
        for phase in PHASES {
            let got = collide(normal, EndRule::ZeroOverlap, steps, phase);
            order.see(level, got.duration / time - 1.0);
            if steps == 100.0 {
                let place = format!("phase {phase}");
                depths.see(place.clone(), depth, got.deepest);
                forces.see(place.clone(), k * depth.powf(1.5), got.peak_force);
                times.see(place, time, got.duration);
            }
        }
    }
    depths.row(report, "deepest overlap at t_c/100, m", 1e-4, "");
    forces.row(report, "largest force at t_c/100, N", 1e-4, "");
    times.row(report, "contact time at t_c/100, s", 1e-4, "");
    order.row(report, "contact time, deficit to second order", "");
}

fn damped(report: &mut Report) {
    use EndRule::{NoTension, ZeroOverlap};
    let raw = |target: f64| Damping::Ratio(-(5f64.sqrt()) * target.ln() / (target.ln().powi(2) + PI * PI).sqrt());
    sweep(report, "alpha for e", ZeroOverlap, raw, |(target, _)| target);
    sweep(report, "alpha for e", NoTension, raw, |(_, got)| got);
    sweep(report, "restitution asked for", NoTension, Damping::Restitution, |(target, _)| target);
}

/// Compares one kind of damping under one end rule with the table.
fn sweep(
    report: &mut Report,
    what: &str,
    end: EndRule,
    damping: impl Fn(f64) -> Damping,
    expected: impl Fn((f64, f64)) -> f64,
) {
    let (mut worst, mut order) = (Worst::absolute(), Order::default());
    for entry in TABLE {
        let normal = hertz(damping(entry.0), end);
        for (level, steps) in Order::STEPS.into_iter().enumerate() {
            for phase in PHASES {
                let got = collide(normal, end, steps, phase).restitution;
                order.see(level, got - expected(entry));
                if steps == 100.0 {
                    worst.see(format!("target {}, phase {phase}", entry.0), expected(entry), got);
                }
            }
        }
    }
    worst.row(report, format!("{end:?}: {what}, at t_c/100"), 1e-4, ENDS);
    order.row(report, format!("{end:?}: {what}, deficit to second order"), ENDS);
}

/// Returns the collision of two balls of 2 kg at 1 m/s with `steps` steps per elastic contact time.
fn collide(normal: Normal, end: EndRule, steps: f64, phase: f64) -> Collision {
    let dt = hertz_time(stiffness(), 1.0, 1.0) / steps;
    let ball = Ball::of_mass(RADIUS, 2.0);
    let (up, down) = (ball.moving(DVec3::Z * 0.5), ball.moving(DVec3::Z * -0.5));
    Meeting::of_two(up, down, smooth(normal, end), phase * dt, dt).collide()
}

fn hertz(damping: Damping, end: EndRule) -> Normal {
    Normal::hertz(&rubber(), &rubber(), damping, end).expect("a valid damping")
}

fn stiffness() -> f64 {
    hertz_stiffness(reduced_modulus(&rubber(), &rubber()).expect("elastic"), 0.5 * RADIUS)
}

fn rubber() -> Material {
    Material::new("rubber", 1000.0).with_elasticity(1e6, 0.3)
}
