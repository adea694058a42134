//! Motions of walls.

use std::borrow::Cow;
use std::fmt;

use glam::DVec3;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{FreeTable, ServoTable};

use crate::value::quantity::{self, Angle, Frequency, Length, Quantity, Spin, Time, Velocity};

/// `motion` of a wall: one motion, or a list of motions that are superposed in this order. Each acts
/// on the wall as the motions before it have placed it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motions(pub Vec<MotionTable>);

impl Motions {
    /// Returns the motions with their fields: `field` itself if there is only one.
    pub(crate) fn with_fields<'a>(&'a self, field: &'a str) -> impl Iterator<Item = (String, &'a MotionTable)> {
        let is_single = self.0.len() == 1;
        let name = move |index| if is_single { field.to_owned() } else { format!("{field}[{index}]") };
        self.0.iter().enumerate().map(move |(index, table)| (name(index), table))
    }

    /// Returns the tables of displacements with their fields.
    pub(crate) fn tables_mut(&mut self, field: &str) -> impl Iterator<Item = (String, &mut DisplacementTable)> {
        let is_single = self.0.len() == 1;
        let name = move |index| if is_single { format!("{field}.table") } else { format!("{field}[{index}].table") };
        let tables = self.0.iter_mut().enumerate();
        tables.filter_map(move |(index, motion)| Some((name(index), motion.table.as_mut()?)))
    }
}

impl<'de> Deserialize<'de> for Motions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableOrList;
        impl<'de> Visitor<'de> for TableOrList {
            type Value = Motions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the table of a motion, or a list of such tables")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Motions, A::Error> {
                MotionTable::deserialize(MapAccessDeserializer::new(map)).map(|table| Motions(vec![table]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Motions, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Motions)
            }
        }
        deserializer.deserialize_any(TableOrList)
    }
}

impl Serialize for Motions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [table] => table.serialize(serializer),
            list => list.serialize(serializer),
        }
    }
}

impl JsonSchema for Motions {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Motions".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<MotionTable>();
        json_schema!({ "anyOf": [table, { "type": "array", "items": table, "minItems": 1 }] })
    }
}

/// Motion of a wall, of one of six kinds: steady (`velocity`, `spin`), an oscillation (`amplitude`,
/// `swing`, `frequency`, `phase`), a `ramp` of velocities, a `table` of displacements, a `servo` that
/// holds a force, or a `free` wall with a mass. The time begins with the motion. A rotation is about
/// an axis through `pivot`.
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
    /// Motion along an axis that holds a force or a pressure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servo: Option<ServoTable>,
    /// Motion along an axis under the contact forces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<FreeTable>,
    /// Axis of the rotation of `swing`, `ramp` and `table`; of any length. Required for them in
    /// space; the axis of a planar scene is z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub axis: Option<DVec3>,
    /// A point of the axis of rotation at the start, m. Displacements move it. Default: the centre
    /// of the wall; of a surface the origin.
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
