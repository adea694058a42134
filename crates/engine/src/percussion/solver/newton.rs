//! Proximal Newton method for large programs.
//!
//! A proximal step on the dual gives every contact a compliance d beside its percussion p. Its
//! percussion at velocity v is then `q(v) = argmin phi*(q) + q.v + d |q - p|²/2`, and the
//! velocities minimise a smooth convex function without constraints. Newton's method solves for
//! them, with the Hessian `A + sum_k C_k' (-dq_k/dv) C_k`, which has a block for every two bodies
//! in contact (`hessian.rs`). Then p becomes q: at the fixed point q = p, so that the compliance
//! does not remain in the solution.
//!
//! The unknowns are changes of the velocities from the free ones, multiplied by the square roots of
//! masses and inertias. In these coordinates A is the unit matrix.

use std::time::Instant;

use glam::DVec3;

use super::block6::{Vector6, dot};
use super::contact_rows::ContactRows;
use super::hessian::Hessian;
use super::jacobians::ContactJacobians;
use super::proximal_response::Symmetric3;
use crate::percussion::profile::{Effort, Part};
use crate::percussion::program::ProgramBody;

/// Newton steps of a proximal step. If they do not converge, it is repeated with more compliance.
const MAX_STEPS: u32 = 25;
/// Largest forcing term: relative residual of the linear equations of a Newton step.
const MAX_FORCING: f64 = 0.2;
/// Factor of the forcing term `eta = 5 (r_k/r_{k-1})²`, of the form of \[Eisenstat1996, choice 2\]:
/// the equations are solved more accurately as Newton's method converges.
const FORCING: f64 = 5.0;
/// Least residual of the linear equations, relative to the tolerance of the proximal step. A
/// smaller one would have no effect on its end.
const MIN_LINEAR_RESIDUAL: f64 = 0.3;
/// Iterations of the linear solver in a Newton step.
const MAX_LINEAR_ITERATIONS: u32 = 1000;
/// Slope at the end of the line search, relative to the slope at its start.
const LINE_SEARCH_SLOPE: f64 = 0.3;
/// Evaluations of the slope in a line search.
const MAX_LINE_SEARCH_POINTS: u32 = 8;
/// Least distance of a new point from the ends of the bracket of the line search, relative to its
/// length. It keeps the interpolation from creeping.
const BRACKET_MARGIN: f64 = 0.1;
/// Inner tolerance, relative to the size of the outer update: residual velocity at the end of a
/// proximal step over the change of the percussions times their compliance.
const INNER_TOLERANCE: f64 = 3.0;

/// State of the method for some contacts of a program.
pub struct Newton {
    jacobians: ContactJacobians,
    hessian: Hessian,
    /// Scaled velocities, the Newton step, and the gradient.
    velocities: Vec<Vector6>,
    step: Vec<Vector6>,
    gradient: Vec<Vector6>,
    /// At the contacts: velocity, its change along the Newton step, and percussion q.
    contact_velocity: Vec<DVec3>,
    contact_change: Vec<DVec3>,
    percussion: Vec<DVec3>,
    /// Friction bounds during a proximal step, N s.
    bounds: Vec<f64>,
    /// Compliance derivatives -dq/dv that are summed in the Hessian, kg, and the fraction of the
    /// mobilities for which they hold.
    derivatives: Vec<Symmetric3>,
    fraction: f64,
    /// Newton steps and linear iterations so far.
    pub iterations: u32,
    /// Work so far.
    pub effort: Effort,
}

impl Newton {
    /// Prepares the method for the contacts `rows` of a program with these bodies.
    pub fn new(bodies: &[ProgramBody], rows: &ContactRows) -> Self {
        let jacobians = ContactJacobians::new(bodies, rows);
        let hessian = Hessian::unit(&jacobians.pattern);
        let still = vec![[0.0; 6]; bodies.len()];
        let contacts = vec![DVec3::ZERO; rows.rows.len()];
        Self {
            jacobians,
            hessian,
            velocities: still.clone(),
            step: still.clone(),
            gradient: still,
            contact_velocity: contacts.clone(),
            contact_change: contacts.clone(),
            percussion: contacts,
            bounds: Vec::new(),
            derivatives: vec![[0.0; 6]; rows.rows.len()],
            fraction: 0.0,
            iterations: 0,
            effort: Effort::default(),
        }
    }

    /// Sets the velocities to those of percussions in contact axes.
    pub fn start(&mut self, percussions: &[DVec3]) {
        self.velocities.fill([0.0; 6]);
        for (jacobian, &p) in self.jacobians.of.iter().zip(percussions) {
            jacobian.add_transposed_product(p, &mut self.velocities);
        }
    }

