//! P5: the verification cases of MFIX for single grains \[Garg2012\], with a linear spring and
//! dashpot.
//!
//! Contacts end at zero overlap, as in MFIX. DEM05 is test 4 of P4.

use glam::{DMat4, DVec3, DVec4};
use granum_engine::smooth::restitution::{linear_contact_time, linear_ratio};
use granum_engine::{BodySpec, Damping, EndRule, Material, Normal, Simulation, Stiffness};
use granum_geometry::shape::{HalfSpace, Sphere};

use super::impact::{Ball, Meeting, smooth, world_of};
use super::p7_slope::slide_then_roll;
use super::worst::Worst;
use crate::ground::Ground;
use crate::{Case, Report};

/// The case.
pub const P5: Case = Case { name: "P5", tier: 1, about: "MFIX DEM01 to DEM04: drop, bounce, stack, slide", run };

const END: EndRule = EndRule::ZeroOverlap;
const G: f64 = 9.81;

fn run(report: &mut Report) {
    drop_and_rebound(report);
    bounces(report);
    two_between_walls(report);
    sliding(report);
}

fn spring(stiffness: f64, restitution: f64) -> Normal {
    Normal::linear(Stiffness::Constant(stiffness), Damping::Restitution(restitution), END).expect("a valid restitution")
}

/// Creates the grain of DEM01 and DEM02, released at a height of half a metre above a floor of
/// stiffness `k`.
fn dropped(k: f64, e: f64) -> (Meeting, f64) {
    let ball = Ball::uniform(0.1, 2600.0);
    let zeta = linear_ratio(e, END).expect("a valid restitution");
    let dt = linear_contact_time(zeta, END) * (ball.mass / k).sqrt() / 100.0;
    (Meeting::on_floor(ball, smooth(spring(k, e), END), 0.4, DVec3::Z * -G, dt), ball.mass)
}

/// DEM01: height and speed during the fall, the contact and the rebound, compared with the three
/// closed forms.
fn drop_and_rebound(report: &mut Report) {
    const K: f64 = 5e4;
    let stages = ["fall", "contact", "rebound"];
    let mut heights = [(); 3].map(|()| Worst::absolute());
    for e in [0.6, 0.7, 0.8, 0.9, 1.0] {
        let (mut meeting, mass) = dropped(K, e);
        let exact = Drop::new(K, mass, linear_ratio(e, END).expect("a valid restitution"));
        while meeting.sim.world().time() < exact.parted + 0.1 {
            meeting.sim.run(1);
            let t = meeting.sim.world().time();
            let (stage, gap, speed) = exact.at(t);
            let place = format!("e {e}, t {t:.4} s");
            heights[stage].see(place.clone() + ", gap over the drop", gap / 0.4, meeting.gap() / 0.4);
            heights[stage].see(
                place + ", speed over impact speed",
                speed / exact.impact,
                meeting.velocity().z / exact.impact,
            );
        }
    }
    for (stage, worst) in stages.into_iter().zip(heights) {
        worst.row(report, format!("DEM01 {stage}: height and speed at t_c/100"), 1e-4, "");
    }
}

/// The closed form of a drop from 0.4 m: fall, damped oscillation about the equilibrium overlap,
/// and flight.
struct Drop {
    impact: f64,
    touched: f64,
    parted: f64,
    parting: f64,
    sunk: f64,
    decay: f64,
    rate: f64,
}

impl Drop {
    fn new(k: f64, mass: f64, zeta: f64) -> Self {
        let w0 = (k / mass).sqrt();
        let impact = (2.0 * G * 0.4).sqrt();
        let mut drop = Self {
            impact,
            touched: impact / G,
            parted: 0.0,
            parting: 0.0,
            sunk: mass * G / k,
            decay: zeta * w0,
            rate: w0 * (1.0 - zeta * zeta).sqrt(),
        };
        // The gap is negative during the contact; bisection finds its next zero.
        let (mut low, mut high) = (0.5 * std::f64::consts::PI / drop.rate, 1.9 * std::f64::consts::PI / drop.rate);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if drop.contact(middle).0 < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        drop.parted = drop.touched + low;
        drop.parting = drop.contact(low).1;
        drop
    }

