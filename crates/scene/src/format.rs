//! The fields of a scene file, in SI units, with their defaults.
//!
//! One structure a table; the crate's documentation shows a scene. What serde cannot check is checked in `check.rs`.

use std::collections::BTreeMap;

use glam::DVec3;
use granum_geometry::Measure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::distribution::Number;
use crate::force_table::ForceTable;
use crate::guards::GuardTable;
use crate::orientation::Orientation;
use crate::quantity::{
    self, Acceleration, Angle, Density, Energy, Frequency, Length, Mass, MassRate, Pressure, Quantity, Spin, Stiffness,
    Time, Velocity,
};
use crate::shape_table::ShapeTable;
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
    /// What the overlap of two grains is measured by.
    #[serde(default, skip_serializing_if = "ContactModel::is_default")]
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

    /// The faces that a container has: a planar one has neither front nor back.
    pub fn faces(&self) -> &'static [Face] {
        if self.is_planar() { &Face::PLANAR } else { &Face::ALL }
    }
}

/// What the overlap of two grains is measured by, see `docs/adr/0008-contact-by-volume.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactModel {
    /// The depth at each point of contact.
    #[default]
    Depth,
    /// The volume that two cylinders share: elastic contacts conserve energy whatever features meet, and edges are softer than
    /// faces. Other pairs measure depth.
    Energy,
    /// Overlap (21) and normal (23) of Feng, Han and Owen (2016) for two cylinders, as published, for comparison.
    Paper,
}

impl ContactModel {
    fn is_default(&self) -> bool {
        *self == Self::Depth
    }
}

impl From<ContactModel> for Measure {
    fn from(model: ContactModel) -> Self {
        match model {
            ContactModel::Depth => Self::Depth,
            ContactModel::Energy => Self::Volume,
            ContactModel::Paper => Self::Paper,
        }
    }
}

/// `[time]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeTable {
    /// When the run ends, s; with stages that of the last stage if not given.
    #[serde(default = "not_given", deserialize_with = "quantity::one::<Time, _>")]
    #[schemars(with = "Quantity<Time>")]
    pub end: f64,
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
    /// Time between two frames, s; that of `time.output` if not given, infinite for `"never"`.
    #[serde(default, deserialize_with = "quantity::never_or_time", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub frames: Option<f64>,
    /// Whether frames hold the contacts with their forces.
    #[serde(default = "yes")]
    pub contacts: bool,
    /// Whether frames hold the triangulated surfaces of all bodies; they are large.
    #[serde(default)]
    pub surfaces: bool,
}

impl Default for OutputTable {
    fn default() -> Self {
        Self { frames: None, contacts: true, surfaces: false }
    }
}

/// `[materials.NAME]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialTable {
    /// kg/m³.
    #[serde(deserialize_with = "quantity::one::<Density, _>")]
    #[schemars(with = "Quantity<Density>")]
    pub density: f64,
    /// Young's modulus, Pa; only Hertz and Mindlin contacts need it.
    #[serde(default, deserialize_with = "quantity::optional::<Pressure, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Pressure>>")]
    pub young: Option<f64>,
    /// Poisson's ratio; only Hertz and Mindlin contacts need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Friction of a contact of this material with itself that gives none.
    #[serde(default, skip_serializing)]
    pub friction: Option<f64>,
    /// Restitution of a contact of this material with itself that gives none.
    #[serde(default, skip_serializing)]
    pub restitution: Option<f64>,
}

