//! Responses to contacts: forces or percussions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Response of bodies to contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResponseName {
    /// Contact forces that follow from the overlap by the laws of `[[contact]]`.
    #[default]
    Smooth,
    /// Percussions: the impulses of all contacts of a step are the solution of a convex program.
    /// They follow from the restitution and the friction of `[[contact]]`.
    Percussion,
}

impl ResponseName {
    /// Returns whether this is the default, the smooth response.
    pub fn is_smooth(&self) -> bool {
        *self == Self::Smooth
    }
}

/// `[percussion]`: settings of `response = "percussion"`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PercussionTable {
    /// Friction model of all contacts.
    #[serde(default)]
    pub friction: FrictionName,
    /// Solver of the convex programs.
    #[serde(default)]
    pub solver: SolverName,
    /// Largest residual of a solution, relative to the greatest contact velocity; from 1e-10 to
    /// 1e-2. Default: 1e-6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
}

/// Friction model of percussions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionName {
    /// Coulomb's friction, from `friction`.
    #[default]
    Coulomb,
    /// Viscous friction, from `kappa_t` or `viscosity`. No grain stays at rest on a slope.
    Viscous,
}

/// Solver of percussions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverName {
    /// Block coordinate descent from the percussions of the last step, then Newton steps.
    #[default]
    BlockDescent,
    /// Uzawa's method \[Arrow1958\]: projected gradients with a constant step. For comparison, in
    /// small scenes.
    Uzawa,
    /// Interior-point method \[Goulart2024\]. It is the reference, for small scenes.
    InteriorPoint,
}
