//! The measures of an overlap, by name.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// Largest number of bytes in the name of a measure: a [`Measure`] is then as small as two numbers.
const NAME_LENGTH: usize = 15;

/// The quantity by which the overlap of two bodies is measured.
///
/// A contact law is a function of this quantity. In files a measure is its [name](Self::name).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Measure {
    /// `depth`: the signed distance at each contact point. Every pair has it.
    Depth,
    /// `volume`: the volume of the overlap region over a constant area of the pair.
    Volume,
    /// `moments`: a length that follows from the second moments of the overlap region.
    #[default]
    Moments,
    /// A measure that another crate has registered in a [`PairTable`](crate::PairTable).
    Other(MeasureName),
}

/// The name of a measure that is not built in: 1 to 15 lower-case ASCII letters, digits and
/// underscores.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MeasureName {
    bytes: [u8; NAME_LENGTH],
    length: u8,
}

/// A text that cannot be the name of a measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no name of a measure: 1 to {NAME_LENGTH} lower-case letters, digits and underscores make one")]
pub struct InvalidMeasureName(String);

impl Measure {
    /// The built-in measures.
    pub const BUILT_IN: [Self; 3] = [Self::Depth, Self::Volume, Self::Moments];

    /// Returns the measure of this name. A valid name that is not built in gives a
    /// [`Measure::Other`].
    pub fn named(name: &str) -> Result<Self, InvalidMeasureName> {
        match Self::BUILT_IN.into_iter().find(|measure| measure.name() == name) {
            Some(measure) => Ok(measure),
            None => MeasureName::new(name).map(Self::Other).ok_or_else(|| InvalidMeasureName(name.to_owned())),
        }
    }

    /// Returns a measure that is not built in, for use in constants.
    ///
    /// # Panics
    ///
    /// If the name is invalid.
    pub const fn other(name: &str) -> Self {
        match MeasureName::new(name) {
            Some(name) => Self::Other(name),
            None => panic!("a measure's name is 1 to 15 lower-case letters, digits and underscores"),
        }
    }

    /// Returns the name: `depth`, `volume`, `moments`, or that of a registered measure.
    pub fn name(&self) -> &str {
        match self {
            Self::Depth => "depth",
            Self::Volume => "volume",
            Self::Moments => "moments",
            Self::Other(name) => name.as_str(),
        }
    }
}

impl MeasureName {
    const fn new(name: &str) -> Option<Self> {
        let text = name.as_bytes();
        if text.is_empty() || text.len() > NAME_LENGTH {
            return None;
        }
        let mut bytes = [0; NAME_LENGTH];
        let mut k = 0;
        while k < text.len() {
            if !matches!(text[k], b'a'..=b'z' | b'0'..=b'9' | b'_') {
                return None;
            }
            bytes[k] = text[k];
            k += 1;
        }
        Some(Self { bytes, length: text.len() as u8 })
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length as usize]).unwrap_or_default()
    }
}

impl fmt::Debug for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for MeasureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Measure;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a measure")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Measure, E> {
                Measure::named(name).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_is_read_back_from_its_name() {
        let own = Measure::other("published_2017");
        for measure in Measure::BUILT_IN.into_iter().chain([own]) {
            assert_eq!(Measure::named(measure.name()), Ok(measure));
        }
        assert_eq!(own.name(), "published_2017");
    }

    #[test]
    fn a_name_that_is_no_name_is_refused() {
        for name in ["", "Depth", "two words", "longer_than_15_bytes", "é"] {
            assert!(Measure::named(name).is_err(), "{name}");
        }
    }
}
