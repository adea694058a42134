//! R2 and R9: invariance of results. The number of threads, the storage order and the times of
//! neighbour searches must not change a bit. The order of two bodies may change rounding errors
//! only.

use std::hash::{DefaultHasher, Hash, Hasher};

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, ContactLaw, Motion, Rolling, Simulation, Stiffness};

use crate::laboratory::{Laboratory, Random, dry_grains};
use crate::{Case, Report};

/// Determinism.
pub const R2: Case = Case { name: "R2", tier: 1, about: "same bits on 1, 2 and 8 threads", run: threads };
/// Order of the bodies.
pub const R9: Case = Case { name: "R9", tier: 0, about: "the order of the bodies does not matter", run: order };

/// Duration of every contact, s.
const CONTACT_TIME: f64 = 0.01;

/// Returns a hash of all poses, velocities and the energy ledger.
fn bits(simulation: &Simulation) -> u64 {
    let snapshot = simulation.snapshot();
    let mut hasher = DefaultHasher::new();
    let mut take = |values: &[f64]| values.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    for body in &snapshot.bodies {
        take(&body.orientation.to_array());
        for vector in [body.position, body.velocity, body.spin] {
            take(&vector.to_array());
        }
    }
    let energy = &snapshot.energy;
    take(&[energy.kinetic_translational, energy.kinetic_rotational, energy.potential, energy.elastic]);
    take(&[energy.dissipated_damping, energy.dissipated_friction, energy.work]);
    hasher.finish()
}

/// Creates grains of many sizes that fall into a box. Their number gives several blocks of parallel
/// work.
fn falling_grains(layers: u32) -> Laboratory {
    let mut lab = Laboratory::new(dry_grains(Stiffness::ContactTime(CONTACT_TIME))).with_gravity();
    let mut random = Random::new(2);
    let side = 12;
    for k in 0..layers {
        for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
            let radius = 0.35 + 0.14 * random.unit();
            let position = DVec3::new(f64::from(i), f64::from(j), f64::from(k)) + 0.5;
            let mut ball = lab.ball(radius, radius.powi(3), position);
            ball.velocity = random.vector();
            ball.spin = random.vector();
            lab.add(ball);
        }
    }
    lab.open_box(DVec3::splat(f64::from(side)), Motion::Fixed);
    lab
}

fn threads(report: &mut Report) {
    let run_on = |threads: usize| {
        let mut simulation = falling_grains(10).start_on(threads, CONTACT_TIME / 20.0);
        simulation.run(1000);
        (bits(&simulation), simulation.snapshot().contacts.len())
    };
    let (one, contacts) = run_on(1);
    for threads in [2, 8] {
        let differs = run_on(threads).0 != one;
        report.at_most(format!("{threads} threads: different bits (1 yes, 0 no)"), f64::from(u8::from(differs)), 0.0);
        report.note(format!("1440 grains, 1000 steps, {contacts} contacts at the end"));
    }
}

fn order(report: &mut Report) {
    let reference = settle(falling_grains(2), 0);
    let often = settle(falling_grains(2), 7);
    let differs = |ours: u64| f64::from(u8::from(ours != reference));
    report.at_most("neighbour list made anew every 7 steps: different bits", differs(often), 0.0);
    let mut shuffled = falling_grains(2);
    let count = shuffled.world.body_count() as u32;
    let stored: Vec<u32> = (0..count).map(|k| (k * 101) % count).collect();
    shuffled.world.reorder_bodies(&stored).expect("a permutation");
    report.at_most("other storage order, same ids: different bits", differs(settle(shuffled, 0)), 0.0);
    // The ids determine which body is a, and the order of sums. Another order of bodies therefore
    // changes rounding errors only.
    const ROUNDING: f64 = 1e-13;
    report.at_most("two grains exchanged", exchanged(&[1, 0], 1500), ROUNDING);
    report.at_most("seven grains in reverse", exchanged(&[6, 5, 4, 3, 2, 1, 0], 1500), ROUNDING);
    report.at_most("seven grains in another order", exchanged(&[3, 0, 6, 1, 5, 2, 4], 1500), ROUNDING);
}

