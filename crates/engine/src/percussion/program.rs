//! The convex program of one collision: bodies, contacts, and the pseudo-potential of each contact.
//!
//! Find the velocities z that minimise `1/2 (z - z0)' A (z - z0) + sum_k phi_k(C_k z)`. A is the
//! block-diagonal matrix of masses and inertias, z0 the free velocities, and `C_k z` the velocity
//! of b relative to a at contact k. Every solver takes a [`Program`] and returns percussions, from
//! which the velocities follow. The equations are in the README of this folder.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

pub use crate::state::Twist;

/// Number of a body that the program does not move.
pub const OUTSIDE: u32 = u32::MAX;

impl Twist {
    /// Returns this twist plus `factor` times another.
    pub(super) fn plus(self, factor: f64, other: &Self) -> Self {
        Self { velocity: self.velocity + factor * other.velocity, spin: self.spin + factor * other.spin }
    }
}

/// A body of the program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramBody {
    /// Inverse of its mass in A, 1/kg. Zero for a body that does not translate.
    pub inverse_mass: f64,
    /// Inverse of its inertia in A, world axes, 1/(kg m²). Its determinant is zero if the body
    /// rotates about one axis only, as in the plane.
    pub inverse_inertia: DMat3,
    /// Its velocities z0 without contacts.
    pub free: Twist,
}

/// Pseudo-potential of the normal velocity v_n: `kappa v_n²/2` for v_n < 0, with
/// `v_n >= min_velocity`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalPotential {
    /// Least normal velocity, m/s.
    pub min_velocity: f64,
    /// Constant kappa_N, kg. Infinite for the constraint `v_n >= 0`.
    pub kappa: f64,
    /// True if the potential also acts on bodies that separate, as in \[Leon2016\]. False for
    /// grains.
    pub tensile: bool,
}

/// Pseudo-potential of the tangential velocity v_t.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum TangentialPotential {
    /// No friction.
    Frictionless,
    /// Viscous friction, `kappa_T |v_t|²/2`, with kappa_T in kg.
    Viscous(f64),
    /// Friction with a given bound, `s |v_t|`, with s in N s.
    Bounded(f64),
    /// Coulomb friction: the bound follows the normal percussion. The solution is a fixed point of
    /// programs with given bounds.
    Coulomb {
        /// Coefficient of friction.
        friction: f64,
        /// Normal percussion from an earlier program of the same collision, N s. It adds to the
        /// program's own in the bound.
        earlier: f64,
    },
}

/// A contact of the program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramContact {
    /// Numbers of a and b, or [`OUTSIDE`].
    pub bodies: [u32; 2],
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Lever arms: from the centres of a and b to the contact point, m.
    pub arms: [DVec3; 2],
    /// Velocity of b relative to a at the contact point due to bodies outside the program, m/s.
    pub prescribed_velocity: DVec3,
    /// Pseudo-potential of the normal velocity.
    pub normal_potential: NormalPotential,
    /// Pseudo-potential of the tangential velocity.
    pub tangential_potential: TangentialPotential,
}

/// A convex program: usually that of one island.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The bodies.
    pub bodies: Vec<ProgramBody>,
    /// The contacts.
    pub contacts: Vec<ProgramContact>,
}

