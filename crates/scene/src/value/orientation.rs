//! Orientation of grains at the start.

use std::borrow::Cow;
use std::f64::consts::PI;
use std::fmt;

use glam::DQuat;
use granum_geometry::random::Random;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// Smallest and largest norm of a quaternion. A norm beyond them is a mistake, such as zero.
const NORMS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// The orientation of the grains of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Orientation {
    /// The axes of the shape are those of the world.
    #[default]
    Upright,
    /// A rotation by a quaternion [w, x, y, z].
    Fixed([f64; 4]),
    /// Uniform over all rotations; in a planar scene, over all rotations about z.
    Random,
}

impl Orientation {
    /// Returns whether this is the default.
    pub fn is_default(&self) -> bool {
        *self == Self::Upright
    }

    /// Draws the orientation of one grain.
    pub fn draw(&self, random: &mut Random, planar: bool) -> DQuat {
        match self {
            Self::Upright => DQuat::IDENTITY,
            Self::Fixed(q) => quaternion(*q),
            Self::Random if planar => about_z(PI * random.signed()),
            Self::Random => random.rotation_by_angles(),
        }
    }

    /// Returns an error if the orientation is invalid.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Fixed(q) => check_quaternion(*q),
            _ => Ok(()),
        }
    }
}

/// Returns the rotation of a quaternion [w, x, y, z] of any norm.
pub fn quaternion([w, x, y, z]: [f64; 4]) -> DQuat {
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// Returns the rotation about z by an angle, rad.
pub fn about_z(angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(0.0, 0.0, sin, cos)
}

/// Returns an error if four numbers are not a rotation.
pub fn check_quaternion(q: [f64; 4]) -> Result<(), String> {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if NORMS.contains(&norm) {
        Ok(())
    } else {
        Err(format!(
            "must be a quaternion [w, x, y, z] with a norm from {:e} to {:e}, not {q:?}",
            NORMS.start(),
            NORMS.end()
        ))
    }
}

impl Serialize for Orientation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Upright => [1.0, 0.0, 0.0, 0.0].serialize(serializer),
            Self::Fixed(q) => q.serialize(serializer),
            Self::Random => "random".serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Orientation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrQuaternion;
        impl<'de> Visitor<'de> for WordOrQuaternion {
            type Value = Orientation;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"random\" or a quaternion [w, x, y, z]")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Orientation, E> {
                match text {
                    "random" => Ok(Orientation::Random),
                    _ => Err(E::custom(format!(
                        "unknown orientation `{text}`; give \"random\" or a quaternion [w, x, y, z]"
                    ))),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Orientation, A::Error> {
                <[f64; 4]>::deserialize(serde::de::value::SeqAccessDeserializer::new(seq)).map(Orientation::Fixed)
            }
        }
        deserializer.deserialize_any(WordOrQuaternion)
    }
}

impl JsonSchema for Orientation {
    fn schema_name() -> Cow<'static, str> {
        "Orientation".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A quaternion [w, x, y, z] of any norm, or \"random\" for a uniform distribution over all orientations.",
            "anyOf": [
                { "const": "random" },
                { "type": "array", "items": { "type": "number" }, "minItems": 4, "maxItems": 4 }
            ]
        })
    }
}
