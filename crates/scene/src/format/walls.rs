//! The container, walls and their motions.

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Motions;
use crate::shape::ShapeTable;
use crate::value::quantity::{self, Angle, Length, Quantity};

/// `[container]`: a box of fixed plane walls. Each wall is a half-space, solid outside the box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// Material of the walls.
    pub material: String,
    /// Materials of single faces, such as `materials.bottom = "rubber"`. Default: `material`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub materials: BTreeMap<Face, String>,
    /// Lowest corner of the box, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Highest corner of the box, m; above `min` along each axis.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
    /// Faces without a wall: left and right (x), front and back (y), bottom and top (z; y in a
    /// planar scene).
    #[serde(default)]
    pub open: Vec<Face>,
}

/// Face of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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

impl Face {
    /// All faces.
    pub const ALL: [Self; 6] = [Self::Left, Self::Right, Self::Front, Self::Back, Self::Bottom, Self::Top];

    /// All faces of a planar container.
    pub const PLANAR: [Self; 4] = [Self::Left, Self::Right, Self::Bottom, Self::Top];

    /// Returns the name in scenes.
    pub fn key(self) -> &'static str {
        self.name().trim_start_matches("container.")
    }

    /// Returns the name of the wall in stages and outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "container.left",
            Self::Right => "container.right",
            Self::Front => "container.front",
            Self::Back => "container.back",
            Self::Bottom => "container.bottom",
            Self::Top => "container.top",
        }
    }
}

/// `[[walls]]`: a body that forces do not move. Its shape is a table such as `[walls.half_space]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Name of the wall in stages and outputs; unique. Default: `walls[N]`, with N from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Material of the wall.
    pub material: String,
    /// Position of the centre, m; of a half-space any point on its plane.
    #[serde(default, deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub position: DVec3,
    /// Orientation as a quaternion [w, x, y, z] of any norm. Default: not rotated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// Orientation in a planar scene, rad, counterclockwise. Default: 0.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub angle: Option<f64>,
    /// Motion, or a list of motions that are superposed. Default: the wall is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motions>,
    /// Shape of the wall.
    #[serde(skip)]
    pub shape: ShapeTable,
}