impl Program {
    /// Returns the velocities z that follow from percussions (on b, N s). Sums are in the order of
    /// the contacts.
    pub fn velocities(&self, percussions: &[DVec3]) -> Vec<Twist> {
        // C' p: impulse and angular impulse on each body.
        let mut impulse = vec![Twist::default(); self.bodies.len()];
        for (contact, &p) in self.contacts.iter().zip(percussions) {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(of) = impulse.get_mut(contact.bodies[side] as usize) {
                    of.velocity += sign * p;
                    of.spin += sign * contact.arms[side].cross(p);
                }
            }
        }
        let moved = |(body, impulse): (&ProgramBody, &Twist)| Twist {
            velocity: body.free.velocity + body.inverse_mass * impulse.velocity,
            spin: body.free.spin + body.inverse_inertia * impulse.spin,
        };
        self.bodies.iter().zip(&impulse).map(moved).collect()
    }

    /// Returns the velocity of b relative to a at a contact, m/s, for given velocities of the
    /// bodies.
    #[inline]
    pub fn relative_velocity(&self, contact: &ProgramContact, twists: &[Twist]) -> DVec3 {
        contact.relative_velocity(|body| twists.get(body).copied())
    }

    /// Returns the velocity of b relative to a at a contact without percussions, m/s.
    #[inline]
    pub fn free_relative_velocity(&self, contact: &ProgramContact) -> DVec3 {
        contact.relative_velocity(|body| self.bodies.get(body).map(|body| body.free))
    }

    /// Returns the convex program whose friction bounds are those of given percussions.
    pub fn with_friction_bounds_of(&self, percussions: &[DVec3]) -> Self {
        let mut program = self.clone();
        for (contact, p) in program.contacts.iter_mut().zip(percussions) {
            if let TangentialPotential::Coulomb { .. } = contact.tangential_potential {
                let bound = contact.tangential_potential.friction_bound(p.dot(contact.normal));
                contact.tangential_potential = TangentialPotential::Bounded(bound);
            }
        }
        program
    }

    /// Returns whether friction bounds follow the percussions of the program.
    pub fn has_coulomb_friction(&self) -> bool {
        let is_coulomb = |potential| matches!(potential, TangentialPotential::Coulomb { .. });
        self.contacts.iter().any(|contact| is_coulomb(contact.tangential_potential))
    }

    /// Returns the velocities z0 without percussions.
    pub fn free_velocities(&self) -> Vec<Twist> {
        self.bodies.iter().map(|body| body.free).collect()
    }

    /// Returns the largest relative velocity at a contact without percussions, m/s. Residuals are
    /// relative to it.
    pub fn velocity_scale(&self) -> f64 {
        self.contacts.iter().map(|c| self.free_relative_velocity(c).length_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Returns the kinetic energy of the free velocities in the masses of A, J.
    pub fn kinetic_energy(&self) -> f64 {
        let of = |body: &ProgramBody| {
            let spin = body.free.spin;
            // A body that rotates about one axis only has no spin about the others.
            let rotational = match body.inverse_inertia.determinant() {
                0.0 => spin.length_squared() / trace(&body.inverse_inertia).max(f64::MIN_POSITIVE),
                _ => spin.dot(body.inverse_inertia.inverse() * spin),
            };
            let translational = match body.inverse_mass {
                0.0 => 0.0,
                inverse_mass => body.free.velocity.length_squared() / inverse_mass,
            };
            0.5 * (translational + rotational)
        };
        self.bodies.iter().map(of).sum()
    }

    /// Returns the diagonal block `W_kk = C_k A⁻¹ C_k'` of the Delassus operator, 1/kg: change of
    /// the relative velocity at a contact per percussion there.
    pub fn delassus_block(&self, contact: &ProgramContact) -> DMat3 {
        let mut block = DMat3::ZERO;
        for side in 0..2 {
            if let Some(body) = self.bodies.get(contact.bodies[side] as usize) {
                // The angular part is -[r] J⁻¹ [r], because [r]' = -[r].
                let lever = cross_matrix(contact.arms[side]);
                block += DMat3::from_diagonal(DVec3::splat(body.inverse_mass)) - lever * body.inverse_inertia * lever;
            }
        }
        block
    }
}

impl ProgramContact {
    /// Returns the velocity of b relative to a, m/s, for bodies with the velocities `twist`; `None` for a
    /// body outside the program, whose motion is in the prescribed velocity.
    #[inline]
    fn relative_velocity(&self, twist: impl Fn(usize) -> Option<Twist>) -> DVec3 {
        let at = |side: usize| match twist(self.bodies[side] as usize) {
            Some(twist) => twist.velocity + twist.spin.cross(self.arms[side]),
            None => DVec3::ZERO,
        };
        at(1) - at(0) + self.prescribed_velocity
    }
}

impl TangentialPotential {
    /// Returns the largest tangential percussion, N s, beside the normal percussion `normal`, N s.
    #[inline(always)]
    pub fn friction_bound(&self, normal: f64) -> f64 {
        match *self {
            Self::Frictionless => 0.0,
            Self::Viscous(_) => f64::INFINITY,
            Self::Bounded(bound) => bound,
            Self::Coulomb { friction, earlier } => friction * (earlier + normal.max(0.0)),
        }
    }
}

impl NormalPotential {
    /// Returns the potential of a contact that only prevents penetration: `v_n >= min_velocity`.
    pub(super) fn stop(min_velocity: f64) -> Self {
        Self { min_velocity, kappa: 0.0, tensile: false }
    }

    /// Returns the normal percussion, N s, of a contact alone. `free` is its normal velocity
    /// without the percussion, m/s, and `mobility` the change of velocity per percussion, 1/kg.
    ///
    /// This is the exact minimiser of the dual along this coordinate.
    #[inline]
    pub fn percussion(&self, free: f64, mobility: f64) -> f64 {
        // The contact separates without a percussion.
        if free >= 0.0 && free >= self.min_velocity && !self.tensile {
            return 0.0;
        }
        // Solution of q = -kappa (free + mobility q), and its limit for an infinite kappa.
        let quadratic = -free * self.kappa / (1.0 + mobility * self.kappa);
        let quadratic = if self.kappa.is_infinite() { -free / mobility } else { quadratic };
        // The constraint acts if the quadratic potential alone would violate it.
        if free + mobility * quadratic >= self.min_velocity { quadratic } else { (self.min_velocity - free) / mobility }
    }

    /// Returns the normal velocity at which the potential gives a percussion p > 0, m/s, and the
    /// compliance -dv/dp there, 1/kg.
    #[inline]
    pub fn velocity(&self, p: f64) -> (f64, f64) {
        let compliance = if self.kappa > 0.0 { 1.0 / self.kappa } else { f64::INFINITY };
        let v = -p * compliance;
        // With kappa = 0 all percussions are those of the constraint.
        if self.kappa > 0.0 && v > self.min_velocity { (v, compliance) } else { (self.min_velocity, 0.0) }
    }

    /// Returns phi(v), J. Below the least velocity it is that of the least velocity.
    pub fn energy(&self, v: f64) -> f64 {
        let v = v.max(self.min_velocity);
        let v = if self.tensile { v } else { v.min(0.0) };
        // An infinite kappa times zero would not be a number.
        if v == 0.0 { 0.0 } else { 0.5 * self.kappa * v * v }
    }

    /// Returns the conjugate phi*(p), J: the maximum over v of `-p v - phi(v)`, for p >= 0.
    pub fn conjugate(&self, p: f64) -> f64 {
        // Rounding may make a zero percussion tensile.
        let p = if self.tensile { p } else { p.max(0.0) };
        // The maximiser is the velocity at which the potential gives this percussion.
        let v = if p == 0.0 { 0.0 } else { -p / self.kappa };
        let v = v.max(self.min_velocity);
        -p * v - self.energy(v)
    }
}

/// Returns the sum of the diagonal of a matrix.
pub(super) fn trace(matrix: &DMat3) -> f64 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}

/// Returns the matrix of the cross product `a x`.
pub fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}
