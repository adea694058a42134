//! How bodies answer each other: by forces or by percussions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
