//! R6: the neighbour list misses no contact. Every overlapping pair, found by comparing all with all, must be among
//! the contacts of the world, and the other way round.

use std::collections::HashSet;

use glam::DVec3;
use granum_engine::{Drive, Motion, Simulation, Stiffness};

use crate::laboratory::{Laboratory, Random, dry_grains};
use crate::{Case, Report};

/// Missed contacts.
pub const R6: Case = Case { name: "R6", tier: 1, about: "no contact missed against all pairs", run };

const CONTACT_TIME: f64 = 5e-3;
/// Overlaps and gaps below this are rounding: either answer is right, m.
const TOUCHING: f64 = 1e-14;

/// What comparing all pairs found.
#[derive(Default)]
struct Tally {
    pairs: u64,
    overlaps: u64,
    missed: u64,
    invented: u64,
}

impl Tally {
    fn compare(&mut self, simulation: &Simulation) {
        let world = simulation.world();
        let bodies = &world.bodies;
        let listed: HashSet<(u32, u32)> =
            world.all_contacts().filter(|c| c.gap < -TOUCHING).map(|c| (c.a.min(c.b), c.a.max(c.b))).collect();
        for i in 0..bodies.len() {
            for j in 0..i {
                if !bodies.kinetic[i].tag.is_dynamic() && !bodies.kinetic[j].tag.is_dynamic() {
                    continue;
                }
                self.pairs += 1;
                let gap = gap(simulation, i, j);
                let found = listed.contains(&(j as u32, i as u32));
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

/// Gap between two balls, or a ball and a plane, by storage index.
fn gap(simulation: &Simulation, i: usize, j: usize) -> f64 {
    let world = simulation.world();
    let bodies = &world.bodies;
    let (a, b) = (&bodies.place[i], &bodies.place[j]);
    let from_wall = |wall: usize, ball: usize| {
        let granum_geometry::Shape::HalfSpace(plane) = &world.shapes[bodies.kinetic[wall].tag.shape.0 as usize] else {
            panic!("the only unbounded shapes here are planes");
        };
        let normal = bodies.orientation[wall] * plane.normal();
        normal.dot(bodies.place[ball].centre - bodies.place[wall].centre) - bodies.place[ball].radius
    };
    match (a.radius.is_infinite(), b.radius.is_infinite()) {
        (false, false) => (a.centre - b.centre).length() - a.radius - b.radius,
        (true, _) => from_wall(i, j),
        (_, true) => from_wall(j, i),
    }
}

fn run(report: &mut Report) {
    sizes(report);
    turning_wall(report);
}

/// Grains whose radii range over a factor of a hundred, flying and falling about in a closed box.
fn sizes(report: &mut Report) {
    let (side, count) = (4.0, 300);
    let mut lab = Laboratory::new(dry_grains(Stiffness::ContactTime(CONTACT_TIME))).with_gravity();
    let mut random = Random::new(3);
    let mut placed: Vec<(DVec3, f64)> = Vec::new();
    while placed.len() < count {
        // From 1 m down to 1 cm, so that the large ones find room first; few are large.
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
    let mut tally = Tally::default();
    for _ in 0..650 {
        simulation.run(20);
        tally.compare(&simulation);
    }
    tally.report(report, "radii 0.01 to 1 m", "the smallest radius sets the skin");
}

/// A plane that turns under grains at rest: none of them moves, and its own centre does not either.
fn turning_wall(report: &mut Report) {
    let mut lab = Laboratory::new(dry_grains(Stiffness::ContactTime(CONTACT_TIME)));
    for k in 1..20 {
        let ball = lab.ball(0.2, 1.0, DVec3::new(0.5 * f64::from(k), 0.0, 0.5));
        lab.add(ball);
    }
    let turning = Drive::Steady { velocity: DVec3::ZERO, spin: DVec3::NEG_Y * 0.2 };
    lab.wall(DVec3::Z, DVec3::ZERO, Motion::Driven(turning));
    let mut simulation = lab.start(CONTACT_TIME / 50.0);
    let mut tally = Tally::default();
    for _ in 0..100 {
        simulation.run(50);
        tally.compare(&simulation);
    }
    tally.report(report, "a wall that turns", "no centre moves, so the list must follow the turn");
}
