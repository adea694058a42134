//! Sliding friction: a tangential spring with history, and Coulomb's limit.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::LawError;
use super::normal::NormalState;
use crate::state::Material;

/// The tangential law of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Tangential {
    /// No friction.
    None,
    /// A spring whose stiffness is `ratio` times the normal one, with a dashpot of damping ratio `zeta`.
    Linear {
        /// Coefficient of friction.
        friction: f64,
        /// Tangential over normal stiffness; 2/7 gives a ball one period in both directions.
        ratio: f64,
        /// Damping ratio of the spring.
        zeta: f64,
    },
    /// Mindlin's spring, `8 G sqrt(R d)`: stiffening keeps the force, softening keeps the displacement, so that
    /// neither makes energy.
    Mindlin {
        /// Coefficient of friction.
        friction: f64,
        /// Reduced shear modulus G, Pa.
        modulus: f64,
        /// Damping ratio of the spring.
        zeta: f64,
    },
}

impl Tangential {
    /// Returns Mindlin's law for two materials; an error if one of them has no elastic constants.
    pub fn mindlin(a: &Material, b: &Material, friction: f64, zeta: f64) -> Result<Self, LawError> {
        let (a, b) = (a.require_elasticity()?, b.require_elasticity()?);
        let modulus = 1.0 / ((2.0 - a.poisson) / a.shear_modulus() + (2.0 - b.poisson) / b.shear_modulus());
        Ok(Self::Mindlin { friction, modulus, zeta })
    }

    /// Coefficient of friction.
    pub fn friction(&self) -> f64 {
        match *self {
            Tangential::None => 0.0,
            Tangential::Linear { friction, .. } | Tangential::Mindlin { friction, .. } => friction,
        }
    }

    /// Stiffness at overlap `d`, N/m.
    #[inline]
    pub fn stiffness(&self, d: f64, curvature: f64, normal: &NormalState) -> f64 {
        match *self {
            Tangential::None => 0.0,
            Tangential::Linear { ratio, .. } => ratio * normal.stiffness,
            Tangential::Mindlin { modulus, .. } => 8.0 * modulus * (d.max(0.0) / curvature).sqrt(),
        }
    }

    #[inline]
    pub(super) fn zeta(&self) -> f64 {
        match *self {
            Tangential::None => 0.0,
            Tangential::Linear { zeta, .. } | Tangential::Mindlin { zeta, .. } => zeta,
        }
    }
}

/// A spring that gives way at a limit: the common mechanism of sliding, rolling and spinning friction.
///
/// `displacement` is kept half a step ahead (the displacement at the evaluation plus `rate dt/2`), so that each
/// evaluation adds the mean of two rates, to second order, without keeping the last rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slider {
    /// N/m, or N m/rad.
    pub stiffness: f64,
    /// N s/m, or N m s/rad.
    pub damping: f64,
    /// Largest force or couple.
    pub limit: f64,
}

/// What a slider answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slid {
    /// Force or couple on b.
    pub force: DVec3,
    /// The displacement to keep, half a step ahead.
    pub displacement: DVec3,
    /// Energy lost since the last evaluation, J.
    pub lost: f64,
}

impl Slider {
    /// No spring.
    pub const NONE: Self = Self { stiffness: 0.0, damping: 0.0, limit: 0.0 };

    /// What the spring loses, J, as its stiffness comes to be this one: stiffening keeps the force, softening keeps the
    /// displacement, so that neither makes energy.
    #[inline]
    pub fn change_from(&self, before: f64, displacement: &mut DVec3) -> f64 {
        if self.stiffness == before {
            return 0.0;
        }
        let stored = 0.5 * before * displacement.length_squared();
        if self.stiffness > before {
            *displacement *= before / self.stiffness;
            stored * (1.0 - before / self.stiffness)
        } else {
            stored * (1.0 - self.stiffness / before)
        }
    }

    /// Advances the spring by half a step of `rate`, and lets it slide if it is beyond its limit.
    #[inline]
    pub fn advance(&self, displacement: DVec3, rate: DVec3, dt: f64) -> Slid {
        let half = 0.5 * dt * rate;
        let stretched = displacement + half;
        let trial = -self.stiffness * stretched - self.damping * rate;
        let squared = trial.length_squared();
        let in_dashpot = self.damping * rate.length_squared() * dt;
        if squared <= self.limit * self.limit {
            return Slid { force: trial, displacement: stretched + half, lost: in_dashpot };
        }
        let force = trial * (self.limit / squared.sqrt());
        let kept = -(force + self.damping * rate) / self.stiffness;
        // Mean spring force over the slip; the displacement one step ago is `displacement - half` to second order.
        let mean = 0.5 * self.stiffness * (displacement - half + kept);
        Slid { force, displacement: kept + half, lost: mean.dot(stretched - kept) + in_dashpot }
    }
}
