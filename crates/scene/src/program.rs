//! What a run does between steps, and when it is over (ADR 4): stages and inlets.

use granum_engine::{Simulation, World};
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::format::Scene;
use crate::inlet::{Inlet, InletState};
use crate::schedule::Schedule;
use crate::stage::Stage;

/// All that is done between the steps of a scene. It never changes; what changes is a [`ProgramState`].
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The time step, and when to write.
    pub schedule: Schedule,
    stages: Vec<Stage>,
    inlets: Vec<Inlet>,
}

/// How far a program has come. It is saved with the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramState {
    /// Number of the present stage.
    stage: usize,
    /// Step at which it began; none before.
    began: Option<u64>,
    /// Whether the last stage has ended.
    over: bool,
    /// The last step at which something was done: nothing is done twice, however often it is asked for.
    acted: Option<u64>,
    inlets: Vec<InletState>,
}

impl ProgramState {
    /// Number of the present stage, from 0.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// Grains that inlets have poured so far.
    pub fn poured(&self) -> u64 {
        self.inlets.iter().map(|inlet| inlet.poured).sum()
    }

    /// Lets a run whose last stage has ended go on to the end of its time.
    pub fn go_on(&mut self) {
        self.over = false;
    }
}

impl Program {
    /// The program of a scene and its world.
    pub fn new(scene: &Scene, world: &World) -> Result<Self, SceneError> {
        let schedule = Schedule::new(scene, world)?;
        let stages = scene.stages.iter().enumerate();
        let stages = stages.map(|(number, table)| Stage::new(number, table, schedule.time_step)).collect();
        Ok(Self { stages, inlets: Inlet::all(scene, world)?, schedule })
    }

    /// Where it starts.
    pub fn start(&self) -> ProgramState {
        ProgramState { inlets: vec![InletState::default(); self.inlets.len()], ..ProgramState::default() }
    }

    /// The next step after `step` at which [`Program::act`] has something to do, or the last step of the run.
    ///
    /// `act` is also to be called once before the first step: the first stage may begin with changes.
    pub fn next_event(&self, state: &ProgramState, step: u64) -> u64 {
        let of_stage = match (self.stages.get(state.stage), state.began) {
            (Some(_), None) => step + 1,
            (Some(stage), Some(began)) => stage.next_event(began, step),
            (None, _) => u64::MAX,
        };
        let of_inlet = |(inlet, state): (&Inlet, &InletState)| inlet.next_event(state, step, self.schedule.time_step);
        let of_inlets = self.inlets.iter().zip(&state.inlets).map(of_inlet);
        of_inlets.fold(of_stage, u64::min).min(self.schedule.last_step.max(step + 1))
    }

    /// Does what is due at the present step. What the user should be told comes back as sentences.
    pub fn act(&self, state: &mut ProgramState, simulation: &mut Simulation) -> Vec<String> {
        let step = simulation.world().step;
        let mut told = Vec::new();
        if state.acted == Some(step) || state.over {
            return told;
        }
        state.acted = Some(step);
        let all_poured = self.inlets.iter().zip(&state.inlets).all(|(_, inlet)| inlet.closed);
        while let Some(stage) = self.stages.get(state.stage) {
            let began = *state.began.get_or_insert_with(|| {
                told.extend(stage.begin(simulation));
                step
            });
            let Some(end) = stage.end(began, simulation, all_poured) else { break };
            told.extend(end);
            state.stage += 1;
            state.began = None;
            state.over = state.stage == self.stages.len();
        }
        if !state.over {
            for (inlet, state) in self.inlets.iter().zip(&mut state.inlets) {
                told.extend(inlet.pour(state, simulation));
            }
        }
        told
    }

    /// Whether the run is over at this step.
    pub fn is_over(&self, state: &ProgramState, step: u64) -> bool {
        state.over || step >= self.schedule.last_step
    }
}
