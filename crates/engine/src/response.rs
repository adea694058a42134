//! The smooth response: every contact finds its own force. Contacts do not see each other.

use glam::DVec3;

use crate::law::{ContactLaw, Kinematics, Rolling};
use crate::world::bodies::{Bodies, Mover};
use crate::world::{Contact, LawTable, Phase};

/// What every contact of a step has in common.
#[derive(Clone, Copy)]
pub struct Response<'a> {
    /// The bodies, at their new poses and with their predicted velocities.
    pub bodies: &'a Bodies,
    /// The law of each pair of materials.
    pub laws: &'a LawTable,
    /// Time step, s.
    pub dt: f64,
    /// Whether a step went before this evaluation.
    pub moving: bool,
}

/// A contact's entries in the ledger at one instant, J.
#[derive(Clone, Copy, Debug, Default)]
pub struct Books {
    /// Energy in its springs.
    pub stored: f64,
    /// Loss to friction that is booked already but belongs to the next half step.
    pub friction_ahead: f64,
    /// Work of driven bodies, likewise.
    pub work_ahead: f64,
}

impl Response<'_> {
    /// Finds the force of each of these contacts.
    pub fn respond(&self, contacts: &mut [Contact]) {
        for contact in contacts.iter_mut().filter(|contact| contact.phase != Phase::Gone) {
            let law = self.law(contact);
            let kinematics = self.kinematics(contact, law);
            law.respond(&kinematics, contact);
        }
    }

    /// What the ledger has to know of a contact at this instant.
    pub fn books(&self, c: &Contact) -> Books {
        if c.phase != Phase::Holds {
            return Books::default();
        }
        let law = self.law(c);
        let (stored, friction_ahead) = law.stored_and_ahead(&self.kinematics(c, law), c);
        let arm_b = c.arm - (self.bodies.place[c.b as usize].centre - self.bodies.place[c.a as usize].centre);
        let power = |body: u32, arm: DVec3| {
            let twist = &self.bodies.twist[body as usize];
            match self.bodies.tag[body as usize].mover {
                Mover::Drive => c.force.dot(twist.velocity + twist.spin.cross(arm)) + c.couple.dot(twist.spin),
                _ => 0.0,
            }
        };
        let work_ahead = 0.5 * self.dt * (power(c.a, c.arm) - power(c.b, arm_b));
        Books { stored, friction_ahead, work_ahead }
    }

    #[inline(always)]
    fn law(&self, c: &Contact) -> &ContactLaw {
        let (a, b) = (self.bodies.tag[c.a as usize].material, self.bodies.tag[c.b as usize].material);
        self.laws.get(a, b).expect("the laws were checked when the simulation was made")
    }

    /// The relative motion at a contact.
    #[inline(always)]
    fn kinematics(&self, c: &Contact, law: &ContactLaw) -> Kinematics {
        let bodies = self.bodies;
        let (a, b) = (c.a as usize, c.b as usize);
        let (twist_a, twist_b) = (&bodies.twist[a], &bodies.twist[b]);
        let arm_b = c.arm - (bodies.place[b].centre - bodies.place[a].centre);
        let velocity_a = twist_a.velocity + twist_a.spin.cross(c.arm);
        let velocity_b = twist_b.velocity + twist_b.spin.cross(arm_b);
        let relative = velocity_b - velocity_a;
        let along = relative.dot(c.normal);
        let inverse_inertia = match law.rolling {
            Rolling::None => 0.0,
            Rolling::Spring { .. } => inverse_rolling(bodies, a, c.arm) + inverse_rolling(bodies, b, arm_b),
        };
        Kinematics {
            dt: self.dt,
            moving: self.moving,
            inverse_mass: inverse_mass(bodies, a, c.arm, c.normal) + inverse_mass(bodies, b, arm_b, c.normal),
            inverse_inertia,
            approach: -along,
            slip: relative - along * c.normal,
            turn: twist_b.spin - twist_a.spin,
        }
    }
}

/// Inverse of the mass that an impulse along `normal` at `arm` feels: `1/m + (r x n) I⁻¹ (r x n)`.
#[inline(always)]
fn inverse_mass(bodies: &Bodies, body: usize, arm: DVec3, normal: DVec3) -> f64 {
    let inertia = &bodies.inertia[body];
    if bodies.tag[body].is_ball {
        return inertia.inverse_mass;
    }
    inverse_mass_off_centre(bodies, body, arm, normal)
}

fn inverse_mass_off_centre(bodies: &Bodies, body: usize, arm: DVec3, normal: DVec3) -> f64 {
    let inertia = &bodies.inertia[body];
    let lever = bodies.orientation[body].conjugate() * arm.cross(normal);
    inertia.inverse_mass + (lever * lever).dot(inertia.inverse_moments)
}

/// Inverse of the moment of inertia about the contact point, `1/(I + m r²)`, with the mean of the principal moments about
/// which the body can turn.
#[inline]
fn inverse_rolling(bodies: &Bodies, body: usize, arm: DVec3) -> f64 {
    let inertia = &bodies.inertia[body];
    let planar = inertia.inverse_moments.x == 0.0;
    let inverse_moment = inertia.inverse_moments.element_sum() / if planar { 1.0 } else { 3.0 };
    // 1/(I + m r²) = (1/I)(1/m) / (1/m + r²/I); zero for a body that cannot be moved.
    let denominator = inertia.inverse_mass + arm.length_squared() * inverse_moment;
    if denominator > 0.0 { inverse_moment * inertia.inverse_mass / denominator } else { 0.0 }
}
