//! Normal force as a function of overlap and approach: a spring and a dashpot.

use serde::{Deserialize, Serialize};

use super::restitution;
use super::user_law::{NormalForce, NormalInput, UserNormal};
use super::{EndRule, LawError};
use crate::state::Material;

/// Stiffness of a linear contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stiffness {
    /// Stiffness, N/m, equal for all contacts.
    Constant(f64),
    /// Duration of a central impact, s, equal for all pairs of bodies. The stiffness follows from
    /// their masses. An eccentric impact is shorter.
    ContactTime(f64),
}

/// The quantity from which the dashpot is derived.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Damping {
    /// Coefficient of restitution of a free normal impact. The dashpot is derived from it for the
    /// end rule in use, so that the measured restitution is this one.
    Restitution(f64),
    /// Damping ratio itself: zeta of a linear contact, or alpha of a Hertz contact \[Tsuji1992\].
    Ratio(f64),
}

/// The normal law of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Normal {
    /// Linear spring and dashpot, `F = k d + 2 zeta sqrt(k m) d'`.
    Linear {
        /// Stiffness, or the contact time that sets it.
        stiffness: Stiffness,
        /// Damping ratio.
        zeta: f64,
        /// Factor of `k = factor m/t²` for a given contact time t; `pi²` without damping.
        time_factor: f64,
    },
    /// Hertz's spring \[Hertz1882\] with the dashpot of \[Tsuji1992\],
    /// `F = k d^(3/2) + alpha sqrt(m k) d^(1/4) d'` with `k = 4/3 E sqrt(R)`.
    Hertz {
        /// Reduced modulus E, Pa.
        modulus: f64,
        /// Damping constant \[Tsuji1992\].
        alpha: f64,
    },
    /// A law of the user of the library ([`Normal::register`]).
    UserDefined(UserNormal),
}

/// The normal law at one overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalState {
    /// Spring force, N.
    pub elastic: f64,
    /// Force of the dashpot per unit approach velocity, N s/m.
    pub damping: f64,
    /// Derivative of the spring force with respect to the overlap, N/m.
    pub stiffness: f64,
    /// Energy stored in the spring, J.
    pub energy: f64,
}

impl Normal {
    /// Returns a linear spring and dashpot.
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

    /// Returns Hertz's spring with Tsuji's dashpot; an error if a material has no elastic
    /// constants.
    pub fn hertz(a: &Material, b: &Material, damping: Damping, end: EndRule) -> Result<Self, LawError> {
        let alpha = match damping {
            Damping::Restitution(e) => restitution::hertz_alpha(e, end)?,
            Damping::Ratio(alpha) => check_ratio(alpha)?,
        };
        Ok(Self::Hertz { modulus: reduced_modulus(a, b)?, alpha })
    }

    /// Registers a law of the user under a new name and returns it.
    ///
    /// A saved world stores the name only. A program that reads it registers the law first.
    pub fn register(name: &str, law: impl NormalForce + 'static) -> Result<Self, LawError> {
        UserNormal::register(name, law).map(Self::UserDefined)
    }

    /// Returns the law of the user that was registered under a name.
    pub fn registered(name: &str) -> Option<Self> {
        UserNormal::find(name).map(Self::UserDefined)
    }

    /// Returns force, stiffness and energy at overlap `d >= 0`, m. `inverse_mass` is the inverse
    /// effective mass of the contact and `inverse_reduced_mass` that of a central impact, 1/kg;
    /// `curvature` is the sum of the mean curvatures, 1/m.
    #[inline]
    pub fn at(&self, d: f64, inverse_mass: f64, inverse_reduced_mass: f64, curvature: f64) -> NormalState {
        match *self {
            Normal::Linear { stiffness, zeta, time_factor } => {
                let k = match stiffness {
                    Stiffness::Constant(k) => k,
                    // The effective mass changes while the bodies rotate. A spring that changed
                    // with it would create energy.
                    Stiffness::ContactTime(t) => time_factor / (inverse_reduced_mass * t * t),
                };
                NormalState {
                    elastic: k * d,
                    damping: 2.0 * zeta * (k / inverse_mass).sqrt(),
                    stiffness: k,
                    energy: 0.5 * k * d * d,
                }
            }
            Normal::Hertz { modulus, alpha } => {
                // The reduced radius is the inverse of the curvature, so that sqrt(R d) appears in
                // spring and dashpot.
                let root = (d / curvature).sqrt();
                let k_root = 4.0 / 3.0 * modulus * root;
                NormalState {
                    elastic: k_root * d,
                    damping: alpha * (k_root / inverse_mass).sqrt(),
                    stiffness: 1.5 * k_root,
                    energy: 0.4 * k_root * d * d,
                }
            }
            Normal::UserDefined(law) => {
                law.at(&NormalInput { overlap: d, inverse_mass, inverse_reduced_mass, curvature })
            }
        }
    }

    /// Returns the exponents p and q of the overlap in spring and dashpot: `F ~ d^p + d^q d'`.
    #[inline]
    pub(super) fn exponents(&self) -> (f64, f64) {
        match self {
            Normal::Linear { .. } => (1.0, 0.0),
            Normal::Hertz { .. } => (1.5, 0.25),
            Normal::UserDefined(law) => law.exponents(),
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
