//! The loop of a run: steps, and between them what the scene's program, the recorders, the guards and the clock want.
//!
//! What is done at a step is decided by the step's number alone, never by the clock, so that a run that was stopped and
//! resumed does the same. Only checkpoints follow the clock: they change nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use granum_engine::guard::Rule;
use granum_engine::{Energy, Guards, Simulation, Snapshot};
use granum_output::{Books, Checkpoint, Checkpoints, FrameOptions, Summary};
use granum_scene::{Program, ProgramState};

use super::console::Console;
use super::progress::Progress;
use super::recorders::{Due, Recorders};
use super::signals::{Signal, Signals};
use crate::Failure;

/// A run under way.
pub struct Session {
    /// The world, moving.
    pub simulation: Simulation,
    /// What the scene does between steps.
    pub program: Program,
    /// How far it has come.
    pub state: ProgramState,
    /// When to stop by itself.
    pub guards: Guards,
    /// The scene as resolved.
    pub scene: String,
    /// The ledger at the start.
    pub start: Energy,
    /// What has been written, and how long it took, before this session and in it.
    pub books: Books,
    /// The run's folder.
    pub dir: PathBuf,
    /// Its checkpoints.
    pub checkpoints: Checkpoints,
    /// The files that grow with the run; opened when there is a checkpoint to go back to.
    pub recorders: Recorders,
    /// What frames hold.
    pub frames: FrameOptions,
    /// Wall time from one checkpoint to the next.
    pub checkpoint_every: Duration,
    /// Where to tell what.
    pub console: Console,
}

/// Why the loop ended.
pub(super) enum End {
    /// The program is over.
    Completed,
    /// A signal came.
    Interrupted(Signal),
    /// A guard stopped the run; the message says why.
    Guard(String),
}

/// The parts of a session that concern this process alone.
pub(super) struct Watch {
    signals: Signals,
    progress: Progress,
    begun: Instant,
    /// When the last checkpoint was written ...
    saved: Instant,
    /// ... and of which step.
    pub(super) saved_step: Option<u64>,
    /// What the books held when this process took over.
    before: (f64, BTreeMap<String, f64>),
    /// Time spent on files, s.
    written: f64,
}

impl Session {
    /// Runs to the end, or to whatever comes before it.
    ///
    /// `is_saved` says that a checkpoint of the present step is on the disk already.
    pub fn finish(mut self, is_saved: bool) -> Result<(), Failure> {
        let step = self.simulation.world().steps();
        let last_step = self.program.schedule.last_step;
        let progress = Progress::new(step, last_step, self.checkpoint_every, &self.console);
        self.console.set_bar(progress.bar());
        let signals = Signals::listen().map_err(|error| Failure::Failed(format!("cannot heed signals: {error}")))?;
        let mut watch = Watch {
            signals,
            progress,
            begun: Instant::now(),
            saved: Instant::now(),
            saved_step: is_saved.then_some(step),
            before: (self.books.wall_seconds, self.books.seconds.clone()),
            written: 0.0,
        };
        let end = self.run(&mut watch);
        watch.progress.end();
        self.console.set_bar(None);
        self.conclude(&mut watch, end?)
    }

