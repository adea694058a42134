//! Estimate of the computing time of a run, from short timed runs of the scene itself.
//!
//! The cost of a step depends on the shapes and on the number of contacts. Two states are timed:
//! the grains as they are placed, and the same grains pushed together. Their difference gives the
//! cost of a contact, and with it that of a dense bed. The run lies between the grains as placed and
//! the dense bed unless it is looser or denser than these.

use std::time::{Duration, Instant};

use granum_engine::{BodyId, Simulation, World, WorldError};
use granum_reference::pair_table;
use granum_scene::{Program, Scene};

/// Wall time for each of the timed states. One step may take longer.
const TIMED: Duration = Duration::from_millis(300);

/// Wall time for pushing grains together. One evaluation of the contacts may take longer.
const PUSHED: Duration = Duration::from_millis(400);

/// Steps before the timing starts, which allocate memory and build the first neighbour list.
const WARM_UP: u64 = 3;

/// Most steps of a timed state. A small scene needs no longer run for a mean that is sure enough.
const MOST_STEPS: u64 = 20_000;

/// Number of touching pairs per grain at which grains count as dense: each touches five others, as
/// in a bed of balls with friction.
const DENSE: f64 = 2.5;

/// Timed steps after which grains are pushed together again, because overlaps push them apart:
/// about the duration of a contact, and about the time that a neighbour list lasts.
const BURST: u64 = 50;

/// Most steps between two counts of the contacts, which end within a burst.
const LONGEST_BATCH: u64 = 10;

/// Number of touching pairs per grain to which grains are pushed together with the smooth response.
/// To push all grains into [`DENSE`] contact would make the first contacts far deeper than those of
/// a bed, and deep contacts of some shapes take a hundred times as long.
const TOUCHING: f64 = 0.5;

/// Factors of the positions between two pushes: while nothing touches, and then.
const PUSHES: (f64, f64) = (0.97, 0.99);

/// Grains of a sample of what inlets add.
const SAMPLE: u64 = 300;

/// Measured costs of a step, and what they imply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Wall time of a step with the grains as they are placed, s.
    pub loose: f64,
    /// Wall time of a step with all grains in dense contact, s; `None` if there was no time to
    /// measure it.
    pub dense: Option<f64>,
    /// Number of threads.
    pub threads: usize,
}

/// Costs of a step of one world.
#[derive(Clone, Copy, Default)]
struct Costs {
    loose: f64,
    dense: Option<f64>,
    threads: usize,
}

impl Estimate {
    /// Times the steps of a scene to which inlets will add about `incoming` grains.
    pub fn of(scene: &Scene, world: &World, incoming: f64, threads: usize) -> Result<Self, WorldError> {
        let Costs { mut loose, mut dense, threads } = time_world(scene, world, threads)?;
        if incoming >= 1.0
            && let Some((sample, count)) = sample_of_inlets(scene)
        {
            let of_sample = time_steps(sample, threads, None)?;
            let per_grain = incoming / count;
            // While they are added at a constant rate, half of them are there on average.
            loose += 0.5 * per_grain * of_sample.loose;
            dense = dense.zip(of_sample.dense).map(|(present, added)| present + per_grain * added);
        }
        Ok(Self { loose, dense, threads })
    }

    /// Returns the range of the time of `steps`, s.
    pub fn range(&self, steps: u64) -> (f64, f64) {
        let dense = self.dense.unwrap_or(self.loose);
        (steps as f64 * self.loose.min(dense), steps as f64 * self.loose.max(dense))
    }
}

/// Times the world of a scene with its stages and inlets.
fn time_world(scene: &Scene, world: &World, threads: usize) -> Result<Costs, WorldError> {
    let program = Program::new(scene, world).map_err(|error| WorldError::Value(error.to_string()))?;
    time_steps(world.clone(), threads, Some(&program))
}

fn time_steps(world: World, threads: usize, program: Option<&Program>) -> Result<Costs, WorldError> {
    let mut loose = Simulation::with_table(world.clone(), threads, pair_table().clone())?;
    let mut costs = Costs { loose: seconds_per_step(&mut loose, program), dense: None, threads: loose.threads() };
    let grains = loose.world().grain_count() as f64;
    let present = touching_pairs(&loose) / grains;
    // Also if there are no grains.
    if present.is_nan() || present >= DENSE {
        costs.dense = Some(costs.loose);
        return Ok(costs);
    }
    drop(loose);
    // The cost of a percussion depends on the size of its cluster, so that it must be a dense one.
    let wanted = if world.percussion().is_some() { DENSE } else { DENSE.min(present + TOUCHING) };
    let mut pushed = Simulation::with_table(world, threads, pair_table().clone())?;
    costs.dense = seconds_per_pushed_step(&mut pushed, wanted).map(|(seconds, touching)| {
        let more = (seconds - costs.loose).max(0.0);
        let is_linear = pushed.world().percussion().is_none() && touching > present;
        let factor = if is_linear { ((DENSE - present) / (touching - present)).max(1.0) } else { 1.0 };
        costs.loose + more * factor
    });
    Ok(costs)
}

