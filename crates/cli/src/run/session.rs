//! The loop of a run: batches of steps, and between them the program of the scene, records, guards,
//! signals and checkpoints.
//!
//! All actions at a step depend on the number of the step only, never on the clock, so that a
//! resumed run repeats them exactly. Only checkpoints depend on the clock: they do not change the
//! state.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use granum_engine::guard::Rule;
use granum_engine::{Energy, Guards, Simulation, Snapshot};
use granum_output::{Books, Checkpoint, Checkpoints, FrameOptions, Summary};
use granum_scene::format::PictureTable;
use granum_scene::{Program, ProgramState};
use granum_viewer::Order;

use super::console::Console;
use super::progress::Progress;
use super::recorders::{Due, Recorders};
use super::signals::{Signal, Signals};
use super::viewing::Viewing;
use crate::Failure;
use crate::quote::quoted;
use crate::view::Opening;

/// A run in progress.
pub struct Session {
    pub simulation: Simulation,
    /// Stages and inlets of the scene.
    pub program: Program,
    /// Progress of the program.
    pub state: ProgramState,
    /// Conditions that stop the run.
    pub guards: Guards,
    /// Text of the resolved scene.
    pub scene: String,
    /// Energies at the start.
    pub start: Energy,
    /// Lengths of files, warnings and times, in total over all processes of the run.
    pub books: Books,
    /// Folder of the run.
    pub dir: PathBuf,
    pub checkpoints: Checkpoints,
    /// Files to which the run appends. They are opened after the first checkpoint exists.
    pub recorders: Recorders,
    /// Contents of frames.
    pub frames: FrameOptions,
    /// Picture of the final state, if the scene requests one.
    pub picture: Option<PictureTable>,
    /// Wall time between two checkpoints.
    pub checkpoint_every: Duration,
    pub console: Console,
}

/// The reason for which the loop ended.
pub(super) enum End {
    /// The program is over.
    Completed,
    /// A signal was received.
    Interrupted(Signal),
    /// The viewer has ordered it.
    Stopped,
    /// A guard stopped the run; the message contains the reason.
    Guard(String),
}

/// The data of a session that belong to this process only.
pub(super) struct Watch {
    signals: Signals,
    progress: Progress,
    begun: Instant,
    /// Time of the last checkpoint.
    saved: Instant,
    /// Step of the last checkpoint.
    pub(super) saved_step: Option<u64>,
    /// Wall time and times by stage in the books at the start of this process, s.
    before: (f64, BTreeMap<String, f64>),
    /// Time spent on files, s.
    written: f64,
    /// The viewer of this run, if there is one.
    pub(super) viewing: Option<Viewing>,
}

impl Session {
    /// Runs until the program is over, a signal is received or a guard stops the run.
    ///
    /// `is_saved` must be true if a checkpoint of the current step is on the disk. `view` shows the
    /// run in the browser.
    pub fn finish(mut self, is_saved: bool, view: Option<Opening>) -> Result<(), Failure> {
        let step = self.simulation.world().steps();
        let last_step = self.program.schedule.last_step;
        let progress = Progress::new(step, last_step, self.checkpoint_every, &self.console);
        self.console.set_bar(progress.bar());
        let signals = Signals::listen()
            .map_err(|error| Failure::Failed(format!("cannot install the signal handler: {error}")))?;
        let mut watch = Watch {
            signals,
            progress,
            begun: Instant::now(),
            saved: Instant::now(),
            saved_step: is_saved.then_some(step),
            before: (self.books.wall_seconds, self.books.seconds.clone()),
            written: 0.0,
            viewing: view.map(|view| Viewing::start(view, &self)).transpose()?,
        };
        let end = self.run(&mut watch);
        watch.progress.end();
        self.console.set_bar(None);
        if let Some(viewing) = &watch.viewing {
            viewing.end(self.simulation.world());
        }
        self.conclude(&mut watch, end?)?;
        if let Some(viewing) = &watch.viewing {
            viewing.linger(&watch.signals);
        }
        Ok(())
    }

    fn run(&mut self, watch: &mut Watch) -> Result<End, Failure> {
        // The first checkpoint is written before any other file, so that a run can always be
        // resumed.
        if watch.saved_step.is_none() {
            self.save(watch)?;
        }
        let frames = self.program.schedule.has_frames().then_some(self.frames);
        self.recorders = Recorders::open(&self.dir, self.start, &self.books, self.simulation.world(), frames)?;
        if self.books.recorded.is_none() {
            self.act();
            let snapshot = self.record(watch, Due { row: true, frame: true })?;
            if let Some(end) = self.guard(Some(&snapshot.energy))? {
                return Ok(end);
            }
        }
        loop {
            let step = self.simulation.world().steps();
            if self.program.is_over(&self.state, step) {
                return Ok(End::Completed);
            }
            if let Some(end) = self.handle_signals_and_checkpoints(watch)? {
                return Ok(end);
            }
            let event = self.program.next_event(&self.state, step);
            let output = self.program.schedule.next_output(step);
            let frame = self.program.schedule.next_frame(step).unwrap_or(u64::MAX);
            let target = event.min(output).min(frame).min(self.guards.next_look(step)).max(step + 1);
            if let Some(end) = self.advance(watch, target)? {
                return Ok(end);
            }
            if self.simulation.world().steps() < target {
                // Tunnelling ended the batch early, and its guard ends the run.
                if let Some(end) = self.guard(None)? {
                    return Ok(end);
                }
                continue;
            }
            if target >= event {
                self.act();
            }
            // A last state that is not at an output time is recorded by `conclude`.
            let schedule = &self.program.schedule;
            let due = Due { row: schedule.is_output(target), frame: schedule.is_frame(target) };
            let snapshot = if due.row || due.frame { Some(self.record(watch, due)?) } else { None };
            let ledger = snapshot.as_ref().filter(|_| due.row).map(|snapshot| &snapshot.energy);
            if let Some(end) = self.guard(ledger)? {
                return Ok(end);
            }
        }
    }

