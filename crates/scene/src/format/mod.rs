//! The keys of a scene file, in SI units, with their defaults.
//!
//! There is one struct for each table. Its doc comments are the descriptions of the JSON schema and
//! of the scene reference, so they address users. Checks that serde cannot make are in `check/`.

mod contact;
mod fill;
mod flow;
mod forces;
mod grains;
mod guards;
mod guide;
mod motion;
mod picture;
mod response;
mod stages;
mod surfaces;
mod walls;

pub use contact::{ContactModel, ContactTable, Ends, MaterialTable, NormalName, TangentialName};
pub use fill::{Arrangement, FillTable};
pub use flow::FlowPlaneTable;
pub use forces::ForceTable;
pub use grains::{GrainTable, Grains, InletTable, Lattice, RandomBox};
pub use guards::GuardTable;
pub use guide::{FreeTable, ServoTable};
pub use motion::{DisplacementTable, MotionTable, Motions, RampPoint};
pub use picture::{ColourName, PictureTable, SurfaceColourName, ViewName};
pub use response::{FrictionName, PercussionTable, ResponseName, SolverName};
pub use stages::{StageTable, UntilTable};
pub use surfaces::{RotationTable, SurfaceError, SurfaceShape, SurfaceSource, placed};
pub use walls::{Container, Face, Wall};

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::source::Source;
use crate::value::quantity::{self, Acceleration, Quantity, Time};

/// Version of the scene format that this granum reads.
pub const VERSION: u32 = 1;

/// A scene that has been read and checked. All quantities are in SI units.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Version of the scene format.
    #[serde(default = "version")]
    pub version: u32,
    /// Scene files to read before this one, relative to its folder. Keys of this file override
    /// them; lists of tables are joined.
    #[serde(default, skip_serializing)]
    pub include: Vec<String>,
    /// Title of the scene. It has no effect on the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Number of dimensions: 3, or 2 for a planar scene. In a planar scene vectors have two
    /// components, spins are numbers, and down is -y.
    #[serde(default = "space", skip_serializing_if = "is_space")]
    pub dimension: u8,
    /// Acceleration of gravity, m/s². Default of a planar scene: [0, -9.81].
    #[serde(default = "earth", deserialize_with = "quantity::vector::<Acceleration, _>")]
    #[schemars(with = "[Quantity<Acceleration>; 3]")]
    pub gravity: DVec3,
    /// Measure of the overlap of two bodies. Percussions always use the depth.
    #[serde(default)]
    pub contact_model: ContactModel,
    /// Response of bodies to contacts: forces that follow from the overlap, or percussions
    /// (impulses) once per step.
    #[serde(default, skip_serializing_if = "ResponseName::is_smooth")]
    pub response: ResponseName,
    /// Settings of `response = "percussion"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percussion: Option<PercussionTable>,
    /// Forces on all grains that depend on their positions. They need `response = "percussion"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<ForceTable>,
    /// Duration, time step and output interval.
    pub time: TimeTable,
    /// Frames, which are written in addition to the tables of results.
    #[serde(default)]
    pub output: OutputTable,
    /// Materials by name.
    pub materials: BTreeMap<String, MaterialTable>,
    /// Contact laws of pairs of materials. There must be one for every two materials whose bodies
    /// can touch.
    #[serde(default)]
    pub contact: Vec<ContactTable>,
    /// Box of fixed plane walls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Container>,
    /// Walls and obstacles of any shape.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<Wall>,
    /// Triangulated surfaces: terrain and parts of machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<SurfaceSource>,
    /// Groups of grains. At least one is required.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grains: Vec<Grains>,
    /// Planes that remove the grains beyond them during the run and count them in `flow.csv`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlets: Vec<FlowPlaneTable>,
    /// Planes that count the grains that pass them during the run, in `flow.csv`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flow_planes: Vec<FlowPlaneTable>,
    /// Conditions under which the run stops or prints a warning.
    #[serde(default)]
    pub guards: GuardTable,
    /// Stages of the run, one after the other. Default: a single stage until `time.end`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageTable>,
    /// Positions of the fields in the files.
    #[serde(skip)]
    pub(crate) source: Source,
    /// Notes about the files of the scene, for the user.
    #[serde(skip)]
    pub(crate) notes: Vec<String>,
}

impl Scene {
    /// Returns whether the scene lies in the plane z = 0.
    pub fn is_planar(&self) -> bool {
        self.dimension == 2
    }

    /// Returns notes about the files of the scene, such as a surface that its convex hull replaces.
    /// [`Scene::warnings`] contains them.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the time at which the run ends, s: `time.end`, or else the sum of the longest
    /// durations of all stages.
    pub fn end_time(&self) -> f64 {
        self.time.end.unwrap_or_else(|| self.stages.iter().map(StageTable::longest).sum())
    }

    /// Returns the faces of a container; a planar one has neither front nor back.
    pub fn faces(&self) -> &'static [Face] {
        if self.is_planar() { &Face::PLANAR } else { &Face::ALL }
    }
}

/// `[time]`: duration, time step and output interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeTable {
    /// Time at which the run ends, s; positive. Required without stages. Default with stages: the
    /// sum of their longest durations.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub end: Option<f64>,
    /// Time step, s; positive. Default, also as `"auto"`: the recommended time step, shortened so
    /// that the output interval is a whole number of steps.
    #[serde(default, deserialize_with = "quantity::auto_or_time", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub step: Option<f64>,
    /// Time between two rows of the result tables, s; at least one time step. Default: a hundredth
    /// of `end`.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub output: Option<f64>,
}

/// `[output]`: the frames, which ParaView and `granum render` show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputTable {
    /// Time between two frames, s, at least one time step; or `"never"` for no frames. Default:
    /// `time.output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub frames: Option<FrameInterval>,
    /// If true, frames contain the contacts with their forces.
    #[serde(default = "yes")]
    pub contacts: bool,
    /// If true, frames contain the triangulated surfaces of all bodies. Such frames are large.
    #[serde(default)]
    pub surfaces: bool,
    /// Picture of the final state, written as `picture.png` at the end of the run. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureTable>,
}

/// Interval between the frames of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameInterval {
    /// Time between two frames, s.
    Every(f64),
    /// No frames.
    Never,
}

impl Default for OutputTable {
    fn default() -> Self {
        Self { frames: None, contacts: true, surfaces: false, picture: None }
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
