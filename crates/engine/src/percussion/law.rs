//! What two materials do in a collision, as a user gives it, and the settings of the method.

use serde::{Deserialize, Serialize};

use super::field::Field;
use crate::state::MaterialPairTable;

/// How two materials answer along the normal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rebound {
    /// kappa_N of each contact point, kg: restitution then depends on masses and on the number of points.
    Kappa(f64),
    /// Restitution of a normal impact, 0 to 1, from which kappa_N follows contact by contact.
    Restitution(f64),
}

/// How two materials answer along the plane of contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Slip {
    /// Not at all.
    Free,
    /// kappa_T of each contact point, kg.
    Kappa(f64),
    /// Viscosity of each contact point, N s/m: kappa_T is this times the step.
    Viscosity(f64),
    /// Coulomb's coefficient of friction.
    Friction(f64),
}

/// What two materials do in a collision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PercussionLaw {
    /// Along the normal.
    pub rebound: Rebound,
    /// Along the plane of contact.
    pub slip: Slip,
}

/// Which friction a world has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Friction {
    /// The quadratic potential of the thesis: viscous, with gravity in the same program.
    Viscous,
    /// Coulomb's: the collision first, then a program with gravity and friction.
    Coulomb,
}

/// Solvers by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Solver {
    /// The default: `block_descent`.
    BlockDescent,
    /// Projected gradients with a constant step on the multipliers, as in the thesis's first version.
    Uzawa,
    /// The interior-point method Clarabel \[Goulart2024\]: the reference. Needs the feature `clarabel`.
    #[cfg(feature = "clarabel")]
    InteriorPoint,
}

impl Solver {
    /// Returns the interior-point solver; `None` if the crate was built without the feature `clarabel`.
    pub fn interior_point() -> Option<Self> {
        #[cfg(feature = "clarabel")]
        return Some(Self::InteriorPoint);
        #[cfg(not(feature = "clarabel"))]
        None
    }
}

/// The percussions of a world: how it answers, and what became of its programs so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Percussion {
    /// Which friction it has.
    pub friction: Friction,
    /// Who solves its programs.
    pub solver: Solver,
    /// Largest residual of a program, relative to its greatest contact velocity.
    pub tolerance: f64,
    /// What each pair of materials does.
    pub laws: MaterialPairTable<PercussionLaw>,
    /// Forces that depend on where bodies are.
    pub fields: Vec<Field>,
    /// What became of the programs.
    pub record: Record,
}

/// The residual that a program is solved to where none is given.
pub const TOLERANCE: f64 = 1e-6;

impl Percussion {
    /// Percussions with the default solver.
    pub fn new(friction: Friction) -> Self {
        Self {
            friction,
            solver: Solver::BlockDescent,
            tolerance: TOLERANCE,
            laws: MaterialPairTable::default(),
            fields: Vec::new(),
            record: Record::default(),
        }
    }
}

/// What became of the programs of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Programs solved.
    pub programs: u64,
    /// Programs that missed their tolerance and were given to the interior-point solver. Zero if the
    /// crate was built without it (feature `clarabel`).
    pub fallbacks: u64,
    /// Programs whose best solution misses the tolerance.
    pub missed: u64,
    /// Iterations of all.
    pub iterations: u64,
    /// Largest residual of a program that was accepted.
    pub worst: f64,
    /// Certificate of the last step: its residuals ...
    pub primal: f64,
    /// ... outside the cones ...
    pub dual: f64,
    /// ... of each contact's own optimality ...
    pub complementarity: f64,
    /// ... the duality gap ...
    pub gap: f64,
    /// ... and what its collisions lost, J.
    pub dissipated: f64,
    /// Least that a collision of any step lost, J, as a part of the kinetic energy of its bodies: not below rounding.
    pub least_dissipated: f64,
    /// Steps in which positions were corrected.
    pub corrected: u64,
}

impl Record {
    /// Adds what one step did.
    pub fn add(&mut self, step: &Record) {
        *self = Self {
            programs: self.programs + step.programs,
            fallbacks: self.fallbacks + step.fallbacks,
            missed: self.missed + step.missed,
            iterations: self.iterations + step.iterations,
            worst: self.worst.max(step.worst),
            least_dissipated: self.least_dissipated.min(step.least_dissipated),
            corrected: self.corrected + step.corrected,
            ..*step
        };
    }

    /// Joins what two islands did in one step.
    pub fn join(self, other: Self) -> Self {
        Self {
            programs: self.programs + other.programs,
            fallbacks: self.fallbacks + other.fallbacks,
            missed: self.missed + other.missed,
            iterations: self.iterations + other.iterations,
            worst: self.worst.max(other.worst),
            primal: self.primal.max(other.primal),
            dual: self.dual.max(other.dual),
            complementarity: self.complementarity.max(other.complementarity),
            gap: self.gap.max(other.gap),
            dissipated: self.dissipated + other.dissipated,
            least_dissipated: self.least_dissipated.min(other.least_dissipated),
            corrected: self.corrected.max(other.corrected),
        }
    }
}
