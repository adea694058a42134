//! The reference solver: Clarabel, an interior-point method for conic programs \[Goulart2024\]. It
//! has no warm start and takes seconds for thousands of bodies.
//!
//! Unknowns are the velocities z of the bodies and a few more per contact: the approach y with
//! `y >= 0` and `y >= -v_n`, whose square gives the normal potential; the tangential velocity,
//! whose square gives the viscous potential; and an upper bound t of its length, `|v_t| <= t`, whose
//! multiple is the potential of bounded friction.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SupportedConeT, ZeroConeT,
};
use glam::{DMat3, DVec3};

use super::block_descent::{self, Limits, Solution};
use super::contact_rows::tangents;
use crate::percussion::certificate::Certificate;
use crate::percussion::profile::Effort;
use crate::percussion::program::{OUTSIDE, Program, ProgramBody, ProgramContact, TangentialPotential, Twist, trace};

/// Least tolerance of Clarabel: it does not converge below.
const MIN_TOLERANCE: f64 = 1e-13;
/// Tolerance of Clarabel over the squared tolerance of velocities. Its tolerances are those of
/// energies, which are squares of velocities.
const ENERGY_TOLERANCE: f64 = 0.1;
/// Value of kappa, in effective masses of the contact, above which the constraint `v_n >= 0`
/// replaces the potential. Above it, the quadratic term dominates all digits of the objective.
const MAX_KAPPA: f64 = 1e12;
/// Static regularisation of Clarabel's factorisation, and tolerance and iterations of its
/// refinement. They are tighter than the defaults, so that the solution is accurate to rounding.
const REGULARISATION: f64 = 1e-11;
const REFINEMENT_TOLERANCE: f64 = 1e-15;
const REFINEMENT_ITERATIONS: u32 = 30;
/// Iterations of block descent that polish the solution. An interior point approaches the boundary
/// of a friction cone to the square root of rounding only.
const POLISHING_ITERATIONS: u32 = 1000;

/// Solves a program with given friction bounds, and polishes the solution by block descent.
pub fn solve(program: &Program, tolerance: f64) -> Solution {
    let rough = unpolished(program, tolerance);
    if rough.certificate.worst() <= tolerance {
        return rough;
    }
    // Block descent starts close to the solution and reaches the boundary of the cones.
    let polished =
        block_descent::solve(program, &rough.percussions, Limits { tolerance, max_iterations: POLISHING_ITERATIONS });
    if polished.certificate.worst() < rough.certificate.worst() { polished } else { rough }
}

/// Solves a program with given friction bounds by Clarabel alone.
pub fn unpolished(program: &Program, tolerance: f64) -> Solution {
    let zero = vec![DVec3::ZERO; program.contacts.len()];
    let mut problem = Conic::new(program);
    for contact in &program.contacts {
        problem.add(program, contact);
    }
    let Some((multipliers, iterations)) = problem.solve(tolerance) else {
        let certificate = Certificate::of(program, &zero, &program.velocities(&zero), tolerance);
        return Solution { percussions: zero, certificate, iterations: 0, effort: Effort::default() };
    };
    let percussions: Vec<DVec3> = (program.contacts.iter().zip(&problem.contacts))
        .map(|(contact, rows)| rows.percussion(contact, &multipliers))
        .collect();
    let certificate = Certificate::of(program, &percussions, &program.velocities(&percussions), tolerance);
    Solution { percussions, certificate, iterations, effort: Effort::default() }
}

/// Rows of one contact among the multipliers.
struct MultiplierRows {
    axes: [DVec3; 3],
    /// Row `v_n >= min_velocity`.
    bound: usize,
    /// Row `v_n + y >= 0`; `None` without a normal potential.
    approach: Option<usize>,
    /// First of the two rows of the tangential velocity.
    tangential: Option<usize>,
}

impl MultiplierRows {
    /// Returns the percussion on b, world axes, N s.
    fn percussion(&self, contact: &ProgramContact, multipliers: &[f64]) -> DVec3 {
        let normal = multipliers[self.bound] + self.approach.map_or(0.0, |row| multipliers[row]);
        let tangential = self
            .tangential
            .map_or(DVec3::ZERO, |row| multipliers[row] * self.axes[1] + multipliers[row + 1] * self.axes[2]);
        let p = normal * contact.normal + tangential;
        // Rounding may leave the cone.
        let p_n = p.dot(contact.normal).max(0.0);
        let p_t = p - p.dot(contact.normal) * contact.normal;
        p_n * contact.normal + p_t.clamp_length_max(contact.tangential_potential.friction_bound(p_n))
    }
}

