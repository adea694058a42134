//! Placement of grains in a volume that surfaces bound.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RotationTable;
use crate::value::quantity::{self, Length, Quantity};

/// `[grains.fill]`: the volume inside a closed surface, or between two surfaces. The grains lie
/// wholly in the volume. It needs `inside` or `between`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillTable {
    /// Name of a closed surface of the scene. It must not intersect itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Names of the lower and of the upper surface. Where one of them ends, the volume ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[String; 2]>,
    /// Direction from the lower to the upper surface; of any length but 0. Default: [0, 0, 1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub up: Option<DVec3>,
    /// Lowest corner of a box to which the volume is limited, m. It needs `max`.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub min: Option<DVec3>,
    /// Highest corner of the box, m; above `min` along each axis.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub max: Option<DVec3>,
    /// Arrangement of the grains.
    #[serde(default)]
    pub arrangement: Arrangement,
    /// Rotation of the lattice and of its grains. Default: not rotated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotationTable>,
    /// Free distance between neighbours of the lattice along each of its axes, m; at least 0.
    /// Default: 0, so that neighbouring blocks touch.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Length>>")]
    pub gap: Option<f64>,
    /// Volume of the grains over that of the filled volume, between 0 and 1. It replaces `count`
    /// and `mass` of a random arrangement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fraction: Option<f64>,
}

/// Arrangements of grains in a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrangement {
    /// A lattice of equal grains, whose cells have the size of the box around a grain. Every cell
    /// whose grain lies in the volume is filled, from the bottom of the lattice.
    #[default]
    Lattice,
    /// Random positions without overlap, the largest grains first.
    Random,
}
