//! The default solver: block Gauss-Seidel sweeps on the dual, then a proximal Newton method.
//!
//! A sweep minimises the dual over the percussion of one contact after the other. From the
//! percussions of the last step a few sweeps are often enough. Otherwise proximal Newton steps
//! solve for all bodies together (`newton.rs`), with a compliance that decreases from one to the
//! next, and with only those contacts that may act. Both work in a fixed order, so that results
//! have the same bits.
//!
//! The bounds of Coulomb friction follow the percussions in the sweeps and in the first proximal
//! steps. Then they are fixed: the program is convex, and it is the one that is certified.

use std::time::Instant;

use glam::DVec3;

use super::contact_rows::ContactRows;
use super::newton::Newton;
use super::primal_dual;
use crate::percussion::certificate::Certificate;
use crate::percussion::profile::{Effort, Part};
use crate::percussion::program::{NormalPotential, Program, TangentialPotential};

/// Contact relaxations in all sweeps before the first Newton step: small programs are swept more often,
/// because sweeps need no set-up.
const RELAXATIONS: usize = 40_000;
/// Residual, relative to the tolerance, with which the start is the solution. The residuals of steps
/// with unchanged percussions have the same sign and add up; the margin keeps the sum of a thousand
/// steps below the tolerance.
const UNCHANGED: f64 = 1e-3;
/// Least and largest number of sweeps before the first Newton step.
const MIN_SWEEPS: usize = 6;
const MAX_SWEEPS: usize = 10;
/// Sweeps after the Newton steps: they check the contacts that were left out.
const FINAL_SWEEPS: usize = 2;

/// Compliance in the first proximal step, as a fraction of the mobility of a contact: without and
/// with bounds of friction.
const FIRST_FRACTION: f64 = 0.001;
const FIRST_FRICTION_FRACTION: f64 = 0.3;
/// Factor of the compliance after each proximal step: without friction bounds that follow, and with.
const FRACTION_DECREASE: f64 = 0.1;
const FRICTION_DECREASE: f64 = 0.4;
/// Compliance of proximal steps close to the solution, when friction bounds follow once more.
const RELEASED_FRACTION: f64 = 0.01;
/// How often bounds that are off Coulomb's law follow once more.
const MAX_RELEASES: u32 = 3;
/// Bodies of a program with friction from which the primal-dual method is faster than proximal steps.
const MIN_PRIMAL_DUAL_BODIES: usize = 100;
/// Velocity by which the start of the primal-dual method is moved into the cones, relative to the
/// velocity scale. Smaller values begin nearer to the sweeps and need more steps along the boundary.
const INSIDE: f64 = 3e-3;
/// Lower bound of the compliance: below it, cancellation dominates the percussions.
const MIN_FRACTION: f64 = 1e-7;
/// Factor of the compliance after a proximal step that did not converge, and its upper bound.
const FRACTION_INCREASE: f64 = 10.0;
const MAX_FRACTION: f64 = 3.0;
/// Distance of the normal velocity from its least value, relative to the velocity scale, within
/// which a contact without percussion takes part in the Newton steps.
const ACTIVE_MARGIN: f64 = 0.1;
/// Tolerance of a proximal step, relative to that of the program.
const INNER_TOLERANCE: f64 = 0.5;
/// Proximal steps in which friction bounds follow the percussions. In a jammed heap they may not
/// converge.
const FOLLOWING_STEPS: u32 = 6;

/// Limits of a solver.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Tolerance of the residuals, relative to [`Program::velocity_scale`].
    pub tolerance: f64,
    /// Largest number of iterations: sweeps, Newton steps, and iterations of conjugate gradients.
    pub max_iterations: u32,
}

/// Solution of a program.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Percussion on b at each contact, world axes, N s.
    pub percussions: Vec<DVec3>,
    /// Certificate of the solution.
    pub certificate: Certificate,
    /// Number of iterations.
    pub iterations: u32,
    /// Work of the default solver.
    pub effort: Effort,
}

impl Solution {
    /// Returns this solution with the certificate of another program, of which it solves one with
    /// given friction bounds.
    pub fn certified_by(self, program: &Program, tolerance: f64) -> Self {
        let twists = program.velocities(&self.percussions);
        let certificate = Certificate::of(program, &self.percussions, &twists, tolerance);
        Self { certificate, ..self }
    }
}

