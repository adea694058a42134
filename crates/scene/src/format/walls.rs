//! The container, walls, and how they move.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{self, Angle, Frequency, Length, Quantity, Spin, Velocity};
use crate::shape_table::ShapeTable;

/// `[container]`: a box of fixed walls, solid outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// Its material.
    pub material: String,
    /// Its lowest corner, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Its highest corner, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
    /// Faces without a wall.
    #[serde(default)]
    pub open: Vec<Face>,
}

/// A face of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Every face.
    pub const ALL: [Self; 6] = [Self::Left, Self::Right, Self::Front, Self::Back, Self::Bottom, Self::Top];

    /// Every face of a planar container.
    pub const PLANAR: [Self; 4] = [Self::Left, Self::Right, Self::Bottom, Self::Top];

    /// The name by which stages and outputs know its wall.
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

/// `[[walls]]`: a body that no force moves, of any shape, given as a table named after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Its name, by which stages and outputs know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its material.
    pub material: String,
    /// Where its centre is, m; for a plane any point on it.
    #[serde(default, deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub position: DVec3,
    /// How it is turned, as a quaternion [w, x, y, z].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// How it is turned in a planar scene, rad, counterclockwise.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub angle: Option<f64>,
    /// How it moves; it stays where it is if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionTable>,
    /// Its shape.
    #[serde(skip)]
    pub shape: ShapeTable,
}

/// `motion = { velocity, spin }` or `motion = { amplitude, frequency, phase }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionTable {
    /// Constant velocity, m/s.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Velocity, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Velocity>; 3]>")]
    pub velocity: Option<DVec3>,
    /// Constant angular velocity about its own centre, rad/s.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Spin, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Spin>; 3]>")]
    pub spin: Option<DVec3>,
    /// Direction and half the travel of an oscillation, m.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub amplitude: Option<DVec3>,
    /// Hz.
    #[serde(default, deserialize_with = "quantity::optional::<Frequency, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Frequency>>")]
    pub frequency: Option<f64>,
    /// rad; 0 if not given: the body starts in the middle.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub phase: Option<f64>,
}