/// `[[contact]]`: a pair of materials, and how bodies made of them push each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactTable {
    /// The two materials; twice the same for grains of one material.
    pub between: [String; 2],
    /// The normal law; percussions need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<NormalName>,
    /// Coefficient of restitution of a free normal impact, 0 to 1; that of the material if not given.
    #[serde(default = "not_given")]
    #[schemars(with = "Option<f64>")]
    pub restitution: f64,
    /// Coefficient of sliding friction; that of the material if not given.
    #[serde(default = "not_given")]
    #[schemars(with = "Option<f64>")]
    pub friction: f64,
    /// Normal stiffness of a linear contact, N/m.
    #[serde(default, deserialize_with = "quantity::optional::<Stiffness, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Stiffness>>")]
    pub stiffness: Option<f64>,
    /// Duration of a linear contact, s: instead of the stiffness, which then follows from the masses.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub contact_time: Option<f64>,
    /// When a contact ends.
    #[serde(default)]
    pub ends: Ends,
    /// The tangential law; that of the normal law if not given: linear with linear, Mindlin with Hertz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangential: Option<TangentialName>,
    /// Tangential over normal stiffness of a linear tangential law. With 2/7 a ball swings alike in both directions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangential_stiffness: Option<f64>,
    /// Damping ratio of the tangential spring: 0.1 stills the ringing of a grain at rest in a few periods.
    #[serde(default = "tangential_damping")]
    pub tangential_damping: f64,
    /// Coefficient of rolling friction.
    #[serde(default)]
    pub rolling_friction: f64,
    /// Coefficient of friction against spinning about the normal.
    #[serde(default)]
    pub spinning_friction: f64,
    /// Damping ratio of the rolling spring; 0.3 is the value of Ai et al. (2011).
    #[serde(default = "rolling_damping")]
    pub rolling_damping: f64,
    /// Percussions: dissipation kappa_N of a contact point, kg, instead of the restitution.
    #[serde(default, deserialize_with = "quantity::optional::<Mass, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Mass>>")]
    pub kappa_n: Option<f64>,
    /// Percussions with viscous friction: dissipation kappa_T of a contact point, kg.
    #[serde(default, deserialize_with = "quantity::optional::<Mass, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Mass>>")]
    pub kappa_t: Option<f64>,
    /// Percussions with viscous friction: viscosity of a contact point, N s/m; kappa_T is this times the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<f64>,
}

/// Responses by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResponseName {
    /// Forces from overlap, by the laws of `[[contact]]`.
    #[default]
    Smooth,
    /// Percussions: all collisions of a step are one convex program, from restitution and friction of `[[contact]]`.
    Percussion,
}

impl ResponseName {
    /// Whether it is the one that a scene has by itself.
    pub fn is_smooth(&self) -> bool {
        *self == Self::Smooth
    }
}

/// `[percussion]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PercussionTable {
    /// Which friction contacts have.
    #[serde(default)]
    pub friction: FrictionName,
    /// Who solves the programs.
    #[serde(default)]
    pub solver: SolverName,
    /// Largest residual of a program, relative to its greatest contact velocity; 1e-6 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
}

/// Friction of percussions by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionName {
    /// Coulomb's, from the coefficient of friction.
    #[default]
    Coulomb,
    /// A quadratic potential, from kappa_t or the viscosity: nothing holds on a slope.
    Viscous,
}

/// Solvers of percussions by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverName {
    /// Sweeps from the percussions of the last step, then Newton steps.
    #[default]
    BlockDescent,
    /// Gradients with a constant step: for comparison, in small scenes.
    Uzawa,
    /// An interior-point method: the reference, for small scenes.
    InteriorPoint,
}

/// Normal laws by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NormalName {
    /// A linear spring and dashpot, by stiffness or contact time.
    Linear,
    /// Hertz's spring with Tsuji's dashpot, from the materials' moduli.
    Hertz,
}

/// Tangential laws by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TangentialName {
    /// A spring in a fixed ratio to the normal stiffness.
    Linear,
    /// Mindlin's spring, from the materials' moduli.
    Mindlin,
}

/// When a contact ends; restitution is right for either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// As soon as the bodies would pull each other: dry grains do not stick.
    #[default]
    NoTension,
    /// When the overlap is zero again.
    ZeroOverlap,
}

/// `[container]`: a box of fixed walls, solid outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// Its material.
    pub material: String,
    /// Its lowest corner, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Its highest corner, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
    /// Faces without a wall.
    #[serde(default)]
    pub open: Vec<Face>,
}

/// A face of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Face {
    Left,
    Right,
    Front,
    Back,
    Bottom,
    Top,
}