    /// Returns gap and speed at the time `t` after the begin of the contact. The solution is that
    /// of u'' + 2 decay u' + w0² u = 0 for u = gap + sunk.
    fn contact(&self, t: f64) -> (f64, f64) {
        let (sin, cos) = (self.rate * t).sin_cos();
        let (u0, v0) = (self.sunk, -self.impact);
        let b = (v0 + self.decay * u0) / self.rate;
        let fade = (-self.decay * t).exp();
        let u = fade * (u0 * cos + b * sin);
        (u - self.sunk, fade * self.rate * (b * cos - u0 * sin) - self.decay * u)
    }

    /// Returns the stage, the gap and the speed at a time.
    fn at(&self, t: f64) -> (usize, f64, f64) {
        if t < self.touched {
            (0, 0.4 - 0.5 * G * t * t, -G * t)
        } else if t < self.parted {
            let (gap, speed) = self.contact(t - self.touched);
            (1, gap, speed)
        } else {
            let s = t - self.parted;
            (2, self.parting * s - 0.5 * G * s * s, self.parting - G * s)
        }
    }
}

/// DEM02: the heights of three bounces converge to those of a rigid grain as the stiffness grows.
fn bounces(report: &mut Report) {
    let differences = [0.5e5, 5e5, 50e5].map(|k| {
        let mut worst = 0f64;
        for e in [0.5, 0.6, 0.7, 0.8, 0.9, 1.0] {
            let (mut meeting, _) = dropped(k, e);
            for n in 1..=3 {
                let hard = 0.4 * f64::powi(e, 2 * n);
                worst = worst.max((next_top(&mut meeting) - hard).abs() / 0.4);
            }
        }
        worst
    });
    for (n, what) in ["5e4 to 5e5", "5e5 to 5e6"].into_iter().enumerate() {
        report.at_most(
            format!("DEM02: difference of bounce heights, ratio from k {what} N/m"),
            differences[n + 1] / differences[n],
            1.0,
        );
        report.note(format!(
            "largest difference over the drop {:.2e}, then {:.2e}",
            differences[n],
            differences[n + 1]
        ));
    }
}

/// Returns the gap at the top of the next bounce, m.
fn next_top(meeting: &mut Meeting) -> f64 {
    let mut risen = false;
    loop {
        let before = meeting.gap();
        meeting.sim.run(4);
        let rising = meeting.velocity().z > 0.0;
        if risen && !rising {
            return before.max(meeting.gap());
        }
        risen = rising;
    }
}

