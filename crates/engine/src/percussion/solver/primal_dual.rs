//! Primal-dual interior-point method for large programs with friction \[Mehrotra1992\].
//!
//! The unknowns are the scaled velocities y of the bodies and, at each contact, its percussion
//! inside its cone. A contact has pairs of a slack and a multiplier, whose products all decrease to
//! zero together:
//!
//! - normal: the slack `s = v_n - beta` and the percussion `l`, with `s l = mu`;
//! - friction with the bound c: the slack `g = (c² - |p_t|²)/(2 c)` and the multiplier m, with
//!   `v_t + (m/c) p_t = 0` and `g m = mu`.
//!
//! Newton's method for these equations and `y = C' p` eliminates all unknowns of the contacts, so
//! that its matrix is `1 + sum_k C_k' H_k C_k` on the bodies. The bounds of Coulomb friction follow
//! the percussions of the first iterations.

use std::time::Instant;

use glam::DVec3;

use super::block6::Vector6;
use super::contact_rows::ContactRows;
use super::friction_cone::{Cone, Start};
use super::hessian::Hessian;
use super::jacobians::{ContactJacobians, NONE};
use crate::percussion::profile::{Effort, Part};
use crate::percussion::program::ProgramBody;

/// Largest number of iterations. The method converges in 15 to 25 or not at all.
const MAX_ITERATIONS: u32 = 40;
/// Root of the mean product, relative to that of the start, at which the bounds of friction are fixed,
/// and largest number of iterations in which they follow the percussions. The smaller the product, the
/// less the percussions change afterwards.
const FOLLOWING_PRODUCT: f64 = 0.03;
const FOLLOWING_ITERATIONS: u32 = 25;
/// Residual at the end, relative to the tolerance: the sweeps that follow add rounding.
const STOP: f64 = 0.5;
/// Weight of an off-diagonal block beside the unit matrix below which it is left out of the matrix.
/// Small blocks hardly change a step, but they fill in the factors.
const MIN_WEIGHT: f64 = 0.3;
/// Exponent of the centring parameter of \[Mehrotra1992\].
const CENTRING_EXPONENT: i32 = 3;
/// Part of the way to the boundary of the cones that is left, relative to the part that the
/// predictor leaves, and its lower bound.
const DISTANCE_TO_BOUNDARY: f64 = 0.1;
const MIN_DISTANCE_TO_BOUNDARY: f64 = 1e-3;

/// Result of the method.
pub struct Outcome {
    /// Whether the residuals at the contacts are within the tolerance.
    pub converged: bool,
    /// Number of iterations.
    pub iterations: u32,
    /// Bound of friction of each contact, N s.
    pub bounds: Vec<f64>,
}

/// Solves for contacts of a program from `percussions` in contact axes. `inside` is the velocity, m/s,
/// by which the start is moved into the cones, and `goal` the largest residual, m/s.
pub fn solve(
    bodies: &[ProgramBody],
    rows: &ContactRows,
    percussions: &mut [DVec3],
    [inside, goal]: [f64; 2],
    effort: &mut Effort,
) -> Outcome {
    let mut time = Instant::now();
    let jacobians = ContactJacobians::new(bodies, rows);
    let mut state = State::new(&jacobians, rows, percussions, bodies.len(), inside);
    let mut hessian = Hessian::unit(&jacobians.pattern);
    let (mut follows, mut converged, mut iterations) = (rows.has_coulomb_friction(), false, 0);
    while iterations < MAX_ITERATIONS {
        let Residuals { largest, product } = state.residuals(&jacobians, rows);
        effort.newton_steps += 1;
        iterations += 1;
        converged = !follows && largest <= STOP * goal;
        if converged || !product.is_finite() {
            effort.lap(Part::Assembly, &mut time);
            break;
        }
        state.assemble(&jacobians, &mut hessian);
        effort.lap(Part::Assembly, &mut time);
        hessian.factorise(&jacobians.pattern, effort, &mut time);
        if !hessian.is_direct() {
            break;
        }
        // The predictor shows how far the products can decrease; the corrector aims there and takes
        // the predictor's products into account.
        let way = state.direction(&jacobians, &mut hessian).min(1.0);
        let centring = (state.mean_product(way) / product).clamp(0.0, 1.0).powi(CENTRING_EXPONENT);
        state.cones.iter_mut().for_each(|cone| cone.correct(centring * product));
        let longest = state.direction(&jacobians, &mut hessian);
        let left = (DISTANCE_TO_BOUNDARY * (1.0 - way)).max(MIN_DISTANCE_TO_BOUNDARY);
        state.advance((longest * (1.0 - left)).min(1.0));
        if follows {
            state.follow(rows);
            follows = product.sqrt() > FOLLOWING_PRODUCT * inside && iterations < FOLLOWING_ITERATIONS;
        }
        effort.lap(Part::Solution, &mut time);
    }
    for (p, cone) in percussions.iter_mut().zip(&state.cones) {
        *p = cone.percussion_on_boundary();
    }
    let bounds = state.cones.iter().map(Cone::bound).collect();
    Outcome { converged, iterations, bounds }
}

