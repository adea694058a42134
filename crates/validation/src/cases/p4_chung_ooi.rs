//! P4: the eight impact tests of [Chung2011], with Hertz's normal law and Mindlin's tangential law.
//!
//! This file contains the normal impacts, tests 1 to 3, which have closed forms. Tests 4 to 8 are
//! in `p4_oblique`.

use glam::DVec3;
use granum_engine::smooth::reduced_modulus;
use granum_engine::smooth::restitution::hertz_alpha;
use granum_engine::{ContactLaw, Damping, EndRule, Material, Normal, Tangential};

use super::impact::{Ball, Collision, Meeting, hertz_stiffness, hertz_time, smooth};
use super::p4_oblique as oblique;
use super::worst::Worst;
use crate::{Case, Report};

/// The case.
pub const P4: Case = Case { name: "P4", tier: 1, about: "Chung and Ooi's eight impact tests, Hertz-Mindlin", run };

/// Limit of the closed forms of an elastic impact, as in P2.
const EXACT: f64 = 1e-4;
/// Steps per elastic contact time.
const STEPS: f64 = 200.0;
pub(super) const ELASTIC: Damping = Damping::Ratio(0.0);

fn run(report: &mut Report) {
    let mut elastic = Worst::relative();
    elastic_pair(&mut elastic);
    elastic_on_plane(&mut elastic);
    inelastic_on_plane(report, &mut elastic);
    elastic.row(report, "tests 1 to 3, ZeroOverlap, elastic: depth, force, time", EXACT, "");
    oblique::run(report);
}

pub(super) fn material(gigapascal: f64, poisson: f64, density: f64) -> Material {
    Material::new("stated", density).with_elasticity(1e9 * gigapascal, poisson)
}

/// Returns a material so stiff that its compliance is below rounding errors.
pub(super) fn rigid() -> Material {
    material(1e20, 0.3, 1.0)
}

/// A ball of one material that hits the plane or the ball below it.
pub(super) struct Impact {
    upper: Ball,
    lower: Option<Ball>,
    law: ContactLaw,
    dt: f64,
}

impl Impact {
    pub(super) fn new(
        upper: Ball,
        lower: Option<Ball>,
        materials: [&Material; 2],
        normal: Normal,
        end: EndRule,
    ) -> Self {
        let (mass, radius) = match lower {
            Some(lower) => {
                (1.0 / (1.0 / upper.mass + 1.0 / lower.mass), 1.0 / (1.0 / upper.radius + 1.0 / lower.radius))
            }
            None => (upper.mass, upper.radius),
        };
        let k = hertz_stiffness(reduced_modulus(materials[0], materials[1]).expect("elastic materials"), radius);
        let speed = lower.map_or(0.0, |ball| ball.velocity.z) - upper.velocity.z;
        Self { upper, lower, law: smooth(normal, end), dt: hertz_time(k, mass, speed) / STEPS }
    }

    /// Creates a ball of `material` above a rigid plane.
    pub(super) fn on_plane(ball: Ball, material: &Material, damping: Damping, end: EndRule) -> Self {
        let wall = rigid();
        Self::new(ball, None, [material, &wall], hertz(material, &wall, damping, end), end)
    }

    /// Adds Mindlin's friction. Its spring has the damping ratio of the normal law. Without this
    /// damping the tangential force would start at zero, while Tsuji's dashpot causes a normal
    /// force at once, and slip would not begin with the contact.
    pub(super) fn rough(mut self, a: &Material, b: &Material, friction: f64) -> Self {
        let zeta = match self.law.normal {
            // c = 2 zeta sqrt(m k_n) with k_n = 3/2 k sqrt(d).
            Normal::Hertz { alpha, .. } => 0.5 * alpha / 1.5f64.sqrt(),
            Normal::Linear { zeta, .. } => zeta,
            Normal::UserDefined(_) => 0.0,
        };
        self.law.tangential = Tangential::mindlin(a, b, friction, zeta).expect("elastic materials");
        self
    }

