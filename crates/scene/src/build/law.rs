//! Conversion of a `[[contact]]` table to the contact law of the engine.

use granum_engine::smooth::LawError;
use granum_engine::{ContactLaw, Damping, EndRule, Material, Normal, Rolling, Stiffness, Tangential};

use crate::error::SceneError;
use crate::format::{ContactTable, Ends, MaterialTable, NormalName, Scene, TangentialName};

/// Default ratio of tangential to normal stiffness. With 2/7 a ball has the same period of
/// oscillation in both directions.
const TANGENTIAL_STIFFNESS: f64 = 2.0 / 7.0;

/// Returns the engine's material of a `[materials.NAME]` table.
pub fn material(name: &str, table: &MaterialTable) -> Material {
    let material = Material::new(name, table.density);
    match (table.young, table.poisson) {
        (Some(young), Some(poisson)) => material.with_elasticity(young, poisson),
        // `Scene::require_moduli` reports a constant that is missing where a law uses it.
        _ => material,
    }
}

impl Scene {
    /// Returns the contact law of `contact[index]`, whose two materials are given.
    pub(crate) fn law(&self, index: usize, [a, b]: [&Material; 2]) -> Result<ContactLaw, SceneError> {
        let contact = &self.contact[index];
        let field = |key: &str| format!("contact[{index}].{key}");
        let end = match contact.ends {
            Ends::NoTension => EndRule::NoTension,
            Ends::ZeroOverlap => EndRule::ZeroOverlap,
        };
        let damping = Damping::Restitution(self.restitution(index)?);
        let Some(law) = contact.law else {
            let reason = "missing `law`; give \"linear\" or \"hertz\" (only response = \"percussion\" needs no law)";
            return Err(self.source.error(&format!("contact[{index}]"), reason));
        };
        let tangential_name = contact.tangential.unwrap_or(match law {
            NormalName::Linear => TangentialName::Linear,
            NormalName::Hertz => TangentialName::Mindlin,
        });
        if law == NormalName::Hertz || tangential_name == TangentialName::Mindlin {
            self.require_moduli(index)?;
        }
        let normal = match (law, contact.stiffness, contact.contact_time) {
            (NormalName::Linear, Some(stiffness), None) => Normal::linear(Stiffness::Constant(stiffness), damping, end),
            (NormalName::Linear, None, Some(time)) => Normal::linear(Stiffness::ContactTime(time), damping, end),
            (NormalName::Linear, None, None) => {
                let reason = "a linear law needs `stiffness` or `contact_time`";
                return Err(self.source.error(&field("law"), reason));
            }
            (NormalName::Linear, Some(_), Some(_)) => {
                let reason = "give `stiffness` or `contact_time`, not both: each determines the other";
                return Err(self.source.error(&field("contact_time"), reason));
            }
            (NormalName::Hertz, None, None) => Normal::hertz(a, b, damping, end),
            (NormalName::Hertz, stiffness, _) => {
                let key = if stiffness.is_some() { "stiffness" } else { "contact_time" };
                let reason = "has no effect in a Hertz law, whose stiffness follows from the materials; remove it, or set law = \"linear\"";
                return Err(self.source.error(&field(key), reason));
            }
        };
        // All other values were checked before, so an error concerns the restitution.
        let normal = normal.map_err(|error| self.source.error(&field("restitution"), error.to_string()))?;
        if tangential_name == TangentialName::Mindlin && contact.tangential_stiffness.is_some() {
            let reason = "has no effect in Mindlin's law, whose stiffness follows from the materials; remove it, or set \
                          tangential = \"linear\"";
            return Err(self.source.error(&field("tangential_stiffness"), reason));
        }
        let tangential = tangential(contact, self.friction(index)?, tangential_name, [a, b])
            .map_err(|error| self.source.error(&field("tangential"), error.to_string()))?;
        Ok(ContactLaw { normal, tangential, rolling: rolling(contact), end })
    }

    /// Returns the restitution of `contact[index]`, or the error that it is missing.
    pub(crate) fn restitution(&self, index: usize) -> Result<f64, SceneError> {
        let missing =
            || self.missing(index, "restitution", "the ratio of the speeds after and before an impact, 0 to 1");
        self.contact[index].restitution.ok_or_else(missing)
    }

    /// Returns the friction of `contact[index]`, or the error that it is missing.
    pub(crate) fn friction(&self, index: usize) -> Result<f64, SceneError> {
        let missing = || self.missing(index, "friction", "the coefficient of sliding friction; give 0 for none");
        self.contact[index].friction.ok_or_else(missing)
    }

    fn missing(&self, index: usize, key: &str, meaning: &str) -> SceneError {
        self.source.error(&format!("contact[{index}]"), format!("missing `{key}`, {meaning}"))
    }

    /// Checks that both materials of `contact[index]` have the elastic constants for Hertz and
    /// Mindlin.
    fn require_moduli(&self, index: usize) -> Result<(), SceneError> {
        for name in &self.contact[index].between {
            let material = &self.materials[name];
            for (key, value) in [("young", material.young), ("poisson", material.poisson)] {
                if value.is_none() {
                    let reason = format!("missing `{key}`, which contact[{index}] needs for its Hertz or Mindlin law");
                    return Err(self.source.error(&format!("materials.{name}"), reason));
                }
            }
        }
        Ok(())
    }
}

fn tangential(
    contact: &ContactTable,
    friction: f64,
    name: TangentialName,
    [a, b]: [&Material; 2],
) -> Result<Tangential, LawError> {
    let zeta = contact.tangential_damping;
    match name {
        _ if friction == 0.0 => Ok(Tangential::None),
        TangentialName::Linear => {
            let ratio = contact.tangential_stiffness.unwrap_or(TANGENTIAL_STIFFNESS);
            Ok(Tangential::Linear { friction, ratio, zeta })
        }
        TangentialName::Mindlin => Tangential::mindlin(a, b, friction, zeta),
    }
}

fn rolling(contact: &ContactTable) -> Rolling {
    let (friction, spinning) = (contact.rolling_friction, contact.spinning_friction);
    if friction == 0.0 && spinning == 0.0 {
        Rolling::None
    } else {
        Rolling::Spring { friction, spinning, zeta: contact.rolling_damping }
    }
}