/// Iterate of the method.
struct State {
    cones: Vec<Cone>,
    /// Scaled velocities, residual of `y = C' p`, right-hand side, and step.
    velocities: Vec<Vector6>,
    residual: Vec<Vector6>,
    right: Vec<Vector6>,
    step: Vec<Vector6>,
    /// Number of pairs of slack and multiplier.
    pairs: f64,
    /// Weight of each off-diagonal block beside the unit matrix.
    weights: Vec<f64>,
}

/// Residuals of an iterate.
struct Residuals {
    /// Largest residual of a contact, m/s.
    largest: f64,
    /// Mean product of a slack and its multiplier, m²/s².
    product: f64,
}

impl State {
    fn new(
        jacobians: &ContactJacobians,
        rows: &ContactRows,
        percussions: &[DVec3],
        bodies: usize,
        inside: f64,
    ) -> Self {
        let mut velocities = vec![[0.0; 6]; bodies];
        for (jacobian, &p) in jacobians.of.iter().zip(percussions) {
            jacobian.add_transposed_product(p, &mut velocities);
        }
        let cone = |k: usize| {
            let velocity = jacobians.of[k].velocity(&velocities) + rows.free[k];
            Cone::new(&rows.responses[k], Start { velocity, percussion: percussions[k], inside })
        };
        let cones: Vec<Cone> = (0..percussions.len()).map(cone).collect();
        let pairs = cones.iter().map(Cone::pairs).sum();
        let still = vec![[0.0; 6]; bodies];
        let (residual, right, step) = (still.clone(), still.clone(), still);
        Self { cones, velocities, residual, right, step, pairs, weights: Vec::new() }
    }

    /// Computes the residuals of all equations.
    fn residuals(&mut self, jacobians: &ContactJacobians, rows: &ContactRows) -> Residuals {
        self.residual.copy_from_slice(&self.velocities);
        let (mut largest, mut sum) = (0f64, 0.0);
        for (k, (cone, jacobian)) in self.cones.iter_mut().zip(&jacobians.of).enumerate() {
            let velocity = jacobian.velocity(&self.velocities) + rows.free[k];
            largest = largest.max(cone.update_residuals(velocity));
            sum += cone.product(0.0);
            jacobian.add_transposed_product(-cone.percussion(), &mut self.residual);
        }
        Residuals { largest, product: sum / self.pairs }
    }

    /// Assembles the matrix.
    fn assemble(&mut self, jacobians: &ContactJacobians, hessian: &mut Hessian) {
        hessian.reset();
        self.weights.clear();
        self.weights.resize(hessian.off_diagonal.len(), 0.0);
        for (cone, jacobian) in self.cones.iter_mut().zip(&jacobians.of) {
            let weight = cone.prepare();
            if jacobian.edge != NONE {
                self.weights[jacobian.edge as usize] += weight;
            }
        }
        for (cone, jacobian) in self.cones.iter().zip(&jacobians.of) {
            let couples = jacobian.edge != NONE && self.weights[jacobian.edge as usize] > MIN_WEIGHT;
            jacobian.add_square(&cone.stiffness(), couples, hessian);
        }
    }

    /// Computes the step of all unknowns. Returns its length, relative to the step, at which the first
    /// cone is left.
    fn direction(&mut self, jacobians: &ContactJacobians, hessian: &mut Hessian) -> f64 {
        for (right, residual) in self.right.iter_mut().zip(&self.residual) {
            *right = residual.map(|entry| -entry);
        }
        for (cone, jacobian) in self.cones.iter_mut().zip(&jacobians.of) {
            // The change of the percussion without a change of velocity.
            cone.set_step(DVec3::ZERO);
            jacobian.add_transposed_product(cone.percussion_step(), &mut self.right);
        }
        hessian.solve(&self.right, &mut self.step, 0.0, 0);
        let mut longest = f64::INFINITY;
        for (cone, jacobian) in self.cones.iter_mut().zip(&jacobians.of) {
            cone.set_step(jacobian.velocity(&self.step));
            longest = longest.min(cone.longest_step());
        }
        longest
    }

    /// Returns the mean product of a slack and its multiplier at a length of the step, m²/s².
    fn mean_product(&self, length: f64) -> f64 {
        self.cones.iter().map(|cone| cone.product(length)).sum::<f64>() / self.pairs
    }

    /// Makes a step.
    fn advance(&mut self, length: f64) {
        self.cones.iter_mut().for_each(|cone| cone.advance(length));
        for (velocity, step) in self.velocities.iter_mut().zip(&self.step) {
            for k in 0..6 {
                velocity[k] += length * step[k];
            }
        }
    }

    /// Sets the bounds of Coulomb friction to those of the present percussions.
    fn follow(&mut self, rows: &ContactRows) {
        for (cone, response) in self.cones.iter_mut().zip(&rows.responses) {
            cone.set_bound(response.friction_bound(cone.percussion().x));
        }
    }
}
