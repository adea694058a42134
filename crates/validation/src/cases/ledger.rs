//! R5: the energy ledger. The contact laws compute the dissipated energy independently of the
//! motion, so the residual is the error of the integration.

use std::f64::consts::PI;

use glam::DVec3;
use granum_engine::{ContactLaw, Drive, Motion, Stiffness, Tangential};

use crate::laboratory::{Laboratory, Random, dry_grains};
use crate::{Case, Report};

/// The ledger.
pub const R5: Case = Case { name: "R5", tier: 1, about: "the energy ledger closes", run };

/// Stiffness of the contacts, N/m.
const STIFFNESS: f64 = 2.5e4;
/// Radius of the smallest grain, m.
const RADIUS: f64 = 0.4;
/// Simulated time, s, in which the grains fall, collide and come to rest.
const TIME: f64 = 1.2;
/// Number of steps per contact. The residual is of second order: with the usual 50 steps it is
/// below 1e-4 of the energy, and 20 times as many steps reduce it below 1e-6.
const STEPS_PER_CONTACT: f64 = 1000.0;

fn run(report: &mut Report) {
    /// Largest residual, relative to the largest energy, with [`STEPS_PER_CONTACT`].
    const LIMIT: f64 = 1e-6;
    let shaken = Drive::oscillation(DVec3::new(0.1, 0.0, 0.05), 2.0, 0.0);
    let without_friction = ContactLaw { tangential: Tangential::None, ..dry_grains(Stiffness::Constant(STIFFNESS)) };
    let with_friction = |zeta: f64| ContactLaw {
        tangential: Tangential::Linear { friction: 0.5, ratio: 2.0 / 7.0, zeta },
        ..without_friction
    };
    for (what, law, motion) in [
        ("settling box, no friction", without_friction, Motion::Fixed),
        ("settling box, friction", with_friction(0.0), Motion::Fixed),
        ("settling box, friction with a dashpot", with_friction(0.1), Motion::Fixed),
        ("shaken box, no friction", without_friction, Motion::Driven(shaken.clone().into())),
        ("shaken box, friction with a dashpot", with_friction(0.1), Motion::Driven(shaken.into())),
    ] {
        let [usual, fine] = [50.0, STEPS_PER_CONTACT].map(|steps| residual(law, motion.clone(), steps));
        report.at_most(format!("{what}: residual over the largest energy"), fine, LIMIT);
        report.note(format!(
            "{STEPS_PER_CONTACT} steps a contact; {usual:.1e} with 50: an error of the step decreases 400-fold, a leak in the \
             ledger does not"
        ));
    }
}

/// Returns the largest residual relative to the largest energy, for a given number of steps in the
/// shortest contact.
fn residual(law: ContactLaw, motion: Motion, steps_per_contact: f64) -> f64 {
    let mut lab = Laboratory::new(law).with_gravity();
    let mut random = Random::new(11);
    let side = 3;
    for n in 0..4 * side * side {
        let cell = DVec3::new(f64::from(n % side), f64::from(n / side % side), f64::from(n / (side * side)));
        let radius = RADIUS * (1.0 + 0.2 * random.unit());
        let mut ball = lab.ball(radius, 8.0 * radius.powi(3), cell + 0.5);
        ball.velocity = random.vector();
        ball.spin = random.vector();
        lab.add(ball);
    }
    lab.open_box(DVec3::splat(f64::from(side)), motion);
    // The shortest contact is an elastic one of two smallest grains.
    let contact_time = PI * (0.5 * 8.0 * RADIUS.powi(3) / STIFFNESS).sqrt();
    let step = contact_time / steps_per_contact;
    let mut simulation = lab.start(step);
    let start = simulation.energy();
    let (mut worst, mut largest) = (0f64, start.total());
    let records = 200;
    for _ in 0..records {
        simulation.run((TIME / step / f64::from(records)) as u64);
        let energy = simulation.energy();
        largest = largest.max(energy.total());
        worst = worst.max(energy.residual(&start).abs());
    }
    worst / largest
}
