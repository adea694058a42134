//! The reference: Clarabel, an interior-point method for cones. No warm start; seconds for thousands of bodies.
//!
//! The program is written in the velocities z of the bodies and a few more unknowns a contact: the approach y with
//! `y >= 0, y >= -v_n`, whose square is the normal potential, the tangential velocity, whose square is the viscous one, and a
//! bound t of its length, `|v_t| <= t`, whose multiple is Coulomb's.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SupportedConeT, ZeroConeT,
};
use glam::{DMat3, DVec3};

use super::block_descent::{self, Limits, Solution};
use super::rows::tangents;
use crate::percussion::certificate::Certificate;
use crate::percussion::problem::{Contact, Motion, Program, Tangential};

/// The tightest that the method can be asked to be.
const TIGHTEST: f64 = 1e-13;
/// A stiffness from which on an approach is forbidden instead, in masses of the contact: beyond it the square would drown the rest.
const STIFF: f64 = 1e12;

/// Sweeps and gradients that bring the last digits: an interior point comes no nearer to the edge of a friction cone than the
/// square root of its rounding.
const POLISHING: u32 = 1000;

/// Solves a program whose caps of friction are given, to the last digits.
pub fn solve(program: &Program, tolerance: f64) -> Solution {
    let rough = unpolished(program, tolerance);
    if rough.certificate.worst() <= tolerance {
        return rough;
    }
    let polished = block_descent::solve(program, &rough.percussions, Limits { tolerance, sweeps: POLISHING });
    if polished.certificate.worst() < rough.certificate.worst() { polished } else { rough }
}

/// The same as Clarabel leaves it.
pub fn unpolished(program: &Program, tolerance: f64) -> Solution {
    let zero = vec![DVec3::ZERO; program.contacts.len()];
    let mut problem = Conic::new(program);
    for contact in &program.contacts {
        problem.add(program, contact);
    }
    let Some((multipliers, iterations)) = problem.solve(tolerance) else {
        let certificate = Certificate::of(program, &zero, &program.velocities(&zero));
        return Solution { percussions: zero, certificate, iterations: 0 };
    };
    let percussions: Vec<DVec3> = (program.contacts.iter().zip(&problem.places))
        .map(|(contact, place)| place.percussion(contact, &multipliers))
        .collect();
    let certificate = Certificate::of(program, &percussions, &program.velocities(&percussions));
    Solution { percussions, certificate, iterations }
}

/// Rows of one contact among the multipliers.
struct Place {
    axes: [DVec3; 3],
    /// Rows `v_n >= bound` and `v_n + y >= 0`; none where there is no potential.
    bound: usize,
    approach: Option<usize>,
    /// First of two rows with a tangential velocity.
    tangential: Option<usize>,
}

impl Place {
    fn percussion(&self, contact: &Contact, multipliers: &[f64]) -> DVec3 {
        let normal = multipliers[self.bound] + self.approach.map_or(0.0, |row| multipliers[row]);
        let tangential = self
            .tangential
            .map_or(DVec3::ZERO, |row| multipliers[row] * self.axes[1] + multipliers[row + 1] * self.axes[2]);
        let p = normal * contact.normal + tangential;
        // Rounding may leave a cone by a last digit.
        let p_n = p.dot(contact.normal).max(0.0);
        let p_t = p - p.dot(contact.normal) * contact.normal;
        p_n * contact.normal + p_t.clamp_length_max(contact.across.cap(p_n))
    }
}

/// `min 1/2 x'Px + q'x` with `b - A x` in cones.
struct Conic {
    /// Upper triangle of P, and A, as (row, column, value).
    quadratic: Vec<(usize, usize, f64)>,
    rows: Vec<(usize, usize, f64)>,
    linear: Vec<f64>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    places: Vec<Place>,
    /// Scale of momenta, by which the objective is divided.
    scale: f64,
}

