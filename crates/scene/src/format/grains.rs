//! The grains and their placement.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FillTable;
use crate::shape::ShapeTable;
use crate::value::distribution::Number;
use crate::value::orientation::Orientation;
use crate::value::quantity::{self, Angle, Frequency, Length, Mass, MassRate, Quantity, Spin, Time, Velocity};

/// `[[grains]]`: a group of grains of one kind of shape and one material. The shape is a table such
/// as `[grains.sphere]`. Exactly one placement must be given: `lattice`, `positions`, `random`,
/// `fill`, `inlet` or `table`. With `from` the grains, their shapes and motions are those of a saved state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// Name of the group in outputs; unique. Default: `grains[N]`, with N from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Material of the grains. Required, except with `from`, where the default is the material of
    /// each saved grain.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub material: String,
    /// Saved state with which the grains start: `"RUN"` for the last state of the run in a folder,
    /// `"RUN@TIME"` for its state at a time (`"out/pour@1.5 s"`), a state file (`.granum`) or a
    /// table of bodies that `granum export` has written (`.csv`). The path is relative to the
    /// folder of the scene. It replaces shape and placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// If true, the grains may overlap other bodies at the start. The elastic energy of these
    /// contacts is then part of the energy at the start.
    #[serde(default, skip_serializing_if = "is_false")]
    pub allow_overlap: bool,
    /// Number of grains, at least 1. Default, without `mass`: as many as the lattice, the positions
    /// or the filled volume hold, or as the inlet adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Total mass of the grains, kg; positive. It replaces `count`.
    #[serde(default, deserialize_with = "quantity::optional::<Mass, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Mass>>")]
    pub mass: Option<f64>,
    /// Diameter of the ball of the same volume, or in a planar scene of the disc of the same area,
    /// m; positive. The shape is scaled to this size. Default: the shape is not scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Number>,
    /// Orientation: a quaternion [w, x, y, z] of any norm, or `"random"`. Default: not rotated.
    #[serde(default, skip_serializing_if = "Orientation::is_default")]
    pub orientation: Orientation,
    /// Orientation in a planar scene, rad, counterclockwise. Default: 0.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub angle: Option<f64>,
    /// Seed of the random numbers for sizes, positions, orientations and velocities.
    #[serde(default)]
    pub seed: u64,
    /// Initial velocity, m/s.
    #[serde(default, deserialize_with = "quantity::vector::<Velocity, _>")]
    #[schemars(with = "[Quantity<Velocity>; 3]")]
    pub velocity: DVec3,
    /// Largest random deviation from `velocity` along each axis, to both sides, m/s.
    #[serde(default, deserialize_with = "quantity::vector::<Velocity, _>")]
    #[schemars(with = "[Quantity<Velocity>; 3]")]
    pub random_velocity: DVec3,
    /// Initial angular velocity, rad/s.
    #[serde(default, deserialize_with = "quantity::vector::<Spin, _>")]
    #[schemars(with = "[Quantity<Spin>; 3]")]
    pub spin: DVec3,
    /// Placement on a cubic lattice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<Lattice>,
    /// Placement at these points, one for each grain, m.
    #[serde(default, deserialize_with = "quantity::vectors::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<[Quantity<Length>; 3]>>")]
    pub positions: Option<Vec<DVec3>>,
    /// Placement at random positions without overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomBox>,
    /// Placement in a volume that surfaces bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<FillTable>,
    /// Placement over time during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inlet: Option<InletTable>,
    /// Placement by a table with one row for each grain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<GrainTable>,
    /// Shape of the grains.
    #[serde(skip)]
    pub shape: ShapeTable,
}

/// `[grains.lattice]`: a cubic lattice in the middle of a box. It is filled from the bottom; x
/// varies fastest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lattice {
    /// Lowest corner of the box, m. The bounding balls of all grains lie inside the box.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Highest corner of the box, m; above `min` along each axis.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
    /// Distance between neighbouring centres, m; at least the diameter of the largest grain's
    /// bounding ball. Default: 1.05 of this diameter.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Length>>")]
    pub spacing: Option<f64>,
    /// Random displacement of each grain, as a fraction (0 to 1) of the free distance to its
    /// neighbours.
    #[serde(default)]
    pub jitter: f64,
}

/// `[grains.random]`: a box into which grains are inserted one by one at random free positions, the
/// largest first. It needs `count` or `mass`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomBox {
    /// Lowest corner of the box, m. The bounding balls of all grains lie inside the box.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Highest corner of the box, m; above `min` along each axis.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
}

/// `[grains.inlet]`: a box or a disc in which grains are added during the run, each when it is due
/// and a free position is found. It needs `rate` or `mass_rate`, or else `stop` and the `count` or
/// `mass` of the grains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InletTable {
    /// Lowest corner of a box, m. The bounding balls of new grains lie inside the box.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub min: Option<DVec3>,
    /// Highest corner of a box, m; above `min` along each axis.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub max: Option<DVec3>,
    /// Centre of a disc, m. A disc replaces the box.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub centre: Option<DVec3>,
    /// Radius of the disc, m; at least the bounding radius of the largest grain.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Length>>")]
    pub radius: Option<f64>,
    /// Normal of the disc; of any length but 0. Default: [0, 0, 1]. It must not be given in a
    /// planar scene, where the disc lies in the plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub normal: Option<DVec3>,
    /// Number of grains per second, 1/s; positive.
    #[serde(default, deserialize_with = "quantity::optional::<Frequency, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Frequency>>")]
    pub rate: Option<f64>,
    /// Mass per second, kg/s; positive. It replaces `rate`.
    #[serde(default, deserialize_with = "quantity::optional::<MassRate, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<MassRate>>")]
    pub mass_rate: Option<f64>,
    /// Time at which the inlet opens, s; at least 0.
    #[serde(default, deserialize_with = "quantity::one::<Time, _>")]
    #[schemars(with = "Quantity<Time>")]
    pub start: f64,
    /// Time at which the inlet closes, s; after `start`. Without a rate, the grains are added
    /// evenly until then. Default: the inlet closes when all grains have been added, or at the end
    /// of the run.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub stop: Option<f64>,
}

/// `[grains.table]`: one row for each grain, in a file of comma-separated values or in the scene.
///
/// Required columns: x, y, z. Optional columns: vx, vy, vz (velocity), wx, wy, wz (angular
/// velocity), qw, qx, qy, qz (orientation), and either size (diameter of the ball of the same
/// volume) or sx, sy, sz (factors of the lengths of the shape along its own axes). Columns of a
/// planar scene: x, y, vx, vy, wz, angle and size. All values are in SI units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrainTable {
    /// File of comma-separated values, relative to the folder of the scene. Its first line contains
    /// the names of the columns; empty lines and lines that begin with # are ignored.
    #[serde(default, skip_serializing)]
    pub file: Option<String>,
    /// Names of the columns. They replace the file, together with `rows`.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Rows of numbers, one for each grain.
    #[serde(default)]
    pub rows: Vec<Vec<f64>>,
}

fn is_false(value: &bool) -> bool {
    !value
}
