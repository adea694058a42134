//! P7: round bodies on a slope and on the level, sliding or rolling, for any moment of inertia
//! `beta m r²`.

use glam::DVec3;
use granum_engine::{ContactLaw, Damping, EndRule, Normal, Stiffness, Tangential};

use super::impact::{Ball, Meeting, smooth};
use super::worst::Worst;
use crate::ground::Ground;
use crate::{Case, Report};

/// The case.
pub const P7: Case = Case { name: "P7", tier: 1, about: "round bodies on a slope: rolling, slipping, transition", run };

/// The same on triangles.
pub const P7_TRIANGLES: Case =
    Case { name: "P7-triangles", tier: 1, about: "P7 on 1,000 random triangles", run: on_triangles };

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;
/// Stiffness on the slope, N/m. A body of 1 kg sinks by 1e-4 of its radius.
const ON_SLOPE: f64 = 1e6;
/// Stiffness on the level, N/m. It is higher, because a soft friction spring makes
/// the end of sliding less sharp.
const ON_LEVEL: f64 = 1e8;
/// Angle of the slope, degrees.
const TILT: f64 = 30.0;
/// Duration of each half of a run down the slope, s.
const DURATION: f64 = 0.15;
/// Decay time of the friction spring after sliding on the level, s.
const SETTLING: f64 = 0.05;
const BODIES: [(&str, f64); 4] = [("sphere", 0.4), ("cylinder", 0.5), ("shell", 2.0 / 3.0), ("ring", 1.0)];

/// Side of the triangulated ground, m: the bodies move by less than half of it, over many triangles.
const SIDE: f64 = 2.0;

fn run(report: &mut Report) {
    on(Ground::HalfSpace, report);
}

fn on_triangles(report: &mut Report) {
    on(Ground::Triangles(SIDE), report);
}

fn on(ground: Ground, report: &mut Report) {
    let (sin, cos) = TILT.to_radians().sin_cos();
    let [mut rolling, mut slipping, mut spinning, mut transition] = [(); 4].map(|()| Worst::relative());
    let (mut time, mut speed) = (Worst::relative(), Worst::relative());
    for (name, beta) in BODIES {
        let least = beta / (1.0 + beta) * sin / cos;
        let place = |mu: f64| format!("{name}, mu {mu:.4}");
        for factor in [1.05, 2.0] {
            let mu = factor * least;
            let (a, _) = down_the_slope(ground, beta, mu);
            rolling.see(place(mu), G * sin / (1.0 + beta), a);
        }
        for factor in [0.25, 0.95] {
            let mu = factor * least;
            let (a, turning) = down_the_slope(ground, beta, mu);
            slipping.see(place(mu), G * (sin - mu * cos), a);
            spinning.see(place(mu), mu * G * cos / (beta * RADIUS), turning);
        }
        transition.see(name, least, transition_of(ground, beta, least));

        let (mu, ball) = (0.3, Ball { beta, ..Ball::of_mass(RADIUS, 1.0) }.moving(DVec3::X));
        let (t, v) = slide_then_roll(ground, ball, mu);
        time.see(name, 1.0 / (mu * G * (1.0 + 1.0 / beta)), t);
        speed.see(name, 1.0 / (1.0 + beta), v);
    }
    rolling.row(report, "slope: acceleration when rolling, m/s2", 1e-3, "");
    slipping.row(report, "slope: acceleration when slipping, m/s2", 1e-3, "");
    spinning.row(report, "slope: angular acceleration when slipping, rad/s2", 1e-3, "");
    transition.row(report, "slope: least friction for rolling, by bisection", 1e-2, "");
    time.row(report, "level: time until rolling, s", 1e-3, "");
    speed.row(report, "level: speed of rolling, m/s", 1e-3, "");
}

/// Creates a body of 1 kg on the floor at its equilibrium overlap. Gravity may have an x component.
fn laid_down(ground: Ground, ball: Ball, mu: f64, gravity: DVec3, stiffness: f64) -> Meeting {
    let end = EndRule::NoTension;
    let normal = Normal::linear(Stiffness::Constant(stiffness), Damping::Restitution(0.8), end).expect("a restitution");
    let tangential = Tangential::Linear { friction: mu, ratio: 2.0 / 7.0, zeta: 0.05 };
    // Fifty steps in half a period.
    let dt = std::f64::consts::PI / stiffness.sqrt() / 50.0;
    Meeting::on_ground(
        ground,
        ball,
        ContactLaw { tangential, ..smooth(normal, end) },
        gravity.z / stiffness,
        gravity,
        dt,
    )
}

/// Returns acceleration and angular acceleration of a body on the slope after its springs are
/// loaded.
fn down_the_slope(ground: Ground, beta: f64, mu: f64) -> (f64, f64) {
    let (sin, cos) = TILT.to_radians().sin_cos();
    let ball = Ball { beta, ..Ball::of_mass(RADIUS, 1.0) };
    let mut meeting = laid_down(ground, ball, mu, G * DVec3::new(sin, 0.0, -cos), ON_SLOPE);
    let steps = (DURATION / meeting.sim.world().time_step()) as u64;
    meeting.sim.run(steps);
    let (velocity, spin) = (meeting.velocity().x, meeting.spin().y);
    meeting.sim.run(steps);
    let t = steps as f64 * meeting.sim.world().time_step();
    ((meeting.velocity().x - velocity) / t, (meeting.spin().y - spin) / t)
}

/// Returns the least friction coefficient at which the body rolls.
fn transition_of(ground: Ground, beta: f64, least: f64) -> f64 {
    // Slip velocity relative to the speed above which the body slips.
    const SLIPS: f64 = 1e-3;
    let (mut low, mut high) = (0.9 * least, 1.1 * least);
    // Bisection to 1e-4 of the friction coefficient.
    for _ in 0..11 {
        let mu = 0.5 * (low + high);
        let (a, turning) = down_the_slope(ground, beta, mu);
        if a - turning * RADIUS > SLIPS * a {
            low = mu;
        } else {
            high = mu;
        }
    }
    0.5 * (low + high)
}

/// Returns the time until a sliding body rolls, and its speed when it rolls.
pub fn slide_then_roll(ground: Ground, ball: Ball, mu: f64) -> (f64, f64) {
    let mut meeting = laid_down(ground, ball, mu, DVec3::Z * -G, ON_LEVEL);
    let dt = meeting.sim.world().time_step();
    let expected = ball.velocity.x / (mu * G * (1.0 + 1.0 / ball.beta));
    let slip = |meeting: &Meeting| meeting.velocity().x - ball.radius * meeting.spin().y;
    meeting.sim.run((0.95 * expected / dt) as u64);
    let mut before = slip(&meeting);
    let until = loop {
        meeting.sim.run(1);
        let now = slip(&meeting);
        if now <= 0.0 || meeting.sim.world().time() > 2.0 * expected {
            break meeting.sim.world().time() - dt * now / (now - before);
        }
        before = now;
    };
    // The oscillation of the friction spring decays.
    meeting.sim.run((SETTLING / dt) as u64);
    (until, meeting.velocity().x)
}
