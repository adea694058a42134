//! The fields of a scene file, in SI units, with their defaults.
//!
//! One structure a table; the crate's documentation shows a scene. What serde cannot check is checked in `check.rs`.

use std::collections::BTreeMap;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::quantity::{
    self, Acceleration, Angle, Density, Frequency, Length, Pressure, Spin, Stiffness, Time, Velocity,
};
use crate::shape_table::ShapeTable;
use crate::source::Source;

/// A scene that has been read and checked. Every quantity is in SI units.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What the scene shows, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// 3, or 2 for a planar scene, whose vectors have two components.
    #[serde(default = "space", skip_serializing_if = "is_space")]
    pub dimension: u8,
    /// Acceleration of gravity, m/s².
    #[serde(default = "earth", deserialize_with = "quantity::vector::<Acceleration, _>")]
    pub gravity: DVec3,
    /// How long, in what steps, and how often something is written.
    pub time: TimeTable,
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
    /// Where the fields stand in the file.
    #[serde(skip)]
    pub(crate) source: Source,
}

impl Scene {
    /// Whether the scene lies in the plane z = 0.
    pub fn is_planar(&self) -> bool {
        self.dimension == 2
    }
}

/// `[time]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeTable {
    /// When the run ends, s.
    #[serde(deserialize_with = "quantity::one::<Time, _>")]
    pub end: f64,
    /// Time step, s; none, or `"auto"`, for the one the engine advises.
    #[serde(default, deserialize_with = "quantity::auto_or_time", skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Time between two rows of output, s; a hundredth of `end` if not given.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>")]
    pub output: Option<f64>,
}

/// `[materials.NAME]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialTable {
    /// kg/m³.
    #[serde(deserialize_with = "quantity::one::<Density, _>")]
    pub density: f64,
    /// Young's modulus, Pa; only Hertz and Mindlin contacts need it.
    #[serde(default, deserialize_with = "quantity::optional::<Pressure, _>", skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
    /// Poisson's ratio; only Hertz and Mindlin contacts need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
}

/// `[[contact]]`: a pair of materials, and how bodies made of them push each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactTable {
    /// The two materials; twice the same for grains of one material.
    pub between: [String; 2],
    /// The normal law.
    pub law: NormalName,
    /// Coefficient of restitution of a free normal impact, 0 to 1.
    pub restitution: f64,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// Normal stiffness of a linear contact, N/m.
    #[serde(default, deserialize_with = "quantity::optional::<Stiffness, _>", skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Duration of a linear contact, s: instead of the stiffness, which then follows from the masses.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
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
}

/// Normal laws by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormalName {
    /// A linear spring and dashpot, by stiffness or contact time.
    Linear,
    /// Hertz's spring with Tsuji's dashpot, from the materials' moduli.
    Hertz,
}

/// Tangential laws by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TangentialName {
    /// A spring in a fixed ratio to the normal stiffness.
    Linear,
    /// Mindlin's spring, from the materials' moduli.
    Mindlin,
}

/// When a contact ends; restitution is right for either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// As soon as the bodies would pull each other: dry grains do not stick.
    #[default]
    NoTension,
    /// When the overlap is zero again.
    ZeroOverlap,
}

/// `[container]`: a box of fixed walls, solid outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// Its material.
    pub material: String,
    /// Its lowest corner, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    pub min: DVec3,
    /// Its highest corner, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    pub max: DVec3,
    /// Faces without a wall.
    #[serde(default)]
    pub open: Vec<Face>,
}

/// A face of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// `[[walls]]`: a body that no force moves, of any shape, given as a table named after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Its material.
    pub material: String,
    /// Where its centre is, m; for a plane any point on it.
    #[serde(default, deserialize_with = "quantity::vector::<Length, _>")]
    pub position: DVec3,
    /// How it is turned, as a quaternion [w, x, y, z].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// How it moves; it stays where it is if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionTable>,
    /// Its shape.
    #[serde(skip)]
    pub shape: ShapeTable,
}

/// `motion = { velocity, spin }` or `motion = { amplitude, frequency, phase }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionTable {
    /// Constant velocity, m/s.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Velocity, _>",
        skip_serializing_if = "Option::is_none"
    )]
    pub velocity: Option<DVec3>,
    /// Constant angular velocity about its own centre, rad/s.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Spin, _>",
        skip_serializing_if = "Option::is_none"
    )]
    pub spin: Option<DVec3>,
    /// Direction and half the travel of an oscillation, m.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    pub amplitude: Option<DVec3>,
    /// Hz.
    #[serde(default, deserialize_with = "quantity::optional::<Frequency, _>", skip_serializing_if = "Option::is_none")]
    pub frequency: Option<f64>,
    /// rad; 0 if not given: the body starts in the middle.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
}

/// `[[grains]]`: many bodies of one shape and material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// Their material.
    pub material: String,
    /// How many; as many as there is room for if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Every seed draws other sizes, places and velocities.
    #[serde(default)]
    pub seed: u64,
    /// Velocity of every grain, m/s.
    #[serde(default, deserialize_with = "quantity::vector::<Velocity, _>")]
    pub velocity: DVec3,
    /// Each grain's velocity is up to this much away from `velocity`, along each axis and to both sides, m/s.
    #[serde(default, deserialize_with = "quantity::vector::<Velocity, _>")]
    pub random_velocity: DVec3,
    /// Angular velocity of every grain, rad/s.
    #[serde(default, deserialize_with = "quantity::vector::<Spin, _>")]
    pub spin: DVec3,
    /// How they are turned: all alike if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<OrientationName>,
    /// Puts them on a cubic lattice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<Lattice>,
    /// Puts them at these points, m.
    #[serde(default, deserialize_with = "quantity::vectors::<Length, _>", skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<DVec3>>,
    /// Their shape.
    #[serde(skip)]
    pub shape: ShapeTable,
}

/// How grains are turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrientationName {
    /// Each its own way; planar scenes only.
    Random,
}

/// `[grains.lattice]`: a cubic lattice in the middle of a box, filled from the bottom, x fastest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lattice {
    /// Lowest corner of the box, m. Grains lie in it as a whole.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    pub min: DVec3,
    /// Highest corner of the box, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    pub max: DVec3,
    /// From one grain's centre to the next, m; 1.05 diameters of the largest grain if not given.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Moves each grain at random within this part (0 to 1) of the room it has before it could touch another.
    #[serde(default)]
    pub jitter: f64,
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

fn tangential_damping() -> f64 {
    0.1
}

fn rolling_damping() -> f64 {
    0.3
}