/// The conic program `min 1/2 x'Px + q'x` with `b - A x` in cones.
struct Conic {
    /// Upper triangle of P, and A, as triplets (row, column, value).
    quadratic: Vec<(usize, usize, f64)>,
    rows: Vec<(usize, usize, f64)>,
    linear: Vec<f64>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    contacts: Vec<MultiplierRows>,
    /// Mean mass, kg, by which the objective is divided so that its entries are of order one.
    scale: f64,
}

impl Conic {
    fn new(program: &Program) -> Self {
        // The objective is divided by the mean mass, which does not move its minimiser.
        let inverse_mass = |body: &ProgramBody| match body.inverse_mass {
            0.0 => trace(&body.inverse_inertia),
            inverse_mass => inverse_mass,
        };
        let masses = program.bodies.iter().map(|body| 1.0 / inverse_mass(body));
        let scale = masses.sum::<f64>() / program.bodies.len().max(1) as f64;
        let mut conic = Self {
            quadratic: Vec::new(),
            rows: Vec::new(),
            linear: Vec::new(),
            right: Vec::new(),
            cones: Vec::new(),
            contacts: Vec::new(),
            scale,
        };
        for body in &program.bodies {
            let first = conic.linear.len();
            // The rows of a body that does not translate leave its velocities out.
            let mass = if body.inverse_mass > 0.0 { 1.0 / body.inverse_mass / scale } else { 1.0 };
            // 1/2 (z - z0)' A (z - z0) has the matrix A and the linear term -A z0.
            let inertia = inverse(body.inverse_inertia) * (1.0 / scale);
            let Twist { velocity, spin } = body.free;
            for k in 0..3 {
                conic.quadratic.push((first + k, first + k, mass));
                for j in k..3 {
                    conic.quadratic.push((first + 3 + k, first + 3 + j, inertia.col(j)[k]));
                }
            }
            conic.linear.extend((-mass * velocity).to_array());
            conic.linear.extend((-(inertia * spin)).to_array());
        }
        conic
    }

    /// Adds an unknown with the objective `square/2 x² + linear x`. Returns its number.
    fn unknown(&mut self, square: f64, linear: f64) -> usize {
        let number = self.linear.len();
        self.quadratic.push((number, number, square / self.scale));
        self.linear.push(linear / self.scale);
        number
    }

    /// Adds a row `b - A x = right + sign * velocity along axis`. Returns its number.
    fn velocity_row(
        &mut self,
        bodies: &[ProgramBody],
        contact: &ProgramContact,
        axis: DVec3,
        [sign, right]: [f64; 2],
    ) -> usize {
        let row = self.right.len();
        // A body outside the program has no unknowns; its velocity is part of the right side.
        for side in 0..2 {
            if contact.bodies[side] == OUTSIDE {
                continue;
            }
            let first = 6 * contact.bodies[side] as usize;
            // b moves with the velocity, a against it.
            let outwards = if side == 0 { -sign } else { sign };
            let body = &bodies[contact.bodies[side] as usize];
            let lever = free_part(body.inverse_inertia, contact.arms[side].cross(axis));
            for k in 0..3 {
                if body.inverse_mass > 0.0 {
                    self.rows.push((row, first + k, -outwards * axis[k]));
                }
                self.rows.push((row, first + 3 + k, -outwards * lever[k]));
            }
        }
        self.right.push(right + sign * axis.dot(contact.prescribed_velocity));
        row
    }

