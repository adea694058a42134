//! Materials, and the contact law of each pair of them.

use serde::{Deserialize, Serialize};

use super::WorldError;
use crate::smooth::ContactLaw;

/// Number of a material in the world's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaterialId(pub u16);

/// An isotropic elastic material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// For messages.
    pub name: String,
    /// kg/m³.
    pub density: f64,
    /// Young's modulus, Pa. Hertz's law needs it, a linear law does not.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
}

impl Material {
    /// Shear modulus, Pa.
    pub fn shear(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    pub(super) fn validate(&self) -> Result<(), WorldError> {
        let positive = |name: &str, value: f64| {
            if value.is_finite() && value > 0.0 {
                Ok(())
            } else {
                Err(WorldError::Value(format!("{name} of material `{}` must be positive, not {value}", self.name)))
            }
        };
        positive("density", self.density)?;
        positive("young", self.young)?;
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return Err(WorldError::Value(format!(
                "poisson of material `{}` must lie between -1 and 0.5, not {}",
                self.name, self.poisson
            )));
        }
        Ok(())
    }
}

/// The smooth law of every pair of materials.
pub type LawTable = PairTable<ContactLaw>;

/// Something for every pair of materials: a full square, so that a contact looks it up without sorting.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairTable<L> {
    materials: usize,
    laws: Vec<Option<L>>,
}

impl<L> Default for PairTable<L> {
    fn default() -> Self {
        Self { materials: 0, laws: Vec::new() }
    }
}

impl<L: Copy> PairTable<L> {
    /// The law of two materials, if one was given.
    #[inline]
    pub fn get(&self, a: MaterialId, b: MaterialId) -> Option<&L> {
        self.laws[a.0 as usize * self.materials + b.0 as usize].as_ref()
    }

    /// Every law that was given, once for each ordered pair.
    pub fn iter(&self) -> impl Iterator<Item = (MaterialId, MaterialId, &L)> {
        self.laws.iter().enumerate().filter_map(|(k, law)| {
            let (a, b) = (k / self.materials, k % self.materials);
            law.as_ref().map(|law| (MaterialId(a as u16), MaterialId(b as u16), law))
        })
    }

    /// Whether it is a table for this many materials.
    pub(super) fn is_for(&self, materials: usize) -> bool {
        self.materials == materials && self.laws.len() == materials * materials
    }

    pub(super) fn set(&mut self, a: MaterialId, b: MaterialId, law: L) {
        let (a, b) = (a.0 as usize, b.0 as usize);
        self.laws[a * self.materials + b] = Some(law);
        self.laws[b * self.materials + a] = Some(law);
    }

    pub(super) fn grow(&mut self, materials: usize) {
        let mut laws = vec![None; materials * materials];
        for (a, b, law) in self.iter() {
            laws[a.0 as usize * materials + b.0 as usize] = Some(*law);
        }
        *self = Self { materials, laws };
    }
}
