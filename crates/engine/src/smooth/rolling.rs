//! Rolling and spinning resistance: a torsional spring with history and a limit proportional to the load
//! (the elastic-plastic spring-dashpot of Ai, Chen, Rotter and Ooi 2011, their model C).

use serde::{Deserialize, Serialize};

use super::Kinematics;
use super::normal::NormalState;
use super::tangential::Slider;

/// The rolling law of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rolling {
    /// No resistance.
    None,
    /// Couples up to `friction R F` against rolling and `spinning R F` against spinning about the normal.
    Spring {
        /// Coefficient of rolling friction.
        friction: f64,
        /// Coefficient of spinning friction.
        spinning: f64,
        /// Damping ratio of the spring.
        zeta: f64,
    },
}

/// `k_r = 2.25 k_n (mu_r R)²`: the spring that a flat contact patch of half width `mu_r R` has (model C).
const PATCH: f64 = 2.25;

/// What the springs of a contact have in common at one instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct RollingSprings {
    /// Radius to roll on, m.
    radius: f64,
    /// Stiffness along the normal, N/m.
    stiffness: f64,
    /// Normal force, N.
    load: f64,
    /// Inverse of the moment of inertia of the relative rotation, 1/(kg m²).
    inverse_inertia: f64,
}

impl RollingSprings {
    /// The springs under a load; what does not ask for their limits may give none.
    #[inline(always)]
    pub fn new(load: f64, curvature: f64, normal: &NormalState, k: &Kinematics) -> Self {
        // A flat contact has no radius to roll on; its own geometry resists. On a nearly flat one the patch is no wider than
        // the grain: a spring that grew with the radius would be stiffer than the step can follow.
        let radius = if curvature > 0.0 { (1.0 / curvature).min(k.reach) } else { 0.0 };
        Self { radius, stiffness: normal.stiffness, load, inverse_inertia: k.inverse_inertia }
    }

    /// The springs against rolling and against spinning.
    #[inline(always)]
    pub fn sliders(&self, friction: f64, spinning: f64, zeta: f64) -> [Slider; 2] {
        let slider = |coefficient: f64| {
            let stiffness = PATCH * self.stiffness * (coefficient * self.radius).powi(2);
            Slider {
                stiffness,
                damping: 2.0 * zeta * (stiffness / self.inverse_inertia).sqrt(),
                limit: coefficient * self.radius * self.load,
            }
        };
        [slider(friction), slider(spinning)]
    }
}
