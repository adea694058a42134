//! Walls that contact forces move along an axis.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::value::quantity::{self, Area, Force, Gain, Load, Mass, Quantity, Velocity};

/// `servo` of a motion: the wall moves along an axis such that it pushes on the grains with a given
/// force or pressure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServoTable {
    /// Direction in which the wall pushes; of any length.
    #[schemars(with = "[f64; 3]")]
    pub axis: DVec3,
    /// Force on the grains along `axis`, N; positive.
    #[serde(default, deserialize_with = "quantity::optional::<Force, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Force>>")]
    pub force: Option<f64>,
    /// Pressure on the grains, Pa; positive. It replaces `force` and needs `area`.
    #[serde(default, deserialize_with = "quantity::optional::<Load, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Load>>")]
    pub pressure: Option<f64>,
    /// Area on which `pressure` acts, m²; positive. It is constant during the run.
    #[serde(default, deserialize_with = "quantity::optional::<Area, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Area>>")]
    pub area: Option<f64>,
    /// Greatest speed along `axis`, m/s; positive. The wall moves at this speed until it touches
    /// grains.
    #[serde(deserialize_with = "quantity::one::<Velocity, _>")]
    #[schemars(with = "Quantity<Velocity>")]
    pub max_speed: f64,
    /// Speed per missing force, m/(s N); positive. Default: computed in each step from the contacts
    /// of the wall, so that it is stable.
    #[serde(default, deserialize_with = "quantity::optional::<Gain, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Gain>>")]
    pub gain: Option<f64>,
}

/// `free` of a motion: the wall has a mass, and contact forces and gravity move it along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreeTable {
    /// Direction of the motion; of any length.
    #[schemars(with = "[f64; 3]")]
    pub axis: DVec3,
    /// Mass of the wall, kg; positive.
    #[serde(deserialize_with = "quantity::one::<Mass, _>")]
    #[schemars(with = "Quantity<Mass>")]
    pub mass: f64,
    /// Additional force on the wall along `axis`, N. Default: 0.
    #[serde(default, deserialize_with = "quantity::optional::<Force, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Force>>")]
    pub force: Option<f64>,
    /// Speed along `axis` at the start of the motion, m/s. Default: 0.
    #[serde(default, deserialize_with = "quantity::optional::<Velocity, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Velocity>>")]
    pub speed: Option<f64>,
}
