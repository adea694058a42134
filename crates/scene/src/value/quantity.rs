//! Deserialisation of quantities: a number in SI units, or a string with a unit.
//!
//! The functions are used in `#[serde(deserialize_with = ..)]`, so that the fields of a scene are
//! plain numbers in SI units.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use glam::DVec3;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

use crate::format::FrameInterval;
use crate::value::units::{self, Dimension};

/// The word for [`FrameInterval::Never`].
const NEVER: &str = "never";

/// A physical quantity of a field.
pub trait Kind {
    /// Dimension of the quantity.
    const DIMENSION: Dimension;
    /// SI unit and example, for error messages and the schema.
    const HINT: &'static str;
}

/// Declares the quantities of the scene format by their powers of kg, m, s and rad.
macro_rules! kinds {
    ($($name:ident: [$kg:literal, $m:literal, $s:literal, $rad:literal], $hint:literal;)+) => {
        $(
            pub enum $name {}
            impl Kind for $name {
                const DIMENSION: Dimension = Dimension::new($kg, $m, $s, $rad);
                const HINT: &'static str = $hint;
            }
        )+
    };
}

kinds! {
    Length: [0, 1, 0, 0], "a length: a number in m or a string such as \"2.5 mm\"";
    Time: [0, 0, 1, 0], "a time: a number in s or a string such as \"10 ms\"";
    Velocity: [0, 1, -1, 0], "a velocity: a number in m/s or a string such as \"5 cm/s\"";
    Acceleration: [0, 1, -2, 0], "an acceleration: a number in m/s2 or a string such as \"9.81 m/s2\"";
    Density: [1, -3, 0, 0], "a density: a number in kg/m3 or a string such as \"2.5 g/cm3\"";
    Pressure: [1, -1, -2, 0], "a modulus: a number in Pa or a string such as \"70 GPa\"";
    Load: [1, -1, -2, 0], "a pressure: a number in Pa or a string such as \"2 kPa\"";
    Force: [1, 1, -2, 0], "a force: a number in N or a string such as \"100 N\"";
    Area: [0, 2, 0, 0], "an area: a number in m2 or a string such as \"25 cm2\"";
    Gain: [-1, 0, 1, 0], "a gain: a number in m/(s N) or a string such as \"0.1 mm/s/N\"";
    Stiffness: [1, 0, -2, 0], "a stiffness: a number in N/m or a string such as \"100 N/m\"";
    Frequency: [0, 0, -1, 0], "a frequency: a number in Hz or a string such as \"50 Hz\"";
    Angle: [0, 0, 0, 1], "an angle: a number in rad or a string such as \"90 deg\"";
    Mass: [1, 0, 0, 0], "a mass: a number in kg or a string such as \"2 kg\"";
    MassRate: [1, 0, -1, 0], "a mass flow: a number in kg/s or a string such as \"50 g/s\"";
    Energy: [1, 2, -2, 0], "an energy: a number in J or a string such as \"1e-6 J\"";
    Spin: [0, 0, -1, 1], "an angular velocity: a number in rad/s or a string such as \"30 rpm\"";
}

/// A quantity in SI units.
pub struct Quantity<K>(f64, PhantomData<K>);

impl<K: Kind> JsonSchema for Quantity<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string"], "description": K::HINT })
    }
}

impl<'de, K: Kind> Deserialize<'de> for Quantity<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrText<K>(PhantomData<K>);
        impl<K: Kind> Visitor<'_> for NumberOrText<K> {
            type Value = f64;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(K::HINT)
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
                if value.is_finite() { Ok(value) } else { Err(E::custom(format!("must be finite, not {value}"))) }
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
                Ok(value as f64)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
                from_text::<K>(text).map_err(E::custom)
            }
        }
        Ok(Self(deserializer.deserialize_any(NumberOrText(PhantomData::<K>))?, PhantomData))
    }
}

/// Returns a string with a unit as an SI value of the quantity `K`.
pub fn from_text<K: Kind>(text: &str) -> Result<f64, String> {
    let form = K::HINT.replacen(": ", " is ", 1);
    let with_form = |reason: String| if reason.contains(';') { reason } else { format!("{reason}; {form}") };
    let (value, dimension) = units::parse(text).map_err(with_form)?;
    if dimension == K::DIMENSION {
        Ok(value)
    } else if dimension == Dimension::default() {
        Err(format!("`{text}` has no unit; expected {}", K::HINT))
    } else {
        Err(format!("`{text}` is {dimension}, not {}; {form}", K::DIMENSION))
    }
}

/// Reads a quantity.
pub fn one<'de, K: Kind, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Quantity::<K>::deserialize(deserializer).map(|quantity| quantity.0)
}

/// Reads a quantity of an optional key.
pub fn optional<'de, K: Kind, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    one::<K, D>(deserializer).map(Some)
}

/// Reads two quantities.
pub fn pair<'de, K: Kind, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; 2], D::Error> {
    <[Quantity<K>; 2]>::deserialize(deserializer).map(|parts| parts.map(|part| part.0))
}

/// Reads a vector.
pub fn vector<'de, K: Kind, D: Deserializer<'de>>(deserializer: D) -> Result<DVec3, D::Error> {
    <[Quantity<K>; 3]>::deserialize(deserializer).map(|parts| DVec3::from_array(parts.map(|part| part.0)))
}

/// Reads a vector of an optional key.
pub fn optional_vector<'de, K: Kind, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DVec3>, D::Error> {
    vector::<K, D>(deserializer).map(Some)
}

/// Reads a list of vectors of an optional key.
pub fn vectors<'de, K: Kind, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<DVec3>>, D::Error> {
    let points = Vec::<[Quantity<K>; 3]>::deserialize(deserializer)?;
    Ok(Some(points.into_iter().map(|point| DVec3::from_array(point.map(|part| part.0))).collect()))
}

/// Reads a sieve curve: sizes, each with the fraction of the mass that is smaller.
pub fn curve<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<[f64; 2]>>, D::Error> {
    let points = Vec::<(Quantity<Length>, f64)>::deserialize(deserializer)?;
    Ok(Some(points.into_iter().map(|(size, part)| [size.0, part]).collect()))
}

/// Reads a time, or the word `auto` for `None`.
pub fn auto_or_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    deserializer.deserialize_any(WordOrTime { word: "auto" })
}

impl<'de> Deserialize<'de> for FrameInterval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Resolved scenes of earlier versions contain an infinite time for "never".
        let time = deserializer.deserialize_any(WordOrTime { word: NEVER })?.filter(|time| *time != f64::INFINITY);
        Ok(time.map_or(Self::Never, Self::Every))
    }
}

impl Serialize for FrameInterval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Every(time) => serializer.serialize_f64(*time),
            Self::Never => serializer.serialize_str(NEVER),
        }
    }
}

/// Reads a time, or one word for `None`.
struct WordOrTime {
    word: &'static str,
}

impl Visitor<'_> for WordOrTime {
    type Value = Option<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\", or {}", self.word, Time::HINT)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(value as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        if text == self.word {
            return Ok(None);
        }
        from_text::<Time>(text).map(Some).map_err(E::custom)
    }
}