    /// Makes one proximal step from percussions in contact axes, with compliances that are
    /// `fraction` of the mobilities. Friction bounds are fixed during the step.
    ///
    /// Returns the largest change of a percussion times its compliance, m/s; `None` if Newton's
    /// method did not converge, in which case the percussions are unchanged. The step ends when the
    /// residual velocity is small beside that change, or below `tolerance`, m/s.
    pub fn proximal_step(
        &mut self,
        rows: &ContactRows,
        percussions: &mut [DVec3],
        fraction: f64,
        tolerance: f64,
    ) -> Option<f64> {
        let count = percussions.len();
        self.bounds.clear();
        self.bounds.extend(rows.responses.iter().zip(&*percussions).map(|(response, p)| response.friction_bound(p.x)));
        let mut last_residual = None;
        let mut time = Instant::now();
        for _ in 0..MAX_STEPS {
            // z - z0 at the contacts. The gradient starts from A (z - z0), which is the unit matrix
            // here.
            self.iterations += 1;
            self.effort.newton_steps += 1;
            let mut velocity = std::mem::take(&mut self.contact_velocity);
            self.apply_jacobians(&self.velocities, &mut velocity);
            self.gradient.copy_from_slice(&self.velocities);
            if self.fraction != fraction {
                // All derivatives change. Starting again from the unit matrix also removes the
                // rounding errors of the updates so far.
                self.fraction = fraction;
                self.hessian.reset();
                self.derivatives.fill([0.0; 6]);
            }
            let mut moved = 0f64;
            for k in 0..count {
                // Velocity of the surfaces: that of the free motion plus that of all percussions.
                velocity[k] += rows.free[k];
                let response = &rows.responses[k];
                let (q, derivative) = response.proximal(velocity[k], percussions[k], self.bounds[k], fraction);
                self.percussion[k] = q;
                moved = moved.max(response.as_velocity(q - percussions[k]));
                // Gradient of the smooth function: z - C' q(v).
                self.jacobians.of[k].add_transposed_product(-q, &mut self.gradient);
                // Most contacts keep their state from step to step, so only changes enter the
                // Hessian.
                if derivative != self.derivatives[k] {
                    let old = std::mem::replace(&mut self.derivatives[k], derivative);
                    let change = std::array::from_fn(|entry| derivative[entry] - old[entry]);
                    self.jacobians.of[k].add_square(&change, true, &mut self.hessian);
                }
            }
            self.contact_velocity = velocity;
            let residual = self.largest_gradient_velocity();
            self.effort.lap(Part::Assembly, &mut time);
            // It is not worth solving a proximal step more accurately than it moves the
            // percussions.
            let target = (INNER_TOLERANCE * fraction * moved).max(tolerance);
            if residual <= target {
                percussions.copy_from_slice(&self.percussion);
                return Some(fraction * moved);
            }
            self.hessian.factorise(&self.jacobians.pattern, &mut self.effort, &mut time);
            let mut step = std::mem::take(&mut self.step);
            // Right-hand side of the Newton equations.
            self.gradient.iter_mut().flatten().for_each(|entry| *entry = -*entry);
            // Eisenstat-Walker: far from the solution an accurate Newton step would be wasted.
            let forcing = last_residual.map_or(MAX_FORCING, |last: f64| FORCING * (residual / last).powi(2));
            let forcing = forcing.max(MIN_LINEAR_RESIDUAL * target / residual).min(MAX_FORCING);
            last_residual = Some(residual);
            self.iterations += self.hessian.solve(&self.gradient, &mut step, forcing, MAX_LINEAR_ITERATIONS);
            self.step = step;
            let length = self.line_search(rows, percussions, fraction);
            for (velocity, step) in self.velocities.iter_mut().zip(&self.step) {
                for k in 0..6 {
                    velocity[k] += length * step[k];
                }
            }
            self.effort.lap(Part::Solution, &mut time);
        }
        // Restore the velocities that belong to the unchanged percussions.
        self.start(percussions);
        None
    }

    /// Computes the velocities at the contacts, `C z`, contact axes, without the free velocities.
    fn apply_jacobians(&self, velocities: &[Vector6], to: &mut [DVec3]) {
        for (jacobian, to) in self.jacobians.of.iter().zip(to) {
            *to = jacobian.velocity(velocities);
        }
    }

    /// Returns the largest normal velocity that the gradient gives one body at a contact, m/s: the
    /// residual of the optimality condition in the unit of the tolerance.
    fn largest_gradient_velocity(&self) -> f64 {
        let of = self.jacobians.of.iter().map(|jacobian| jacobian.largest_normal_velocity(&self.gradient));
        of.fold(0.0, f64::max)
    }

    /// Returns the length of the Newton step at which the slope of the function has decreased
    /// enough, by regula falsi with safeguards.
    fn line_search(&mut self, rows: &ContactRows, percussions: &[DVec3], fraction: f64) -> f64 {
        let mut change = std::mem::take(&mut self.contact_change);
        self.apply_jacobians(&self.step, &mut change);
        // The quadratic part of the slope is a polynomial of the step length; only the contacts
        // must be evaluated again at each length.
        let (linear, square) = (dot(&self.velocities, &self.step), dot(&self.step, &self.step));
        let slope = |t: f64| {
            let mut sum = linear + t * square;
            for k in 0..percussions.len() {
                let v = self.contact_velocity[k] + t * change[k];
                let q = rows.responses[k].proximal(v, percussions[k], self.bounds[k], fraction).0;
                sum -= q.dot(change[k]);
            }
            sum
        };
        // `gradient` holds the negative gradient here: the right-hand side of the Newton equations.
        let first = -dot(&self.gradient, &self.step);
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, first, 1.0, slope(1.0));
        let mut best = 1.0;
        // The full step is taken unless the slope at its end is clearly positive.
        if at_high > -LINE_SEARCH_SLOPE * first {
            for _ in 0..MAX_LINE_SEARCH_POINTS {
                // Regula falsi, kept away from the ends so that the bracket shrinks from both
                // sides.
                let part = (at_low / (at_low - at_high)).clamp(BRACKET_MARGIN, 1.0 - BRACKET_MARGIN);
                let t = low + (high - low) * part;
                let at = slope(t);
                best = t;
                if at.abs() <= -LINE_SEARCH_SLOPE * first {
                    break;
                }
                if at > 0.0 { (high, at_high) = (t, at) } else { (low, at_low) = (t, at) }
            }
        }
        self.contact_change = change;
        best
    }
}
