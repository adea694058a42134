//! `[guards]`: conditions under which a run stops or prints a warning.

use glam::DVec3;
use granum_engine::Guards;
use granum_engine::guard::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::format::{Face, Scene};
use crate::value::quantity::{self, Length, Quantity};

/// `[guards]`: conditions that are checked during a run. Each can stop the run, print a warning, or
/// be off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GuardTable {
    /// Number of time steps between two checks; at least 1.
    pub every: u64,
    /// A position or velocity is not a finite number.
    #[schemars(with = "RuleName")]
    pub not_finite: Rule,
    /// The centre of a grain is outside the domain.
    #[schemars(with = "RuleName")]
    pub domain: Rule,
    /// Lowest corner of the domain, m. Default: the closed faces of the container; unbounded at
    /// open faces.
    #[serde(deserialize_with = "quantity::optional_vector::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub domain_min: Option<DVec3>,
    /// Highest corner of the domain, m. Default: the closed faces of the container; unbounded at
    /// open faces.
    #[serde(deserialize_with = "quantity::optional_vector::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub domain_max: Option<DVec3>,
    /// A contact is deeper than `overlap_limit`.
    #[schemars(with = "RuleName")]
    pub overlap: Rule,
    /// Largest overlap, as a fraction of the diameter of the smaller body's bounding ball;
    /// positive. The limit is never larger than half the thickness of the thinner body.
    pub overlap_limit: f64,
    /// A body passes through another: a contact has passed the middle of the thinner body, or two
    /// bodies have jumped over each other within one step. It is checked in every step, with the
    /// smooth response.
    #[schemars(with = "RuleName")]
    pub tunnelling: Rule,
    /// The residual of the energy ledger is larger than `ledger_limit`.
    #[schemars(with = "RuleName")]
    pub ledger: Rule,
    /// Largest residual of the energy ledger, as a fraction of the energy turned over;
    /// positive.
    pub ledger_limit: f64,
}

/// Reaction of a run to a violated condition.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum RuleName {
    /// The run stops.
    Stop,
    /// The run prints a warning and continues.
    Warn,
    /// The condition is not checked.
    Off,
}

impl Default for GuardTable {
    fn default() -> Self {
        Self {
            // A check takes about half as long as a step: once in 100 steps costs 0.5 %.
            every: 100,
            not_finite: Rule::Stop,
            domain: Rule::Stop,
            domain_min: None,
            domain_max: None,
            overlap: Rule::Stop,
            // The contact laws assume small deformations.
            overlap_limit: 0.1,
            tunnelling: Rule::Stop,
            ledger: Rule::Stop,
            // The error of integration stays below 0.01 at the recommended time step.
            ledger_limit: 0.05,
        }
    }
}

impl Scene {
    /// Returns the guards of the scene.
    pub fn guards(&self) -> Guards {
        let table = &self.guards;
        let (min, max) = self.closed_sides();
        Guards {
            every: table.every,
            not_finite: table.not_finite,
            domain: table.domain,
            bounds: (self.domain_corner(table.domain_min, min), self.domain_corner(table.domain_max, max)),
            overlap: table.overlap,
            overlap_limit: table.overlap_limit,
            tunnelling: table.tunnelling,
            ledger: table.ledger,
            ledger_limit: table.ledger_limit,
        }
    }

    /// Returns the bounds of the closed faces of the container; infinite at open faces, m.
    fn closed_sides(&self) -> (DVec3, DVec3) {
        let (mut min, mut max) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
        if let Some(container) = &self.container {
            let space = [(Face::Left, Face::Right), (Face::Front, Face::Back), (Face::Bottom, Face::Top)];
            let plane = [space[0], space[2]];
            let sides: &[(Face, Face)] = if self.is_planar() { &plane } else { &space };
            for (axis, (low, high)) in sides.iter().enumerate() {
                if !container.open.contains(low) {
                    min[axis] = container.min[axis];
                }
                if !container.open.contains(high) {
                    max[axis] = container.max[axis];
                }
            }
        }
        (min, max)
    }

    /// Returns a corner of the domain, m. The domain of a planar scene is unbounded along z.
    fn domain_corner(&self, given: Option<DVec3>, closed: DVec3) -> DVec3 {
        let corner = given.unwrap_or(closed);
        if self.is_planar() { corner.with_z(closed.z) } else { corner }
    }

    /// Checks the `[guards]` table.
    pub(crate) fn check_guards(&self) -> Result<(), SceneError> {
        let table = &self.guards;
        if table.every == 0 {
            return Err(self.source.error("guards.every", "must be at least 1 step, not 0"));
        }
        for (key, value) in [("overlap_limit", table.overlap_limit), ("ledger_limit", table.ledger_limit)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(self.source.error(&format!("guards.{key}"), format!("must be positive, not {value}")));
            }
        }
        let (min, max) = self.guards().bounds;
        match (0..3).find(|&axis| min[axis] >= max[axis]) {
            Some(axis) => {
                let reason = format!("must be above domain_min, but {} is not above {}", max[axis], min[axis]);
                Err(self.source.error("guards.domain_max", reason))
            }
            None => Ok(()),
        }
    }
}
