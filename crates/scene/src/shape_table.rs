//! The table of a shape, such as `[grains.sphere]`: any shape that geometry knows, with sizes that may be ranges.
//!
//! The table's name is the shape's `type` and its keys are the shape's fields, so this file names no shape and a new
//! one needs nothing here. Every number may be a length with a unit, or a range `{ min = .., max = .. }` from which
//! each grain draws its own value, uniformly and independently of the other ranges.

use std::collections::BTreeMap;
use std::fmt;

use granum_geometry::shape::TaggedShape;
use granum_geometry::{Kind, Shape};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as DeserializeDerive, Serialize};
use toml::Value;

use crate::quantity::{self, Length};
use crate::random::Random;
use crate::source::{SceneError, Source};
use crate::suggest;

/// A shape as a scene gives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeTable {
    /// Name of the shape, as in `granum contact`.
    pub kind: String,
    fields: BTreeMap<String, Number>,
}

/// A value of a shape's table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Number {
    Fixed(f64),
    Range(Range),
    List(Vec<Number>),
}

/// A uniform distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, DeserializeDerive)]
#[serde(deny_unknown_fields)]
struct Range {
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    min: f64,
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    max: f64,
}

/// What is wrong with a shape: the field of its table, if it is one field, and the reason.
pub struct ShapeFault {
    pub field: Option<String>,
    pub reason: String,
}

impl ShapeFault {
    /// The fault as one of the scene, of the body `path`.
    pub fn of(self, source: &Source, path: &str, shape: &ShapeTable) -> SceneError {
        let table = format!("{path}.{}", shape.kind);
        let field = self.field.map_or(table.clone(), |field| format!("{table}.{field}"));
        source.fault(&field, self.reason)
    }
}

impl ShapeTable {
    /// A shape of this kind, from the body of its table.
    pub fn new<'de, D: Deserializer<'de>>(kind: &str, table: D) -> Result<Self, D::Error> {
        Ok(Self { kind: kind.to_owned(), fields: BTreeMap::deserialize(table)? })
    }

    /// Whether every grain has the same shape.
    pub fn is_fixed(&self) -> bool {
        fn fixed(number: &Number) -> bool {
            match number {
                Number::Fixed(_) => true,
                Number::Range(_) => false,
                Number::List(list) => list.iter().all(fixed),
            }
        }
        self.fields.values().all(fixed)
    }

    /// The shapes at the low and at the high end of all ranges.
    pub fn extremes(&self) -> Result<[Shape; 2], ShapeFault> {
        for (name, number) in &self.fields {
            check_ranges(name, number)?;
        }
        Ok([self.with(|range| range.min)?, self.with(|range| range.max)?])
    }

    /// The shape of one grain.
    pub fn draw(&self, random: &mut Random) -> Result<Shape, ShapeFault> {
        self.with(|range| range.min + (range.max - range.min) * random.unit())
    }

    fn with(&self, mut pick: impl FnMut(&Range) -> f64) -> Result<Shape, ShapeFault> {
        let mut table: toml::Table =
            self.fields.iter().map(|(name, number)| (name.clone(), number.with(&mut pick))).collect();
        table.insert("type".into(), Value::String(self.kind.clone()));
        let shape = TaggedShape::deserialize(Value::Table(table)).map_err(|error| {
            let message = error.message().trim();
            let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
            ShapeFault { field: unknown.map(str::to_owned), reason: suggest::explain(message, &[]) }
        })?;
        Shape::from(shape)
            .checked()
            .map_err(|fault| ShapeFault { field: Some(fault.field.into()), reason: fault.reason })
    }

    /// The table as a scene file has it.
    pub fn to_value(&self) -> Result<Value, toml::ser::Error> {
        Value::try_from(&self.fields)
    }
}

impl Number {
    fn with(&self, pick: &mut impl FnMut(&Range) -> f64) -> Value {
        match self {
            Number::Fixed(number) => Value::Float(*number),
            Number::Range(range) => Value::Float(pick(range)),
            Number::List(list) => Value::Array(list.iter().map(|number| number.with(pick)).collect()),
        }
    }
}

fn check_ranges(name: &str, number: &Number) -> Result<(), ShapeFault> {
    match number {
        Number::Range(Range { min, max }) if min > max => Err(ShapeFault {
            field: Some(name.to_owned()),
            reason: format!("must have a min that is not above its max, not {min} and {max}"),
        }),
        Number::List(list) => list.iter().try_for_each(|number| check_ranges(name, number)),
        _ => Ok(()),
    }
}

/// Names of the shapes that geometry knows, as tables are named.
pub fn names() -> Vec<String> {
    let snake_case = |kind: &Kind| {
        let mut name = String::new();
        for letter in format!("{kind:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.extend(letter.to_lowercase());
        }
        name
    };
    Kind::ALL.iter().map(snake_case).collect()
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl<'de> Visitor<'de> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a length such as \"2.5 mm\", a range { min, max }, or a list of these")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number::Fixed(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number::Fixed(value as f64))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                quantity::from_text::<Length>(text).map(Number::Fixed).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Number, A::Error> {
                let mut list = Vec::new();
                while let Some(number) = seq.next_element()? {
                    list.push(number);
                }
                Ok(Number::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Number, A::Error> {
                Range::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(Number::Range)
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}