/// Solves a program from the percussions `start` (on b, world axes, N s).
///
/// If these already meet the certificate by a margin, they are the solution.
pub fn solve(program: &Program, start: &[DVec3], limits: Limits) -> Solution {
    let (mut effort, mut time) = (Effort::default(), Instant::now());
    let tolerance = limits.tolerance;
    let certificate = Certificate::of(program, start, &program.velocities(start), tolerance);
    effort.lap(Part::Certificate, &mut time);
    if certificate.meets(UNCHANGED * tolerance) {
        return Solution { percussions: start.to_vec(), certificate, iterations: 0, effort };
    }
    let mut state = DualState::new(program, start);
    let mut stage = NewtonStage::new(program, limits);
    let goal = stage.goal;
    let mut iterations = 0;
    let mut sweeps = (RELAXATIONS / program.contacts.len().max(1)).clamp(MIN_SWEEPS, MAX_SWEEPS);
    loop {
        // Sweeps alternate between both directions, so that impulses travel up and down a stack.
        for sweep in 0..sweeps {
            let largest_change = state.sweep(sweep % 2 == 1);
            effort.sweeps += 1;
            iterations += 1;
            let last = iterations >= limits.max_iterations;
            // The certificate costs as much as a sweep, so it is computed when sweeps change
            // little.
            if largest_change > goal && !last {
                continue;
            }
            effort.lap(Part::Sweeps, &mut time);
            let (percussions, certificate) = state.certify(program, tolerance);
            effort.lap(Part::Certificate, &mut time);
            let converged = certificate.worst() <= tolerance;
            if last || converged && (certificate.meets_law() || stage.releases == MAX_RELEASES) {
                return Solution { percussions, certificate, iterations, effort };
            }
            if converged {
                // The bounds that were fixed are off Coulomb's law: they follow once more.
                state.rows.release_friction_bounds(program);
                stage.release();
                break;
            }
        }
        effort.lap(Part::Sweeps, &mut time);
        sweeps = FINAL_SWEEPS;
        iterations += stage.run(&mut state, iterations, &mut effort);
        effort.with_newton = 1;
        time = Instant::now();
        // The sweeps continue from the exact velocities of the new percussions.
        state.rows.set_percussions(&state.percussions);
    }
}

/// The Newton steps between the sweeps.
struct NewtonStage<'p> {
    program: &'p Program,
    /// Velocity to which residuals are relative, and largest residual at the end, m/s.
    velocity_scale: f64,
    goal: f64,
    max_iterations: u32,
    /// Compliance of the next proximal step, as a fraction of the mobility of a contact.
    fraction: f64,
    /// Whether a contact has a bound of friction.
    has_friction: bool,
    /// Proximal steps since the friction bounds began to follow.
    proximal_steps: u32,
    /// Whether the primal-dual method is used next. It does not profit from a start close to the
    /// solution, so that proximal steps follow it.
    primal_dual: bool,
    /// How often the friction bounds were released.
    releases: u32,
}

impl<'p> NewtonStage<'p> {
    fn new(program: &'p Program, Limits { tolerance, max_iterations }: Limits) -> Self {
        let velocity_scale = program.velocity_scale();
        let goal = tolerance * velocity_scale;
        let has_friction = program.contacts.iter().any(|contact| {
            matches!(
                contact.tangential_potential,
                TangentialPotential::Bounded(_) | TangentialPotential::Coulomb { .. }
            )
        });
        let only_stops = program.contacts.iter().all(|contact| {
            contact.normal_potential.kappa == 0.0
                && !matches!(contact.tangential_potential, TangentialPotential::Viscous(_))
        });
        let is_large = program.bodies.len() >= MIN_PRIMAL_DUAL_BODIES;
        let primal_dual = is_large && has_friction && only_stops;
        let fraction = if has_friction { FIRST_FRICTION_FRACTION } else { FIRST_FRACTION };
        let (proximal_steps, releases) = (0, 0);
        Self {
            program,
            velocity_scale,
            goal,
            max_iterations,
            fraction,
            has_friction,
            proximal_steps,
            primal_dual,
            releases,
        }
    }

    /// Lets the friction bounds follow again.
    fn release(&mut self) {
        self.releases += 1;
        self.proximal_steps = 0;
        self.fraction = self.fraction.max(RELEASED_FRACTION);
    }

    /// Solves for the contacts that act, or that may act. Returns the number of iterations.
    fn run(&mut self, state: &mut DualState, before: u32, effort: &mut Effort) -> u32 {
        let mut time = Instant::now();
        let active = state.active_contacts(ACTIVE_MARGIN * self.velocity_scale);
        let mut percussions: Vec<DVec3> = active.iter().map(|&k| state.percussions[k as usize]).collect();
        let rows = state.rows.subset(&active);
        effort.lap(Part::Assembly, &mut time);
        if std::mem::take(&mut self.primal_dual) {
            let before = percussions.clone();
            let settings = [INSIDE * self.velocity_scale, self.goal];
            let outcome = primal_dual::solve(&self.program.bodies, &rows, &mut percussions, settings, effort);
            if outcome.converged {
                // If the sweeps do not end it, proximal steps start from here.
                (self.fraction, self.proximal_steps) = (RELEASED_FRACTION, FOLLOWING_STEPS);
                state.store(&active, &percussions);
                state.rows.fix_friction_bounds(&state.percussions);
                for (&k, &bound) in active.iter().zip(&outcome.bounds) {
                    state.rows.fix_friction_bound(k as usize, bound);
                }
                return outcome.iterations;
            }
            percussions = before;
        }
        self.proximal_steps(state, (&active, rows, percussions), before, effort)
    }

