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

use glam::DVec3;

use super::contact_rows::ContactRows;
use super::newton::Newton;
use crate::percussion::certificate::Certificate;
use crate::percussion::program::{NormalPotential, Program};

/// Contact relaxations in all sweeps before the first Newton step. Small programs are swept more
/// often, because sweeps need no set-up.
const RELAXATIONS: usize = 40_000;
/// Least and largest number of sweeps before the first Newton step.
const MIN_SWEEPS: usize = 6;
const MAX_SWEEPS: usize = 200;
/// Sweeps after the Newton steps: they check the contacts that were left out.
const FINAL_SWEEPS: usize = 2;

/// Compliance in the first proximal step, as a fraction of the mobility of a contact.
const FIRST_FRACTION: f64 = 0.3;
/// Factor of the compliance after each proximal step.
const FRACTION_DECREASE: f64 = 0.4;
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
const FOLLOWING_STEPS: u32 = 2;

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
    /// Certificate of the solution. If friction bounds were fixed, of the program with these
    /// bounds.
    pub certificate: Certificate,
    /// Number of iterations.
    pub iterations: u32,
}

/// Solves a program from the percussions `start` (on b, world axes, N s).
pub fn solve(program: &Program, start: &[DVec3], limits: Limits) -> Solution {
    let mut state = DualState::new(program, start);
    let velocity_scale = program.velocity_scale();
    let goal = limits.tolerance * velocity_scale;
    let (mut fraction, mut proximal_steps) = (FIRST_FRACTION, 0);
    let mut iterations = 0;
    let mut sweeps = (RELAXATIONS / program.contacts.len().max(1)).clamp(MIN_SWEEPS, MAX_SWEEPS);
    loop {
        // Sweeps alternate between both directions, so that impulses travel up and down a stack.
        for sweep in 0..sweeps {
            let largest_change = state.sweep(sweep % 2 == 1);
            iterations += 1;
            let last = iterations >= limits.max_iterations;
            // The certificate costs as much as a sweep, so it is computed when sweeps change
            // little.
            if largest_change <= goal || last {
                let (percussions, certificate) = state.certify(program);
                if certificate.worst() <= limits.tolerance || last {
                    return Solution { percussions, certificate, iterations };
                }
            }
        }
        sweeps = FINAL_SWEEPS;
        // The Newton steps solve for the contacts that act, or that may act.
        let active = state.active_contacts(ACTIVE_MARGIN * velocity_scale);
        let mut active_rows = state.rows.subset(&active);
        let mut percussions: Vec<DVec3> = active.iter().map(|&k| state.percussions[k as usize]).collect();
        let mut newton = Newton::new(&program.bodies, &active_rows);
        newton.start(&percussions);
        while iterations + newton.iterations < limits.max_iterations {
            let step = newton.proximal_step(&active_rows, &mut percussions, fraction, INNER_TOLERANCE * goal);
            let Some(moved) = step else {
                // A larger compliance makes the equations better conditioned.
                fraction = (FRACTION_INCREASE * fraction).min(MAX_FRACTION);
                continue;
            };
            fraction = (FRACTION_DECREASE * fraction).max(MIN_FRACTION);
            proximal_steps += 1;
            // From here on the program is convex, with the bounds of these percussions.
            if proximal_steps == FOLLOWING_STEPS {
                active_rows.fix_friction_bounds(&percussions);
                state.store(&active, &percussions);
                state.rows.fix_friction_bounds(&state.percussions);
            }
            if moved <= goal {
                break;
            }
        }
        iterations += newton.iterations;
        state.store(&active, &percussions);
        // The sweeps continue from the exact velocities of the new percussions.
        state.rows.set_percussions(&state.percussions);
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

    fn certify(&self, program: &Program) -> (Vec<DVec3>, Certificate) {
        let percussions = self.rows.in_world_axes(&self.percussions);
        let twists = program.velocities(&percussions);
        let certificate = match self.rows.with_fixed_bounds(program) {
            Some(convex) => Certificate::of(&convex, &percussions, &twists),
            None => Certificate::of(program, &percussions, &twists),
        };
        (percussions, certificate)
    }
}
