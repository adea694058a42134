//! `summary.json`: what a run was and how fast.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use granum_engine::StageSeconds;
use granum_engine::percussion::Record;
use serde::{Deserialize, Serialize};

use crate::durable;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It came to its end.
    Completed,
    /// It was asked to stop before its end, and can be resumed.
    Interrupted,
    /// A guard stopped it: `guard.json` says why.
    Guard,
}

/// The figures of a run; the names are a contract with those who read the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Bodies, walls included.
    pub bodies: usize,
    /// Steps done since the start of the scene, those before a resumption included.
    pub steps: u64,
    /// Time step, s.
    pub dt: f64,
    /// Wall time from the first step to the last, output included, s. That between a checkpoint and a kill is lost.
    pub wall_seconds: f64,
    /// Bodies times steps over wall time.
    pub body_steps_per_second: f64,
    /// Wall time by stage, s; `output` is the time spent on files.
    pub seconds: BTreeMap<String, f64>,
    /// Contacts that carry a force at the end.
    pub contacts: usize,
    /// How it ended.
    pub status: Status,
    /// How often each guard has warned, by its name.
    pub warnings: BTreeMap<String, u64>,
    /// What became of the programs of a run by percussions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percussion: Option<Record>,
    /// Hash of every bit of the last state ([`crate::state_hash`]): the same for runs that ended alike.
    pub state_hash: String,
}

impl Summary {
    /// The seconds of a summary from the engine's stages and the time spent on output.
    pub fn seconds_of(stages: &StageSeconds, output: f64) -> BTreeMap<String, f64> {
        let stages = stages.named().into_iter().chain([("output", output)]);
        stages.map(|(name, seconds)| (name.to_owned(), seconds)).collect()
    }

    /// Writes the file, whole or not at all.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        durable::write_text(path, &text)
    }
}
