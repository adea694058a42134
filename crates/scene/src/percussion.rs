//! From a scene with `response = "percussion"` to the engine's percussions.

use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip, Solver};

use crate::error::SceneError;
use crate::format::{ContactTable, FrictionName, PercussionTable, Scene, SolverName};

/// Residuals that can be asked for: below the first rounding is in the way, above the second there is no collision left.
const TOLERANCES: (f64, f64) = (1e-10, 1e-2);

impl Scene {
    /// What must hold for percussions beyond their types.
    pub(crate) fn check_percussion(&self) -> Result<(), SceneError> {
        let source = &self.source;
        if self.response.is_smooth() {
            if !self.forces.is_empty() {
                return Err(source.fault("forces", "nothing uses them: they are for response = \"percussion\""));
            }
            if self.percussion.is_some() {
                return Err(source.fault("percussion", "nothing uses it: add response = \"percussion\""));
            }
            for (index, contact) in self.contact.iter().enumerate() {
                for (key, value) in
                    [("kappa_n", contact.kappa_n), ("kappa_t", contact.kappa_t), ("viscosity", contact.viscosity)]
                {
                    if value.is_some() {
                        let reason = "nothing uses it: it is for response = \"percussion\"";
                        return Err(source.fault(&format!("contact[{index}].{key}"), reason));
                    }
                }
            }
            return Ok(());
        }
        for (index, force) in self.forces.iter().enumerate() {
            if let Err((key, reason)) = force.field() {
                return Err(source.fault(&format!("forces[{index}].{key}"), reason));
            }
        }
        let (least, most) = TOLERANCES;
        if let Some(tolerance) = self.percussions().tolerance.filter(|t| !(least..=most).contains(t)) {
            let reason = format!("must lie between {least:e} and {most:e}, not {tolerance}");
            return Err(source.fault("percussion.tolerance", reason));
        }
        let viscous = self.percussions().friction == FrictionName::Viscous;
        for (index, contact) in self.contact.iter().enumerate() {
            let field = |key: &str| format!("contact[{index}].{key}");
            for (key, value) in
                [("kappa_n", contact.kappa_n), ("kappa_t", contact.kappa_t), ("viscosity", contact.viscosity)]
            {
                if value.is_some_and(|value| !(value.is_finite() && value >= 0.0)) {
                    return Err(source.fault(&field(key), "must be a number that is not negative"));
                }
            }
            if contact.kappa_t.is_some() && contact.viscosity.is_some() {
                return Err(
                    source.fault(&field("viscosity"), "give kappa_t or the viscosity: one follows from the other")
                );
            }
            for (key, value) in [("kappa_t", contact.kappa_t), ("viscosity", contact.viscosity)] {
                if value.is_some() && !viscous {
                    let reason = "nothing uses it: it is for [percussion] friction = \"viscous\"";
                    return Err(source.fault(&field(key), reason));
                }
            }
        }
        Ok(())
    }

    /// Whether a contact may leave out a coefficient because something else stands for it.
    pub(crate) fn stands_for(&self, contact: &ContactTable, key: &str) -> bool {
        let viscous = self.percussions().friction == FrictionName::Viscous;
        let given = if key == "restitution" { contact.kappa_n.is_some() } else { viscous };
        !self.response.is_smooth() && given
    }

    fn percussions(&self) -> PercussionTable {
        self.percussion.clone().unwrap_or_default()
    }

    /// The percussions of the scene; nothing if it answers by forces.
    pub(crate) fn answer(&self) -> Option<Percussion> {
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
            SolverName::InteriorPoint => Solver::InteriorPoint,
        };
        percussion.tolerance = table.tolerance.unwrap_or(percussion.tolerance);
        percussion.fields = self.forces.iter().filter_map(|force| force.field().ok()).collect();
        Some(percussion)
    }

    /// What the materials of a contact do in a collision.
    pub(crate) fn percussion_law(&self, contact: &ContactTable) -> PercussionLaw {
        let rebound = contact.kappa_n.map_or(Rebound::Restitution(contact.restitution), Rebound::Kappa);
        let slip = match (self.percussions().friction, contact.kappa_t, contact.viscosity) {
            (FrictionName::Coulomb, ..) if contact.friction > 0.0 => Slip::Friction(contact.friction),
            (FrictionName::Viscous, Some(kappa), _) => Slip::Kappa(kappa),
            (FrictionName::Viscous, None, Some(viscosity)) => Slip::Viscosity(viscosity),
            _ => Slip::Free,
        };
        PercussionLaw { rebound, slip }
    }
}
