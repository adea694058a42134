//! A simulation: a world with its scratch data and its threads.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use granum_geometry::{Mesh, PairTable, Pose};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::energy::{self, Energy};
use crate::execution::Execution;
use crate::percussion::profile::{Profile, ProgramObserver};
use crate::pipeline::broad_phase::neighbours::{self, Neighbours};
use crate::snapshot::Snapshot;
use crate::state::{BodyId, Evaluation, Owner, World, WorldError, Wrench};
use crate::step::{self, Preceding};
use crate::thread_choice::ThreadChoice;
use crate::tunnelling::{Detector, Passages};
use crate::user_force::ForceFunction;

/// Stages of a step, which are timed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Advancing bodies to their new poses.
    Predict,
    /// Updating the neighbour list.
    BroadPhase,
    /// Computing contacts.
    NarrowPhase,
    /// Computing contact forces.
    Response,
    /// Summing forces and correcting velocities.
    Correct,
}

/// Wall time of each stage, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageSeconds {
    /// By stage, in the order of [`Stage`].
    seconds: [f64; 5],
    on_surfaces: f64,
}

impl StageSeconds {
    /// Returns names and seconds of the stages, in the order of a step.
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

    /// Returns the part of the narrow phase for pairs with triangulated surfaces, s.
    pub fn on_surfaces(&self) -> f64 {
        self.on_surfaces
    }
}

/// Scratch data of a step. They are never saved, and may be discarded between any two steps.
pub struct Workspace {
    /// Neighbour list.
    pub neighbours: Neighbours,
    /// Pair routines.
    pub table: Arc<PairTable>,
    /// User-defined force on the grains.
    pub user_force: Option<ForceFunction>,
    /// User-defined force on each body at this evaluation, by storage index. Empty without one.
    pub user_wrenches: Vec<Wrench>,
    /// Triangulated surfaces of shapes, for forces that depend on the volume of a part of a body.
    pub surfaces: Vec<Option<Mesh>>,
    /// Threads that execute the stages of the present step.
    pub execution: Execution,
    /// Detector of bodies that pass through others.
    pub detector: Detector,
    /// Work of the solver of percussions so far.
    pub programs: Profile,
    /// Called with each convex program of percussions.
    pub program_observer: Option<ProgramObserver>,
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
            execution: Execution::OneThread,
            detector: Detector::default(),
            programs: Profile::default(),
            program_observer: None,
            seconds: StageSeconds::default(),
        }
    }

    /// Runs a stage and adds its wall time.
    pub fn timed<R>(&mut self, stage: Stage, work: impl FnOnce(&mut Self) -> R) -> R {
        let start = Instant::now();
        let result = work(self);
        self.seconds.seconds[stage as usize] += start.elapsed().as_secs_f64();
        result
    }

    /// Adds the time of a narrow phase for pairs with triangulated surfaces.
    pub fn add_time_on_surfaces(&mut self, timer: &StageTimer) {
        self.seconds.on_surfaces += timer.seconds() / self.execution.threads() as f64;
    }

    /// Runs two stages that alternate. The work runs its second stage through the timer.
    pub fn timed_together(&mut self, stages: [Stage; 2], work: impl FnOnce(&mut Self, &StageTimer)) {
        let timer = StageTimer::default();
        let start = Instant::now();
        work(self, &timer);
        let wall = start.elapsed().as_secs_f64();
        // The timer has summed over all threads.
        let second = timer.seconds() / self.execution.threads() as f64;
        self.seconds.seconds[stages[0] as usize] += (wall - second).max(0.0);
        self.seconds.seconds[stages[1] as usize] += second;
    }
}

/// Sums the time that all threads spend in one stage.
#[derive(Default)]
pub struct StageTimer {
    nanoseconds: AtomicU64,
}

