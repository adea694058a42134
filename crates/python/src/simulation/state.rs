//! A simulation of a scene: the engine with the stages, inlets and guards of the scene, as the
//! program runs them.
//!
//! The state after a number of steps has the same bits as in `granum run`: everything that acts at a
//! step depends on the number of the step only (`crates/cli/src/run/session.rs`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use granum_engine::guard::Rule;
use granum_engine::{self as engine, Energy, Guards, Violation, World, WorldError};
use granum_output::Books;
use granum_reference::pair_table;
use granum_scene::{Program, ProgramState, Scene, SceneError};

use super::force::PyForce;

/// Wall time of the work between two looks at signals.
const SLICE: Duration = Duration::from_millis(30);

/// Messages of stages and inlets that are kept for the user.
const MOST_MESSAGES: usize = 1000;

/// The simulation without its arrays.
pub struct State {
    pub engine: engine::Simulation,
    /// The resolved scene.
    pub scene: Scene,
    pub program: Program,
    pub progress: ProgramState,
    pub guards: Guards,
    /// Text of the resolved scene.
    pub text: String,
    /// Energies at the start.
    pub start: Energy,
    pub books: Books,
    /// Messages of stages and inlets.
    pub messages: Vec<String>,
    /// Warnings that were not yet issued in Python.
    pub warnings: Vec<String>,
    /// Force of the user.
    pub force: Option<Arc<PyForce>>,
    /// Number of changes of the state: arrays of another version are outdated.
    pub version: u64,
    /// Number of changes of the list of bodies.
    pub body_version: u64,
    /// Steps in a slice, from the time of the last ones.
    batch: u64,
}

/// The reason why a simulation stops before the requested step.
pub enum Stop {
    /// A guard; the message contains the reason.
    Guard(&'static str, String),
    /// The run of the scene is over.
    Over,
}

impl State {
    /// Builds the world of a scene.
    pub fn new(mut scene: Scene, origin: &str, threads: usize) -> Result<Self, Problem> {
        let world = scene.build().map_err(Problem::Scene)?;
        let program = Program::new(&scene, &world).map_err(Problem::Scene)?;
        let simulation = engine::Simulation::with_table(world, threads, pair_table().clone());
        let simulation = simulation.map_err(Problem::World)?;
        scene.time.step = Some(program.schedule.time_step);
        scene.time.output = Some(program.schedule.output_interval());
        let text = text_of(&scene, origin)?;
        let start = simulation.energy();
        let mut state = Self::of(simulation, scene, program, text, start, Books::default());
        state.progress = state.program.start();
        state.begin();
        Ok(state)
    }

    /// Lets the first stage and the inlets act before the first step.
    pub fn begin(&mut self) {
        self.act();
        self.keep_books();
    }

    /// Puts the parts of a state together.
    pub fn of(
        engine: engine::Simulation,
        scene: Scene,
        program: Program,
        text: String,
        start: Energy,
        books: Books,
    ) -> Self {
        Self {
            guards: scene.guards(),
            engine,
            scene,
            program,
            progress: ProgramState::default(),
            text,
            start,
            books,
            messages: Vec::new(),
            warnings: Vec::new(),
            force: None,
            version: 1,
            body_version: 1,
            batch: 1,
        }
    }

    pub fn world(&self) -> &World {
        self.engine.world()
    }

    /// Records that the state has changed.
    pub fn touch(&mut self) {
        self.version += 1;
    }

    /// Records that bodies were added or removed, or that their kind of motion has changed.
    pub fn touch_bodies(&mut self) {
        self.version += 1;
        self.body_version += 1;
    }

