//! The program of one collision: bodies, contacts, and the pseudo-potential of each contact.
//!
//! Find the velocities z that minimise `1/2 (z - z0)' A (z - z0) + sum_k phi_k(C_k z)`, A the block-diagonal matrix of masses
//! and inertias, z0 the free velocities, `C_k z` the velocity of b against a at contact k. Every solver takes a [`Program`] and
//! gives percussions; the velocities follow from them. See the README of this folder.

use glam::{DMat3, DVec3};

/// Number of a body that the program does not move.
pub const OUTSIDE: u32 = u32::MAX;

/// Velocity and spin of a body, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Velocity of the centre, m/s.
    pub velocity: DVec3,
    /// Angular velocity, rad/s.
    pub spin: DVec3,
}

impl Motion {
    /// This motion and a `share` of another.
    pub fn and(self, share: f64, other: &Self) -> Self {
        Self { velocity: self.velocity + share * other.velocity, spin: self.spin + share * other.spin }
    }
}

/// A body as the program sees it.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Inverse of its mass in A, 1/kg.
    pub inverse_mass: f64,
    /// Inverse of its inertia in A, world axes, 1/(kg m²).
    pub inverse_inertia: DMat3,
    /// Its velocities if no contact acted.
    pub free: Motion,
}

/// Pseudo-potential of the normal velocity v_n: `stiffness v_n²/2` where the bodies approach, with `v_n >= bound`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal {
    /// Least normal velocity, m/s.
    pub bound: f64,
    /// kappa_N, kg; infinite for `v_n >= 0`.
    pub stiffness: f64,
    /// Whether it also pulls bodies that part, as the thesis has it. Grains do not.
    pub pulls: bool,
}

/// Pseudo-potential of the tangential velocity v_t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tangential {
    /// None.
    Smooth,
    /// `kappa_T v_t²/2`, kappa_T in kg.
    Viscous(f64),
    /// `cap |v_t|`, the cap in N s.
    Capped(f64),
    /// The same with a cap that follows the normal percussion: a fixed point of such programs.
    Coulomb {
        /// Coefficient of friction.
        friction: f64,
        /// Normal percussion that is there besides the program's own, N s.
        given: f64,
    },
}

/// A contact of the program.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Numbers of a and b, or [`OUTSIDE`].
    pub bodies: [u32; 2],
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// From the centres of a and b to the point, m.
    pub arms: [DVec3; 2],
    /// Velocity of b against a at the point that is due to bodies outside the program, m/s.
    pub drift: DVec3,
    /// Along the normal.
    pub along: Normal,
    /// Along the plane.
    pub across: Tangential,
}

/// A program whose bodies are all tied together by contacts, or a whole of such programs.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The contacts.
    pub contacts: Vec<Contact>,
}

