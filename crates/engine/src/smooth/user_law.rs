//! User-defined normal laws: a registry of named laws that a program adds to the built-in ones.
//!
//! A [`World`](crate::World) is plain data that can be saved, so a contact law stores the name of a
//! user's law, and the law itself stays in the program. A program that reads a saved world
//! registers its laws first.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::LawError;
use super::normal::NormalState;

/// The contact at which a normal law is evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalInput {
    /// Overlap, m, not negative. The generalised overlap where the measure has one.
    pub overlap: f64,
    /// Inverse effective mass of the contact, 1/kg.
    pub inverse_mass: f64,
    /// Inverse reduced mass of a central impact, `1/m_a + 1/m_b`, 1/kg. It is constant while the
    /// bodies rotate.
    pub inverse_reduced_mass: f64,
    /// Sum of the mean curvatures of the two surfaces, 1/m. Zero for two faces.
    pub curvature: f64,
}

/// A normal law of a user: a spring and a dashpot as functions of the overlap.
///
/// The force is `elastic + damping * approach velocity`. The energy ledger closes if `energy` is
/// the integral of `elastic` over the overlap. The law is evaluated in parallel and must always
/// return the same result for the same input.
pub trait NormalForce: Send + Sync {
    /// Returns force, damping constant, stiffness and energy at a contact.
    fn at(&self, contact: &NormalInput) -> NormalState;

    /// Returns the exponents p and q of the overlap in spring and dashpot for small overlaps,
    /// `F ~ d^p + d^q d'`. They are (1, 0) for a linear law and (3/2, 1/4) for a Hertz contact.
    ///
    /// They weight the force of a step in which a contact begins or ends.
    fn exponents(&self) -> (f64, f64) {
        (1.0, 0.0)
    }
}

/// A registered normal law of a user. It is saved by its name.
#[derive(Clone, Copy)]
pub struct UserNormal(&'static Entry);

struct Entry {
    name: String,
    law: Box<dyn NormalForce>,
}

/// All registered laws. Entries are never removed, so that a law can hold a static reference.
static REGISTRY: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

impl UserNormal {
    /// Registers a law under a new name.
    pub(super) fn register(name: &str, law: impl NormalForce + 'static) -> Result<Self, LawError> {
        let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
        if registry.iter().any(|entry| entry.name == name) {
            return Err(LawError(format!("a normal law `{name}` is registered already")));
        }
        let entry: &'static Entry = Box::leak(Box::new(Entry { name: name.into(), law: Box::new(law) }));
        registry.push(entry);
        Ok(Self(entry))
    }

    /// Returns the law that was registered under a name.
    pub(super) fn find(name: &str) -> Option<Self> {
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        registry.iter().find(|entry| entry.name == name).map(|&entry| Self(entry))
    }

    /// Returns the name of the law.
    pub fn name(&self) -> &'static str {
        &self.0.name
    }

    /// Evaluates the law.
    // cold: the call stays out of the code of the built-in laws.
    #[cold]
    pub(super) fn at(&self, contact: &NormalInput) -> NormalState {
        self.0.law.at(contact)
    }

    #[cold]
    pub(super) fn exponents(&self) -> (f64, f64) {
        self.0.law.exponents()
    }
}

impl fmt::Debug for UserNormal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("UserNormal").field(&self.name()).finish()
    }
}

impl PartialEq for UserNormal {
    /// Names are unique.
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Serialize for UserNormal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for UserNormal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let missing = || format!("normal law `{name}` is not registered in this program");
        Self::find(&name).ok_or_else(|| de::Error::custom(missing()))
    }
}