/// Returns the hash of the state after some time. The neighbour list is rebuilt every `remade`
/// steps (0: when needed).
fn settle(lab: Laboratory, remade: u64) -> u64 {
    let mut simulation = lab.start(CONTACT_TIME / 20.0);
    let stride = if remade == 0 { 490 } else { remade };
    for _ in 0..490 / stride {
        simulation.run(stride);
        if remade > 0 {
            simulation.world_mut();
        }
    }
    bits(&simulation)
}

/// Creates a loose cluster of rotating grains that fly together.
pub(super) fn cluster(lab: &mut Laboratory, count: usize) -> Vec<BodySpec> {
    let mut random = Random::new(5);
    let mut specs = Vec::new();
    for k in 0..count {
        // Points on a spherical spiral, so that no grains overlap at the start.
        let z = 1.0 - (2.0 * k as f64 + 1.0) / count as f64;
        let angle = 2.399963 * k as f64;
        let direction = DVec3::new(angle.cos() * (1.0 - z * z).sqrt(), angle.sin() * (1.0 - z * z).sqrt(), z);
        let radius = 0.3 + 0.2 * random.unit();
        let mut ball = lab.ball(radius, 8.0 * radius.powi(3), direction * (0.35 * (count as f64).sqrt() + 0.2));
        ball.velocity = -2.0 * direction + 0.3 * random.vector();
        ball.spin = 3.0 * random.vector();
        specs.push(ball);
    }
    specs
}

/// Returns a contact law with a normal, a tangential and a rolling part.
pub(super) fn full_law() -> ContactLaw {
    let mut law = dry_grains(Stiffness::ContactTime(CONTACT_TIME));
    law.rolling = Rolling::Spring { friction: 0.1, spinning: 0.05, zeta: 0.1 };
    law
}

/// Returns the largest difference between a cluster and the same cluster with its grains in another
/// order.
fn exchanged(order: &[usize], steps: u64) -> f64 {
    let run = |order: &[usize]| {
        let mut lab = Laboratory::new(full_law());
        let specs = cluster(&mut lab, order.len());
        let mut ids = vec![BodyId(0); order.len()];
        for &k in order {
            ids[k] = lab.add(specs[k].clone());
        }
        let mut simulation = lab.start(CONTACT_TIME / 50.0);
        simulation.run(steps);
        states(&simulation, &ids)
    };
    let natural: Vec<usize> = (0..order.len()).collect();
    largest_difference(&run(&natural), &run(order))
}

/// Position, velocity, spin and orientation of a body.
pub(super) type State = (DVec3, DVec3, DVec3, DQuat);

pub(super) fn states(simulation: &Simulation, ids: &[BodyId]) -> Vec<State> {
    let world = simulation.world();
    let state = |&id: &BodyId| {
        let twist = world.twist(id);
        (world.position(id), twist.velocity, twist.spin, world.orientation(id))
    };
    ids.iter().map(state).collect()
}

/// Returns the largest difference in position (relative to the size of the scene, 1 m), in velocity
/// and rim speed (relative to the initial speed, 2 m/s, at a radius of 0.3 m) and in orientation.
pub(super) fn largest_difference(a: &[State], b: &[State]) -> f64 {
    const SPEED: f64 = 2.0;
    const RIM: f64 = 0.3;
    a.iter().zip(b).fold(0.0, |worst, (a, b)| {
        let velocity = (a.1 - b.1).length().max(RIM * (a.2 - b.2).length()) / SPEED;
        let attitude = (a.3.conjugate() * b.3).xyz().length();
        worst.max((a.0 - b.0).length()).max(velocity).max(attitude)
    })
}
