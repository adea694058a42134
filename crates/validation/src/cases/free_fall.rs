//! F1: a body in gravity alone. Velocity Verlet is exact for a parabola, so only rounding
//! errors remain.

use glam::DVec3;

use crate::laboratory::{GRAVITY, Laboratory, spring};
use crate::{Case, Report};

/// Free fall and a projectile.
pub const F1: Case = Case { name: "F1", tier: 0, about: "free fall and projectile against the parabola", run };

fn run(report: &mut Report) {
    /// Largest relative error: the rounding errors of a thousand steps.
    const LIMIT: f64 = 1e-12;
    for (what, start, velocity) in [
        ("free fall", DVec3::new(0.0, 0.0, 10.0), DVec3::ZERO),
        ("projectile", DVec3::new(-3.0, 2.0, 1.0), DVec3::new(7.0, -4.0, 12.0)),
    ] {
        let mut lab = Laboratory::new(spring(1.0)).with_gravity();
        let mut ball = lab.ball(0.1, 2.0, start);
        ball.velocity = velocity;
        let id = lab.add(ball);
        let mut simulation = lab.start(1e-3);
        simulation.run(1000);
        let world = simulation.world();
        let (t, g) = (world.time(), DVec3::NEG_Z * GRAVITY);
        let exact = start + velocity * t + 0.5 * t * t * g;
        let (ours, twist) = (world.position(id), world.twist(id));
        report.relative(format!("{what}: height after 1 s"), exact.z, ours.z, LIMIT);
        report.at_most(format!("{what}: position, relative"), (ours - exact).length() / exact.length(), LIMIT);
        let speed = velocity + g * t;
        report.at_most(
            format!("{what}: velocity, relative"),
            (twist.velocity - speed).length() / speed.length(),
            LIMIT,
        );
    }
}
