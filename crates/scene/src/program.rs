//! What a run does between steps, and when it is over (ADR 4).

use granum_engine::{Simulation, World};
use serde::{Deserialize, Serialize};

use crate::format::Scene;
use crate::schedule::Schedule;
use crate::source::SceneError;

/// All that is done between the steps of a scene. It never changes; what changes is a [`ProgramState`].
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The time step, and when to write.
    pub schedule: Schedule,
}

/// How far a program has come. It is saved with the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramState {}

impl Program {
    /// The program of a scene and its world.
    pub fn new(scene: &Scene, world: &World) -> Result<Self, SceneError> {
        Ok(Self { schedule: Schedule::new(scene, world)? })
    }

    /// Where it starts.
    pub fn start(&self) -> ProgramState {
        ProgramState {}
    }

    /// The next step after `step` at which [`Program::act`] has something to do, or the last step of the run.
    pub fn next_event(&self, _state: &ProgramState, _step: u64) -> u64 {
        self.schedule.last_step
    }

    /// Does what is due at the present step. What the user should be told comes back as sentences.
    pub fn act(&self, _state: &mut ProgramState, _simulation: &mut Simulation) -> Vec<String> {
        Vec::new()
    }

    /// Whether the run is over at this step.
    pub fn is_over(&self, _state: &ProgramState, step: u64) -> bool {
        step >= self.schedule.last_step
    }
}