impl StageTimer {
    /// Runs a part of the stage and adds its time.
    pub fn time<R>(&self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    /// Returns the time of all threads, s.
    fn seconds(&self) -> f64 {
        self.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9
    }
}

/// A world with its scratch data and its threads.
///
/// ```
/// use glam::DVec3;
/// use granum_engine::{BodySpec, Material, Simulation, World, WorldError};
/// use granum_geometry::shape::Sphere;
///
/// let mut world = World::new();
/// world.set_gravity(DVec3::new(0.0, 0.0, -10.0))?;
/// world.set_time_step(1e-3)?;
/// let steel = world.add_material(Material::new("steel", 7800.0))?;
/// let ball = world.add_shape(Sphere { radius: 0.01 })?;
/// let ball = world.add_body(BodySpec::at(ball, steel, DVec3::ZERO))?;
///
/// let mut simulation = Simulation::new(world, 1)?;
/// let start = simulation.energy();
/// simulation.run(1000); // 1 s of free fall
/// assert!((simulation.world().position(ball).z + 5.0).abs() < 1e-9);
/// assert!(simulation.energy().residual(&start).abs() < 1e-9);
/// # Ok::<(), WorldError>(())
/// ```
pub struct Simulation {
    world: World,
    /// Number of this simulation, by which it recognises its world. It starts at 1.
    number: u64,
    workspace: Workspace,
    threads: usize,
    choice: ThreadChoice,
    /// Created at the first step on all threads: most small worlds never need it.
    pool: Option<ThreadPool>,
}

impl Simulation {
    /// Creates a simulation of a world on at most this number of threads; 0 stands for one thread
    /// per core.
    ///
    /// The number of threads does not change the result. All of them are used while measured steps
    /// show that they save time, and one otherwise. See [`Simulation::use_all_threads`].
    pub fn new(world: World, threads: usize) -> Result<Self, WorldError> {
        Self::with_table(world, threads, PairTable::standard().clone())
    }

    /// Creates a simulation of a world, with a table that contains user-defined pair routines.
    ///
    /// The table is not part of the state: a run that is continued from a checkpoint needs the same
    /// table again.
    pub fn with_table(world: World, threads: usize, table: impl Into<Arc<PairTable>>) -> Result<Self, WorldError> {
        static SIMULATIONS: AtomicU64 = AtomicU64::new(1);
        let table = table.into();
        check_completeness(&world, &table)?;
        let number = SIMULATIONS.fetch_add(1, Ordering::Relaxed);
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        };
        let choice = ThreadChoice::new(threads);
        let mut simulation = Self { world, number, workspace: Workspace::new(table), threads, choice, pool: None };
        simulation.world.owner = Owner(number);
        simulation.run(0);
        Ok(simulation)
    }

    /// Advances the world by this number of time steps.
    pub fn run(&mut self, steps: u64) {
        self.advance(steps, false);
    }

    /// Advances the world by at most this number of time steps, and ends after a step in which a
    /// body passes through another. Returns the number of steps done.
    pub fn run_until_passage(&mut self, steps: u64) -> u64 {
        self.advance(steps, true)
    }

    /// Advances the world. Returns the number of steps done.
    fn advance(&mut self, steps: u64, ends_at_passage: bool) -> u64 {
        if self.world.owner != Owner(self.number) {
            self.adopt_world();
        }
        self.workspace.execution = Execution::OneThread;
        evaluate_if_outdated(&mut self.world, &mut self.workspace);
        let mut left = steps;
        let is_over = |workspace: &Workspace, left: u64| left == 0 || ends_at_passage && workspace.detector.has_found();
        while !is_over(&self.workspace, left) {
            let execution = self.choice.next();
            if execution == Execution::AllThreads && self.start_pool().is_err() {
                // The results are the same on one thread.
                self.choice.prescribe(Execution::OneThread);
                continue;
            }
            let Self { world, workspace, choice, pool, .. } = self;
            workspace.execution = execution;
            let mut run = || {
                while !is_over(workspace, left) && choice.next() == execution {
                    let start = Instant::now();
                    step::step(world, workspace);
                    choice.record(start.elapsed().as_secs_f64());
                    left -= 1;
                }
            };
            match (execution, pool) {
                (Execution::AllThreads, Some(pool)) => pool.install(run),
                _ => run(),
            }
        }
        steps - left
    }

    /// Drops the scratch data of a world that was replaced through [`Simulation::world_mut`]: they
    /// hold limits by the number of a shape.
    fn adopt_world(&mut self) {
        if let Err(reason) = check_completeness(&self.world, &self.workspace.table) {
            panic!("the world of the simulation was replaced by one that cannot be moved: {reason}");
        }
        let user_force = self.workspace.user_force.take();
        self.workspace = Workspace { user_force, ..Workspace::new(self.workspace.table.clone()) };
        self.world.owner = Owner(self.number);
    }

