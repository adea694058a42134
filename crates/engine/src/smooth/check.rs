//! Checks of the constants of a contact law. The fields of a law are public, so a world checks each
//! law that it receives.

use super::{ContactLaw, LawError, Normal, Rolling, Stiffness, Tangential};

impl ContactLaw {
    /// Returns an error if a constant is not finite, is negative, or is zero where the law needs a
    /// positive one. A negative friction or damping would create energy.
    pub fn check(&self) -> Result<(), LawError> {
        match self.normal {
            Normal::Linear { stiffness, zeta, time_factor } => {
                let (Stiffness::Constant(value) | Stiffness::ContactTime(value)) = stiffness;
                positive("stiffness or contact time", value)?;
                positive("the time factor of a linear law", time_factor)?;
                not_negative("the damping ratio", zeta)?;
            }
            Normal::Hertz { modulus, alpha } => {
                positive("the reduced modulus", modulus)?;
                not_negative("the damping constant", alpha)?;
            }
            Normal::UserDefined(_) => {}
        }
        match self.tangential {
            Tangential::None => {}
            Tangential::Linear { friction, ratio, zeta } => {
                not_negative("the coefficient of friction", friction)?;
                positive("the ratio of tangential to normal stiffness", ratio)?;
                not_negative("the tangential damping ratio", zeta)?;
            }
            Tangential::Mindlin { friction, modulus, zeta } => {
                not_negative("the coefficient of friction", friction)?;
                positive("the reduced shear modulus", modulus)?;
                not_negative("the tangential damping ratio", zeta)?;
            }
        }
        match self.rolling {
            Rolling::None => Ok(()),
            Rolling::Spring { friction, spinning, zeta } => {
                not_negative("the coefficient of rolling friction", friction)?;
                not_negative("the coefficient of spinning friction", spinning)?;
                not_negative("the rolling damping ratio", zeta)
            }
        }
    }
}

fn positive(name: &str, value: f64) -> Result<(), LawError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(LawError(format!("{name} must be positive, not {value}")))
    }
}

fn not_negative(name: &str, value: f64) -> Result<(), LawError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(LawError(format!("{name} must be at least 0, not {value}")))
    }
}
