//! Certificate of a solution: residuals of the optimality conditions, computed without the solver.

use glam::DVec3;

use super::program::{Program, ProgramContact, TangentialPotential, Twist};

/// Residuals of a solution. Velocities are relative to [`Program::velocity_scale`], the duality gap
/// to the work of all percussions at that velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Largest violation of `v_n >= min_velocity`.
    pub primal: f64,
    /// Largest distance of a percussion from its cone, times its mobility.
    pub dual: f64,
    /// Largest distance of a percussion from the optimal one for its velocity, times its mobility.
    pub complementarity: f64,
    /// Duality gap: primal minus dual objective.
    pub gap: f64,
    /// Kinetic energy (in the masses of A) of the free velocities minus that of the solution, J.
    /// Not negative at a solution if rest is admissible.
    pub dissipated: f64,
}

impl Certificate {
    /// Computes the certificate of percussions (on b, world axes, N s) and their velocities.
    pub fn of(program: &Program, percussions: &[DVec3], twists: &[Twist]) -> Self {
        let velocity_scale = program.velocity_scale();
        let mut certificate = Self { dissipated: dissipated(program, percussions, twists), ..Self::default() };
        let mut energy_scale = 0.0;
        for (contact, &p) in program.contacts.iter().zip(percussions) {
            let v = program.relative_velocity(contact, twists);
            let Residual { primal, dual, complementarity, gap } = residual(program, contact, v, p);
            certificate.primal = certificate.primal.max(primal);
            certificate.dual = certificate.dual.max(dual);
            certificate.complementarity = certificate.complementarity.max(complementarity);
            certificate.gap += gap;
            // The gap is compared with the work of all percussions at the velocity scale.
            energy_scale += p.length() * velocity_scale;
        }
        if velocity_scale > 0.0 {
            certificate.primal /= velocity_scale;
            certificate.dual /= velocity_scale;
            certificate.complementarity /= velocity_scale;
        }
        if energy_scale > 0.0 {
            certificate.gap /= energy_scale;
        }
        certificate
    }

    /// Returns the largest residual; infinite if a percussion is not a number.
    pub fn worst(&self) -> f64 {
        let worst = self.primal.max(self.dual).max(self.complementarity);
        // `max` ignores NaN. The gap is a sum over all contacts, which does not.
        if self.gap.is_finite() { worst } else { f64::INFINITY }
    }
}

/// Residuals of one contact, m/s and J.
struct Residual {
    primal: f64,
    dual: f64,
    complementarity: f64,
    gap: f64,
}

fn residual(program: &Program, contact: &ProgramContact, v: DVec3, p: DVec3) -> Residual {
    let n = contact.normal;
    let w = program.delassus_block(contact);
    let w_nn = n.dot(w * n);
    let (v_n, p_n) = (v.dot(n), p.dot(n));
    let (v_t, p_t) = (v - v_n * n, p - p_n * n);
    let potential = &contact.normal_potential;
    // The percussion is optimal if it is the response to its own velocity.
    let optimal = potential.percussion(v_n - w_nn * p_n, w_nn);
    let mut complementarity = (w_nn * (optimal - p_n)).abs();
    let mut dual = if potential.tensile { 0.0 } else { w_nn * (-p_n).max(0.0) };
    // Fenchel's inequality: phi(v) + phi*(p) + p v >= 0, with equality at the solution.
    let mut gap = potential.energy(v_n) + potential.conjugate(p_n) + p_n * v_n.max(potential.min_velocity);
    // The trace of the tangential block is an upper bound of its eigenvalues.
    let w_tt = w.x_axis.x + w.y_axis.y + w.z_axis.z - w_nn;
    let bound = match contact.tangential_potential {
        TangentialPotential::Frictionless => 0.0,
        TangentialPotential::Viscous(kappa) => {
            // A viscous contact has p_t = -kappa v_t; its gap is the square of the deviation.
            let off = v_t + p_t / kappa;
            complementarity = complementarity.max(off.length());
            gap += 0.5 * kappa * off.length_squared();
            return Residual { primal: (potential.min_velocity - v_n).max(0.0), dual, complementarity, gap };
        }
        _ => contact.tangential_potential.friction_bound(p_n),
    };
    dual = dual.max(w_tt * (p_t.length() - bound).max(0.0));
    // A projected gradient step leaves the optimal friction percussion unchanged.
    let optimal = (p_t - v_t / w_tt).clamp_length_max(bound);
    complementarity = complementarity.max(w_tt * (optimal - p_t).length());
    // Fenchel's inequality of friction: s |v_t| + p_t v_t >= 0 for |p_t| <= s.
    gap += bound * v_t.length() + p_t.dot(v_t);
    Residual { primal: (potential.min_velocity - v_n).max(0.0), dual, complementarity, gap }
}

/// Returns `T(z0) - T(z) = -sum_k p_k . (v_k(z0) + v_k(z))/2`, J, without the prescribed
/// velocities. It is exact for velocities that follow from the percussions.
fn dissipated(program: &Program, percussions: &[DVec3], twists: &[Twist]) -> f64 {
    let free = program.free_velocities();
    let lost = |(contact, p): (&ProgramContact, &DVec3)| {
        let mean = 0.5 * (program.relative_velocity(contact, &free) + program.relative_velocity(contact, twists))
            - contact.prescribed_velocity;
        -p.dot(mean)
    };
    program.contacts.iter().zip(percussions).map(lost).sum()
}