impl Face {
    /// Every face.
    pub const ALL: [Self; 6] = [Self::Left, Self::Right, Self::Front, Self::Back, Self::Bottom, Self::Top];

    /// Every face of a planar container.
    pub const PLANAR: [Self; 4] = [Self::Left, Self::Right, Self::Bottom, Self::Top];

    /// The name by which stages and outputs know its wall.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "container.left",
            Self::Right => "container.right",
            Self::Front => "container.front",
            Self::Back => "container.back",
            Self::Bottom => "container.bottom",
            Self::Top => "container.top",
        }
    }
}

/// `[[walls]]`: a body that no force moves, of any shape, given as a table named after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Its name, by which stages and outputs know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its material.
    pub material: String,
    /// Where its centre is, m; for a plane any point on it.
    #[serde(default, deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub position: DVec3,
    /// How it is turned, as a quaternion [w, x, y, z].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// How it is turned in a planar scene, rad, counterclockwise.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub angle: Option<f64>,
    /// How it moves; it stays where it is if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionTable>,
    /// Its shape.
    #[serde(skip)]
    pub shape: ShapeTable,
}

/// `motion = { velocity, spin }` or `motion = { amplitude, frequency, phase }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionTable {
    /// Constant velocity, m/s.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Velocity, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Velocity>; 3]>")]
    pub velocity: Option<DVec3>,
    /// Constant angular velocity about its own centre, rad/s.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Spin, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Spin>; 3]>")]
    pub spin: Option<DVec3>,
    /// Direction and half the travel of an oscillation, m.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub amplitude: Option<DVec3>,
    /// Hz.
    #[serde(default, deserialize_with = "quantity::optional::<Frequency, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Frequency>>")]
    pub frequency: Option<f64>,
    /// rad; 0 if not given: the body starts in the middle.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub phase: Option<f64>,
}

/// `[[grains]]`: many bodies of one shape and material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// Their name, by which outputs know them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Their material.
    pub material: String,
    /// How many; as many as there is room for if neither this nor the mass is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Their mass together, kg: instead of the count.
    #[serde(default, deserialize_with = "quantity::optional::<Mass, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Mass>>")]
    pub mass: Option<f64>,
    /// Diameter of the ball of a grain's volume, in the plane of the disc of its area, m: the shape is made larger or
    /// smaller to this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Number>,
    /// How they are turned: a quaternion [w, x, y, z], or `"random"`.
    #[serde(default, skip_serializing_if = "Orientation::is_default")]
    pub orientation: Orientation,
    /// How they are turned in a planar scene, rad, counterclockwise.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub angle: Option<f64>,
    /// Every seed draws other sizes, places and velocities.
    #[serde(default)]
    pub seed: u64,
    /// Velocity of every grain, m/s.
    #[serde(default, deserialize_with = "quantity::vector::<Velocity, _>")]
    #[schemars(with = "[Quantity<Velocity>; 3]")]
    pub velocity: DVec3,
    /// Each grain's velocity is up to this much away from `velocity`, along each axis and to both sides, m/s.
    #[serde(default, deserialize_with = "quantity::vector::<Velocity, _>")]
    #[schemars(with = "[Quantity<Velocity>; 3]")]
    pub random_velocity: DVec3,
    /// Angular velocity of every grain, rad/s.
    #[serde(default, deserialize_with = "quantity::vector::<Spin, _>")]
    #[schemars(with = "[Quantity<Spin>; 3]")]
    pub spin: DVec3,
    /// Puts them on a cubic lattice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<Lattice>,
    /// Puts them at these points, m.
    #[serde(default, deserialize_with = "quantity::vectors::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<[Quantity<Length>; 3]>>")]
    pub positions: Option<Vec<DVec3>>,
    /// Puts them at random places, without overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomBox>,
    /// Pours them over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inlet: Option<InletTable>,
    /// Puts them where a table says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<GrainTable>,
    /// Their shape.
    #[serde(skip)]
    pub shape: ShapeTable,
}

