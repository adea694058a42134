//! The collision of one island: its convex programs in sequence, each with its certificate.
//!
//! - Viscous friction: one program with external percussions, kappa_N and kappa_T, as in
//!   \[Leon2016\]. A second program stops contacts that approach after the first one.
//! - Coulomb friction: if a contact rebounds, a program with kappa_N only; then one with gravity
//!   and friction.
//!
//! The percussions of both programs add up. The energy lost in each is not negative, because rest
//! is admissible in both.

use glam::DVec3;

use super::builder::StepParameters;
use super::certificate::Certificate;
use super::island::{Island, IslandContact};
use super::law::{Friction, Percussion, Slip, Solver, SolverStatistics};
use super::profile::{Profile, ProgramKind, ProgramObserver};
use super::program::{NormalPotential, Program, TangentialPotential, Twist};
use super::solver::block_descent::{self, Limits, Solution};
#[cfg(feature = "clarabel")]
use super::solver::interior_point;
use super::solver::uzawa;

/// Iterations of the default solver before a program is passed to the interior-point solver. A
/// program of 3,000 boxes takes two seconds for 5,000 of them, the interior-point solver minutes.
const MAX_ITERATIONS: u32 = 40_000;
/// Iterations of Uzawa's method, which converges slowly.
const MAX_UZAWA_ITERATIONS: u32 = 200_000;

/// Convex programs in which friction bounds follow, for solvers that cannot update them. Each halves
/// the distance from Coulomb's law or better, except in a jammed heap.
const MAX_BOUND_UPDATES: u32 = 30;

/// Result of a collision.
#[derive(Clone, Debug)]
pub struct CollisionResult {
    /// Percussion on b of each contact, N s.
    pub percussions: Vec<DVec3>,
    /// Percussion on b of each contact with which the next step's programs start, N s.
    pub warm_start: Vec<DVec3>,
    /// Statistics of the programs.
    pub statistics: SolverStatistics,
    /// Work of the solver.
    pub profile: Profile,
}

/// What the collisions of a step have in common.
#[derive(Clone, Copy)]
pub struct CollisionSettings<'a> {
    /// Laws and settings.
    pub percussion: &'a Percussion,
    /// Parameters of the step.
    pub parameters: &'a StepParameters,
    /// Called with each program.
    pub observer: Option<&'a ProgramObserver>,
}

/// Computes the collision of an island.
pub fn collide(island: &Island, settings: CollisionSettings) -> CollisionResult {
    let CollisionSettings { percussion, parameters, observer } = settings;
    let (statistics, profile) = (SolverStatistics::default(), Profile::default());
    let mut collision = Collision { island, percussion, parameters, observer, statistics, profile };
    let (percussions, warm_start) = match percussion.friction {
        Friction::Viscous => collision.viscous(),
        Friction::Coulomb => collision.coulomb(),
    };
    CollisionResult { percussions, warm_start, statistics: collision.statistics, profile: collision.profile }
}

struct Collision<'a> {
    island: &'a Island,
    percussion: &'a Percussion,
    parameters: &'a StepParameters,
    observer: Option<&'a ProgramObserver>,
    statistics: SolverStatistics,
    profile: Profile,
}

