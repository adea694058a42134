//! Rolling and spinning resistance: a torsional spring with history and a limit proportional to the load
//! (the elastic-plastic spring-dashpot of Ai, Chen, Rotter and Ooi 2011, their model C).

use serde::{Deserialize, Serialize};

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

impl Rolling {
    /// The springs against rolling and against spinning; `inverse_inertia` is that of the relative rotation.
    pub(super) fn sliders(
        friction: f64,
        spinning: f64,
        zeta: f64,
        load: f64,
        curvature: f64,
        normal: &NormalState,
        inverse_inertia: f64,
    ) -> (Slider, Slider) {
        // A flat contact has no radius to roll on; its own geometry resists.
        let radius = if curvature > 0.0 { 1.0 / curvature } else { 0.0 };
        let slider = |coefficient: f64| {
            let stiffness = PATCH * normal.stiffness * (coefficient * radius).powi(2);
            Slider {
                stiffness,
                damping: 2.0 * zeta * (stiffness / inverse_inertia).sqrt(),
                limit: coefficient * radius * load,
            }
        };
        (slider(friction), slider(spinning))
    }
}