impl Program {
    /// The velocities that percussions (on b, N s) give, with sums in the order of the contacts.
    pub fn velocities(&self, percussions: &[DVec3]) -> Vec<Motion> {
        let mut impulse = vec![Motion::default(); self.bodies.len()];
        for (contact, &p) in self.contacts.iter().zip(percussions) {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(of) = impulse.get_mut(contact.bodies[side] as usize) {
                    of.velocity += sign * p;
                    of.spin += sign * contact.arms[side].cross(p);
                }
            }
        }
        let moved = |(body, given): (&Body, &Motion)| Motion {
            velocity: body.free.velocity + body.inverse_mass * given.velocity,
            spin: body.free.spin + body.inverse_inertia * given.spin,
        };
        self.bodies.iter().zip(&impulse).map(moved).collect()
    }

    /// Velocity of b against a at a contact, for given velocities of the bodies.
    #[inline]
    pub fn relative(&self, contact: &Contact, motions: &[Motion]) -> DVec3 {
        let at = |side: usize| match motions.get(contact.bodies[side] as usize) {
            Some(motion) => motion.velocity + motion.spin.cross(contact.arms[side]),
            None => DVec3::ZERO,
        };
        at(1) - at(0) + contact.drift
    }

    /// The convex program with the caps that go with given percussions.
    pub fn with_caps_of(&self, percussions: &[DVec3]) -> Self {
        let mut program = self.clone();
        for (contact, p) in program.contacts.iter_mut().zip(percussions) {
            if let Tangential::Coulomb { .. } = contact.across {
                contact.across = Tangential::Capped(contact.across.cap(p.dot(contact.normal)));
            }
        }
        program
    }

    /// Whether caps of friction follow its percussions.
    pub fn follows(&self) -> bool {
        self.contacts.iter().any(|contact| matches!(contact.across, Tangential::Coulomb { .. }))
    }

    /// Velocities without percussions.
    pub fn free(&self) -> Vec<Motion> {
        self.bodies.iter().map(|body| body.free).collect()
    }

    /// Largest velocity at a contact if no contact acted, m/s: what residuals are relative to.
    pub fn speed(&self) -> f64 {
        let free = self.free();
        self.contacts.iter().map(|c| self.relative(c, &free).length_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Kinetic energy of the free velocities in the program's masses, J.
    pub fn kinetic(&self) -> f64 {
        let of = |body: &Body| {
            let spin = body.free.spin;
            // A body that cannot turn about an axis has no inverse inertia about it, and no spin.
            let turning = match body.inverse_inertia.determinant() {
                0.0 => spin.length_squared() / body.inverse_inertia.z_axis.z.max(f64::MIN_POSITIVE),
                _ => spin.dot(body.inverse_inertia.inverse() * spin),
            };
            0.5 * (body.free.velocity.length_squared() / body.inverse_mass + turning)
        };
        self.bodies.iter().map(of).sum()
    }

    /// `C_k A⁻¹ C_k'`: how a percussion at a contact changes the velocity there.
    pub fn mobility(&self, contact: &Contact) -> DMat3 {
        let mut mobility = DMat3::ZERO;
        for side in 0..2 {
            if let Some(body) = self.bodies.get(contact.bodies[side] as usize) {
                let lever = cross_matrix(contact.arms[side]);
                mobility +=
                    DMat3::from_diagonal(DVec3::splat(body.inverse_mass)) - lever * body.inverse_inertia * lever;
            }
        }
        mobility
    }
}

impl Tangential {
    /// Largest tangential percussion beside the normal percussion `normal`, N s.
    #[inline(always)]
    pub fn cap(&self, normal: f64) -> f64 {
        match *self {
            Self::Smooth => 0.0,
            Self::Viscous(_) => f64::INFINITY,
            Self::Capped(cap) => cap,
            Self::Coulomb { friction, given } => friction * (given + normal.max(0.0)),
        }
    }
}

impl Normal {
    /// The percussion that a velocity asks for at a contact whose velocity without it is `free` and which moves by `mobility`
    /// for a unit percussion: the exact minimiser along this coordinate.
    #[inline]
    pub fn percussion(&self, free: f64, mobility: f64) -> f64 {
        if free >= 0.0 && free >= self.bound && !self.pulls {
            return 0.0;
        }
        let spring = -free * self.stiffness / (1.0 + mobility * self.stiffness);
        let spring = if self.stiffness.is_infinite() { -free / mobility } else { spring };
        if free + mobility * spring >= self.bound { spring } else { (self.bound - free) / mobility }
    }

    /// The velocity at which the potential asks for a percussion p that pushes, and how it falls with p, 1/kg.
    #[inline]
    pub fn velocity(&self, p: f64) -> (f64, f64) {
        let compliance = if self.stiffness > 0.0 { 1.0 / self.stiffness } else { f64::INFINITY };
        let v = -p * compliance;
        // Without stiffness every percussion is the bound's.
        if self.stiffness > 0.0 && v > self.bound { (v, compliance) } else { (self.bound, 0.0) }
    }

    /// The potential of a velocity, J; below the bound that of the bound.
    pub fn energy(&self, v: f64) -> f64 {
        let v = v.max(self.bound);
        let v = if self.pulls { v } else { v.min(0.0) };
        if v == 0.0 { 0.0 } else { 0.5 * self.stiffness * v * v }
    }

    /// The conjugate potential of a percussion p that pushes: the largest of `-p v - energy(v)`.
    pub fn conjugate(&self, p: f64) -> f64 {
        // Rounding may turn a percussion that is not there into one that pulls.
        let p = if self.pulls { p } else { p.max(0.0) };
        let v = if p == 0.0 { 0.0 } else { -p / self.stiffness };
        let v = v.max(self.bound);
        -p * v - self.energy(v)
    }
}

/// The matrix of `a x`.
pub fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}
