//! R6: the neighbour list misses no contact. The contacts of the world must agree with a comparison
//! of all pairs.

use std::collections::HashSet;

use glam::DVec3;
use granum_engine::{BodyId, BodyState, Drive, Motion, Simulation, Stiffness, World};

use crate::laboratory::{Laboratory, Random, dry_grains};
use crate::{Case, Report};

/// Missed contacts.
pub const R6: Case = Case { name: "R6", tier: 1, about: "no contact missed against all pairs", run };

const CONTACT_TIME: f64 = 5e-3;
/// Overlap or gap below which rounding decides and either result is right, m.
const TOUCHING: f64 = 1e-14;

/// The result of comparing all pairs.
#[derive(Default)]
struct Comparison {
    pairs: u64,
    overlaps: u64,
    missed: u64,
    invented: u64,
}

impl Comparison {
    fn compare(&mut self, simulation: &Simulation) {
        let world = simulation.world();
        let bodies: Vec<BodyState> = world.bodies().collect();
        let overlapping = world.contacts().filter(|contact| contact.gap() < -TOUCHING);
        let listed: HashSet<(BodyId, BodyId)> =
            overlapping.map(|contact| (contact.a().min(contact.b()), contact.a().max(contact.b()))).collect();
        for (i, one) in bodies.iter().enumerate() {
            for other in &bodies[..i] {
                if !one.is_grain() && !other.is_grain() {
                    continue;
                }
                self.pairs += 1;
                let gap = gap(world, one, other);
                let found = listed.contains(&(other.id, one.id));
                self.overlaps += u64::from(gap < -TOUCHING);
                self.missed += u64::from(gap < -2.0 * TOUCHING && !found);
                self.invented += u64::from(gap > 0.0 && found);
            }
        }
    }

    fn report(&self, report: &mut Report, what: &str, why: &str) {
        report.at_most(format!("{what}: contacts that are none"), self.invented as f64, 0.0);
        report.at_most(format!("{what}: contacts missed"), self.missed as f64, 0.0);
        report.note(format!("{} pairs looked at, {} overlaps; {why}", self.pairs, self.overlaps));
    }
}

/// Returns the gap between two balls, or a ball and a plane, m.
fn gap(world: &World, one: &BodyState, other: &BodyState) -> f64 {
    let radius = |body: &BodyState| world.bounding_radius(body.id);
    let from_wall = |wall: &BodyState, ball: &BodyState| {
        let granum_geometry::Shape::HalfSpace(plane) = world.shape(wall.shape) else {
            panic!("the only unbounded shapes here are planes");
        };
        let normal = wall.orientation * plane.normal();
        normal.dot(ball.position - wall.position) - radius(ball)
    };
    match (radius(one).is_infinite(), radius(other).is_infinite()) {
        (false, false) => (one.position - other.position).length() - radius(one) - radius(other),
        (true, _) => from_wall(one, other),
        (_, true) => from_wall(other, one),
    }
}

fn run(report: &mut Report) {
    sizes(report);
    turning_wall(report);
}

/// Grains move in a closed box; their radii differ by up to a factor of a hundred.
fn sizes(report: &mut Report) {
    let (side, count) = (4.0, 300);
    let mut lab = Laboratory::new(dry_grains(Stiffness::ContactTime(CONTACT_TIME))).with_gravity();
    let mut random = Random::new(3);
    let mut placed: Vec<(DVec3, f64)> = Vec::new();
    while placed.len() < count {
        // The radii decrease from 1 m to 1 cm, so that the few large grains are placed first.
        let radius = 0.01 * 100f64.powf((1.0 - placed.len() as f64 / (count as f64 - 1.0)).powi(60));
        let position = DVec3::splat(0.5 * side) + (0.5 * side - radius) * random.vector();
        if placed.iter().all(|(other, size)| (*other - position).length() > radius + size) {
            placed.push((position, radius));
            let mut ball = lab.ball(radius, radius.powi(3), position);
            ball.velocity = 2.0 * random.vector();
            lab.add(ball);
        }
    }
    for axis in DVec3::AXES {
        lab.wall(axis, DVec3::ZERO, Motion::Fixed);
        lab.wall(-axis, DVec3::splat(side), Motion::Fixed);
    }
    let mut simulation = lab.start(CONTACT_TIME / 50.0);
    let mut comparison = Comparison::default();
    for _ in 0..650 {
        simulation.run(20);
        comparison.compare(&simulation);
    }
    comparison.report(report, "radii 0.01 to 1 m", "the smallest radius sets the skin");
}

/// A plane rotates under grains at rest. Neither the grains nor the centre of the plane move.
fn turning_wall(report: &mut Report) {
    let mut lab = Laboratory::new(dry_grains(Stiffness::ContactTime(CONTACT_TIME)));
    for k in 1..20 {
        let ball = lab.ball(0.2, 1.0, DVec3::new(0.5 * f64::from(k), 0.0, 0.5));
        lab.add(ball);
    }
    let turning = Drive::steady(DVec3::ZERO, DVec3::NEG_Y * 0.2);
    lab.wall(DVec3::Z, DVec3::ZERO, Motion::Driven(turning.into()));
    let mut simulation = lab.start(CONTACT_TIME / 50.0);
    let mut comparison = Comparison::default();
    for _ in 0..100 {
        simulation.run(50);
        comparison.compare(&simulation);
    }
    comparison.report(report, "a wall that turns", "no centre moves, so the list must follow the turn");
}
