//! The stages of a run.

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Motions;
use crate::value::quantity::{self, Acceleration, Energy, Quantity, Time};

/// `[[stages]]`: changes at the start of a stage, and its end. It needs `duration` or `until`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageTable {
    /// Name of the stage in messages. Default: `stage N`, with N from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Duration of the stage, s; positive.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub duration: Option<f64>,
    /// Condition that ends the stage. It replaces `duration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilTable>,
    /// Acceleration of gravity from this stage on, m/s². Default: unchanged.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Acceleration, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Acceleration>; 3]>")]
    pub gravity: Option<DVec3>,
    /// Motions that walls begin, by the names of the walls: one motion for each, or a list. Each
    /// starts from the current position. A face of the container is named `container.left` and so on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub motion: BTreeMap<String, Motions>,
    /// Names of walls that stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub halt: Vec<String>,
    /// Names of walls that are removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
}

/// `until = { kinetic_energy_below, at_most }`: a condition that ends a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UntilTable {
    /// Kinetic energy of all grains below which the stage ends, J; positive. It has no effect while
    /// an inlet still has grains to add.
    #[serde(deserialize_with = "quantity::one::<Energy, _>")]
    #[schemars(with = "Quantity<Energy>")]
    pub kinetic_energy_below: f64,
    /// Time between two checks of the condition, s; positive. The first check is one such time
    /// after the start of the stage. Default: a hundredth of `at_most`.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub check_every: Option<f64>,
    /// Longest duration of the stage, s; positive.
    #[serde(deserialize_with = "quantity::one::<Time, _>")]
    #[schemars(with = "Quantity<Time>")]
    pub at_most: f64,
}
