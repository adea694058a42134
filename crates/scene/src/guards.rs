//! `[guards]`: when a run is to stop by itself, and when to warn.

use glam::DVec3;
use granum_engine::Guards;
use granum_engine::guard::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::format::{Face, Scene};
use crate::quantity::{self, Length, Quantity};

/// `[guards]`: what is watched while the scene runs, and whether the run stops, warns or goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GuardTable {
    /// Steps from one look to the next.
    pub every: u64,
    /// Positions and velocities that are not finite numbers.
    #[schemars(with = "RuleName")]
    pub not_finite: Rule,
    /// Grains whose centre leaves the domain.
    #[schemars(with = "RuleName")]
    pub domain: Rule,
    /// Lowest corner of the domain, m; the closed sides of the container if not given.
    #[serde(deserialize_with = "quantity::optional_vector::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub domain_min: Option<DVec3>,
    /// Highest corner of the domain, m; the closed sides of the container if not given.
    #[serde(deserialize_with = "quantity::optional_vector::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub domain_max: Option<DVec3>,
    /// Contacts that are too deep.
    #[schemars(with = "RuleName")]
    pub overlap: Rule,
    /// The deepest overlap, as a part of the diameter of the smaller body's bounding ball; never beyond the middle of the thinner body.
    pub overlap_limit: f64,
    /// An energy ledger that does not close.
    #[schemars(with = "RuleName")]
    pub ledger: Rule,
    /// The largest residual of the ledger, as a part of the energy that was turned over.
    pub ledger_limit: f64,
}

/// What a run does when a guard has something to say, as the schema tells it.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum RuleName {
    /// The run stops.
    Stop,
    /// It warns and goes on.
    Warn,
    /// Nobody looks.
    Off,
}

impl Default for GuardTable {
    fn default() -> Self {
        Self {
            // A look costs about half a step: a hundredth of that is not noticed.
            every: 100,
            not_finite: Rule::Stop,
            domain: Rule::Stop,
            domain_min: None,
            domain_max: None,
            overlap: Rule::Stop,
            // Beyond a tenth of a grain a contact law is no longer a small deformation.
            overlap_limit: 0.1,
            ledger: Rule::Stop,
            // The integration's own error stays below a hundredth at the advised time step.
            ledger_limit: 0.05,
        }
    }
}

impl Scene {
    /// The guards of the scene.
    pub fn guards(&self) -> Guards {
        let table = &self.guards;
        let (min, max) = self.closed_sides();
        Guards {
            every: table.every,
            not_finite: table.not_finite,
            domain: table.domain,
            bounds: (self.unbounded(table.domain_min, min), self.unbounded(table.domain_max, max)),
            overlap: table.overlap,
            overlap_limit: table.overlap_limit,
            ledger: table.ledger,
            ledger_limit: table.ledger_limit,
        }
    }

    /// Bounds that no centre passes unless a wall has failed: the container where it is closed, nothing elsewhere.
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

    /// A corner of the domain, which in the plane has no bound along z.
    fn unbounded(&self, given: Option<DVec3>, closed: DVec3) -> DVec3 {
        let corner = given.unwrap_or(closed);
        if self.is_planar() { corner.with_z(closed.z) } else { corner }
    }

    /// Checks the limits.
    pub(crate) fn check_guards(&self) -> Result<(), SceneError> {
        let table = &self.guards;
        if table.every == 0 {
            return Err(self.source.fault("guards.every", "must be at least 1 step, not 0"));
        }
        for (key, value) in [("overlap_limit", table.overlap_limit), ("ledger_limit", table.ledger_limit)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(self.source.fault(&format!("guards.{key}"), format!("must be positive, not {value}")));
            }
        }
        let (min, max) = self.guards().bounds;
        match (0..3).find(|&axis| min[axis] >= max[axis]) {
            Some(axis) => {
                let reason = format!("must be above domain_min, and {} is not above {}", max[axis], min[axis]);
                Err(self.source.fault("guards.domain_max", reason))
            }
            None => Ok(()),
        }
    }
}