    fn run(&mut self, watch: &mut Watch) -> Result<End, Failure> {
        // Before anything else is written there is a checkpoint to go back to.
        if watch.saved_step.is_none() {
            self.save(watch)?;
        }
        let materials = self.simulation.world().materials().iter().map(|material| material.name.clone()).collect();
        let frames = self.program.schedule.has_frames().then_some((self.frames, materials));
        self.recorders = Recorders::open(&self.dir, self.start, &self.books, frames)?;
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
            if let Some(end) = self.look_at_the_clock(watch)? {
                return Ok(end);
            }
            let event = self.program.next_event(&self.state, step);
            let output = self.program.schedule.next_output(step);
            let frame = self.program.schedule.next_frame(step).unwrap_or(u64::MAX);
            let target = event.min(output).min(frame).min(self.guards.next_look(step)).max(step + 1);
            if let Some(end) = self.advance(watch, target)? {
                return Ok(end);
            }
            if target >= event {
                self.act();
            }
            // A last state at an odd time is recorded when the run is concluded.
            let schedule = &self.program.schedule;
            let due = Due { row: schedule.is_output(target), frame: schedule.is_frame(target) };
            let snapshot = if due.row || due.frame { Some(self.record(watch, due)?) } else { None };
            let ledger = snapshot.as_ref().filter(|_| due.row).map(|snapshot| &snapshot.energy);
            if let Some(end) = self.guard(ledger)? {
                return Ok(end);
            }
        }
    }

    /// Does the steps up to `target`, unless a signal comes before it.
    fn advance(&mut self, watch: &mut Watch, target: u64) -> Result<Option<End>, Failure> {
        loop {
            let left = target - self.simulation.world().steps();
            let steps = watch.progress.stretch().min(left);
            let start = Instant::now();
            self.simulation.run(steps);
            watch.progress.advance(steps, start.elapsed(), self.simulation.world(), &self.console);
            if steps == left {
                return Ok(None);
            }
            if let Some(end) = self.look_at_the_clock(watch)? {
                return Ok(Some(end));
            }
        }
    }

    /// What may be done between any two steps at which nothing else is due: stop, or save.
    fn look_at_the_clock(&mut self, watch: &mut Watch) -> Result<Option<End>, Failure> {
        if let Some(signal) = watch.signals.pending() {
            self.save_if_sound(watch)?;
            return Ok(Some(End::Interrupted(signal)));
        }
        if watch.saved.elapsed() >= self.checkpoint_every {
            self.save_if_sound(watch)?;
        }
        Ok(None)
    }

    fn act(&mut self) {
        for sentence in self.program.act(&mut self.state, &mut self.simulation) {
            self.console.line(&sentence);
        }
    }

    /// Records the present state.
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

    /// Saves, unless a guard is about to stop the run: then the last state that was sound is the one to keep.
    pub(super) fn save_if_sound(&mut self, watch: &mut Watch) -> Result<(), Failure> {
        if watch.saved_step == Some(self.simulation.world().steps()) {
            watch.saved = Instant::now();
            return Ok(());
        }
        let is_sound = self.guards.look(self.simulation.world()).iter().all(|found| found.rule != Rule::Stop);
        if is_sound { self.save(watch) } else { Ok(()) }
    }

    /// Writes a checkpoint, after all that it vouches for is on the disk.
    fn save(&mut self, watch: &mut Watch) -> Result<(), Failure> {
        let start = Instant::now();
        let settled = self.recorders.settle(&mut self.books);
        settled.map_err(|(name, error)| unwritten(&self.dir, name, &error, watch.saved_step))?;
        self.keep_time(watch);
        let checkpoint = Checkpoint {
            scene: Cow::Borrowed(self.scene.as_str()),
            program: Cow::Borrowed(&self.state),
            start: self.start,
            books: self.books.clone(),
            world: Cow::Borrowed(self.simulation.world()),
        };
        let saved = self.checkpoints.save(&checkpoint);
        saved.map_err(|error| unwritten(&self.dir, "checkpoint", &error, watch.saved_step))?;
        watch.saved_step = Some(self.simulation.world().steps());
        watch.saved = Instant::now();
        watch.written += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Brings the times in the books up to now.
    pub(super) fn keep_time(&mut self, watch: &Watch) {
        let (wall, seconds) = &watch.before;
        self.books.wall_seconds = wall + watch.begun.elapsed().as_secs_f64();
        self.books.seconds = Summary::seconds_of(&self.simulation.stage_seconds(), watch.written);
        for (stage, time) in &mut self.books.seconds {
            *time += seconds.get(stage).unwrap_or(&0.0);
        }
    }
}

/// A file of the run that could not be written: what the run has saved, and how to go on.
pub(super) fn unwritten(dir: &Path, name: &str, error: &io::Error, saved: Option<u64>) -> Failure {
    let failure = Failure::unwritable(&dir.join(name), error);
    match saved {
        Some(step) => Failure::Failed(format!(
            "{failure}\nthe run has stopped; its last checkpoint, of step {step}, is whole: when there is room, \
             `granum run --resume {}` goes on with the same bits",
            dir.display()
        )),
        None => failure,
    }
}
