//! N3: an ellipse rocks on a plane, rolling or without friction.

use glam::{DVec2, DVec3};
use granum_engine::{Motion, Tangential};

use super::planar_impact::{add_ellipse, laboratory};
use crate::laboratory::GRAVITY;
use crate::{Case, Report};

/// The case.
pub const N3: Case = Case { name: "N3", tier: 1, about: "period of a rocking ellipse, rolling and slipping", run };

/// Largest relative error of a period.
const LIMIT: f64 = 2e-3;
/// Stiffness, N/m: the ellipse of 1 kg sinks by 1e-6 of its size.
const STIFFNESS: f64 = 1e7;
/// Time step: a fiftieth of half a period of the contact, s.
const TIME_STEP: f64 = 2e-5;

fn run(report: &mut Report) {
    // Amplitude in degrees, and periods of rolling and of slipping in s.
    for (amplitude, roll, slip) in [(0.5, 1.737305, 1.294910), (10.0, 1.845198, 1.390470), (30.0, 2.499110, 1.892742)] {
        report.relative(
            format!("rolling, amplitude {amplitude} degrees: period, s"),
            roll,
            period(amplitude, 5.0),
            LIMIT,
        );
        report.relative(
            format!("slipping, amplitude {amplitude} degrees: period, s"),
            slip,
            period(amplitude, 0.0),
            LIMIT,
        );
    }
}

/// Returns twice the time between two passages through equilibrium, s.
fn period(amplitude: f64, friction: f64) -> f64 {
    let mut lab = laboratory(STIFFNESS, 0.5);
    lab.world.set_gravity(DVec3::NEG_Y * GRAVITY).expect("a valid value");
    if friction > 0.0 {
        lab.change_law(|law| law.tangential = Tangential::Linear { friction, ratio: 2.0 / 7.0, zeta: 0.1 });
    }
    lab.wall(DVec3::Y, DVec3::ZERO, Motion::Fixed);
    let tilt = amplitude.to_radians();
    let height = (2.0 * tilt.sin()).hypot(tilt.cos()) - GRAVITY / STIFFNESS;
    let id = add_ellipse(&mut lab, DVec2::new(0.0, height), tilt, DVec2::ZERO);
    let mut simulation = lab.start(TIME_STEP);
    let angle = |simulation: &granum_engine::Simulation| 2.0 * simulation.world().orientation(id).z.asin();
    let mut passages = Vec::new();
    let mut before = tilt;
    while passages.len() < 2 && simulation.world().time() < 5.0 {
        simulation.run(1);
        let now = angle(&simulation);
        if (before > 0.0) != (now > 0.0) {
            passages.push(simulation.world().time() - TIME_STEP * now / (now - before));
        }
        before = now;
    }
    match passages[..] {
        [first, second] => 2.0 * (second - first),
        _ => f64::NAN,
    }
}
