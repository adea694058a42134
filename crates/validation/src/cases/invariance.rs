//! R3 and R4: frame invariance of the motion, and action equals reaction.

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, Motion, Simulation};

use super::same_bits::{State, cluster, full_law, largest_difference, states};
use crate::laboratory::{GRAVITY, Laboratory};
use crate::{Case, Report};

/// Frame invariance.
pub const R3: Case =
    Case { name: "R3", tier: 1, about: "a translated and rotated scene gives the same result", run: frame };
/// Action and reaction.
pub const R4: Case =
    Case { name: "R4", tier: 0, about: "momentum and angular momentum of an isolated cluster", run: balance };

/// Time step: a fiftieth of the contact time, s.
const STEP: f64 = 2e-4;

/// Returns the final states of seven grains that collide and fall on a floor, simulated in another
/// frame and transformed back.
/// The run is short, because every collision amplifies rounding errors.
fn result(shift: DVec3, turn: DQuat) -> Vec<State> {
    let mut lab = Laboratory::new(full_law());
    lab.world.set_gravity(turn * (DVec3::NEG_Z * GRAVITY)).expect("a valid value");
    let mut ids = Vec::new();
    for mut spec in cluster(&mut lab, 7) {
        spec.pose.position = shift + turn * spec.pose.position;
        spec.pose.orientation = turn;
        spec.velocity = turn * spec.velocity;
        spec.spin = turn * spec.spin;
        ids.push(lab.add(spec));
    }
    lab.wall(turn * DVec3::Z, shift + turn * DVec3::new(0.0, 0.0, -1.55), Motion::Fixed);
    let mut simulation = lab.start(STEP);
    simulation.run(1200);
    let mut states = states(&simulation, &ids);
    for (position, velocity, spin, attitude) in &mut states {
        let back = turn.conjugate();
        *position = back * (*position - shift);
        *velocity = back * *velocity;
        *spin = back * *spin;
        *attitude = back * *attitude;
    }
    states
}

fn frame(report: &mut Report) {
    /// Largest difference of positions, velocities and spins after the run, in SI units.
    const LIMIT: f64 = 1e-9;
    let (far, turn) = (DVec3::new(600.0, -640.0, 480.0), DQuat::from_scaled_axis(DVec3::new(0.7, -1.1, 0.4)));
    let here = result(DVec3::ZERO, DQuat::IDENTITY);
    for (what, shift, turn) in [
        ("moved by 1e3 m", far, DQuat::IDENTITY),
        ("turned", DVec3::ZERO, turn),
        ("moved by 1e3 m and turned", far, turn),
    ] {
        report.at_most(
            format!("seven grains and a floor, {what}"),
            largest_difference(&here, &result(shift, turn)),
            LIMIT,
        );
        if shift != DVec3::ZERO {
            report.note("a coordinate of 640 m holds 1e-13 m: steps of 4e-4 m are rounded, each to the same side");
        }
    }
}

/// Returns momentum and angular momentum about the origin, and the sums of the magnitudes of their
/// terms.
fn momenta(simulation: &Simulation, ids: &[BodyId]) -> (DVec3, f64, DVec3, f64) {
    let world = simulation.world();
    let (mut linear, mut linear_size, mut angular, mut angular_size) = (DVec3::ZERO, 0.0, DVec3::ZERO, 0.0);
    for &id in ids {
        let momentum = world.mass(id) * world.twist(id).velocity;
        let (orbital, own) = (world.position(id).cross(momentum), world.angular_momentum(id));
        linear += momentum;
        linear_size += momentum.length();
        angular += orbital + own;
        angular_size += orbital.length() + own.length();
    }
    (linear, linear_size, angular, angular_size)
}

fn balance(report: &mut Report) {
    /// Largest gain in a step, relative to the sum of the magnitudes: some hundred rounding errors.
    const LIMIT: f64 = 1e-13;
    let mut lab = Laboratory::new(full_law());
    let ids: Vec<BodyId> = cluster(&mut lab, 20).into_iter().map(|spec| lab.add(spec)).collect();
    let mut simulation = lab.start(STEP);
    let (mut linear, mut angular, mut contacts) = (0f64, 0f64, 0);
    let start = momenta(&simulation, &ids);
    let mut before = start;
    for _ in 0..3000 {
        simulation.run(1);
        let now = momenta(&simulation, &ids);
        linear = linear.max((now.0 - before.0).length() / now.1);
        angular = angular.max((now.2 - before.2).length() / now.3);
        contacts += simulation.world().contacts().count();
        before = now;
    }
    report.at_most("momentum gained in one step, at most", linear, LIMIT);
    report.note(format!("twenty grains with friction and rolling resistance, {contacts} contact steps"));
    report.at_most("angular momentum gained in one step, at most", angular, LIMIT);
    // Rounding errors of three thousand steps add up like a random walk, to at most fifty times
    // that of one step.
    report.at_most("momentum gained in the whole run", (before.0 - start.0).length() / start.1, 50.0 * LIMIT);
    report.at_most("angular momentum gained in the whole run", (before.2 - start.2).length() / start.3, 50.0 * LIMIT);
}