    /// Makes proximal Newton steps until the percussions hardly move.
    fn proximal_steps(
        &mut self,
        state: &mut DualState,
        (active, mut rows, mut percussions): (&[u32], ContactRows, Vec<DVec3>),
        before: u32,
        effort: &mut Effort,
    ) -> u32 {
        let mut time = Instant::now();
        let mut newton = Newton::new(&self.program.bodies, &rows);
        // With a small compliance the percussions at which Newton's method starts matter more than the
        // centre of the proximal step: it converges in half as many steps from zero as from sweeps.
        if self.proximal_steps == 0 && !self.has_friction {
            percussions.fill(DVec3::ZERO);
        }
        newton.start(&percussions);
        effort.lap(Part::Assembly, &mut time);
        while before + newton.iterations < self.max_iterations {
            let step = newton.proximal_step(&rows, &mut percussions, self.fraction, INNER_TOLERANCE * self.goal);
            let Some(moved) = step else {
                // A larger compliance makes the equations better conditioned.
                self.fraction = (FRACTION_INCREASE * self.fraction).min(MAX_FRACTION);
                continue;
            };
            let decrease = if rows.has_coulomb_friction() { FRICTION_DECREASE } else { FRACTION_DECREASE };
            self.fraction = (decrease * self.fraction).max(MIN_FRACTION);
            self.proximal_steps += 1;
            // From here on the program is convex, with the bounds of these percussions.
            if self.proximal_steps == FOLLOWING_STEPS {
                rows.fix_friction_bounds(&percussions);
                state.store(active, &percussions);
                state.rows.fix_friction_bounds(&state.percussions);
            }
            if moved <= self.goal {
                break;
            }
        }
        effort.add(&newton.effort);
        state.store(active, &percussions);
        newton.iterations
    }
}

/// The dual form of a program and its present percussions.
struct DualState {
    rows: ContactRows,
    /// Percussions in contact axes, N s.
    percussions: Vec<DVec3>,
}

impl DualState {
    fn new(program: &Program, start: &[DVec3]) -> Self {
        let mut rows = ContactRows::new(program);
        let percussions = rows.admissible(start);
        rows.set_percussions(&percussions);
        Self { rows, percussions }
    }

    /// Relaxes one contact after the other. Returns the largest change of a velocity, m/s.
    fn sweep(&mut self, backwards: bool) -> f64 {
        let count = self.percussions.len();
        let mut largest = 0f64;
        for t in 0..count {
            let k = if backwards { count - 1 - t } else { t };
            largest = largest.max(self.rows.relax(k, &mut self.percussions[k]));
        }
        largest
    }

    /// Returns the contacts that act, or whose normal velocity is within `margin`, m/s, of the
    /// value at which they would.
    fn active_contacts(&self, margin: f64) -> Vec<u32> {
        let may_act = |k: &u32| {
            let (k, response) = (*k as usize, &self.rows.responses[*k as usize]);
            let NormalPotential { min_velocity, kappa, tensile } = response.normal_potential;
            let acts_below = if kappa > 0.0 { min_velocity.max(0.0) } else { min_velocity };
            // A friction bound without normal percussion comes from an earlier program.
            let acts = tensile || self.percussions[k] != DVec3::ZERO || response.friction_bound(0.0) > 0.0;
            acts || self.rows.velocity(k).x < acts_below + margin
        };
        (0..self.percussions.len() as u32).filter(may_act).collect()
    }

    /// Stores the percussions of some contacts.
    fn store(&mut self, contacts: &[u32], percussions: &[DVec3]) {
        for (&k, p) in contacts.iter().zip(percussions) {
            self.percussions[k as usize] = *p;
        }
    }

    fn certify(&self, program: &Program, tolerance: f64) -> (Vec<DVec3>, Certificate) {
        let percussions = self.rows.in_world_axes(&self.percussions);
        let twists = program.velocities(&percussions);
        let certificate = Certificate::of(program, &percussions, &twists, tolerance);
        (percussions, certificate)
    }
}