/// `[grains.lattice]`: a cubic lattice in the middle of a box, filled from the bottom, x fastest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lattice {
    /// Lowest corner of the box, m. Grains lie in it as a whole.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Highest corner of the box, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
    /// From one grain's centre to the next, m; 1.05 diameters of the largest grain if not given.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Length>>")]
    pub spacing: Option<f64>,
    /// Moves each grain at random within this part (0 to 1) of the room it has before it could touch another.
    #[serde(default)]
    pub jitter: f64,
}

/// `[grains.random]`: a box in which grains are put one by one where there is room, the largest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomBox {
    /// Lowest corner of the box, m. Grains lie in it as a whole.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Highest corner of the box, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
}

/// `[grains.inlet]`: a box or a disc from which grains come, each as soon as it is due and has room.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InletTable {
    /// Lowest corner of a box, m. Grains come in it as a whole.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub min: Option<DVec3>,
    /// Highest corner of a box, m.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub max: Option<DVec3>,
    /// Centre of a disc, m: instead of a box.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub centre: Option<DVec3>,
    /// Radius of the disc, m.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Length>>")]
    pub radius: Option<f64>,
    /// Normal of the disc; [0, 0, 1] if not given. Not in a planar scene, where the disc lies in the plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub normal: Option<DVec3>,
    /// Grains a second.
    #[serde(default, deserialize_with = "quantity::optional::<Frequency, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Frequency>>")]
    pub rate: Option<f64>,
    /// Mass a second, kg/s: instead of the rate.
    #[serde(default, deserialize_with = "quantity::optional::<MassRate, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<MassRate>>")]
    pub mass_rate: Option<f64>,
    /// When it opens, s; 0 if not given.
    #[serde(default, deserialize_with = "quantity::one::<Time, _>")]
    #[schemars(with = "Quantity<Time>")]
    pub start: f64,
    /// When it closes, s; when all have come, or at the end of the run, if not given. Without a rate the grains come
    /// evenly until then.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub stop: Option<f64>,
}

/// `[grains.table]`: a file of comma-separated values with a header, or the same written here.
///
/// Columns: x, y, z; and if they are there vx, vy, vz (velocity), wx, wy, wz (spin), qw, qx, qy, qz (orientation),
/// size (diameter of the ball of the grain's volume), or instead of the size sx, sy, sz (how many times the shape's lengths along
/// its own axes). In the plane: x, y, vx, vy, wz, angle and size. SI units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrainTable {
    /// The file, relative to the scene's.
    #[serde(default, skip_serializing)]
    pub file: Option<String>,
    /// Names of the columns, where there is no file.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The rows, where there is no file.
    #[serde(default)]
    pub rows: Vec<Vec<f64>>,
}

/// `[[stages]]`: changes, and how long the run then goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageTable {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How long it lasts, s.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub duration: Option<f64>,
    /// What it waits for: instead of the duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilTable>,
    /// Gravity from this stage on, m/s².
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Acceleration, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Acceleration>; 3]>")]
    pub gravity: Option<DVec3>,
    /// Motions that walls begin, by their names, each from where it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub motion: BTreeMap<String, MotionTable>,
    /// Walls that come to a halt. A face of the container is called `container.left` and so on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub halt: Vec<String>,
    /// Walls that are taken away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
}

/// `until = { kinetic_energy_below, at_most }`: the end of a stage that is not known beforehand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UntilTable {
    /// Kinetic energy of all grains, J; it does not count while an inlet has grains to come.
    #[serde(deserialize_with = "quantity::one::<Energy, _>")]
    #[schemars(with = "Quantity<Energy>")]
    pub kinetic_energy_below: f64,
    /// Time between two looks, s; a hundredth of `at_most` if not given. The first is one such time after the start.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub check_every: Option<f64>,
    /// The stage ends after this time in any case, s.
    #[serde(deserialize_with = "quantity::one::<Time, _>")]
    #[schemars(with = "Quantity<Time>")]
    pub at_most: f64,
}

fn version() -> u32 {
    VERSION
}

/// A number that has to come from elsewhere.
fn not_given() -> f64 {
    f64::NAN
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

fn tangential_damping() -> f64 {
    0.1
}

fn rolling_damping() -> f64 {
    0.3
}
