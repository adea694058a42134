//! The time step of a run, and the steps after which something is written.

use granum_engine::{TimeStepAdvice, World};

use crate::error::SceneError;
use crate::format::{FrameInterval, Scene};

/// Rows of output in a scene that does not say how many.
pub(crate) const DEFAULT_OUTPUTS: f64 = 100.0;

/// Steps between two outputs where nothing can collide, so that nothing sets the step.
const STEPS_IF_FREE: f64 = 100.0;

/// Most steps in a run: beyond it, step numbers are no longer exact in a double, and no run ends.
const MOST_STEPS: f64 = 1e15;

/// How often to do what.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Time step, s.
    pub time_step: f64,
    /// Where it comes from, as a sentence.
    pub reason: String,
    /// What the user should know about the step, if anything.
    pub warning: Option<String>,
    /// Number of the last step.
    pub last_step: u64,
    /// Interval between rows of output, s.
    output: f64,
    /// Interval between frames, s; `None` without frames.
    frames: Option<f64>,
}

impl Schedule {
    /// The schedule of a scene and its world.
    ///
    /// An automatic step is shortened a little, so that a whole number of them makes an output interval.
    pub fn new(scene: &Scene, world: &World) -> Result<Self, SceneError> {
        let source = &scene.source;
        let advice = TimeStepAdvice::with(world, &scene.coming(world)?);
        let output = scene.time.output.unwrap_or(scene.end_time() / DEFAULT_OUTPUTS);
        let (time_step, reason, warning) = match scene.time.step {
            Some(step) => {
                let reason = format!("as the scene says; advised are {:.3e} s: {}", advice.recommended, advice.reason);
                (step, reason, advice.warning(step))
            }
            None if advice.recommended.is_infinite() => (output / STEPS_IF_FREE, advice.reason, None),
            None => (output / (output / advice.recommended).ceil(), advice.reason, None),
        };
        let steps = (scene.end_time() / time_step).round();
        if output < time_step {
            let reason = format!("must be at least a time step, {time_step:.3e} s, not {output} s");
            return Err(source.fault("time.output", reason));
        }
        let frames = match scene.output.frames {
            None => Some(output),
            Some(FrameInterval::Every(interval)) => Some(interval),
            Some(FrameInterval::Never) => None,
        };
        if let Some(frames) = frames.filter(|frames| *frames < time_step) {
            let reason = format!("must be at least a time step, {time_step:.3e} s, not {frames} s");
            return Err(source.fault("output.frames", reason));
        }
        if steps > MOST_STEPS {
            let reason = format!("takes {steps:.1e} steps of {time_step:.3e} s; the most is {MOST_STEPS:.0e}");
            return Err(source.fault("time.end", reason));
        }
        Ok(Self { time_step, reason, warning, last_step: (steps as u64).max(1), output, frames })
    }

    /// Whether `step` is one at which to write, whenever the run ends.
    pub fn is_output(&self, step: u64) -> bool {
        self.is_at(step, self.output)
    }

    /// Whether `step` is one at which to write a frame, whenever the run ends.
    pub fn is_frame(&self, step: u64) -> bool {
        self.frames.is_some_and(|interval| self.is_at(step, interval))
    }

    /// The first step after `step` at which to write: the nearest to a whole number of intervals, or the last.
    pub fn next_output(&self, step: u64) -> u64 {
        self.next(step, self.output)
    }

    /// Whether frames are written at all; the first belongs to the start.
    pub fn has_frames(&self) -> bool {
        self.frames.is_some()
    }

    /// How many frames a run to the end writes.
    pub fn frames(&self) -> u64 {
        self.frames.map_or(0, |interval| (self.last_step as f64 * self.time_step / interval).round() as u64 + 1)
    }

    /// The first step after `step` at which to write a frame, if any are written.
    pub fn next_frame(&self, step: u64) -> Option<u64> {
        self.frames.map(|interval| self.next(step, interval))
    }

    fn is_at(&self, step: u64, interval: f64) -> bool {
        let step_of = |number: f64| (number * interval / self.time_step).round() as u64;
        step_of((step as f64 * self.time_step / interval).round()) == step
    }

    fn next(&self, step: u64, interval: f64) -> u64 {
        let step_of = |number: f64| (number * interval / self.time_step).round() as u64;
        let mut number = (step as f64 * self.time_step / interval).floor();
        while step_of(number) <= step {
            number += 1.0;
        }
        step_of(number).min(self.last_step)
    }
}
