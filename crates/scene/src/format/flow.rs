//! Outlets and flow planes.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::value::quantity::{self, Length, Quantity};

/// `[[outlets]]` or `[[flow_planes]]`: a plane through which grains flow, or a disc of it. Grains
/// are counted every 25 steps. An outlet removes a grain that lies wholly beyond it; a flow plane
/// counts a grain whose centre passes it, in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowPlaneTable {
    /// Name in `flow.csv`; unique. Default: `outlets[N]` or `flow_planes[N]`, with N from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A point of the plane, m; the centre of the disc, if there is one.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub centre: DVec3,
    /// Normal vector of the plane, of any length, in the direction of the flow. Grains on the side
    /// to which it points are beyond the plane.
    #[schemars(with = "[f64; 3]")]
    pub normal: DVec3,
    /// Radius of the disc, m; positive. Only grains whose centres pass the disc are counted, or
    /// removed. Default: the plane is unbounded.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Length>>")]
    pub radius: Option<f64>,
}
