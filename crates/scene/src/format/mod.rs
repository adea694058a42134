//! The fields of a scene file, in SI units, with their defaults.
//!
//! One structure a table, one file a subject; the crate's documentation shows a scene. What serde cannot check is checked in `check.rs`.

mod contact;
mod grains;
mod response;
mod stages;
mod walls;

pub use contact::{ContactModel, ContactTable, Ends, MaterialTable, NormalName, TangentialName};
pub use grains::{GrainTable, Grains, InletTable, Lattice, RandomBox};
pub use response::{FrictionName, PercussionTable, ResponseName, SolverName};
pub use stages::{StageTable, UntilTable};
pub use walls::{Container, Face, MotionTable, Wall};

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::force_table::ForceTable;
use crate::guards::GuardTable;
use crate::quantity::{self, Acceleration, Quantity, Time};
use crate::source::Source;

/// The version of the scene format that this granum reads.
pub const VERSION: u32 = 1;

/// A scene that has been read and checked. Every quantity is in SI units.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Version of the scene format; 1 if not given.
    #[serde(default = "version")]
    pub version: u32,
    /// Scene files to read first, relative to this one. What stands here wins; lists of tables are joined.
    #[serde(default, skip_serializing)]
    pub include: Vec<String>,
    /// What the scene shows, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// 3, or 2 for a planar scene: its vectors have two components, its spins are numbers, and down is -y.
    #[serde(default = "space", skip_serializing_if = "is_space")]
    pub dimension: u8,
    /// Acceleration of gravity, m/s².
    #[serde(default = "earth", deserialize_with = "quantity::vector::<Acceleration, _>")]
    #[schemars(with = "[Quantity<Acceleration>; 3]")]
    pub gravity: DVec3,
    /// What the overlap of two grains is measured by; percussions take the depth.
    #[serde(default)]
    pub contact_model: ContactModel,
    /// How bodies answer each other: by forces from their overlap, or by percussions at one instant of each step.
    #[serde(default, skip_serializing_if = "ResponseName::is_smooth")]
    pub response: ResponseName,
    /// How percussions are found, where `response = "percussion"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percussion: Option<PercussionTable>,
    /// Forces on all grains that depend on where they are, where `response = "percussion"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<ForceTable>,
    /// How long, in what steps, and how often something is written.
    pub time: TimeTable,
    /// What is written besides the tables.
    #[serde(default)]
    pub output: OutputTable,
    /// The materials by name.
    pub materials: BTreeMap<String, MaterialTable>,
    /// How pairs of materials push each other.
    #[serde(default)]
    pub contact: Vec<ContactTable>,
    /// A box of walls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Container>,
    /// Single walls and obstacles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<Wall>,
    /// The grains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grains: Vec<Grains>,
    /// When the run is to stop by itself.
    #[serde(default)]
    pub guards: GuardTable,
    /// What happens one after the other; one stage to the end of the run if not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageTable>,
    /// Where the fields stand in the file.
    #[serde(skip)]
    pub(crate) source: Source,
}

impl Scene {
    /// Whether the scene lies in the plane z = 0.
    pub fn is_planar(&self) -> bool {
        self.dimension == 2
    }

    /// Returns the time at which the run ends, s: `time.end`, or else the sum of the longest
    /// durations of all stages.
    pub fn end_time(&self) -> f64 {
        self.time.end.unwrap_or_else(|| self.stages.iter().map(StageTable::longest).sum())
    }

    /// The faces that a container has: a planar one has neither front nor back.
    pub fn faces(&self) -> &'static [Face] {
        if self.is_planar() { &Face::PLANAR } else { &Face::ALL }
    }
}

/// `[time]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeTable {
    /// When the run ends, s; with stages that of the last stage if not given.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub end: Option<f64>,
    /// Time step, s; none, or `"auto"`, for the one the engine advises.
    #[serde(default, deserialize_with = "quantity::auto_or_time", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub step: Option<f64>,
    /// Time between two rows of output, s; a hundredth of `end` if not given.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub output: Option<f64>,
}

/// `[output]`: the frames, which ParaView and granum's own pictures show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputTable {
    /// Time between two frames, s, or `"never"` for no frames. Default: `time.output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub frames: Option<FrameInterval>,
    /// Whether frames hold the contacts with their forces.
    #[serde(default = "yes")]
    pub contacts: bool,
    /// Whether frames hold the triangulated surfaces of all bodies; they are large.
    #[serde(default)]
    pub surfaces: bool,
}

/// Interval between the frames of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameInterval {
    /// One frame each time this many seconds have passed.
    Every(f64),
    /// No frames.
    Never,
}

impl Default for OutputTable {
    fn default() -> Self {
        Self { frames: None, contacts: true, surfaces: false }
    }
}

fn version() -> u32 {
    VERSION
}

fn space() -> u8 {
    3
}

fn is_space(dimension: &u8) -> bool {
    *dimension == space()
}

fn earth() -> DVec3 {
    DVec3::new(0.0, 0.0, -9.81)
}

fn yes() -> bool {
    true
}
