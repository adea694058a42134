//! Certificate of a solution: residuals of the optimality conditions, and distance from Coulomb's
//! law, computed without the solver.
//!
//! A solution with Coulomb friction is that of a program with given friction bounds. The certificate
//! finds the bounds: that of the law, `mu p_n`, where the percussion of a contact is optimal with it,
//! and otherwise the friction that the contact has. The second kind is off the law, and the
//! distances are summed.

use glam::DVec3;

use super::program::{Program, ProgramContact, TangentialPotential, Twist};

/// Largest mean distance of the friction bounds of a program from Coulomb's law, relative to the
/// bounds of the law. It is below the accuracy to which coefficients of friction are known.
pub const LAW_TOLERANCE: f64 = 0.02;

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
    /// Distance of the friction bounds from Coulomb's law.
    pub law: LawDistance,
}

/// Distance of friction bounds from Coulomb's law.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LawDistance {
    /// Sum of the distances of the bounds from those of the law, `|s - mu p_n|`, N s.
    pub distance: f64,
    /// Sum of the bounds of the law, `mu p_n`, N s.
    pub bounds: f64,
    /// Number of contacts that carry friction without a normal percussion.
    pub unsupported: u64,
}

impl LawDistance {
    /// Returns the mean distance relative to the bounds of the law.
    pub fn relative(&self) -> f64 {
        if self.distance > 0.0 { self.distance / self.bounds } else { 0.0 }
    }

    /// Returns the distance of two sets of contacts together.
    pub fn join(self, other: Self) -> Self {
        Self {
            distance: self.distance + other.distance,
            bounds: self.bounds + other.bounds,
            unsupported: self.unsupported + other.unsupported,
        }
    }
}

impl Certificate {
    /// Computes the certificate of percussions (on b, world axes, N s) and their velocities.
    ///
    /// Coulomb's law holds at a contact if the bound of the law gives a residual within `tolerance`.
    pub fn of(program: &Program, percussions: &[DVec3], twists: &[Twist], tolerance: f64) -> Self {
        let velocity_scale = program.velocity_scale();
        let limit = tolerance * velocity_scale;
        let mut certificate = Self { dissipated: dissipated(program, percussions, twists), ..Self::default() };
        let mut energy_scale = 0.0;
        for (contact, &p) in program.contacts.iter().zip(percussions) {
            let v = program.relative_velocity(contact, twists);
            let Residual { primal, dual, complementarity, gap, law } = residual(program, contact, v, p, limit);
            certificate.primal = certificate.primal.max(primal);
            certificate.dual = certificate.dual.max(dual);
            certificate.complementarity = certificate.complementarity.max(complementarity);
            certificate.gap += gap;
            certificate.law = certificate.law.join(law);
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

    /// Returns whether the residuals are within `tolerance` and the friction bounds within
    /// [`LAW_TOLERANCE`] of Coulomb's law.
    pub fn meets(&self, tolerance: f64) -> bool {
        self.worst() <= tolerance && self.meets_law()
    }

    /// Returns whether the friction bounds are within [`LAW_TOLERANCE`] of Coulomb's law.
    pub fn meets_law(&self) -> bool {
        self.law.distance <= LAW_TOLERANCE * self.law.bounds
    }

    /// Returns whether this solution is better than another: it meets the tolerance and the other
    /// does not, or its residuals are smaller.
    pub fn is_better_than(&self, other: &Self, tolerance: f64) -> bool {
        let of = |certificate: &Self| (certificate.worst().max(tolerance), certificate.law.relative());
        of(self) < of(other)
    }
}

/// Residuals of one contact, m/s and J.
struct Residual {
    primal: f64,
    dual: f64,
    complementarity: f64,
    gap: f64,
    law: LawDistance,
}

/// Returns the residuals of a contact with velocity v and percussion p. Coulomb's law holds if its
/// bound gives a residual of at most `limit`, m/s.
fn residual(program: &Program, contact: &ProgramContact, v: DVec3, p: DVec3, limit: f64) -> Residual {
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
    let mut law = LawDistance::default();
    // A projected gradient step leaves the optimal friction percussion unchanged.
    let off = |bound: f64| w_tt * ((p_t - v_t / w_tt).clamp_length_max(bound) - p_t).length();
    let bound = match contact.tangential_potential {
        TangentialPotential::Frictionless => 0.0,
        TangentialPotential::Viscous(kappa) => {
            // A viscous contact has p_t = -kappa v_t; its gap is the square of the deviation.
            let deviation = v_t + p_t / kappa;
            complementarity = complementarity.max(deviation.length());
            gap += 0.5 * kappa * deviation.length_squared();
            return Residual { primal: (potential.min_velocity - v_n).max(0.0), dual, complementarity, gap, law };
        }
        TangentialPotential::Bounded(bound) => bound,
        TangentialPotential::Coulomb { .. } => {
            let (of_law, own) = (contact.tangential_potential.friction_bound(p_n), p_t.length());
            law.bounds = of_law;
            if off(of_law) <= limit.max(off(own)) {
                of_law
            } else {
                law.distance = (own - of_law).abs();
                law.unsupported = u64::from(of_law == 0.0);
                own
            }
        }
    };
    dual = dual.max(w_tt * (p_t.length() - bound).max(0.0));
    complementarity = complementarity.max(off(bound));
    // Fenchel's inequality of friction: s |v_t| + p_t v_t >= 0 for |p_t| <= s.
    gap += bound * v_t.length() + p_t.dot(v_t);
    Residual { primal: (potential.min_velocity - v_n).max(0.0), dual, complementarity, gap, law }
}

/// Returns `T(z0) - T(z) = -sum_k p_k . (v_k(z0) + v_k(z))/2`, J, without the prescribed
/// velocities. It is exact for velocities that follow from the percussions.
fn dissipated(program: &Program, percussions: &[DVec3], twists: &[Twist]) -> f64 {
    let lost = |(contact, p): (&ProgramContact, &DVec3)| {
        let mean = 0.5 * (program.free_relative_velocity(contact) + program.relative_velocity(contact, twists))
            - contact.prescribed_velocity;
        -p.dot(mean)
    };
    program.contacts.iter().zip(percussions).map(lost).sum()
}
