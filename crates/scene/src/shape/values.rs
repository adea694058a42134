//! Values of a shape table, as a deserialiser for the shapes of the crate `geometry`.
//!
//! It is simpler and faster than a general deserialiser, because a scene may draw a million shapes.

use serde::de::value::{Error, SeqDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// A number, a list or a table.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    Number(f64),
    List(Vec<Value<'a>>),
    Table(Vec<(&'a str, Value<'a>)>),
}

impl Value<'_> {
    /// Multiplies all numbers by a factor.
    pub fn scale(&mut self, factor: f64) {
        match self {
            Self::Number(number) => *number *= factor,
            Self::List(list) => list.iter_mut().for_each(|value| value.scale(factor)),
            Self::Table(table) => table.iter_mut().for_each(|(_, value)| value.scale(factor)),
        }
    }
}

impl<'de> IntoDeserializer<'de, Error> for Value<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Number(number) => visitor.visit_f64(number),
            Self::List(list) => {
                let mut items = SeqDeserializer::new(list.into_iter());
                let value = visitor.visit_seq(&mut items)?;
                // Components that the shape has not read are an error.
                items.end()?;
                Ok(value)
            }
            Self::Table(table) => visitor.visit_map(NamedFields { fields: table.into_iter(), next: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// The fields of a table. An error about the type or the length of a value begins with the name of
/// its field, as the errors of shapes do.
struct NamedFields<'a, I> {
    fields: I,
    /// The field whose name was read and whose value was not.
    next: Option<(&'a str, Value<'a>)>,
}

impl<'de, 'a, I: Iterator<Item = (&'a str, Value<'a>)>> MapAccess<'de> for NamedFields<'a, I> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.next = self.fields.next();
        let name: Option<serde::de::value::StrDeserializer<Error>> =
            self.next.as_ref().map(|(name, _)| (*name).into_deserializer());
        name.map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (name, value) = self.next.take().ok_or_else(|| Error::custom("a value was read before its name"))?;
        seed.deserialize(value).map_err(|error| {
            let reason = error.to_string();
            if reason.starts_with("invalid ") { Error::custom(format!("`{name}` {reason}")) } else { error }
        })
    }
}