    pub(super) fn meet(&self) -> (Collision, Meeting) {
        // The contact begins a quarter of a step after a step, to avoid a special phase.
        let gap = -0.25 * self.dt * self.upper.velocity.z;
        let mut meeting = match self.lower {
            Some(lower) => Meeting::of_two(lower, self.upper, self.law, gap, self.dt),
            None => Meeting::on_floor(self.upper, self.law, gap, DVec3::ZERO, self.dt),
        };
        (meeting.collide(), meeting)
    }
}

pub(super) fn hertz(a: &Material, b: &Material, damping: Damping, end: EndRule) -> Normal {
    Normal::hertz(a, b, damping, end).expect("a valid damping")
}

/// Returns the damping for a restitution, which is computed once for many impacts.
pub(super) fn damping(restitution: f64, end: EndRule) -> Damping {
    Damping::Ratio(hertz_alpha(restitution, end).expect("a restitution between 0 and 1"))
}

/// Compares depth (µm), force (N) and time (µs) with the stated values.
fn see_elastic(worst: &mut Worst, name: &str, expected: [f64; 3], got: &Collision) {
    let got = [1e6 * got.deepest, got.peak_force, 1e6 * got.duration];
    for (k, what) in ["depth, um", "force, N", "time, us"].into_iter().enumerate() {
        worst.see(format!("{name} {what}"), expected[k], got[k]);
    }
}

fn elastic_pair(worst: &mut Worst) {
    let end = EndRule::ZeroOverlap;
    for (name, m, expected) in [
        ("glass", material(48.0, 0.20, 2800.0), [274.113, 10696.9, 40.3395]),
        ("limestone", material(20.0, 0.25, 2500.0), [368.304, 7108.24, 54.2010]),
    ] {
        let ball = Ball::uniform(0.01, m.density);
        let (up, down) = (ball.moving(DVec3::Z * 10.0), ball.moving(DVec3::Z * -10.0));
        let impact = Impact::new(down, Some(up), [&m, &m], hertz(&m, &m, ELASTIC, end), end).rough(&m, &m, 0.35);
        see_elastic(worst, name, expected, &impact.meet().0);
    }
}

fn elastic_on_plane(worst: &mut Worst) {
    for (name, m, expected) in [
        ("Al alloy", material(70.0, 0.30, 2699.0), [49.7172, 11369.9, 731.657]),
        ("Mg alloy", material(40.0, 0.35, 1800.0), [52.1233, 7232.68, 767.066]),
    ] {
        let ball = Ball::uniform(0.1, m.density).moving(DVec3::Z * -0.2);
        see_elastic(worst, name, expected, &Impact::on_plane(ball, &m, ELASTIC, EndRule::ZeroOverlap).meet().0);
    }
}

fn inelastic_on_plane(report: &mut Report, elastic: &mut Worst) {
    let mut restitution = Worst::absolute();
    for (name, m, expected) in [
        ("Al oxide", material(380.0, 0.23, 4000.0), [8.08881, 615.35, 6.10451]),
        ("cast iron", material(100.0, 0.25, 7000.0), [17.1887, 506.76, 12.9721]),
    ] {
        let ball = Ball::uniform(0.0025, m.density).moving(DVec3::Z * -3.9);
        for end in [EndRule::ZeroOverlap, EndRule::NoTension] {
            for e in [0.2, 0.4, 0.6, 0.8, 1.0] {
                let (got, _) = Impact::on_plane(ball, &m, damping(e, end), end).meet();
                restitution.see(format!("{name}, e {e}, {end:?}"), e, got.restitution);
                if e == 1.0 && end == EndRule::ZeroOverlap {
                    see_elastic(elastic, name, expected, &got);
                }
            }
        }
    }
    restitution.row(report, "test 3, e out = e in, both end rules", 1e-3, "");
}
