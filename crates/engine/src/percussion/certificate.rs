//! How near percussions are to the solution of their program: figures that say so without knowing it.

use glam::DVec3;

use super::problem::{Contact, Motion, Program, Tangential};

/// What proves a solution. Velocities relative to the program's [`speed`](Program::speed), energies to that of its bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Farthest that a normal velocity is below its bound.
    pub primal: f64,
    /// Farthest that a percussion is outside its cone, as the velocity it makes.
    pub dual: f64,
    /// Farthest that a contact is from the optimality of its own percussion, as a velocity.
    pub complementarity: f64,
    /// Primal minus dual objective.
    pub gap: f64,
    /// Kinetic energy (in the program's own masses) of the free velocities minus that of the solution, J. Never negative at a
    /// solution if rest is allowed.
    pub dissipated: f64,
}

impl Certificate {
    /// Certifies percussions, on b in world axes.
    pub fn of(program: &Program, percussions: &[DVec3], motions: &[Motion]) -> Self {
        let speed = program.speed();
        let mut certificate = Self { dissipated: dissipated(program, percussions, motions), ..Self::default() };
        let mut scale = 0.0;
        for (contact, &p) in program.contacts.iter().zip(percussions) {
            let v = program.relative(contact, motions);
            let Residual { primal, dual, complementarity, gap } = residual(program, contact, v, p);
            certificate.primal = certificate.primal.max(primal);
            certificate.dual = certificate.dual.max(dual);
            certificate.complementarity = certificate.complementarity.max(complementarity);
            certificate.gap += gap;
            scale += p.length() * speed;
        }
        if speed > 0.0 {
            certificate.primal /= speed;
            certificate.dual /= speed;
            certificate.complementarity /= speed;
        }
        if scale > 0.0 {
            certificate.gap /= scale;
        }
        certificate
    }

    /// The largest of its residuals; infinite where a percussion is not a number.
    pub fn worst(&self) -> f64 {
        let worst = self.primal.max(self.dual).max(self.complementarity);
        // The gap is a sum of all contacts, in which what is not a number does not get lost.
        if self.gap.is_finite() { worst } else { f64::INFINITY }
    }

    /// The worse of two, for programs that are solved apart; energies are added.
    pub fn and(self, other: Self) -> Self {
        Self {
            primal: self.primal.max(other.primal),
            dual: self.dual.max(other.dual),
            complementarity: self.complementarity.max(other.complementarity),
            gap: self.gap.max(other.gap),
            dissipated: self.dissipated + other.dissipated,
        }
    }
}

struct Residual {
    primal: f64,
    dual: f64,
    complementarity: f64,
    gap: f64,
}

fn residual(program: &Program, contact: &Contact, v: DVec3, p: DVec3) -> Residual {
    let n = contact.normal;
    let mobility = program.mobility(contact);
    let nn = n.dot(mobility * n);
    let (v_n, p_n) = (v.dot(n), p.dot(n));
    let (v_t, p_t) = (v - v_n * n, p - p_n * n);
    let wanted = contact.along.percussion(v_n - nn * p_n, nn);
    let mut complementarity = (nn * (wanted - p_n)).abs();
    let mut dual = if contact.along.pulls { 0.0 } else { nn * (-p_n).max(0.0) };
    let mut gap = contact.along.energy(v_n) + contact.along.conjugate(p_n) + p_n * v_n.max(contact.along.bound);
    // The tangents' mobility is taken for the whole of it: an estimate from above.
    let tt = mobility.x_axis.x + mobility.y_axis.y + mobility.z_axis.z - nn;
    let cap = match contact.across {
        Tangential::Smooth => 0.0,
        Tangential::Viscous(stiffness) => {
            let off = v_t + p_t / stiffness;
            complementarity = complementarity.max(off.length());
            gap += 0.5 * stiffness * off.length_squared();
            return Residual { primal: (contact.along.bound - v_n).max(0.0), dual, complementarity, gap };
        }
        _ => contact.across.cap(p_n),
    };
    dual = dual.max(tt * (p_t.length() - cap).max(0.0));
    let wanted = (p_t - v_t / tt).clamp_length_max(cap);
    complementarity = complementarity.max(tt * (wanted - p_t).length());
    gap += cap * v_t.length() + p_t.dot(v_t);
    Residual { primal: (contact.along.bound - v_n).max(0.0), dual, complementarity, gap }
}

/// `T(z0) - T(z) = -sum_k p_k . (v_k(z0) + v_k(z))/2`, without the drift: exact for velocities that follow from the percussions.
fn dissipated(program: &Program, percussions: &[DVec3], motions: &[Motion]) -> f64 {
    let free = program.free();
    let lost = |(contact, p): (&Contact, &DVec3)| {
        let mean = 0.5 * (program.relative(contact, &free) + program.relative(contact, motions)) - contact.drift;
        -p.dot(mean)
    };
    program.contacts.iter().zip(percussions).map(lost).sum()
}
