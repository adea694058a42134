//! Prescribed motions of walls.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::value::quantity::{self, Angle, Frequency, Length, Quantity, Spin, Time, Velocity};

/// Prescribed motion of a wall, of one of four kinds: steady (`velocity`, `spin`), an oscillation
/// (`amplitude`, `swing`, `frequency`, `phase`), a `ramp` of velocities, or a `table` of
/// displacements. The time begins with the motion. A rotation is about an axis through `pivot`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionTable {
    /// Constant velocity, m/s. Default: 0.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Velocity, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Velocity>; 3]>")]
    pub velocity: Option<DVec3>,
    /// Constant angular velocity, rad/s. Default: 0.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Spin, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Spin>; 3]>")]
    pub spin: Option<DVec3>,
    /// Amplitude of an oscillation along a line with its direction, m. Default: 0.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub amplitude: Option<DVec3>,
    /// Amplitude of an oscillation of the angle about `axis`, rad. Default: 0.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub swing: Option<f64>,
    /// Frequency of an oscillation, Hz.
    #[serde(default, deserialize_with = "quantity::optional::<Frequency, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Frequency>>")]
    pub frequency: Option<f64>,
    /// Phase of an oscillation at the start, rad. Default: 0, the middle of the oscillation.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub phase: Option<f64>,
    /// Velocities at several times. They are linear in between, and constant before the first and
    /// after the last time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ramp: Vec<RampPoint>,
    /// Displacements at several times. They are linear in between, and constant before the first
    /// and after the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<DisplacementTable>,
    /// Axis of the rotation of `swing`, `ramp` and `table`; of any length. Required for them in
    /// space; the axis of a planar scene is z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub axis: Option<DVec3>,
    /// A point of the axis of rotation at the start, m. Displacements move it. Default: the centre
    /// of the wall.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub pivot: Option<DVec3>,
}

/// A point of `ramp`: the velocities at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RampPoint {
    /// Time since the start of the motion, s; above that of the point before.
    #[serde(deserialize_with = "quantity::one::<Time, _>")]
    #[schemars(with = "Quantity<Time>")]
    pub time: f64,
    /// Velocity at this time, m/s. Default: 0.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Velocity, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Velocity>; 3]>")]
    pub velocity: Option<DVec3>,
    /// Angular velocity about `axis` at this time, rad/s. Default: 0.
    #[serde(default, deserialize_with = "quantity::optional::<Spin, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Spin>>")]
    pub angular_velocity: Option<f64>,
}

/// `table` of a motion: one row for each time, in SI units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisplacementTable {
    /// File of comma-separated values, relative to the folder of the scene. Its first line contains
    /// the names of the columns; empty lines and lines that begin with # are ignored.
    #[serde(default, skip_serializing)]
    pub file: Option<String>,
    /// Names of the columns: `time` (s) and any of `x`, `y`, `z` (m) and `angle` (rad, about
    /// `axis`). They replace the file, together with `rows`.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Rows of numbers, one for each time, with rising times.
    #[serde(default)]
    pub rows: Vec<Vec<f64>>,
}
