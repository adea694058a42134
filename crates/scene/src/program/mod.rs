//! The program of a run: the stages and inlets that act between time steps, and the end of the run
//! (ADR 4).

pub mod inlet;
pub mod schedule;
mod stage;

use granum_engine::{Simulation, World};
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::format::Scene;
use inlet::{Inlet, InletState};
use schedule::Schedule;
use stage::Stage;

/// Number of steps between two counts of the grains that pass outlets and flow planes: those
/// between two calls of an inlet, so that a removed grain seldom requires its own neighbour list.
const FLOW_EVERY: u64 = inlet::EVERY;

/// The stages and inlets of a scene. It does not change during a run; [`ProgramState`] does.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Time step, and the steps at which output is written.
    pub schedule: Schedule,
    stages: Vec<Stage>,
    inlets: Vec<Inlet>,
    /// True if the world has outlets or flow planes.
    has_flow: bool,
}

/// Progress of a program. It is saved with the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramState {
    /// Index of the current stage.
    stage: usize,
    /// Step at which the current stage began; `None` if it has not begun.
    began: Option<u64>,
    /// True after the last stage has ended.
    over: bool,
    /// Last step at which the program acted: a second call at the same step has no effect.
    acted: Option<u64>,
    inlets: Vec<InletState>,
}

impl ProgramState {
    /// Returns the index of the current stage, from 0.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// Returns the number of grains that inlets have added so far.
    pub fn poured(&self) -> u64 {
        self.inlets.iter().map(|inlet| inlet.poured).sum()
    }

    /// Lets a run whose last stage has ended continue until its end time.
    pub fn continue_after_last_stage(&mut self) {
        self.over = false;
    }
}

impl Program {
    /// Creates the program of a scene and its world.
    pub fn new(scene: &Scene, world: &World) -> Result<Self, SceneError> {
        let schedule = Schedule::new(scene, world)?;
        let stages = scene.stages.iter().enumerate();
        let stage = |(number, table)| {
            let stage = Stage::new(number, table, schedule.time_step, scene.is_planar());
            stage.map_err(|error| scene.source.error(&format!("stages[{number}].motion"), error.to_string()))
        };
        let stages = stages.map(stage).collect::<Result<_, _>>()?;
        let has_flow = world.flow_states().next().is_some();
        Ok(Self { stages, inlets: Inlet::all(scene, world)?, has_flow, schedule })
    }

    /// Returns the state at the start of a run.
    pub fn start(&self) -> ProgramState {
        ProgramState { inlets: vec![InletState::default(); self.inlets.len()], ..ProgramState::default() }
    }

    /// Returns the next step after `step` at which [`Program::act`] must be called, at most the
    /// last step of the run.
    ///
    /// `act` must also be called before the first step, because the first stage may begin with
    /// changes.
    pub fn next_event(&self, state: &ProgramState, step: u64) -> u64 {
        let of_stage = match (self.stages.get(state.stage), state.began) {
            (Some(_), None) => step + 1,
            (Some(stage), Some(began)) => stage.next_event(began, step),
            (None, _) => u64::MAX,
        };
        let of_inlet = |(inlet, state): (&Inlet, &InletState)| inlet.next_event(state, step, self.schedule.time_step);
        let of_inlets = self.inlets.iter().zip(&state.inlets).map(of_inlet);
        let of_flow = if self.has_flow { (step + 1).next_multiple_of(FLOW_EVERY) } else { u64::MAX };
        of_inlets.fold(of_stage, u64::min).min(of_flow).min(self.schedule.last_step.max(step + 1))
    }

    /// Begins and ends stages, counts grains at flow planes, removes them at outlets and adds them
    /// at inlets, as due at the current step. Returns messages for the user.
    pub fn act(&self, state: &mut ProgramState, simulation: &mut Simulation) -> Vec<String> {
        let step = simulation.world().steps();
        let mut messages = Vec::new();
        if state.acted == Some(step) || state.over {
            return messages;
        }
        state.acted = Some(step);
        let all_poured = self.inlets.iter().zip(&state.inlets).all(|(_, inlet)| inlet.closed);
        while let Some(stage) = self.stages.get(state.stage) {
            let began = *state.began.get_or_insert_with(|| {
                messages.push(stage.begin(simulation));
                step
            });
            let Some(end) = stage.end(began, simulation, all_poured) else { break };
            messages.extend(end);
            state.stage += 1;
            state.began = None;
            state.over = state.stage == self.stages.len();
        }
        // Grains that have left make room for those of the inlets.
        if self.has_flow && step.is_multiple_of(FLOW_EVERY) {
            simulation.count_flow();
        }
        if !state.over {
            for (inlet, state) in self.inlets.iter().zip(&mut state.inlets) {
                messages.extend(inlet.pour(state, simulation));
            }
        }
        messages
    }

    /// Returns whether the run is over at this step.
    pub fn is_over(&self, state: &ProgramState, step: u64) -> bool {
        state.over || step >= self.schedule.last_step
    }
}
