//! The time step of a run, and the steps at which output is written.

use granum_engine::guard::Rule;
use granum_engine::{Passage, TimeStepAdvice, World};

use crate::error::SceneError;
use crate::format::{FrameInterval, Scene};

/// Default number of output intervals in a run.
pub(crate) const DEFAULT_OUTPUTS: f64 = 100.0;

/// Steps per output interval if no bodies can collide, so that no contact determines the time step.
const STEPS_IF_FREE: f64 = 100.0;

/// Largest number of steps in a run. Up to it, step numbers are exact in a double.
const MOST_STEPS: f64 = 1e15;

/// The time step and the output intervals of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Time step, s.
    pub time_step: f64,
    /// Origin of the time step, as a sentence for the user.
    pub reason: String,
    /// Warning about a time step that is too long.
    pub warning: Option<String>,
    /// Number of the last step.
    pub last_step: u64,
    /// Interval between rows of output, s.
    output: f64,
    /// Interval between frames, s; `None` without frames.
    frames: Option<f64>,
}

impl Scene {
    /// Returns the warning that grains may pass through other bodies at the greatest speed that is
    /// expected, for a time step, s. There is none if the guard against tunnelling is off.
    pub fn tunnelling_warning(&self, world: &World, time_step: f64) -> Result<Option<String>, SceneError> {
        if self.guards.tunnelling == Rule::Off {
            return Ok(None);
        }
        let forecast = Passage::forecast(world, &self.incoming_grains(world)?, time_step);
        Ok(forecast.map(|passage| passage.warning(time_step, self.guards.overlap_limit)))
    }
}

impl Schedule {
    /// Creates the schedule of a scene and its world.
    ///
    /// An automatic time step is shortened so that an output interval is a whole number of steps.
    pub fn new(scene: &Scene, world: &World) -> Result<Self, SceneError> {
        let source = &scene.source;
        let advice = TimeStepAdvice::with(world, &scene.incoming_grains(world)?);
        let output = scene.time.output.unwrap_or(scene.end_time() / DEFAULT_OUTPUTS);
        let (time_step, reason, warning) = match scene.time.step {
            Some(step) => {
                let reason = format!("set by the scene; recommended: {:.3e} s ({})", advice.recommended, advice.reason);
                (step, reason, advice.warning(step))
            }
            None if advice.recommended.is_infinite() => (output / STEPS_IF_FREE, advice.reason, None),
            None => {
                let step = output / (output / advice.recommended).ceil();
                // The contacts do not explain a step that is shorter than they need.
                let reason = if output < advice.recommended {
                    format!("an output interval; recommended: {:.3e} s ({})", advice.recommended, advice.reason)
                } else {
                    advice.reason
                };
                (step, reason, None)
            }
        };
        let steps = (scene.end_time() / time_step).round();
        // The default is a fraction of the duration, and a run of a few long steps has one row for
        // each. An interval that the user has set is never changed.
        let output = if source.has("time.output") { output } else { output.max(time_step) };
        if output < time_step {
            let reason = format!("must be at least one time step, {time_step:.3e} s, not {output} s");
            return Err(source.error("time.output", reason));
        }
        let frames = match scene.output.frames {
            None => Some(output),
            Some(FrameInterval::Every(interval)) => Some(interval),
            Some(FrameInterval::Never) => None,
        };
        if let Some(frames) = frames.filter(|frames| *frames < time_step) {
            let reason = format!("must be at least one time step, {time_step:.3e} s, not {frames} s");
            return Err(source.error("output.frames", reason));
        }
        if steps > MOST_STEPS {
            let reason = format!("takes {steps:.1e} steps of {time_step:.3e} s; at most {MOST_STEPS:.0e} are possible");
            return Err(source.error("time.end", reason));
        }
        Ok(Self { time_step, reason, warning, last_step: (steps as u64).max(1), output, frames })
    }

    /// Returns the interval between rows of output, s.
    pub fn output_interval(&self) -> f64 {
        self.output
    }

    /// Returns whether a row of output belongs to `step`. It does not depend on the end of the run.
    pub fn is_output(&self, step: u64) -> bool {
        self.is_at(step, self.output)
    }

    /// Returns whether a frame belongs to `step`. It does not depend on the end of the run.
    pub fn is_frame(&self, step: u64) -> bool {
        self.frames.is_some_and(|interval| self.is_at(step, interval))
    }

    /// Returns the first step after `step` with a row of output: that nearest to a multiple of the
    /// interval, or the last step.
    pub fn next_output(&self, step: u64) -> u64 {
        self.next(step, self.output)
    }

    /// Returns whether frames are written. The first one shows the start.
    pub fn has_frames(&self) -> bool {
        self.frames.is_some()
    }

    /// Returns the number of frames of a complete run.
    pub fn frames(&self) -> u64 {
        self.frames.map_or(0, |interval| (self.last_step as f64 * self.time_step / interval).round() as u64 + 1)
    }

    /// Returns the first step after `step` with a frame; `None` without frames.
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
