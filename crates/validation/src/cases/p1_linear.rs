//! P1: linear spring and dashpot with both end rules of a contact.

use glam::DVec3;
use granum_engine::{Damping, EndRule, Normal, Stiffness};
use std::f64::consts::PI;

use super::impact::{Ball, Meeting, smooth};
use super::worst::{Order, Worst};
use crate::{Case, Report};

/// The case.
pub const P1: Case =
    Case { name: "P1", tier: 0, about: "linear spring-dashpot: restitution and contact time, both end rules", run };

/// Damping ratio, and the restitution of a contact that ends at zero overlap and at zero force.
const TABLE: [(f64, Option<f64>, f64); 9] = [
    (0.05, Some(0.854468), 0.858758),
    (0.1, Some(0.729248), 0.744079),
    (0.2, Some(0.526621), 0.571740),
    (0.3, Some(0.372326), 0.450975),
    (0.5, Some(0.163034), 0.298436),
    (0.69, Some(0.050044), 0.213737),
    (0.9, Some(0.001524), 0.155283),
    (1.2, None, 0.105210),
    (2.0, None, 0.047769),
];
/// Phases of the step at which the contact begins.
const PHASES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];
/// Stiffness, N/m. With a reduced mass of 1 kg the frequency is 100 rad/s.
const STIFFNESS: f64 = 1e4;
/// Reason for a miss, found with a separate program that uses the same scheme.
const LONG_STEP: &str = "second order; for zeta >= 0.5 t_c/100 is a long step for the spring, and near the end the overlap \
                         closes slowly, so a small error of it is a large one of the time";

fn run(report: &mut Report) {
    for end in [EndRule::ZeroOverlap, EndRule::NoTension] {
        let (mut restitution, mut time) = (Worst::absolute(), Worst::relative());
        let (mut restitution_order, mut time_order) = (Order::default(), Order::default());
        for (zeta, with_tension, without) in TABLE {
            let expected = match end {
                EndRule::ZeroOverlap => with_tension,
                EndRule::NoTension => Some(without),
            };
            let Some(e) = expected else { continue };
            let t = contact_time(zeta, end);
            for (level, steps) in Order::STEPS.into_iter().enumerate() {
                for phase in PHASES {
                    let (got_e, got_t) = collide(zeta, end, t / steps, phase);
                    restitution_order.see(level, got_e - e);
                    time_order.see(level, got_t / t - 1.0);
                    if steps == 100.0 {
                        let place = format!("zeta {zeta}, phase {phase}");
                        restitution.see(place.clone(), e, got_e);
                        time.see(place, t, got_t);
                    }
                }
            }
        }
        restitution.row(report, format!("{end:?}: restitution at t_c/100"), 1e-4, LONG_STEP);
        time.row(report, format!("{end:?}: contact time at t_c/100, s"), 1e-4, LONG_STEP);
        restitution_order.row(report, format!("{end:?}: restitution, deficit to second order"), "");
        time_order.row(report, format!("{end:?}: contact time, deficit to second order"), "");
    }
}

/// Returns restitution and contact time (s) of two balls of 2 kg that collide at 1 m/s.
fn collide(zeta: f64, end: EndRule, dt: f64, phase: f64) -> (f64, f64) {
    let normal = Normal::linear(Stiffness::Constant(STIFFNESS), Damping::Ratio(zeta), end).expect("a valid ratio");
    let ball = Ball::of_mass(0.5, 2.0);
    let (up, down) = (ball.moving(DVec3::Z * 0.5), ball.moving(DVec3::Z * -0.5));
    let result = Meeting::of_two(up, down, smooth(normal, end), phase * dt, dt).collide();
    (result.restitution, result.duration)
}

/// Returns the contact time in closed form, s. For contacts that end at zero force it is that of
/// \[Schwager2007\].
fn contact_time(zeta: f64, end: EndRule) -> f64 {
    let w0 = STIFFNESS.sqrt();
    let (bet, w) = (zeta * w0, w0 * (1.0 - zeta * zeta).abs().sqrt());
    match end {
        EndRule::ZeroOverlap => PI / w,
        EndRule::NoTension if zeta > 1.0 => ((bet + w) / (bet - w)).ln() / w,
        EndRule::NoTension if 2.0 * zeta * zeta > 1.0 => (2.0 * bet * w / (bet * bet - w * w)).atan() / w,
        EndRule::NoTension => (PI - (2.0 * bet * w / (w * w - bet * bet)).atan()) / w,
    }
}
