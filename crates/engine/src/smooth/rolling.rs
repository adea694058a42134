//! Rolling and spinning resistance: torsional springs with history and a limit proportional to the
//! load (elastic-plastic spring-dashpot, [Ai2011, model C]).

use serde::{Deserialize, Serialize};

use super::Kinematics;
use super::normal::NormalState;
use super::tangential::LimitedSpring;

/// The rolling law of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rolling {
    /// No resistance.
    None,
    /// Torques up to `friction R F` against rolling and `spinning R F` against spinning about the
    /// normal, with the rolling radius R and the normal force F.
    Spring {
        /// Coefficient of rolling friction.
        friction: f64,
        /// Coefficient of spinning friction.
        spinning: f64,
        /// Damping ratio of both springs.
        zeta: f64,
    },
}

/// Factor of the rolling stiffness `k_r = 2.25 k_n (mu_r R)²`, that of a flat contact patch of half
/// width `mu_r R` [Ai2011, model C].
const PATCH_STIFFNESS: f64 = 2.25;

/// Common parameters of the rolling and spinning springs of a contact at one instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct RollingSprings {
    /// Rolling radius, m.
    radius: f64,
    /// Stiffness along the normal, N/m.
    stiffness: f64,
    /// Normal force, N.
    load: f64,
    /// Inverse moment of inertia of the relative rotation, 1/(kg m²).
    inverse_inertia: f64,
}

impl RollingSprings {
    /// Returns the parameters under a load, N; zero if the limits are not used.
    #[inline(always)]
    pub fn new(load: f64, curvature: f64, normal: &NormalState, motion: &Kinematics) -> Self {
        // A flat contact has no rolling radius; its geometry resists. On a nearly flat one the
        // radius is bounded by the size of the grain: a larger one makes the spring too stiff for
        // the step.
        let radius = if curvature > 0.0 { (1.0 / curvature).min(motion.max_rolling_radius) } else { 0.0 };
        Self { radius, stiffness: normal.stiffness, load, inverse_inertia: motion.inverse_inertia }
    }

    /// Returns the springs against rolling and against spinning.
    #[inline(always)]
    pub fn springs(&self, friction: f64, spinning: f64, zeta: f64) -> [LimitedSpring; 2] {
        let spring = |coefficient: f64| {
            let stiffness = PATCH_STIFFNESS * self.stiffness * (coefficient * self.radius).powi(2);
            LimitedSpring {
                stiffness,
                damping: 2.0 * zeta * (stiffness / self.inverse_inertia).sqrt(),
                limit: coefficient * self.radius * self.load,
            }
        };
        [spring(friction), spring(spinning)]
    }
}
