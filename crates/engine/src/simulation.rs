//! A world in motion: the world, its scratch, and its threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use granum_geometry::{Mesh, PairTable};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::energy::{self, Energy};
use crate::pipeline::broad_phase::neighbours::{self, Neighbours};
use crate::snapshot::Snapshot;
use crate::state::{BodyId, Evaluation, World, WorldError, Wrench};
use crate::step;
use crate::user_force::UserForce;

/// The stages of a step, as they are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Moving bodies to their new poses.
    Predict,
    /// Finding neighbours.
    BroadPhase,
    /// Finding contacts.
    NarrowPhase,
    /// Finding contact forces.
    Response,
    /// Adding them up and correcting velocities.
    Correct,
}

/// Seconds of wall time spent in each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageSeconds {
    /// By stage, in the order of [`Stage`].
    seconds: [f64; 5],
}

impl StageSeconds {
    /// Names and seconds, in the order of a step.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        let [predict, broad, narrow, response, correct] = self.seconds;
        [
            ("predict", predict),
            ("broad_phase", broad),
            ("narrow_phase", narrow),
            ("response", response),
            ("correct", correct),
        ]
    }
}

/// Scratch: everything a step needs that is not state. It is never saved.
pub struct Workspace {
    /// The neighbour list.
    pub neighbours: Neighbours,
    /// The pair routines.
    pub table: Arc<PairTable>,
    /// User-defined force on the grains.
    pub user_force: Option<UserForce>,
    /// The user-defined force on each body at this evaluation, by storage index. Empty without one.
    pub user_wrenches: Vec<Wrench>,
    /// Surfaces of shapes, where forces ask for the volume of a part.
    pub surfaces: Vec<Option<Mesh>>,
    seconds: StageSeconds,
}

impl Workspace {
    /// Returns an empty workspace with a table of pair routines.
    pub fn new(table: Arc<PairTable>) -> Self {
        Self {
            neighbours: Neighbours::default(),
            table,
            user_force: None,
            user_wrenches: Vec::new(),
            surfaces: Vec::new(),
            seconds: StageSeconds::default(),
        }
    }

    /// Runs a stage and adds its time to the account.
    pub fn timed<R>(&mut self, stage: Stage, work: impl FnOnce(&mut Self) -> R) -> R {
        let start = Instant::now();
        let result = work(self);
        self.seconds.seconds[stage as usize] += start.elapsed().as_secs_f64();
        result
    }

    /// Runs two stages that alternate, chunk by chunk; the work says by the clock when it is in the second.
    pub fn timed_together(&mut self, stages: [Stage; 2], work: impl FnOnce(&mut Self, &Clock)) {
        let clock = Clock::default();
        let start = Instant::now();
        work(self, &clock);
        let wall = start.elapsed().as_secs_f64();
        // The second stage's time was counted on every thread.
        let second = clock.nanoseconds.into_inner() as f64 * 1e-9 / rayon::current_num_threads() as f64;
        self.seconds.seconds[stages[0] as usize] += (wall - second).max(0.0);
        self.seconds.seconds[stages[1] as usize] += second;
    }
}

/// Counts the time that threads spend in a part of their work.
#[derive(Default)]
pub struct Clock {
    nanoseconds: AtomicU64,
}

impl Clock {
    /// Runs a part of the work and counts it.
    pub fn second<R>(&self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }
}

/// A world with its scratch and its threads.
pub struct Simulation {
    world: World,
    workspace: Workspace,
    pool: ThreadPool,
}

impl Simulation {
    /// Takes a world over. `threads` = 0 means one a core; the result does not depend on it.
    pub fn new(world: World, threads: usize) -> Result<Self, WorldError> {
        Self::with_table(world, threads, PairTable::standard().clone())
    }

    /// Takes a world over, with a table that holds the user's own pair routines.
    ///
    /// The table is not part of the state: a run that is continued from a checkpoint needs the same table again.
    pub fn with_table(world: World, threads: usize, table: impl Into<Arc<PairTable>>) -> Result<Self, WorldError> {
        let table = table.into();
        if !table.has(world.measure()) {
            let name = world.measure().name().to_owned();
            return Err(WorldError::Value(format!("no pair routine is registered for the measure `{name}`")));
        }
        world.check_laws()?;
        if world.time_step() == 0.0 {
            return Err(WorldError::Value("the time step must be set before the first step".into()));
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| WorldError::Value(format!("cannot start {threads} threads: {error}")))?;
        let mut simulation = Self { world, workspace: Workspace::new(table), pool };
        simulation.run(0);
        Ok(simulation)
    }

    /// Does `steps` time steps.
    pub fn run(&mut self, steps: u64) {
        let Self { world, workspace, pool } = self;
        pool.install(|| {
            evaluate_if_outdated(world, workspace);
            for _ in 0..steps {
                step::step(world, workspace);
            }
        });
    }

    /// Multiplies the positions of all bodies by a factor, about the origin, and evaluates the contacts
    /// there: it compresses or expands a packing. The energy that this adds is booked as work.
    pub fn scale_positions(&mut self, factor: f64) -> Result<(), WorldError> {
        let Self { world, workspace, pool } = self;
        let before = energy::ledger(world);
        world.scale_positions(factor)?;
        pool.install(|| evaluate_if_outdated(world, workspace));
        world.book(&before);
        Ok(())
    }

    /// Adds a user-defined force on every grain: a function of the world and the body.
    ///
    /// The function sees the positions of each evaluation and the velocities that are predicted for
    /// it, so that the motion under a drag is accurate to second order. With percussions it acts as
    /// one percussion in each step. Its work is part of [`Energy::work`]. The function is not part of
    /// the state: a program that continues a saved world sets it again.
    pub fn set_force(&mut self, force: impl Fn(&World, BodyId) -> Wrench + Send + Sync + 'static) {
        self.workspace.user_force = Some(Box::new(force));
        // Before the first step the forces of the start are computed again, with the new one.
        if self.world.steps() == 0 && self.world.percussion.is_none() {
            self.world.contacts.clear();
            self.world.evaluation = Evaluation::Outdated;
            self.run(0);
        }
    }

    /// Returns the table of pair routines.
    pub fn table(&self) -> &Arc<PairTable> {
        &self.workspace.table
    }

    /// The state.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The state, to be changed between steps; the neighbour list is made anew.
    pub fn world_mut(&mut self) -> &mut World {
        self.workspace.neighbours.invalidate();
        &mut self.world
    }

    /// The state, without its scratch.
    pub fn into_world(self) -> World {
        self.world
    }

    /// The energy ledger at this instant.
    pub fn energy(&self) -> Energy {
        energy::ledger(&self.world)
    }

    /// What recorders see.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.world)
    }

    /// Time spent in each stage so far.
    pub fn stage_seconds(&self) -> StageSeconds {
        self.workspace.seconds
    }

    /// Listed pairs, and how often the list was made.
    pub fn neighbour_statistics(&self) -> (usize, u64) {
        (self.workspace.neighbours.list.len(), self.workspace.neighbours.rebuilds())
    }

    /// Threads in use.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

/// Computes the contacts and forces of the present positions, unless they are known.
fn evaluate_if_outdated(world: &mut World, workspace: &mut Workspace) {
    if world.evaluation == Evaluation::Current {
        return;
    }
    if world.percussion.is_some() {
        // Percussions need no forces at the start: the first collisions come half a step later.
        world.evaluation = Evaluation::Current;
        return;
    }
    workspace.neighbours.invalidate();
    neighbours::update(&mut workspace.neighbours, &workspace.table, world, 0.0);
    step::evaluate(world, workspace, false);
}
