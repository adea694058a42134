//! Checks and conversion of the keys for `response = "percussion"`.

use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip, Solver};

use crate::error::SceneError;
use crate::format::{ContactTable, FrictionName, PercussionTable, Scene, SolverName};

/// Smallest and largest `percussion.tolerance`, relative to the greatest contact velocity.
///
/// Below the first, rounding errors prevent convergence; above the second, the percussions are
/// wrong by more than a per cent.
const TOLERANCES: (f64, f64) = (1e-10, 1e-2);

impl Scene {
    /// Checks the keys that only percussions use.
    pub(crate) fn check_percussion(&self) -> Result<(), SceneError> {
        let source = &self.source;
        if self.response.is_smooth() {
            if !self.forces.is_empty() {
                return Err(source.error("forces", "has no effect: forces need response = \"percussion\""));
            }
            if self.percussion.is_some() {
                return Err(source.error("percussion", "has no effect without response = \"percussion\""));
            }
            for (index, contact) in self.contact.iter().enumerate() {
                for (key, value) in
                    [("kappa_n", contact.kappa_n), ("kappa_t", contact.kappa_t), ("viscosity", contact.viscosity)]
                {
                    if value.is_some() {
                        let reason = "has no effect without response = \"percussion\"";
                        return Err(source.error(&format!("contact[{index}].{key}"), reason));
                    }
                }
            }
            return Ok(());
        }
        for (index, force) in self.forces.iter().enumerate() {
            if let Err((key, reason)) = force.field() {
                return Err(source.error(&format!("forces[{index}].{key}"), reason));
            }
        }
        if self.percussions().solver == SolverName::InteriorPoint && Solver::interior_point().is_none() {
            let reason = "must not be \"interior-point\" in this build: it was compiled without the feature \
                          \"clarabel\"";
            return Err(source.error("percussion.solver", reason));
        }
        let (least, most) = TOLERANCES;
        if let Some(tolerance) = self.percussions().tolerance.filter(|t| !(least..=most).contains(t)) {
            let reason = format!("must lie between {least:e} and {most:e}, not {tolerance}");
            return Err(source.error("percussion.tolerance", reason));
        }
        let viscous = self.percussions().friction == FrictionName::Viscous;
        for (index, contact) in self.contact.iter().enumerate() {
            let field = |key: &str| format!("contact[{index}].{key}");
            for (key, value) in
                [("kappa_n", contact.kappa_n), ("kappa_t", contact.kappa_t), ("viscosity", contact.viscosity)]
            {
                if value.is_some_and(|value| !(value.is_finite() && value >= 0.0)) {
                    return Err(source.error(&field(key), "must be a finite number of at least 0"));
                }
            }
            if contact.kappa_t.is_some() && contact.viscosity.is_some() {
                return Err(source.error(
                    &field("viscosity"),
                    "give `kappa_t` or `viscosity`, not both: kappa_t is the viscosity times the time step",
                ));
            }
            for (key, value) in [("kappa_t", contact.kappa_t), ("viscosity", contact.viscosity)] {
                if value.is_some() && !viscous {
                    let reason = "has no effect without [percussion] friction = \"viscous\"";
                    return Err(source.error(&field(key), reason));
                }
            }
        }
        Ok(())
    }

    /// Returns two flags: true if a contact needs a restitution, and true if it needs a friction
    /// coefficient.
    ///
    /// A percussion takes the dissipation `kappa_n` instead of the restitution, and viscous
    /// friction has no friction coefficient.
    pub(crate) fn needs_coefficients(&self, contact: &ContactTable) -> [bool; 2] {
        let viscous = self.percussions().friction == FrictionName::Viscous;
        let smooth = self.response.is_smooth();
        [smooth || contact.kappa_n.is_none(), smooth || !viscous]
    }

    /// Returns the `[percussion]` table, or its defaults.
    fn percussions(&self) -> PercussionTable {
        self.percussion.clone().unwrap_or_default()
    }

    /// Returns the settings of the percussion response; `None` if the response is smooth.
    pub(crate) fn percussion_response(&self) -> Option<Percussion> {
        if self.response.is_smooth() {
            return None;
        }
        let table = self.percussions();
        let mut percussion = Percussion::new(match table.friction {
            FrictionName::Coulomb => Friction::Coulomb,
            FrictionName::Viscous => Friction::Viscous,
        });
        percussion.solver = match table.solver {
            SolverName::BlockDescent => Solver::BlockDescent,
            SolverName::Uzawa => Solver::Uzawa,
            // `check_percussion` has refused the interior-point solver where it is not available.
            SolverName::InteriorPoint => Solver::interior_point().unwrap_or(Solver::BlockDescent),
        };
        percussion.tolerance = table.tolerance.unwrap_or(percussion.tolerance);
        percussion.fields = self.forces.iter().filter_map(|force| force.field().ok()).collect();
        Some(percussion)
    }

    /// Returns the percussion law of `contact[index]`.
    pub(crate) fn percussion_law(&self, index: usize) -> Result<PercussionLaw, SceneError> {
        let contact = &self.contact[index];
        let rebound = match contact.kappa_n {
            Some(kappa) => Rebound::Kappa(kappa),
            None => Rebound::Restitution(self.restitution(index)?),
        };
        let slip = match (self.percussions().friction, contact.kappa_t, contact.viscosity) {
            (FrictionName::Coulomb, ..) => match self.friction(index)? {
                friction if friction > 0.0 => Slip::Friction(friction),
                _ => Slip::Free,
            },
            (FrictionName::Viscous, Some(kappa), _) => Slip::Kappa(kappa),
            (FrictionName::Viscous, None, Some(viscosity)) => Slip::Viscosity(viscosity),
            (FrictionName::Viscous, None, None) => Slip::Free,
        };
        Ok(PercussionLaw { rebound, slip })
    }
}