    /// Uses all threads in every further step, even if one thread is faster: for tests and for
    /// measurements of the speed.
    pub fn use_all_threads(&mut self) -> Result<(), WorldError> {
        let threads = self.threads;
        if threads > 1 {
            let failed = |error| WorldError::Value(format!("cannot start {threads} threads: {error}"));
            self.start_pool().map_err(failed)?;
            self.choice.prescribe(Execution::AllThreads);
        }
        Ok(())
    }

    fn start_pool(&mut self) -> Result<(), ThreadPoolBuildError> {
        if self.pool.is_none() {
            self.pool = Some(ThreadPoolBuilder::new().num_threads(self.threads).build()?);
        }
        Ok(())
    }

    /// Returns the threads of the last step if it was executed on all of them.
    pub(crate) fn pool_in_use(&self) -> Option<&ThreadPool> {
        self.pool.as_ref().filter(|_| self.workspace.execution == Execution::AllThreads)
    }

    /// Returns the bodies that have passed through others since the last call, and forgets them.
    /// Percussions are not tested: their collisions are found ahead.
    pub fn take_passages(&mut self) -> Passages {
        self.workspace.detector.take()
    }

    /// Multiplies the positions of all bodies by a factor, about the origin, and evaluates the
    /// contacts there: it compresses or expands a packing. The energy that this adds is booked as
    /// work.
    pub fn scale_positions(&mut self, factor: f64) -> Result<(), WorldError> {
        let before = energy::ledger(&self.world);
        self.world.scale_positions(factor)?;
        self.run(0);
        self.world.book(&before);
        Ok(())
    }

    /// Places grains at other poses and evaluates the contacts there. Their velocities and spins
    /// stay, and their contacts begin anew. The energy that this adds is booked as work.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use granum_engine::{BodySpec, Material, Simulation, World, WorldError};
    /// # use granum_geometry::{Pose, shape::Sphere};
    /// # let mut world = World::new();
    /// # world.set_gravity(DVec3::new(0.0, 0.0, -10.0))?;
    /// # world.set_time_step(1e-3)?;
    /// # let steel = world.add_material(Material::new("steel", 7800.0))?;
    /// # let ball = world.add_shape(Sphere { radius: 0.01 })?;
    /// # let ball = world.add_body(BodySpec::at(ball, steel, DVec3::ZERO))?;
    /// # let mut simulation = Simulation::new(world, 1)?;
    /// let start = simulation.energy();
    /// simulation.place(&[(ball, Pose::at(DVec3::new(0.0, 0.0, 1.0)))])?; // lifts the ball by 1 m
    /// let energy = simulation.energy();
    /// assert!((energy.work - simulation.world().mass(ball) * 10.0).abs() < 1e-12);
    /// assert!(energy.residual(&start).abs() < 1e-12);
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn place(&mut self, poses: &[(BodyId, Pose)]) -> Result<(), WorldError> {
        let before = energy::ledger(&self.world);
        self.world.place(poses)?;
        self.run(0);
        self.world.book(&before);
        Ok(())
    }

    /// Counts the grains that have passed the flow planes of the world, and removes those that have
    /// left through an outlet, as [`World::count_flow`] does. It keeps the neighbour list if no
    /// grain is removed.
    pub fn count_flow(&mut self) {
        self.world.count_flow();
    }

    /// Begins a new interval of the mean and greatest pressures on surfaces, as
    /// [`World::restart_pressure`] does. It keeps the neighbour list.
    pub fn restart_pressure(&mut self) {
        self.world.restart_pressure();
    }