    /// Adds the rows, unknowns and cones of a contact.
    fn add(&mut self, program: &Program, contact: &ProgramContact) {
        let [t1, t2] = tangents(contact.normal);
        let axes = [contact.normal, t1, t2];
        let potential = &contact.normal_potential;
        let mobility = contact.normal.dot(program.delassus_block(contact) * contact.normal);
        // Beyond this kappa the constraint v_n >= 0 is exact to rounding.
        let is_rigid = potential.kappa * mobility > MAX_KAPPA;
        let min_velocity = if is_rigid { potential.min_velocity.max(0.0) } else { potential.min_velocity };
        let bound = self.velocity_row(&program.bodies, contact, contact.normal, [1.0, -min_velocity]);
        self.cones.push(NonnegativeConeT(1));
        let approach = (potential.kappa > 0.0 && !is_rigid).then(|| {
            let y = self.unknown(potential.kappa, 0.0);
            let row = self.velocity_row(&program.bodies, contact, contact.normal, [1.0, 0.0]);
            self.rows.push((row, y, -1.0));
            // For a tensile potential y is minus the normal velocity itself.
            self.cones.push(if potential.tensile { ZeroConeT(1) } else { NonnegativeConeT(1) });
            row
        });
        let tangential = match contact.tangential_potential {
            TangentialPotential::Frictionless | TangentialPotential::Coulomb { .. } => None,
            TangentialPotential::Viscous(kappa) => {
                let mut first = None;
                for axis in [t1, t2] {
                    let y = self.unknown(kappa, 0.0);
                    let row = self.velocity_row(&program.bodies, contact, axis, [1.0, 0.0]);
                    self.rows.push((row, y, -1.0));
                    self.cones.push(ZeroConeT(1));
                    first.get_or_insert(row);
                }
                first
            }
            TangentialPotential::Bounded(bound) => {
                // Bound of the length of the tangential velocity, with the friction bound as its
                // cost.
                let t = self.unknown(0.0, bound);
                let row = self.right.len();
                self.rows.push((row, t, -1.0));
                self.right.push(0.0);
                self.velocity_row(&program.bodies, contact, t1, [1.0, 0.0]);
                self.velocity_row(&program.bodies, contact, t2, [1.0, 0.0]);
                self.cones.push(SecondOrderConeT(3));
                Some(row + 1)
            }
        };
        self.contacts.push(MultiplierRows { axes, bound, approach, tangential });
    }

    /// Returns the multipliers, N s, and the number of iterations; `None` if Clarabel rejects the
    /// data.
    fn solve(&self, tolerance: f64) -> Option<(Vec<f64>, u32)> {
        let (unknowns, rows) = (self.linear.len(), self.right.len());
        let matrix = |of: &[(usize, usize, f64)], height: usize| {
            let (i, (j, v)) = of.iter().map(|&(i, j, v)| (i, (j, v))).unzip();
            CscMatrix::new_from_triplets(height, unknowns, i, j, v)
        };
        // Tolerances of energies are squares of those of velocities.
        let tight = (ENERGY_TOLERANCE * tolerance * tolerance).max(MIN_TOLERANCE);
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tight,
            tol_gap_rel: tight,
            tol_feas: tight,
            tol_ktratio: tight,
            static_regularization_constant: REGULARISATION,
            iterative_refinement_reltol: REFINEMENT_TOLERANCE,
            iterative_refinement_abstol: REFINEMENT_TOLERANCE,
            iterative_refinement_max_iter: REFINEMENT_ITERATIONS,
            ..DefaultSettings::default()
        };
        let (p, a) = (matrix(&self.quadratic, unknowns), matrix(&self.rows, rows));
        let mut solver = DefaultSolver::new(&p, &self.linear, &a, &self.right, &self.cones, settings).ok()?;
        solver.solve();
        // The objective was divided by the scale, and so are the multipliers.
        let multipliers = solver.solution.z.iter().map(|z| z * self.scale).collect();
        Some((multipliers, solver.solution.iterations))
    }
}

/// Returns the inertia of a body. A body that rotates about one axis only gets the same inertia about
/// all axes; its spin about the others is zero.
fn inverse(inverse_inertia: DMat3) -> DMat3 {
    if inverse_inertia.determinant() != 0.0 {
        return inverse_inertia.inverse();
    }
    DMat3::from_diagonal(DVec3::splat(1.0 / trace(&inverse_inertia).max(f64::MIN_POSITIVE)))
}

/// Returns the part of a lever arm by which a body can rotate: along its axis, if it has one only.
fn free_part(inverse_inertia: DMat3, lever: DVec3) -> DVec3 {
    if inverse_inertia.determinant() != 0.0 {
        return lever;
    }
    inverse_inertia * lever / trace(&inverse_inertia).max(f64::MIN_POSITIVE)
}
