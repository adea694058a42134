//! `summary.json`: size, duration, speed and status of a run.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use granum_engine::StageSeconds;
use granum_engine::percussion::SolverStatistics;
use serde::{Deserialize, Serialize};

use crate::atomic_file;

/// The status in which a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It reached its end time.
    Completed,
    /// It was stopped before its end and can be resumed.
    Interrupted,
    /// A guard stopped it; `guard.json` has the reason.
    Guard,
}

/// The figures of a run. The names are a public contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of bodies, including walls and bodies that were removed during the run.
    pub bodies: usize,
    /// Number of steps since the start of the scene, including those before a resumption.
    pub steps: u64,
    /// Time step, s.
    pub dt: f64,
    /// Wall time from the first step to the last, including output, s. The time between a
    /// checkpoint and a kill is not counted.
    pub wall_seconds: f64,
    /// Number of bodies times number of steps, divided by the wall time, 1/s.
    pub body_steps_per_second: f64,
    /// Wall time by stage, s; `output` is the time spent on files.
    pub seconds: BTreeMap<String, f64>,
    /// Number of contacts that carry a force at the end.
    pub contacts: usize,
    /// Status at the end.
    pub status: Status,
    /// Number of warnings of each guard, by its name.
    pub warnings: BTreeMap<String, u64>,
    /// Statistics of the convex programs of a run with percussions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percussion: Option<SolverStatistics>,
    /// Hash of all bits of the final state ([`crate::state_hash`]). It is equal for runs with equal
    /// results.
    pub state_hash: String,
}

impl Summary {
    /// Returns the seconds by stage, from the stages of the engine and the time spent on output.
    pub fn seconds_of(stages: &StageSeconds, output: f64) -> BTreeMap<String, f64> {
        let stages = stages.named().into_iter().chain([("output", output)]);
        stages.map(|(name, seconds)| (name.to_owned(), seconds)).collect()
    }

    /// Writes the file atomically.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        atomic_file::write_text(path, &text)
    }
}