    /// Adds a user-defined force on every grain: a function of the world and the body.
    ///
    /// The function sees the positions of each evaluation and the velocities that are predicted for
    /// it, so that the motion under a drag is accurate to second order. With percussions it acts as
    /// one percussion in each step. Its work is part of [`Energy::work`]. The function is not part
    /// of the state: a program that continues a saved world sets it again.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use granum_engine::{BodySpec, Material, Simulation, World, WorldError, Wrench};
    /// # use granum_geometry::shape::Sphere;
    /// # let mut world = World::new();
    /// # world.set_time_step(1e-3)?;
    /// # let steel = world.add_material(Material::new("steel", 7800.0))?;
    /// # let ball = world.add_shape(Sphere { radius: 0.01 })?;
    /// # let spec = BodySpec::at(ball, steel, DVec3::ZERO);
    /// # let ball = world.add_body(BodySpec { velocity: DVec3::X, ..spec })?;
    /// # let mut simulation = Simulation::new(world, 1)?;
    /// // A drag of 0.1 N s/m on every grain.
    /// simulation.set_force(|world, id| {
    ///     let force = -0.1 * world.twist(id).velocity;
    ///     Wrench { force, torque: DVec3::ZERO }
    /// });
    /// simulation.run(1000); // 1 s
    /// let mass = simulation.world().mass(ball);
    /// let speed = simulation.world().twist(ball).velocity.x;
    /// assert!((speed - (-0.1 / mass).exp()).abs() < 1e-5);
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn set_force(&mut self, force: impl Fn(&World, BodyId) -> Wrench + Send + Sync + 'static) {
        self.use_force(Some(ForceFunction::One(Box::new(force))));
    }

    /// Adds user-defined forces on all grains by one function of the world, in place of that of
    /// [`Simulation::set_force`]. The function sets the forces and torques, in the order of ids.
    pub fn set_forces(&mut self, forces: impl Fn(&World, &mut [Wrench]) + Send + Sync + 'static) {
        self.use_force(Some(ForceFunction::All(Box::new(forces))));
    }

    /// Removes the user-defined force.
    pub fn remove_force(&mut self) {
        self.use_force(None);
    }

    fn use_force(&mut self, force: Option<ForceFunction>) {
        self.workspace.user_force = force;
        // Before the first step the forces of the start are computed again, with the new one.
        if self.world.steps() == 0 && self.world.percussion.is_none() {
            self.world.evaluation = Evaluation::Incomplete;
            self.run(0);
        }
    }

    /// Returns the table of pair routines.
    pub fn table(&self) -> &Arc<PairTable> {
        &self.workspace.table
    }

    /// Returns the world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world, to be changed between two steps. The next step rebuilds the neighbour
    /// list. The world may be replaced by another one that [`Simulation::new`] would accept; the
    /// next step panics if it would not.
    pub fn world_mut(&mut self) -> &mut World {
        self.workspace.neighbours.invalidate();
        &mut self.world
    }

    /// Returns the world and drops the scratch data.
    pub fn into_world(self) -> World {
        self.world
    }

    /// Returns the energy balance at this instant.
    pub fn energy(&self) -> Energy {
        energy::ledger(&self.world)
    }

    /// Returns a copy of the state for recorders.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.world)
    }

    /// Returns the wall time of each stage so far.
    pub fn stage_seconds(&self) -> StageSeconds {
        self.workspace.seconds
    }

    /// Returns the work of the solver of percussions so far, by kind of program.
    pub fn percussion_profile(&self) -> Profile {
        self.workspace.programs
    }

    /// Calls a function with each convex program of percussions before it is solved: to save programs
    /// for measurements of the solvers. It is called on all threads.
    pub fn observe_programs(&mut self, observer: ProgramObserver) {
        self.workspace.program_observer = Some(observer);
    }

    /// Returns the number of listed pairs and the number of rebuilds of the list.
    pub fn neighbour_statistics(&self) -> (usize, u64) {
        (self.workspace.neighbours.list.len(), self.workspace.neighbours.rebuilds())
    }

    /// Returns the largest number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the number of threads that the next step uses.
    pub fn active_threads(&self) -> usize {
        if self.choice.next() == Execution::AllThreads { self.threads } else { 1 }
    }
}

/// Checks that a world has what a step needs: a time step, the laws of all materials that can meet,
/// and a measure of the table.
fn check_completeness(world: &World, table: &PairTable) -> Result<(), WorldError> {
    if !table.has(world.measure()) {
        let name = world.measure().name().to_owned();
        return Err(WorldError::Value(format!("no pair routine is registered for the measure `{name}`")));
    }
    world.check_laws()?;
    if world.time_step() == 0.0 {
        return Err(WorldError::Value("the time step must be set before the first step".into()));
    }
    Ok(())
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
    neighbours::update(workspace.execution, &mut workspace.neighbours, &workspace.table, world, 0.0);
    // A world that has not begun may have contacts of another world ([`World::inherit`]). Their
    // forces are known: an evaluation would advance their springs by a step that was not done.
    let keep_forces = world.evaluation != Evaluation::Outdated;
    step::evaluate(world, workspace, Preceding::None { keep_forces });
}