    /// Advances towards a step for a slice of wall time, at least by one step. It ends at the end of
    /// the run of the scene if `ends_with_run`.
    pub fn advance(&mut self, target: u64, ends_with_run: bool) -> Result<(), Stop> {
        let begun = Instant::now();
        while self.world().steps() < target && begun.elapsed() < SLICE {
            let step = self.world().steps();
            if self.program.is_over(&self.progress, step) {
                if ends_with_run {
                    return Err(Stop::Over);
                }
                self.continue_beyond(target);
            }
            let schedule = &self.program.schedule;
            let event = self.program.next_event(&self.progress, step);
            let output = schedule.next_output(step);
            let frame = schedule.next_frame(step).unwrap_or(u64::MAX);
            let next = event.min(output).min(frame).min(self.guards.next_look(step)).max(step + 1);
            // A force function of Python may fail in any step.
            let most = if self.force.as_ref().is_some_and(|force| force.is_function()) { 1 } else { self.batch };
            let end = next.min(target).min(step + most);
            self.run_to(end);
            let reached = self.world().steps();
            if reached == next && next >= event {
                self.act();
            }
            let at_output = reached == next && self.program.schedule.is_output(reached);
            self.keep_books();
            if reached == next || reached < end {
                self.guard(at_output)?;
            }
            if self.force.as_ref().is_some_and(|force| force.has_failed()) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Runs the engine, at most to this step.
    fn run_to(&mut self, end: u64) {
        let step = self.world().steps();
        // Pressures are means since the last frame of the run.
        if self.books.framed == Some(step) {
            self.engine.restart_pressure();
        }
        let start = Instant::now();
        if self.guards.tunnelling == Rule::Stop {
            self.engine.run_until_passage(end - step);
        } else {
            self.engine.run(end - step);
        }
        // Half a slice at most, from the time of these steps.
        let each = start.elapsed().as_secs_f64() / (end - step) as f64;
        self.batch = ((0.5 * SLICE.as_secs_f64() / each.max(1e-9)) as u64).clamp(1, 10 * self.batch);
        self.touch();
    }

    /// Lets the stages, inlets and outlets of the scene act.
    fn act(&mut self) {
        let (bodies, grains) = (self.world().body_count(), self.world().grain_count());
        let messages = self.program.act(&mut self.progress, &mut self.engine);
        let has_changed =
            !messages.is_empty() || (bodies, grains) != (self.world().body_count(), self.world().grain_count());
        let room = MOST_MESSAGES.saturating_sub(self.messages.len());
        self.messages.extend(messages.into_iter().take(room));
        if has_changed {
            self.touch_bodies();
        }
    }

    /// Notes the steps at which the program would have written rows and frames.
    fn keep_books(&mut self) {
        let step = self.world().steps();
        let schedule = &self.program.schedule;
        if step == 0 || schedule.is_output(step) {
            self.books.recorded = Some(step);
        }
        if step == 0 || schedule.is_frame(step) {
            self.books.framed = Some(step);
        }
    }

    /// Continues beyond the end of the run of the scene: inlets and outlets go on.
    fn continue_beyond(&mut self, target: u64) {
        // Twice as far as needed, so that single steps seldom extend the schedule.
        let end = 2.0 * target as f64 * self.world().time_step();
        self.set_end(end);
    }

    /// Sets the time at which the run of the scene ends, s.
    pub fn set_end(&mut self, end: f64) {
        let mut scene = self.scene.clone();
        scene.time.end = Some(end);
        // The checks of the schedule do not depend on the end, so that this does not fail.
        if let Ok(program) = Program::new(&scene, self.world()) {
            self.program = program;
            self.progress.continue_after_last_stage();
        }
    }

    /// Checks the guards.
    fn guard(&mut self, with_ledger: bool) -> Result<(), Stop> {
        let passages = self.engine.take_passages();
        let world = self.engine.world();
        let mut violations: Vec<Violation> =
            self.guards.judge_passages(&passages, world.time_step()).into_iter().collect();
        violations.extend(self.guards.look(world));
        if with_ledger {
            violations.extend(self.guards.look_at_ledger(&self.engine.energy(), &self.start, world));
        }
        if let Some(found) = violations.iter().find(|found| found.rule == Rule::Stop) {
            return Err(Stop::Guard(found.guard.name(), self.message(found)));
        }
        for found in &violations {
            let name = found.guard.name();
            if !self.books.warnings.contains_key(name) {
                let message = self.message(found);
                self.warnings.push(format!("{message}; further warnings of this guard are only counted"));
            }
            *self.books.warnings.entry(name.to_owned()).or_default() += 1;
        }
        Ok(())
    }

    fn message(&self, violation: &Violation) -> String {
        let (world, name) = (self.world(), violation.guard.name());
        format!("guards.{name} at step {}, t = {:.6e} s: {}", world.steps(), world.time(), violation.message)
    }
}

/// The reason why a simulation cannot start.
pub enum Problem {
    Scene(SceneError),
    World(WorldError),
    Text(String),
}

/// Returns the text of a resolved scene with its origin as a comment.
pub fn text_of(scene: &Scene, origin: &str) -> Result<String, Problem> {
    let text = scene.to_toml().map_err(|error| Problem::Text(format!("cannot write the scene: {error}")))?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("# {origin} as run by granum {version}, in SI units and with all defaults.\n\n{text}"))
}