    /// Runs the steps up to `target`, unless a signal is received before.
    fn advance(&mut self, watch: &mut Watch, target: u64) -> Result<Option<End>, Failure> {
        // Pressures are means since the last frame. Between a frame and the next step the interval
        // is still the one of the frame, also for the final picture and in a checkpoint.
        if self.books.framed == Some(self.simulation.world().steps()) {
            self.simulation.restart_pressure();
        }
        loop {
            let left = target - self.simulation.world().steps();
            let batch = watch.progress.batch();
            let steps = watch.viewing.as_ref().map_or(batch, |viewing| viewing.batch(batch)).min(left);
            let start = Instant::now();
            let steps = if self.guards.tunnelling == Rule::Stop {
                let done = self.simulation.run_until_passage(steps);
                if done < steps {
                    return Ok(None);
                }
                done
            } else {
                self.simulation.run(steps);
                steps
            };
            watch.progress.advance(steps, start.elapsed(), self.simulation.world(), &self.console);
            if steps == left {
                return Ok(None);
            }
            if let Some(end) = self.handle_signals_and_checkpoints(watch)? {
                return Ok(Some(end));
            }
        }
    }

    /// Stops the run after a signal, and writes a checkpoint if it is due.
    fn handle_signals_and_checkpoints(&mut self, watch: &mut Watch) -> Result<Option<End>, Failure> {
        if let Some(signal) = watch.signals.pending() {
            self.save_if_sound(watch)?;
            return Ok(Some(End::Interrupted(signal)));
        }
        if watch.saved.elapsed() >= self.checkpoint_every {
            self.save_if_sound(watch)?;
        }
        let order = watch.viewing.as_ref().map(|viewing| viewing.obey(self.simulation.world(), &watch.signals));
        if order == Some(Order::Stop) {
            self.save_if_sound(watch)?;
            return Ok(Some(End::Stopped));
        }
        Ok(None)
    }

    /// Runs the program of the scene and prints its messages.
    fn act(&mut self) {
        for message in self.program.act(&mut self.state, &mut self.simulation) {
            self.console.line(&message);
        }
    }

    /// Records the current state.
    pub(super) fn record(&mut self, watch: &mut Watch, due: Due) -> Result<Snapshot, Failure> {
        let start = Instant::now();
        let snapshot = self.simulation.snapshot();
        let recorded = self.recorders.record(due, &snapshot, self.simulation.world().shapes());
        recorded.map_err(|(name, error)| unwritten(&self.dir, name, &error, watch.saved_step))?;
        if due.row {
            self.books.recorded = Some(snapshot.step);
        }
        if due.frame {
            self.books.framed = Some(snapshot.step);
        }
        watch.written += start.elapsed().as_secs_f64();
        Ok(snapshot)
    }

    /// Writes a checkpoint, unless a guard would stop the run: the last checkpoint must contain a
    /// valid state.
    pub(super) fn save_if_sound(&mut self, watch: &mut Watch) -> Result<(), Failure> {
        if watch.saved_step == Some(self.simulation.world().steps()) {
            watch.saved = Instant::now();
            return Ok(());
        }
        let is_sound = self.guards.look(self.simulation.world()).iter().all(|found| found.rule != Rule::Stop);
        if is_sound { self.save(watch) } else { Ok(()) }
    }

    /// Writes a checkpoint, after the records before it are on the disk.
    fn save(&mut self, watch: &mut Watch) -> Result<(), Failure> {
        let start = Instant::now();
        let settled = self.recorders.settle(&mut self.books);
        settled.map_err(|(name, error)| unwritten(&self.dir, name, &error, watch.saved_step))?;
        self.keep_time(watch);
        let saved = self.checkpoints.save(&self.checkpoint());
        saved.map_err(|error| unwritten(&self.dir, "checkpoint", &error, watch.saved_step))?;
        watch.saved_step = Some(self.simulation.world().steps());
        watch.saved = Instant::now();
        watch.written += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Returns the contents of a checkpoint of the present state.
    pub(super) fn checkpoint(&self) -> Checkpoint<'_, ProgramState> {
        Checkpoint {
            scene: Cow::Borrowed(self.scene.as_str()),
            program: Cow::Borrowed(&self.state),
            start: self.start,
            books: self.books.clone(),
            world: Cow::Borrowed(self.simulation.world()),
        }
    }

    /// Updates the times in the books.
    pub(super) fn keep_time(&mut self, watch: &Watch) {
        let (wall, seconds) = &watch.before;
        self.books.wall_seconds = wall + watch.begun.elapsed().as_secs_f64();
        self.books.seconds = Summary::seconds_of(&self.simulation.stage_seconds(), watch.written);
        for (stage, time) in &mut self.books.seconds {
            *time += seconds.get(stage).unwrap_or(&0.0);
        }
    }
}

/// Returns the failure to write a file of the run, with the command that continues from the last
/// checkpoint.
pub(super) fn unwritten(dir: &Path, name: &str, error: &io::Error, saved: Option<u64>) -> Failure {
    let failure = Failure::unwritable(&dir.join(name), error);
    match saved {
        Some(step) => Failure::Failed(format!(
            "{failure}\nthe run has stopped; its last checkpoint, of step {step}, is complete; when the disk has space, \
             `granum run --resume {}` continues with the same bits",
            quoted(dir)
        )),
        None => failure,
    }
}
