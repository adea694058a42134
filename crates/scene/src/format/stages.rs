//! What happens one after the other.

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MotionTable;
use crate::quantity::{self, Acceleration, Energy, Quantity, Time};

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
