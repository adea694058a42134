//! The normal force as a function of overlap and approach: a spring and a dashpot.

use serde::{Deserialize, Serialize};

use super::restitution;
use super::{EndRule, LawError};
use crate::state::Material;

/// Stiffness of a linear contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stiffness {
    /// N/m, the same for every contact.
    Constant(f64),
    /// Duration of a central impact, s, the same for every pair of bodies: the stiffness follows from their masses. An
    /// impact off the centre, which turns the bodies, is shorter.
    ContactTime(f64),
}

/// How damping is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Damping {
    /// By the coefficient of restitution of a free normal impact. The dashpot is derived from it for the rule
    /// that ends a contact, so that this is the restitution a user measures.
    Restitution(f64),
    /// By the dashpot itself: the ratio zeta of a linear contact, or Tsuji's alpha of a Hertz contact.
    Ratio(f64),
}

/// The normal law of a pair of materials, with its constants worked out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Normal {
    /// `F = k d + 2 zeta sqrt(k m) d'`.
    Linear {
        /// Stiffness, or the contact time that sets it.
        stiffness: Stiffness,
        /// Damping ratio.
        zeta: f64,
        /// `pi²`-like factor of `k = factor m / t²` where the contact time is given.
        time_factor: f64,
    },
    /// `F = k d^(3/2) + alpha sqrt(m k) d^(1/4) d'` with `k = 4/3 E sqrt(R)`.
    Hertz {
        /// Reduced modulus E, Pa.
        modulus: f64,
        /// Tsuji's damping constant.
        alpha: f64,
    },
}

/// The normal law at one overlap.
#[derive(Clone, Copy, Debug)]
pub struct NormalState {
    /// Spring force, N.
    pub elastic: f64,
    /// Damping force for unit approach, N s/m.
    pub damping: f64,
    /// Derivative of the spring force, N/m.
    pub stiffness: f64,
    /// Stored energy, J.
    pub energy: f64,
}

impl Normal {
    /// A linear spring and dashpot.
    pub fn linear(stiffness: Stiffness, damping: Damping, end: EndRule) -> Result<Self, LawError> {
        let (Stiffness::Constant(value) | Stiffness::ContactTime(value)) = stiffness;
        if !(value.is_finite() && value > 0.0) {
            return Err(LawError(format!("stiffness or contact time must be positive, not {value}")));
        }
        let zeta = match damping {
            Damping::Restitution(e) => restitution::linear_ratio(e, end)?,
            Damping::Ratio(zeta) => check_ratio(zeta)?,
        };
        let time_factor = restitution::linear_contact_time(zeta, end).powi(2);
        Ok(Self::Linear { stiffness, zeta, time_factor })
    }

    /// Returns Hertz's spring with Tsuji's dashpot; an error if a material has no elastic constants.
    pub fn hertz(a: &Material, b: &Material, damping: Damping, end: EndRule) -> Result<Self, LawError> {
        let alpha = match damping {
            Damping::Restitution(e) => restitution::hertz_alpha(e, end)?,
            Damping::Ratio(alpha) => check_ratio(alpha)?,
        };
        Ok(Self::Hertz { modulus: reduced_modulus(a, b)?, alpha })
    }

    /// Force, stiffness and energy at overlap `d >= 0`; `inverse_mass` and `curvature` are those of the contact,
    /// `own_inverse_mass` that of the two bodies if they did not turn.
    #[inline]
    pub fn at(&self, d: f64, inverse_mass: f64, own_inverse_mass: f64, curvature: f64) -> NormalState {
        match *self {
            Normal::Linear { stiffness, zeta, time_factor } => {
                let k = match stiffness {
                    Stiffness::Constant(k) => k,
                    // The mass that the contact feels changes as the bodies turn; a spring that did would make energy.
                    Stiffness::ContactTime(t) => time_factor / (own_inverse_mass * t * t),
                };
                NormalState {
                    elastic: k * d,
                    damping: 2.0 * zeta * (k / inverse_mass).sqrt(),
                    stiffness: k,
                    energy: 0.5 * k * d * d,
                }
            }
            Normal::Hertz { modulus, alpha } => {
                let root = (d / curvature).sqrt();
                let k_root = 4.0 / 3.0 * modulus * root;
                NormalState {
                    elastic: k_root * d,
                    damping: alpha * (k_root / inverse_mass).sqrt(),
                    stiffness: 1.5 * k_root,
                    energy: 0.4 * k_root * d * d,
                }
            }
        }
    }

    /// Exponents p and q of the overlap in the spring and in the dashpot: `F = d^p + d^q d'`.
    #[inline]
    pub(super) fn exponents(&self) -> (f64, f64) {
        match self {
            Normal::Linear { .. } => (1.0, 0.0),
            Normal::Hertz { .. } => (1.5, 0.25),
        }
    }
}

/// Returns the reduced modulus E* of two materials, Pa: `1/E* = (1 - nu_a²)/E_a + (1 - nu_b²)/E_b`.
///
/// It is an error if a material has no elastic constants.
pub fn reduced_modulus(a: &Material, b: &Material) -> Result<f64, LawError> {
    let (a, b) = (a.require_elasticity()?, b.require_elasticity()?);
    Ok(1.0 / ((1.0 - a.poisson * a.poisson) / a.young + (1.0 - b.poisson * b.poisson) / b.young))
}

fn check_ratio(ratio: f64) -> Result<f64, LawError> {
    if ratio.is_finite() && ratio >= 0.0 {
        Ok(ratio)
    } else {
        Err(LawError(format!("a damping ratio must not be negative, not {ratio}")))
    }
}