/// Returns the mean wall time of a step, s.
fn seconds_per_step(simulation: &mut Simulation, program: Option<&Program>) -> f64 {
    let mut state = program.map(Program::start);
    let mut advance = |simulation: &mut Simulation, steps: u64| match (program, &mut state) {
        (Some(program), Some(state)) => {
            let end = simulation.world().steps() + steps;
            program.act(state, simulation);
            while simulation.world().steps() < end {
                let step = simulation.world().steps();
                let next = program.next_event(state, step).clamp(step + 1, end);
                simulation.run(next - step);
                program.act(state, simulation);
            }
        }
        _ => simulation.run(steps),
    };
    let begun = Instant::now();
    advance(simulation, WARM_UP);
    if begun.elapsed() >= TIMED {
        return begun.elapsed().as_secs_f64() / WARM_UP as f64;
    }
    let start = Instant::now();
    let (mut done, mut batch) = (0, 1);
    while start.elapsed() < TIMED && done < MOST_STEPS {
        advance(simulation, batch);
        done += batch;
        // Reading the clock must not count; a batch must not exceed the time by much.
        let rate = done as f64 / start.elapsed().as_secs_f64();
        batch = ((0.1 * TIMED.as_secs_f64() * rate) as u64).clamp(1, 1000);
    }
    start.elapsed().as_secs_f64() / done as f64
}

/// Returns the mean wall time of a step, s, while the grains are pushed together until `wanted` pairs
/// per grain touch, and the mean number of touching pairs per grain; `None` if they did not touch
/// within the time allowed.
fn seconds_per_pushed_step(simulation: &mut Simulation, wanted: f64) -> Option<(f64, f64)> {
    let wanted = wanted * simulation.world().grain_count() as f64;
    let (begun, mut spent, mut done, mut touching) = (Instant::now(), 0.0, 0, 0.0);
    while spent < TIMED.as_secs_f64() && done < MOST_STEPS && begun.elapsed() < TIMED + PUSHED {
        if !push_together(simulation, wanted, begun) {
            break;
        }
        let (mut in_burst, mut batch, mut before) = (0, 1, touching_pairs(simulation));
        while in_burst < BURST && spent < TIMED.as_secs_f64() {
            let start = Instant::now();
            simulation.run(batch);
            spent += start.elapsed().as_secs_f64();
            let after = touching_pairs(simulation);
            touching += 0.5 * (before + after) * batch as f64;
            before = after;
            (done, in_burst) = (done + batch, in_burst + batch);
            batch = ((0.1 * TIMED.as_secs_f64() * done as f64 / spent) as u64).clamp(1, LONGEST_BATCH);
        }
    }
    let grains = simulation.world().grain_count() as f64;
    (done > 0).then(|| (spent / done as f64, touching / (done as f64 * grains)))
}

/// Pushes the grains together until this number of pairs touch, and stops them. Returns whether they
/// do.
fn push_together(simulation: &mut Simulation, wanted: f64, begun: Instant) -> bool {
    while touching_pairs(simulation) < wanted {
        let push = if simulation.world().contacts().next().is_none() { PUSHES.0 } else { PUSHES.1 };
        if begun.elapsed() > TIMED + PUSHED || simulation.scale_positions(push).is_err() {
            return false;
        }
        // The contacts of percussions are found in a step.
        if simulation.world().percussion().is_some() {
            simulation.run(1);
        }
    }
    simulation.world_mut().scale_velocities(0.0).is_ok()
}

/// Returns the number of pairs of bodies that touch.
fn touching_pairs(simulation: &Simulation) -> f64 {
    let touching = simulation.world().contacts().filter(|contact| contact.gap() <= 0.0);
    let mut pairs: Vec<(BodyId, BodyId)> = touching.map(|contact| (contact.a(), contact.b())).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.len() as f64
}

/// Returns a world with a lattice of the grains that inlets add, without walls, and their number.
fn sample_of_inlets(scene: &Scene) -> Option<(World, f64)> {
    let world = scene.sample_of_inlets(SAMPLE)?.build().ok()?;
    let count = world.grain_count() as f64;
    (count > 0.0).then_some((world, count))
}
