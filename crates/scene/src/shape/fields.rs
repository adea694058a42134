//! Names of the fields of each shape.
//!
//! Serde passes the names of the fields to the deserialiser of a struct. A deserialiser without
//! data records them, so that no list of fields has to be kept up to date.

use std::cell::Cell;

use granum_geometry::Shape;
use serde::de::value::Error;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// Names of fields.
type Fields = &'static [&'static str];

/// Returns the fields of a kind of shape; an empty list if there is no such kind.
pub fn fields(shape: &str) -> Fields {
    let found = Cell::new(&[] as Fields);
    // Reading always ends with an error, once the fields are known.
    let _ = Shape::deserialize(FieldProbe { shape, found: &found });
    found.get()
}

/// A deserialiser that records the fields of a shape and then fails.
#[derive(Clone, Copy)]
struct FieldProbe<'a> {
    shape: &'a str,
    found: &'a Cell<Fields>,
}

impl<'de> Deserializer<'de> for FieldProbe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only the names of the fields are needed"))
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: Fields, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_enum(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, fields: Fields, _: V) -> Result<V::Value, Error> {
        self.found.set(fields);
        Err(Error::custom("only the names of the fields are needed"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for FieldProbe<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let name: serde::de::value::StrDeserializer<Error> = self.shape.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for FieldProbe<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: Fields, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_fields() {
        for name in crate::shape::names() {
            assert!(!fields(&name).is_empty(), "{name}");
        }
        assert_eq!(fields("no such shape"), &[] as Fields);
    }
}