/// DEM03: two grains are pressed between two walls and form a linear system with four unknowns.
fn two_between_walls(report: &mut Report) {
    const R: f64 = 5e-4;
    const K: f64 = 1e3;
    const HEIGHT: f64 = 3.6 * R;
    let mut worst = Worst::absolute();
    for e in [0.5, 0.75, 1.0] {
        let zeta = linear_ratio(e, END).expect("a valid restitution");
        let masses = [20e3, 10e3].map(|density| Ball::uniform(R, density).mass);
        let reduced = masses[0] * masses[1] / (masses[0] + masses[1]);
        let start = [0.25 * HEIGHT, 0.75 * HEIGHT];
        let dt = linear_contact_time(0.0, END) * (reduced / K).sqrt() / 200.0;

        let mut world = world_of(DVec3::Z * -G, dt);
        let stuff = Material::new("grain", 1.0);
        let stuff = world.add_material(stuff).expect("a valid material");
        world.set_law(stuff, stuff, smooth(spring(K, e), END)).expect("a valid value");
        let sphere = world.add_shape(Sphere { radius: R }).expect("a valid radius");
        let grains = [0, 1].map(|i| {
            let mass = Some((masses[i], DVec3::splat(0.4 * masses[i] * R * R)));
            world
                .add_body(BodySpec { mass, ..BodySpec::at(sphere, stuff, DVec3::Z * start[i]) })
                .expect("a valid grain")
        });
        for (normal, height) in [(DVec3::Z, 0.0), (-DVec3::Z, HEIGHT)] {
            let wall = world.add_shape(HalfSpace::new(normal)).expect("a valid normal");
            world.add_body(BodySpec::fixed(wall, stuff, DVec3::Z * height)).expect("a valid wall");
        }
        let mut sim = Simulation::new(world, 1).expect("a complete world");

        // The springs are wall-1, 1-2 and 2-wall, each with the dashpot of its reduced mass.
        let c = [masses[0], reduced, masses[1]].map(|m| 2.0 * zeta * (K * m).sqrt());
        let [m1, m2] = masses;
        let rate = DMat4::from_cols(
            DVec4::new(0.0, 0.0, -2.0 * K / m1, K / m2),
            DVec4::new(0.0, 0.0, K / m1, -2.0 * K / m2),
            DVec4::new(1.0, 0.0, -(c[0] + c[1]) / m1, c[1] / m2),
            DVec4::new(0.0, 1.0, c[1] / m1, -(c[1] + c[2]) / m2),
        );
        let level = equilibrium(R, K, HEIGHT, masses);
        let mut state = DVec4::new(start[0] - level[0], start[1] - level[1], 0.0, 0.0);
        let scale = (start[1] - level[1]).abs();
        let step = exponential(rate * dt);
        // The run covers two periods of the slower mode.
        for _ in 0..800 {
            sim.run(1);
            state = step * state;
            for (i, grain) in grains.into_iter().enumerate() {
                let ours = (sim.world().position(grain).z - level[i]) / scale;
                worst.see(format!("e {e}, t {:.2e} s, grain {}", sim.world().time(), i + 1), state[i] / scale, ours);
            }
        }
    }
    worst.row(report, "DEM03: positions over the first displacement, t_c/200", 1e-3, "");
}

/// Returns the equilibrium heights of the two grains, m.
fn equilibrium(r: f64, k: f64, height: f64, [m1, m2]: [f64; 2]) -> [f64; 2] {
    // Equilibrium: k (r - y1) - k (2 r - y2 + y1) = m1 g; k (2 r - y2 + y1) - k (y2 + r - height) =
    // m2 g.
    let (a, b) = (-r - m1 * G / k, r + height - m2 * G / k);
    [(2.0 * a + b) / 3.0, (a + 2.0 * b) / 3.0]
}

/// Returns the matrix exponential by its series for a short step.
fn exponential(a: DMat4) -> DMat4 {
    let (mut sum, mut term) = (DMat4::IDENTITY, DMat4::IDENTITY);
    for n in 1..20 {
        term = term * a * (1.0 / f64::from(n));
        sum += term;
    }
    sum
}

/// DEM04: a grain with the initial velocity u0 and no spin slides for 2 u0/(7 mu g) and then rolls
/// at 5/7 u0.
fn sliding(report: &mut Report) {
    let (mut time, mut speed) = (Worst::relative(), Worst::relative());
    for mu in [0.2, 0.4, 0.6, 0.8, 1.0] {
        let slid = slide_then_roll(Ground::HalfSpace, Ball::of_mass(0.1, 1.0).moving(DVec3::X), mu);
        time.see(format!("mu {mu}"), 2.0 / (7.0 * mu * G), slid.0);
        speed.see(format!("mu {mu}"), 5.0 / 7.0, slid.1);
    }
    time.row(report, "DEM04: time of sliding, s", 1e-3, "");
    speed.row(report, "DEM04: speed of rolling, m/s", 1e-3, "");
}
