//! Percussion laws of two materials, settings of the method, and statistics of its programs.

use serde::{Deserialize, Serialize};

use super::field::Field;
use crate::state::{MaterialPairTable, WorldError};

/// Default tolerance of the residuals of a program, relative to the largest contact velocity:
/// errors of the velocities are then small beside those of the time step.
pub const TOLERANCE: f64 = 1e-6;

/// Normal part of a percussion law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rebound {
    /// Constant kappa_N of each contact point, kg. Restitution then depends on the masses and on
    /// the number of points.
    Kappa(f64),
    /// Restitution of a normal impact, 0 to 1. kappa_N follows from it for each contact.
    Restitution(f64),
}

/// Tangential part of a percussion law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Slip {
    /// No friction.
    Free,
    /// Constant kappa_T of each contact point, kg.
    Kappa(f64),
    /// Viscosity of each contact point, N s/m. kappa_T is the viscosity times the time step.
    Viscosity(f64),
    /// Coulomb's coefficient of friction.
    Friction(f64),
}

/// Percussion law of two materials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PercussionLaw {
    /// Normal part.
    pub rebound: Rebound,
    /// Tangential part.
    pub slip: Slip,
}

impl PercussionLaw {
    /// Checks that restitution lies between 0 and 1 and no other constant is negative or infinite.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let check = |name: &str, value: f64, most: f64| {
            let is_allowed = value.is_finite() && (0.0..=most).contains(&value);
            let error = || WorldError::Value(format!("{name} of a percussion law cannot be {value}"));
            is_allowed.then_some(()).ok_or_else(error)
        };
        match self.rebound {
            Rebound::Kappa(kappa) => check("kappa_N", kappa, f64::INFINITY)?,
            Rebound::Restitution(restitution) => check("the restitution", restitution, 1.0)?,
        }
        match self.slip {
            Slip::Free => Ok(()),
            Slip::Kappa(kappa) => check("kappa_T", kappa, f64::INFINITY),
            Slip::Viscosity(viscosity) => check("the viscosity", viscosity, f64::INFINITY),
            Slip::Friction(friction) => check("the coefficient of friction", friction, f64::INFINITY),
        }
    }
}

/// Friction model of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Friction {
    /// Quadratic potential of \[Leon2016\]: viscous, with gravity in the same program.
    Viscous,
    /// Coulomb friction: first the rebounds, then a program with gravity and friction.
    Coulomb,
}

/// Solver of the convex programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Solver {
    /// Block Gauss-Seidel and proximal Newton steps: the default.
    BlockDescent,
    /// Uzawa's method \[Arrow1958\]: projected gradients with a constant step on the multipliers.
    Uzawa,
    /// The interior-point method Clarabel \[Goulart2024\]: the reference. Needs the feature
    /// `clarabel`.
    #[cfg(feature = "clarabel")]
    InteriorPoint,
}

impl Solver {
    /// Returns the interior-point solver; `None` if the crate was built without the feature
    /// `clarabel`.
    pub fn interior_point() -> Option<Self> {
        #[cfg(feature = "clarabel")]
        return Some(Self::InteriorPoint);
        #[cfg(not(feature = "clarabel"))]
        None
    }
}

/// Settings, laws and statistics of the percussion response of a world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Percussion {
    /// Friction model.
    pub friction: Friction,
    /// Solver.
    pub solver: Solver,
    /// Tolerance of the residuals of a program, relative to its largest contact velocity.
    pub tolerance: f64,
    /// Law of each pair of materials.
    pub laws: MaterialPairTable<PercussionLaw>,
    /// Forces that depend on the positions of the bodies.
    pub fields: Vec<Field>,
    /// Statistics of the programs so far.
    pub statistics: SolverStatistics,
}

impl Percussion {
    /// Returns the percussion response with the default solver and tolerance.
    pub fn new(friction: Friction) -> Self {
        Self {
            friction,
            solver: Solver::BlockDescent,
            tolerance: TOLERANCE,
            laws: MaterialPairTable::default(),
            fields: Vec::new(),
            statistics: SolverStatistics::default(),
        }
    }

