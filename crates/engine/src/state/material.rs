//! Materials, and the contact law of each pair of them.

use serde::{Deserialize, Serialize};

use super::WorldError;
use crate::smooth::{ContactLaw, LawError};

/// Number of a material in the world's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaterialId(pub u16);

/// A homogeneous, isotropic material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name in messages and outputs.
    pub name: String,
    /// Density, kg/m³. A planar body is 1 m thick.
    pub density: f64,
    /// Elastic constants. Only Hertz's and Mindlin's laws and their time step use them.
    pub elasticity: Option<Elasticity>,
}

/// Elastic constants of an isotropic material.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elasticity {
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
}

impl Elasticity {
    /// Returns the shear modulus, Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }
}

impl Material {
    /// Creates a material without elastic constants, which is enough for linear contact laws.
    pub fn new(name: impl Into<String>, density: f64) -> Self {
        Self { name: name.into(), density, elasticity: None }
    }

    /// Sets Young's modulus, Pa, and Poisson's ratio.
    ///
    /// ```
    /// use granum_engine::{Damping, EndRule, Material, Normal};
    ///
    /// let glass = Material::new("glass", 2500.0).with_elasticity(70e9, 0.22);
    /// let end = EndRule::NoTension;
    /// assert!(Normal::hertz(&glass, &glass, Damping::Restitution(0.9), end).is_ok());
    /// // Hertz's law needs the elastic constants of both materials.
    /// let clay = Material::new("clay", 1800.0);
    /// assert!(Normal::hertz(&glass, &clay, Damping::Restitution(0.9), end).is_err());
    /// ```
    pub fn with_elasticity(self, young: f64, poisson: f64) -> Self {
        Self { elasticity: Some(Elasticity { young, poisson }), ..self }
    }

    /// Returns the elastic constants, or an error that names the material.
    pub(crate) fn require_elasticity(&self) -> Result<Elasticity, LawError> {
        let missing = || {
            LawError(format!(
                "material `{}` has no Young's modulus and Poisson's ratio; the laws of Hertz and Mindlin need both",
                self.name
            ))
        };
        self.elasticity.ok_or_else(missing)
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
        let Some(Elasticity { young, poisson }) = self.elasticity else { return Ok(()) };
        positive("young", young)?;
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(WorldError::Value(format!(
                "poisson of material `{}` must lie between -1 and 0.5, not {poisson}",
                self.name
            )));
        }
        Ok(())
    }
}

/// Number of bodies of one material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MaterialUse {
    /// All bodies, removed walls included.
    pub bodies: usize,
    /// Bodies moved by forces.
    pub grains: usize,
}

impl MaterialUse {
    /// Counts one more body.
    pub fn count(&mut self, is_grain: bool) {
        self.bodies += 1;
        self.grains += usize::from(is_grain);
    }
}

/// The smooth law of each pair of materials.
pub type LawTable = MaterialPairTable<ContactLaw>;

/// A law for each pair of materials. The table is a full square, so that a contact finds its law
/// without sorting the pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MaterialPairTable<L> {
    materials: usize,
    laws: Vec<Option<L>>,
}

impl<L> Default for MaterialPairTable<L> {
    fn default() -> Self {
        Self { materials: 0, laws: Vec::new() }
    }
}

impl<L: Copy> MaterialPairTable<L> {
    /// Returns the law of two materials, if one was given.
    #[inline]
    pub fn get(&self, a: MaterialId, b: MaterialId) -> Option<&L> {
        self.laws[a.0 as usize * self.materials + b.0 as usize].as_ref()
    }

    /// Returns all laws that were given, once for each ordered pair.
    pub fn iter(&self) -> impl Iterator<Item = (MaterialId, MaterialId, &L)> {
        self.laws.iter().enumerate().filter_map(|(k, law)| {
            let (a, b) = (k / self.materials, k % self.materials);
            law.as_ref().map(|law| (MaterialId(a as u16), MaterialId(b as u16), law))
        })
    }

    /// Returns whether the table has the size for this number of materials.
    pub(super) fn is_for(&self, materials: usize) -> bool {
        self.materials == materials && self.laws.len() == materials * materials
    }

    /// Sets the law of two materials in either order.
    pub(super) fn set(&mut self, a: MaterialId, b: MaterialId, law: L) {
        let (a, b) = (a.0 as usize, b.0 as usize);
        self.laws[a * self.materials + b] = Some(law);
        self.laws[b * self.materials + a] = Some(law);
    }

    /// Makes the table fit this number of materials. Laws of other materials are dropped.
    pub(super) fn resize(&mut self, materials: usize) {
        let mut laws = vec![None; materials * materials];
        for (a, b, law) in self.iter() {
            let (a, b) = (a.0 as usize, b.0 as usize);
            if a.max(b) < materials {
                laws[a * materials + b] = Some(*law);
            }
        }
        *self = Self { materials, laws };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smooth::{Damping, EndRule, Normal, Tangential};

    #[test]
    fn laws_of_elastic_bodies_need_the_elastic_constants_of_both_materials() {
        let (clay, glass) = (Material::new("clay", 1800.0), Material::new("glass", 2500.0).with_elasticity(70e9, 0.22));
        assert!(clay.validate().is_ok() && glass.validate().is_ok());
        let hertz = |a, b| Normal::hertz(a, b, Damping::Restitution(0.9), EndRule::NoTension);
        assert!(hertz(&glass, &glass).is_ok() && Tangential::mindlin(&glass, &glass, 0.3, 0.1).is_ok());
        let error = hertz(&glass, &clay).expect_err("clay has no modulus");
        assert!(error.to_string().contains("material `clay` has no Young's modulus"), "{error}");
        assert!(Tangential::mindlin(&clay, &glass, 0.3, 0.1).is_err());
    }

    #[test]
    fn elastic_constants_out_of_range_are_refused() {
        for (young, poisson) in [(0.0, 0.2), (-1.0, 0.2), (f64::NAN, 0.2), (1e9, 0.5), (1e9, -1.0), (1e9, f64::NAN)] {
            assert!(Material::new("x", 1.0).with_elasticity(young, poisson).validate().is_err(), "{young} {poisson}");
        }
    }
}