impl Collision<'_> {
    /// Solves the programs with viscous friction. Returns percussions and the warm start.
    fn viscous(&mut self) -> (Vec<DVec3>, Vec<DVec3>) {
        let StepParameters { dt, gravity } = *self.parameters;
        let before = self.island.twists();
        let (first, after) = self.rebound(&before, 1.0, true);
        // The first program bounds mean velocities. After it, 2 x - u may still penetrate.
        let penetrates = |contact: &IslandContact| {
            let rate = self.island.normal_velocity(contact, &after);
            rate < contact.min_velocity(dt) - self.percussion.tolerance * rate.abs().max(gravity.length() * dt)
        };
        if !self.island.contacts.iter().any(penetrates) {
            return (first.clone(), first);
        }
        let potentials = |_: usize, contact: &IslandContact| {
            (NormalPotential::stop(contact.min_velocity(dt)), TangentialPotential::Frictionless)
        };
        // The second program only stops the remaining approach, from the velocities after the
        // first.
        let program = self.island.program(1.0, |k| after[k], potentials);
        let second = self.solve(ProgramKind::Stop, &program, &vec![DVec3::ZERO; first.len()]);
        let sum = first.iter().zip(&second).map(|(p, q)| *p + *q);
        (sum.collect(), first)
    }

    /// Solves the programs with Coulomb friction. Returns percussions and the warm start.
    fn coulomb(&mut self) -> (Vec<DVec3>, Vec<DVec3>) {
        let dt = self.parameters.dt;
        let before = self.island.twists();
        let contacts = &self.island.contacts;
        let (mut percussions, twists) = match self.island.rebounds(&before, self.parameters) {
            true => self.rebound(&before, 0.0, false),
            // Without a rebound the first program has no effect and is omitted.
            false => (vec![DVec3::ZERO; contacts.len()], before),
        };
        // Gravity acts in the second program, so that a body at rest is carried by its contacts.
        let free = |k: usize| twists[k].plus(1.0, &self.island.bodies[k].external_change);
        let potentials = |k: usize, contact: &IslandContact| {
            let tangential = match contact.law.slip {
                Slip::Friction(friction) if friction > 0.0 => {
                    TangentialPotential::Coulomb { friction, earlier: percussions[k].dot(contact.normal) }
                }
                _ => TangentialPotential::Frictionless,
            };
            (NormalPotential::stop(contact.min_velocity(dt)), tangential)
        };
        let program = self.island.program(1.0, free, potentials);
        // The percussions of bodies at rest hardly change from step to step.
        let start: Vec<DVec3> = contacts.iter().map(|contact| contact.warm_start).collect();
        let resting = self.solve(ProgramKind::Resting, &program, &start);
        for (p, q) in percussions.iter_mut().zip(&resting) {
            *p += *q;
        }
        // Percussions of rebounds do not repeat in the next step.
        (percussions, resting)
    }

    /// Solves the program of the mean velocities `x = (u + u+)/2`, with `share` of the external
    /// percussions. Returns percussions and the velocities `u+ = 2 x - u`.
    fn rebound(&mut self, before: &[Twist], share: f64, viscous: bool) -> (Vec<DVec3>, Vec<Twist>) {
        let dt = self.parameters.dt;
        let kappas = self.island.kappas(before, dt);
        // Half of the external change: x is the mean of the velocities before and after.
        let free = |k: usize| before[k].plus(0.5 * share, &self.island.bodies[k].external_change);
        let potentials = |k: usize, contact: &IslandContact| {
            let rate = self.island.normal_velocity(contact, before);
            // A bound above zero would add energy to contacts that separate.
            let min_velocity = (0.5 * (rate + contact.min_velocity(dt))).min(0.0);
            // Viscous friction acts only if the surfaces are in contact within the step.
            let touches = contact.gap <= 0.0 && rate <= 0.0 || contact.closes(rate, dt);
            let tangential = if viscous && touches { contact.viscous(dt) } else { TangentialPotential::Frictionless };
            (NormalPotential { min_velocity, kappa: kappas[k], tensile: false }, tangential)
        };
        // The factor 2 of the masses comes from the change of variables to x.
        let program = self.island.program(2.0, free, potentials);
        let start: Vec<DVec3> = match viscous {
            true => self.island.contacts.iter().map(|contact| contact.warm_start).collect(),
            false => vec![DVec3::ZERO; kappas.len()],
        };
        let percussions = self.solve(ProgramKind::Rebound, &program, &start);
        let mean = program.velocities(&percussions);
        let after = mean
            .iter()
            .zip(before)
            .map(|(x, u)| Twist { velocity: 2.0 * x.velocity - u.velocity, spin: 2.0 * x.spin - u.spin });
        (percussions, after.collect())
    }

    /// Solves a program and adds its outcome to the statistics.
    ///
    /// If the chosen solver misses the tolerance, the interior-point solver is used as well, where
    /// the crate has it (feature `clarabel`). The better solution is used. One that still misses
    /// the tolerance is counted as missed.
    fn solve(&mut self, kind: ProgramKind, program: &Program, start: &[DVec3]) -> Vec<DVec3> {
        if let Some(observer) = self.observer {
            observer(kind, program, start);
        }
        let tolerance = self.percussion.tolerance;
        // Without the interior-point solver nothing replaces this solution.
        #[cfg_attr(not(feature = "clarabel"), allow(unused_mut))]
        let mut solution = self.first_solution(program, start);
        self.profile.add_program(kind, &solution.effort);
        self.statistics.programs += 1;
        self.statistics.iterations += u64::from(solution.iterations);
        // Another solver of the convex program would not move its bounds towards Coulomb's law.
        #[cfg(feature = "clarabel")]
        if solution.certificate.worst() > tolerance {
            self.statistics.fallbacks += 1;
            // The interior-point method solves convex programs only: the bounds are fixed.
            let convex = program.with_friction_bounds_of(&solution.percussions);
            let reference = interior_point::solve(&convex, tolerance).certified_by(program, tolerance);
            if reference.certificate.is_better_than(&solution.certificate, tolerance) {
                solution = reference;
            }
        }
        self.statistics.missed += u64::from(!solution.certificate.meets(tolerance));
        self.statistics.missed_law += u64::from(!solution.certificate.meets_law());
        self.add_to_statistics(&solution.certificate, program);
        solution.percussions
    }

    /// Solves a program by the chosen solver.
    fn first_solution(&self, program: &Program, start: &[DVec3]) -> Solution {
        let tolerance = self.percussion.tolerance;
        let limits = |max_iterations| Limits { tolerance, max_iterations };
        match self.percussion.solver {
            Solver::BlockDescent => block_descent::solve(program, start, limits(MAX_ITERATIONS)),
            Solver::Uzawa => {
                let limits = limits(MAX_UZAWA_ITERATIONS);
                with_following_bounds(program, tolerance, |convex, start| uzawa::solve(convex, start, limits), start)
            }
            #[cfg(feature = "clarabel")]
            Solver::InteriorPoint => {
                with_following_bounds(program, tolerance, |convex, _| interior_point::solve(convex, tolerance), start)
            }
        }
    }

    fn add_to_statistics(&mut self, certificate: &Certificate, program: &Program) {
        let statistics = &mut self.statistics;
        statistics.worst = statistics.worst.max(certificate.worst());
        statistics.primal = statistics.primal.max(certificate.primal);
        statistics.dual = statistics.dual.max(certificate.dual);
        statistics.complementarity = statistics.complementarity.max(certificate.complementarity);
        statistics.gap = statistics.gap.max(certificate.gap);
        statistics.dissipated += certificate.dissipated;
        *statistics = statistics.join(SolverStatistics {
            law_distance: certificate.law.relative(),
            friction_bounds: certificate.law.bounds,
            unsupported: certificate.law.unsupported,
            ..SolverStatistics::default()
        });
        // Driven bodies do work on the others, so that the loss has no sign.
        let is_driven = program.contacts.iter().any(|contact| contact.prescribed_velocity != DVec3::ZERO);
        let kinetic = program.kinetic_energy();
        if !is_driven && kinetic > 0.0 {
            statistics.least_dissipated = statistics.least_dissipated.min(certificate.dissipated / kinetic);
        }
    }
}

/// Solves convex programs whose friction bounds follow from the solution of the one before, until the
/// bounds meet Coulomb's law: for solvers that cannot update them. The first one has no friction.
fn with_following_bounds(
    program: &Program,
    tolerance: f64,
    solve: impl Fn(&Program, &[DVec3]) -> Solution,
    start: &[DVec3],
) -> Solution {
    if !program.has_coulomb_friction() {
        return solve(program, start);
    }
    let mut convex = program.clone();
    let contacts = convex.contacts.iter_mut();
    contacts.for_each(|contact| contact.tangential_potential = TangentialPotential::Frictionless);
    let mut solution = solve(&convex, start);
    for _ in 0..MAX_BOUND_UPDATES {
        convex = program.with_friction_bounds_of(&solution.percussions);
        let next = solve(&convex, &solution.percussions);
        let iterations = solution.iterations + next.iterations;
        solution = Solution { iterations, ..next.certified_by(program, tolerance) };
        if solution.certificate.meets(tolerance) {
            break;
        }
    }
    solution
}
