//! Profile of the convex programs: their number by kind, and the work and the time of the solver.
//!
//! The profile is scratch data: it is not part of the state, and no result depends on it.

use std::time::Instant;

use glam::DVec3;

use super::program::Program;

/// Kind of a convex program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// Rebounds of a collision.
    Rebound,
    /// Gravity and Coulomb friction after the rebounds.
    Resting,
    /// Stops the approach that viscous rebounds leave.
    Stop,
    /// Displacements that separate overlapping bodies.
    Correction,
}

impl ProgramKind {
    /// All kinds, in the order of a step.
    pub const ALL: [Self; 4] = [Self::Rebound, Self::Resting, Self::Stop, Self::Correction];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        ["rebound", "resting", "stop", "correction"][self as usize]
    }
}

/// Part of the default solver, which is timed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Certificates.
    Certificate,
    /// Block Gauss-Seidel sweeps, and setting up the contacts.
    Sweeps,
    /// Evaluation of the contacts and assembly of the Hessian.
    Assembly,
    /// Symbolic factorisation.
    Analysis,
    /// Numeric factorisation.
    Factorisation,
    /// Solution of the linear equations, and line searches.
    Solution,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 6] =
        [Self::Certificate, Self::Sweeps, Self::Assembly, Self::Analysis, Self::Factorisation, Self::Solution];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        ["certificates", "sweeps", "assembly", "analysis", "factorisation", "solution"][self as usize]
    }
}

/// Work of the solver for one or several programs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Programs.
    pub programs: u64,
    /// Programs that needed Newton steps.
    pub with_newton: u64,
    /// Sweeps over all contacts.
    pub sweeps: u64,
    /// Newton steps.
    pub newton_steps: u64,
    /// Numeric factorisations.
    pub factorisations: u64,
    /// Symbolic factorisations.
    pub analyses: u64,
    /// Wall time of each part, s.
    seconds: [f64; Part::ALL.len()],
}

impl Effort {
    /// Adds the wall time since `start` to a part of the solver, and restarts it. Consecutive parts share
    /// the reading of the clock between them.
    pub fn lap(&mut self, part: Part, start: &mut Instant) {
        let now = Instant::now();
        self.seconds[part as usize] += now.duration_since(*start).as_secs_f64();
        *start = now;
    }

    /// Returns the wall time of a part, s.
    pub fn seconds(&self, part: Part) -> f64 {
        self.seconds[part as usize]
    }

    /// Returns the wall time of all parts, s.
    pub fn total_seconds(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Adds the work for other programs.
    pub fn add(&mut self, other: &Self) {
        self.programs += other.programs;
        self.with_newton += other.with_newton;
        self.sweeps += other.sweeps;
        self.newton_steps += other.newton_steps;
        self.factorisations += other.factorisations;
        self.analyses += other.analyses;
        for (sum, seconds) in self.seconds.iter_mut().zip(other.seconds) {
            *sum += seconds;
        }
    }
}

/// Work of the solver by kind of program.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Profile {
    efforts: [Effort; ProgramKind::ALL.len()],
}

impl Profile {
    /// Returns the work for one kind of program.
    pub fn of(&self, kind: ProgramKind) -> &Effort {
        &self.efforts[kind as usize]
    }

    /// Adds the work for one program.
    pub fn add_program(&mut self, kind: ProgramKind, effort: &Effort) {
        let sum = &mut self.efforts[kind as usize];
        sum.add(effort);
        sum.programs += 1;
    }

    /// Adds another profile.
    pub fn add(&mut self, other: &Self) {
        for (sum, effort) in self.efforts.iter_mut().zip(&other.efforts) {
            sum.add(effort);
        }
    }
}

/// A function that is called with each program before it is solved, and with the percussions from
/// which the solver starts, on b, N s. Islands call it in parallel.
pub type ProgramObserver = Box<dyn Fn(ProgramKind, &Program, &[DVec3]) + Send + Sync>;
