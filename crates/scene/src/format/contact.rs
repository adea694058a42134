//! Materials, and how bodies made of them push each other.

use granum_geometry::Measure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{self, Density, Mass, Pressure, Quantity, Stiffness, Time};

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Coefficient of sliding friction; that of the material if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
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

/// What the overlap of two grains is measured by, see `docs/guide/cylinders.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactModel {
    /// The second moments of the region that two cylinders share, or a cylinder and a half-space or the end of a hollow cylinder, and on its
    /// side a like measure of rims: elastic contacts conserve energy whatever features meet, and edges are nearly as stiff as faces. Other
    /// pairs measure depth.
    #[default]
    Moments,
    /// The depth at each point of contact: the fastest.
    Depth,
    /// The volume that two cylinders, boxes or polyhedra share, or the area of two polygons: elastic contacts conserve energy
    /// whatever features meet, and edges are softer than faces. Other pairs measure depth.
    Energy,
    /// Overlap (21) and normal (23) of Feng, Han and Owen (2016) for two cylinders, as published, for comparison.
    Paper,
}

impl From<ContactModel> for Measure {
    fn from(model: ContactModel) -> Self {
        match model {
            ContactModel::Moments => Self::Moments,
            ContactModel::Depth => Self::Depth,
            ContactModel::Energy => Self::Volume,
            ContactModel::Paper => Self::Paper,
        }
    }
}

fn tangential_damping() -> f64 {
    0.1
}

fn rolling_damping() -> f64 {
    0.3
}
