//! Sliding friction: a tangential spring with history, bounded by Coulomb's limit \[Cundall1979\].

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
    /// A spring whose stiffness is `ratio` times the normal one, with a dashpot.
    Linear {
        /// Coefficient of friction.
        friction: f64,
        /// Tangential over normal stiffness. 2/7 gives a ball the same period in both directions.
        ratio: f64,
        /// Damping ratio of the spring.
        zeta: f64,
    },
    /// Mindlin's spring without slip, `8 G sqrt(R d)` \[Mindlin1949\]. Stiffening keeps the force
    /// and softening keeps the displacement, so that neither creates energy.
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

    /// Returns the coefficient of friction.
    pub fn friction(&self) -> f64 {
        match *self {
            Tangential::None => 0.0,
            Tangential::Linear { friction, .. } | Tangential::Mindlin { friction, .. } => friction,
        }
    }

    /// Returns the stiffness at overlap `d`, N/m.
    #[inline]
    pub fn stiffness(&self, d: f64, curvature: f64, normal: &NormalState) -> f64 {
        match *self {
            Tangential::None => 0.0,
            Tangential::Linear { ratio, .. } => ratio * normal.stiffness,
            Tangential::Mindlin { modulus, .. } => 8.0 * modulus * (d.max(0.0) / curvature).sqrt(),
        }
    }

    /// Returns the damping ratio of the spring.
    #[inline]
    pub(super) fn zeta(&self) -> f64 {
        match *self {
            Tangential::None => 0.0,
            Tangential::Linear { zeta, .. } | Tangential::Mindlin { zeta, .. } => zeta,
        }
    }
}

/// A spring and a dashpot with a largest force: the mechanism of sliding, rolling and spinning
/// friction.
///
/// Displacements are stored half a step ahead: the displacement at the evaluation plus `dt/2` times
/// its rate. Each evaluation thus adds the mean of two rates, to second order, without a stored
/// rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitedSpring {
    /// Stiffness, N/m or N m/rad.
    pub stiffness: f64,
    /// Constant of the dashpot, N s/m or N m s/rad.
    pub damping: f64,
    /// Largest force, N, or torque, N m.
    pub limit: f64,
}

/// Result of one step of a [`LimitedSpring`].
#[derive(Clone, Copy, Debug)]
pub(super) struct SpringStep {
    /// Force, N, or torque, N m, on b.
    pub force: DVec3,
    /// Displacement to store, half a step ahead, m or rad.
    pub displacement: DVec3,
    /// Energy lost since the previous evaluation, J.
    pub lost: f64,
}

impl LimitedSpring {
    /// No spring.
    pub const NONE: Self = Self { stiffness: 0.0, damping: 0.0, limit: 0.0 };

    /// Changes the stiffness from `previous` to the present one and returns the energy lost, J.
    ///
    /// Stiffening keeps the force and softening keeps the displacement, so that neither creates
    /// energy.
    #[inline]
    pub fn change_stiffness(&self, previous: f64, displacement: &mut DVec3) -> f64 {
        if self.stiffness == previous {
            return 0.0;
        }
        let stored = 0.5 * previous * displacement.length_squared();
        if self.stiffness > previous {
            *displacement *= previous / self.stiffness;
            stored * (1.0 - previous / self.stiffness)
        } else {
            stored * (1.0 - self.stiffness / previous)
        }
    }

    /// Advances the spring by one step of `rate`, m/s or rad/s, and slides it if it exceeds its
    /// limit.
    #[inline]
    pub fn advance(&self, displacement: DVec3, rate: DVec3, dt: f64) -> SpringStep {
        let half = 0.5 * dt * rate;
        // The stored displacement is half a step ahead of the last evaluation.
        let stretched = displacement + half;
        let trial = -self.stiffness * stretched - self.damping * rate;
        // Squares are compared, because most contacts stick and need no root.
        let squared = trial.length_squared();
        let in_dashpot = self.damping * rate.length_squared() * dt;
        if squared <= self.limit * self.limit {
            return SpringStep { force: trial, displacement: stretched + half, lost: in_dashpot };
        }
        // The force is reduced to the limit, and the spring to the displacement that gives it.
        let force = trial * (self.limit / squared.sqrt());
        let kept = -(force + self.damping * rate) / self.stiffness;
        // Mean spring force during the slip. To second order the displacement one step ago is
        // `displacement - half`.
        let mean = 0.5 * self.stiffness * (displacement - half + kept);
        SpringStep { force, displacement: kept + half, lost: mean.dot(stretched - kept) + in_dashpot }
    }
}