impl Conic {
    fn new(program: &Program) -> Self {
        let masses = program.bodies.iter().map(|body| 1.0 / body.inverse_mass);
        let scale = masses.sum::<f64>() / program.bodies.len().max(1) as f64;
        let mut conic = Self {
            quadratic: Vec::new(),
            rows: Vec::new(),
            linear: Vec::new(),
            right: Vec::new(),
            cones: Vec::new(),
            places: Vec::new(),
            scale,
        };
        for body in &program.bodies {
            let first = conic.linear.len();
            let mass = 1.0 / body.inverse_mass / scale;
            let inertia = inverse(body.inverse_inertia) * (1.0 / scale);
            let Motion { velocity, spin } = body.free;
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

    /// Adds an unknown with the objective `square/2 x² + linear x`.
    fn unknown(&mut self, square: f64, linear: f64) -> usize {
        let place = self.linear.len();
        self.quadratic.push((place, place, square / self.scale));
        self.linear.push(linear / self.scale);
        place
    }

    /// Adds the row `right - sum(...)`, with minus the velocity along `axis` times `sign`; its number.
    fn velocity_row(&mut self, contact: &Contact, axis: DVec3, sign: f64, right: f64) -> usize {
        let row = self.right.len();
        for side in 0..2 {
            if contact.bodies[side] == crate::percussion::problem::OUTSIDE {
                continue;
            }
            let first = 6 * contact.bodies[side] as usize;
            let outwards = if side == 0 { -sign } else { sign };
            let turn = contact.arms[side].cross(axis);
            for k in 0..3 {
                self.rows.push((row, first + k, -outwards * axis[k]));
                self.rows.push((row, first + 3 + k, -outwards * turn[k]));
            }
        }
        self.right.push(right + sign * axis.dot(contact.drift));
        row
    }

    fn add(&mut self, program: &Program, contact: &Contact) {
        let [t1, t2] = tangents(contact.normal);
        let axes = [contact.normal, t1, t2];
        let law = &contact.along;
        let mobility = contact.normal.dot(program.mobility(contact) * contact.normal);
        let is_stiff = law.stiffness * mobility > STIFF;
        let bound = if is_stiff { law.bound.max(0.0) } else { law.bound };
        let bound = self.velocity_row(contact, contact.normal, 1.0, -bound);
        self.cones.push(NonnegativeConeT(1));
        let approach = (law.stiffness > 0.0 && !is_stiff).then(|| {
            // Where it pulls, y is the velocity itself.
            let y = self.unknown(law.stiffness, 0.0);
            let row = self.velocity_row(contact, contact.normal, 1.0, 0.0);
            self.rows.push((row, y, -1.0));
            self.cones.push(if law.pulls { ZeroConeT(1) } else { NonnegativeConeT(1) });
            row
        });
        let tangential = match contact.across {
            Tangential::Smooth | Tangential::Coulomb { .. } => None,
            Tangential::Viscous(stiffness) => {
                let mut first = None;
                for axis in [t1, t2] {
                    let y = self.unknown(stiffness, 0.0);
                    let row = self.velocity_row(contact, axis, 1.0, 0.0);
                    self.rows.push((row, y, -1.0));
                    self.cones.push(ZeroConeT(1));
                    first.get_or_insert(row);
                }
                first
            }
            Tangential::Capped(cap) => {
                let t = self.unknown(0.0, cap);
                let row = self.right.len();
                self.rows.push((row, t, -1.0));
                self.right.push(0.0);
                self.velocity_row(contact, t1, 1.0, 0.0);
                self.velocity_row(contact, t2, 1.0, 0.0);
                self.cones.push(SecondOrderConeT(3));
                Some(row + 1)
            }
        };
        self.places.push(Place { axes, bound, approach, tangential });
    }

    /// The multipliers, N s, and iterations; nothing if the method has no answer.
    fn solve(&self, tolerance: f64) -> Option<(Vec<f64>, u32)> {
        let (unknowns, rows) = (self.linear.len(), self.right.len());
        let matrix = |of: &[(usize, usize, f64)], height: usize| {
            let (i, (j, v)) = of.iter().map(|&(i, j, v)| (i, (j, v))).unzip();
            CscMatrix::new_from_triplets(height, unknowns, i, j, v)
        };
        // Its tolerances are of energies: squares of velocities.
        let tight = (0.1 * tolerance * tolerance).max(TIGHTEST);
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tight,
            tol_gap_rel: tight,
            tol_feas: tight,
            tol_ktratio: tight,
            static_regularization_constant: 1e-11,
            iterative_refinement_reltol: 1e-15,
            iterative_refinement_abstol: 1e-15,
            iterative_refinement_max_iter: 30,
            ..DefaultSettings::default()
        };
        let (p, a) = (matrix(&self.quadratic, unknowns), matrix(&self.rows, rows));
        let mut solver = DefaultSolver::new(&p, &self.linear, &a, &self.right, &self.cones, settings).ok()?;
        solver.solve();
        let multipliers = solver.solution.z.iter().map(|z| z * self.scale).collect();
        Some((multipliers, solver.solution.iterations))
    }
}

/// The inertia of a body; about axes that it cannot turn about, that of a body that hardly does.
fn inverse(inverse_inertia: DMat3) -> DMat3 {
    if inverse_inertia.determinant() != 0.0 {
        return inverse_inertia.inverse();
    }
    let z = 1.0 / inverse_inertia.z_axis.z.max(f64::MIN_POSITIVE);
    DMat3::from_diagonal(DVec3::splat(z))
}