    /// Checks that the tolerance is positive and the numbers of the force fields are finite.
    pub(crate) fn check_settings(&self) -> Result<(), WorldError> {
        let tolerance = self.tolerance;
        if !(tolerance.is_finite() && tolerance > 0.0) {
            return Err(WorldError::Value(format!("the tolerance of percussions must be positive, not {tolerance}")));
        }
        if !self.fields.iter().all(Field::is_valid) {
            return Err(WorldError::Value("the numbers of a force field must be finite, its normals not zero".into()));
        }
        Ok(())
    }
}

/// Statistics of the programs of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverStatistics {
    /// Number of programs solved.
    pub programs: u64,
    /// Programs that missed their tolerance and were given to the interior-point solver. Zero if
    /// the crate was built without it (feature `clarabel`).
    pub fallbacks: u64,
    /// Programs whose best solution misses the tolerance, or Coulomb's law.
    pub missed: u64,
    /// Those of them whose friction bounds are further than
    /// [`LAW_TOLERANCE`](super::certificate::LAW_TOLERANCE) from Coulomb's law.
    pub missed_law: u64,
    /// Iterations of all programs.
    pub iterations: u64,
    /// Largest residual of an accepted solution.
    pub worst: f64,
    /// Largest primal residual of the last step.
    pub primal: f64,
    /// Largest dual residual of the last step.
    pub dual: f64,
    /// Largest complementarity residual of the last step.
    pub complementarity: f64,
    /// Largest duality gap of the last step.
    pub gap: f64,
    /// Energy lost in the collisions of the last step, J.
    pub dissipated: f64,
    /// Least energy lost in a collision of any step, relative to the kinetic energy of its bodies.
    /// A negative value above rounding would be a gain of energy.
    pub least_dissipated: f64,
    /// Number of steps in which positions were corrected.
    pub corrected: u64,
    /// Mean distance of the friction bounds of the last step from Coulomb's law, relative to the
    /// bounds of the law.
    pub law_distance: f64,
    /// Largest of these distances of any step.
    pub worst_law_distance: f64,
    /// Contacts of the last step that carry friction without a normal percussion.
    pub unsupported: u64,
    /// Sum of the bounds of Coulomb's law in the last step, N s: the weight of its distance.
    pub friction_bounds: f64,
}

impl SolverStatistics {
    /// Adds the statistics of one step to those of a run.
    pub fn add(&mut self, step: &Self) {
        *self = Self {
            programs: self.programs + step.programs,
            fallbacks: self.fallbacks + step.fallbacks,
            missed: self.missed + step.missed,
            missed_law: self.missed_law + step.missed_law,
            iterations: self.iterations + step.iterations,
            worst: self.worst.max(step.worst),
            worst_law_distance: self.worst_law_distance.max(step.law_distance),
            least_dissipated: self.least_dissipated.min(step.least_dissipated),
            corrected: self.corrected + step.corrected,
            ..*step
        };
    }

    /// Combines the statistics of two islands of one step.
    pub fn join(self, other: Self) -> Self {
        let friction_bounds = self.friction_bounds + other.friction_bounds;
        let distance = self.law_distance * self.friction_bounds + other.law_distance * other.friction_bounds;
        Self {
            programs: self.programs + other.programs,
            fallbacks: self.fallbacks + other.fallbacks,
            missed: self.missed + other.missed,
            missed_law: self.missed_law + other.missed_law,
            iterations: self.iterations + other.iterations,
            worst: self.worst.max(other.worst),
            primal: self.primal.max(other.primal),
            dual: self.dual.max(other.dual),
            complementarity: self.complementarity.max(other.complementarity),
            gap: self.gap.max(other.gap),
            dissipated: self.dissipated + other.dissipated,
            least_dissipated: self.least_dissipated.min(other.least_dissipated),
            corrected: self.corrected.max(other.corrected),
            law_distance: if distance > 0.0 { distance / friction_bounds } else { 0.0 },
            worst_law_distance: self.worst_law_distance.max(other.worst_law_distance),
            unsupported: self.unsupported + other.unsupported,
            friction_bounds,
        }
    }
}
