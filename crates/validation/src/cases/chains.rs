//! N7: a ball hits a row of equal balls. If they touch, the result depends on the contact law, and
//! more than one ball moves away. With gaps, only the last ball moves away.

use std::f64::consts::PI;

use glam::DVec3;
use granum_engine::{BodyId, ContactLaw, Damping};

use crate::laboratory::{Laboratory, hertz, spring};
use crate::{Case, Report};

/// Chains of balls.
pub const N7: Case = Case { name: "N7", tier: 0, about: "chains of touching and of separate balls", run };

const RADIUS: f64 = 0.5;
const STIFFNESS: f64 = 1e6;
const YOUNG: f64 = 1e8;

fn run(report: &mut Report) {
    // The printed figures have five digits.
    const PRINTED: f64 = 1e-5;
    let linear = Chain { law: spring(STIFFNESS), contact_time: PI * (0.5 / STIFFNESS).sqrt() };
    // Two bodies of mass 1 at relative speed 1: t = 2.943 d/v, d = (5 m v²/(4 k))^(2/5).
    let k = 4.0 / 3.0 * (0.5 * YOUNG) * (0.5 * RADIUS).sqrt();
    let hertz = Chain { law: hertz(YOUNG, Damping::Ratio(0.0)), contact_time: 2.943275184 * (0.625 / k).powf(0.4) };
    let mut check = |what: &str, chain: &Chain, gap: f64, start: &[f64], end: &[f64], limit: f64| {
        let ours = chain.run(gap, start);
        for (k, (ours, reference)) in ours.iter().zip(end).enumerate() {
            report.absolute(format!("{what}: ball {}, m/s", k + 1), *reference, *ours, limit);
        }
    };
    check("three, linear", &linear, 0.0, &[1.0, 0.0, 0.0], &[-0.13026, 0.15023, 0.98003], PRINTED);
    check("three, Hertz", &hertz, 0.0, &[1.0, 0.0, 0.0], &[-0.07095, 0.07640, 0.99455], PRINTED);
    let five = [-0.07109, -0.03027, -0.01446, 0.12704, 0.98878];
    check("five, Hertz", &hertz, 0.0, &[1.0, 0.0, 0.0, 0.0, 0.0], &five, PRINTED);
    // Limit of a single elastic impact in P1 and P2, times the number of impacts.
    const IMPACT: f64 = 1e-4;
    for (what, chain) in [("linear", &linear), ("Hertz", &hertz)] {
        check(
            &format!("five with gaps, {what}"),
            chain,
            0.05,
            &[1.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 1.0],
            IMPACT,
        );
        check(&format!("two on one, {what}"), chain, 0.0, &[1.0, 0.0, -1.0], &[-1.0, 0.0, 1.0], IMPACT);
    }
}

struct Chain {
    law: ContactLaw,
    /// Duration of the impact of one ball on another, s.
    contact_time: f64,
}

impl Chain {
    /// Returns the final velocities of balls of 1 kg with initial `velocities` and distance `gap`.
    fn run(&self, gap: f64, velocities: &[f64]) -> Vec<f64> {
        // Enough steps for an error of second order below the last printed digit.
        const STEPS_PER_CONTACT: f64 = 500.0;
        let mut lab = Laboratory::new(self.law);
        let mut ids: Vec<BodyId> = Vec::new();
        for (k, &velocity) in velocities.iter().enumerate() {
            let mut ball = lab.ball(RADIUS, 1.0, DVec3::X * ((2.0 * RADIUS + gap) * k as f64));
            ball.velocity = DVec3::X * velocity;
            ids.push(lab.add(ball));
        }
        let step = self.contact_time / STEPS_PER_CONTACT;
        // Time to cross the gaps, plus four times the duration of each contact.
        let balls = velocities.len() as f64;
        let time = balls * (gap + 4.0 * self.contact_time);
        let mut simulation = lab.start(step);
        simulation.run((time / step) as u64);
        ids.iter().map(|&id| simulation.world().twist(id).velocity.x).collect()
    }
}
