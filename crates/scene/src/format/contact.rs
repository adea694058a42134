//! Materials and contact laws.

use granum_geometry::Measure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::value::quantity::{self, Density, Mass, Pressure, Quantity, Stiffness, Time};

/// `[materials.NAME]`: a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialTable {
    /// Density, kg/m³; positive. Planar bodies are 1 m thick.
    #[serde(deserialize_with = "quantity::one::<Density, _>")]
    #[schemars(with = "Quantity<Density>")]
    pub density: f64,
    /// Young's modulus, Pa; positive. Required by Hertz and Mindlin contacts only.
    #[serde(default, deserialize_with = "quantity::optional::<Pressure, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Pressure>>")]
    pub young: Option<f64>,
    /// Poisson's ratio; above -1 and below 0.5. Required by Hertz and Mindlin contacts only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Friction of contacts between two bodies of this material, if their `[[contact]]` gives none.
    #[serde(default, skip_serializing)]
    pub friction: Option<f64>,
    /// Restitution of contacts between two bodies of this material, if their `[[contact]]` gives
    /// none.
    #[serde(default, skip_serializing)]
    pub restitution: Option<f64>,
}

/// `[[contact]]`: the contact law of two materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactTable {
    /// Names of the two materials; the same name twice for contacts within one material.
    pub between: [String; 2],
    /// Normal law. Required, except with `response = "percussion"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<NormalName>,
    /// Coefficient of restitution of a normal impact of two free bodies, from 0 to 1. Required,
    /// here or (for a material with itself) in the material, except with `kappa_n`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Coefficient of sliding friction, at least 0. Required, here or (for a material with itself)
    /// in the material, except with viscous percussions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Normal stiffness of a linear law, N/m; positive. A linear law needs this or `contact_time`.
    #[serde(default, deserialize_with = "quantity::optional::<Stiffness, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Stiffness>>")]
    pub stiffness: Option<f64>,
    /// Duration of an impact with a linear law, s; positive. The stiffness then follows from the
    /// masses of the two bodies.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub contact_time: Option<f64>,
    /// Rule that ends a contact.
    #[serde(default)]
    pub ends: Ends,
    /// Tangential law. Default: linear with a linear normal law, Mindlin with Hertz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangential: Option<TangentialName>,
    /// Ratio of tangential to normal stiffness of a linear tangential law; positive. Default: 2/7,
    /// with which a ball has the same period of oscillation in both directions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangential_stiffness: Option<f64>,
    /// Damping ratio of the tangential spring, at least 0. With 0.1, oscillations of a grain at
    /// rest decay in a few periods.
    #[serde(default = "tangential_damping")]
    pub tangential_damping: f64,
    /// Coefficient of rolling friction, at least 0.
    #[serde(default)]
    pub rolling_friction: f64,
    /// Coefficient of friction against relative rotation about the contact normal, at least 0.
    #[serde(default)]
    pub spinning_friction: f64,
    /// Damping ratio of the rolling spring, at least 0. The default is the value of \[Ai2011\].
    #[serde(default = "rolling_damping")]
    pub rolling_damping: f64,
    /// Percussions only: dissipation constant kappa_N of a contact point, kg, at least 0. It
    /// replaces the restitution.
    #[serde(default, deserialize_with = "quantity::optional::<Mass, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Mass>>")]
    pub kappa_n: Option<f64>,
    /// Percussions with viscous friction only: dissipation constant kappa_T of a contact point, kg,
    /// at least 0.
    #[serde(default, deserialize_with = "quantity::optional::<Mass, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Mass>>")]
    pub kappa_t: Option<f64>,
    /// Percussions with viscous friction only: viscosity of a contact point, N s/m, at least 0. It
    /// replaces `kappa_t`, which is the viscosity times the time step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<f64>,
}

/// Normal contact law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NormalName {
    /// Linear spring and dashpot, given by `stiffness` or `contact_time`.
    Linear,
    /// Hertz's spring \[Hertz1882\] with Tsuji's dashpot \[Tsuji1992\], from the elastic constants
    /// of the materials.
    Hertz,
}

/// Tangential contact law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TangentialName {
    /// Spring in a fixed ratio to the normal stiffness.
    Linear,
    /// Mindlin's spring \[Mindlin1949\], from the elastic constants of the materials.
    Mindlin,
}

/// Rule that ends a contact. The restitution is exact for both rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// The contact ends when the normal force would become tensile: dry grains do not stick.
    #[default]
    NoTension,
    /// The contact ends when the overlap is zero again.
    ZeroOverlap,
}

/// Measure of the overlap of two bodies; see `docs/guide/cylinders.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactModel {
    /// Length from the second moments of the overlap region: for two cylinders, for boxes and
    /// polyhedra with each other, and for cylinders, capsules, truncated cones, boxes and polyhedra
    /// on a plane. In containers similar measures of their rims and corners. For a capsule with a
    /// capsule, cylinder, truncated cone, box or polyhedron a mean depth along its axis, and for a
    /// tablet or a superellipsoid of revolution with flat sides on a plane one along its outline.
    /// Elastic contacts conserve energy for all features in contact, and edges are nearly as stiff as
    /// faces. Other pairs use the depth, which conserves energy if one body has neither edges nor
    /// flat faces; `granum check` names the pairs of a scene that do not.
    #[default]
    Moments,
    /// Penetration depth at each contact point. It is the fastest measure.
    Depth,
    /// Volume of the overlap region of two cylinders, boxes or polyhedra, or its area for two
    /// polygons. Elastic contacts conserve energy for all features in contact, and edges are softer
    /// than faces. Other pairs use the depth.
    #[serde(alias = "energy")]
    Volume,
    /// Overlap and normal of two cylinders as published \[Feng2017, eqs. 21 and 23\], for
    /// comparison. Other pairs use the depth.
    Paper,
}

impl From<ContactModel> for Measure {
    fn from(model: ContactModel) -> Self {
        match model {
            ContactModel::Moments => Self::Moments,
            ContactModel::Depth => Self::Depth,
            ContactModel::Volume => Self::Volume,
            ContactModel::Paper => Self::other("paper"),
        }
    }
}

fn tangential_damping() -> f64 {
    0.1
}

fn rolling_damping() -> f64 {
    0.3
}
