//! The smooth response: every contact finds its own force. Contacts do not see each other.

use glam::{DQuat, DVec3};
use granum_geometry::Gear;

use crate::smooth::{ContactEvaluation, ContactLaw, Kinematics, Rolling};
use crate::state::bodies::{Bodies, Kinetic, MotionKind, Place};
use crate::state::contact::{ContactGroup, PreviousEvaluation};
use crate::state::{Contact, ContactLosses, LawTable, Phase, RollingState};

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
    /// Lost to normal damping since the contact began ...
    pub lost_to_damping: f64,
    /// ... and to friction, without what is booked already but belongs to the next half step.
    pub lost_to_friction: f64,
    /// Work of driven bodies that is booked already but belongs to the next half step.
    pub work_ahead: f64,
}

impl Response<'_> {
    /// Finds the force of each contact of a group; `before` has an entry for each.
    pub fn respond(&self, group: &mut ContactGroup, before: &[PreviousEvaluation]) {
        let ContactGroup { records, losses, rolling } = group;
        let mut no_roll = RollingState::default();
        for (place, ((c, losses), &before)) in records.iter_mut().zip(losses).zip(before).enumerate() {
            if c.phase == Phase::Gone {
                continue;
            }
            let (a, b) = (self.side(c.a), self.side(c.b));
            let law = self.law(&a, &b);
            let roll = rolling.get_mut(place).unwrap_or(&mut no_roll);
            let kinematics = self.kinematics(c, roll.gear, &a, &b, law);
            let held = c.phase == Phase::Holds;
            law.respond(&kinematics, &mut ContactEvaluation { c: &mut *c, losses, roll, before });
            c.steady = held && c.phase == Phase::Holds && !a.is_driven() && !b.is_driven();
        }
    }

    /// What the ledger has to know of a contact at this instant.
    pub fn books(&self, c: &Contact, losses: &ContactLosses, roll: &RollingState) -> Books {
        if c.phase != Phase::Holds {
            return Books::default();
        }
        let (a, b) = (self.side(c.a), self.side(c.b));
        let law = self.law(&a, &b);
        let (stored, friction_ahead) =
            law.stored_and_ahead(&self.kinematics(c, roll.gear, &a, &b, law), c, losses, roll);
        let power = |side: &Side, arm: DVec3| match side.is_driven() {
            true => c.force.dot(side.velocity_at(arm)) + roll.torque.dot(side.kinetic.twist.spin),
            false => 0.0,
        };
        let arm_b = c.arm - (b.place.centre - a.place.centre);
        let work_ahead = 0.5 * self.dt * (power(&a, c.arm) - power(&b, arm_b));
        Books {
            stored,
            lost_to_damping: losses.lost_to_damping,
            lost_to_friction: losses.lost_to_friction - friction_ahead,
            work_ahead,
        }
    }

    #[inline(always)]
    fn side(&self, body: u32) -> Side<'_> {
        let (bodies, k) = (self.bodies, body as usize);
        Side {
            place: &bodies.place[k],
            kinetic: &bodies.kinetic[k],
            inverse_moments: &bodies.inverse_moments[k],
            orientation: &bodies.orientation[k],
        }
    }

    #[inline(always)]
    fn law(&self, a: &Side, b: &Side) -> &ContactLaw {
        self.laws
            .get(a.kinetic.tag.material, b.kinetic.tag.material)
            .expect("the laws were checked when the simulation was made")
    }

    /// The relative motion at a contact.
    #[inline(always)]
    fn kinematics(&self, c: &Contact, gear: Gear, a: &Side, b: &Side, law: &ContactLaw) -> Kinematics {
        let arm_b = c.arm - (b.place.centre - a.place.centre);
        let relative = b.velocity_at(arm_b) - a.velocity_at(c.arm);
        let along = relative.dot(c.normal);
        let (inverse_inertia, reach) = match law.rolling {
            Rolling::None => (0.0, 0.0),
            Rolling::Spring { .. } => {
                (a.inverse_rolling(c.arm) + b.inverse_rolling(arm_b), a.rolling_reach().min(b.rolling_reach()))
            }
        };
        let point_inverse_mass = a.inverse_mass(c.arm, c.normal) + b.inverse_mass(arm_b, c.normal);
        let turn = b.kinetic.twist.spin - a.kinetic.twist.spin;
        let (inverse_mass, approach) = if gear == Gear::PLAIN {
            (point_inverse_mass, -along)
        } else {
            let approach = -gear.rate * along - gear.couple * turn.dot(c.normal);
            (a.geared_inverse_mass(c.arm, c.normal, gear) + b.geared_inverse_mass(arm_b, c.normal, gear), approach)
        };
        Kinematics {
            dt: self.dt,
            moving: self.moving,
            inverse_mass,
            point_inverse_mass,
            own_inverse_mass: a.kinetic.inverse_mass + b.kinetic.inverse_mass,
            inverse_inertia,
            reach,
            approach,
            slip: relative - along * c.normal,
            turn,
        }
    }
}

/// One of the two bodies of a contact.
struct Side<'a> {
    place: &'a Place,
    kinetic: &'a Kinetic,
    inverse_moments: &'a DVec3,
    orientation: &'a DQuat,
}

impl Side<'_> {
    #[inline(always)]
    fn is_driven(&self) -> bool {
        self.kinetic.tag.motion == MotionKind::Driven
    }

    #[inline(always)]
    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.kinetic.twist.velocity + self.kinetic.twist.spin.cross(arm)
    }

    /// Inverse of the mass that an impulse along `normal` at `arm` feels: `1/m + (r x n) I⁻¹ (r x n)`.
    #[inline(always)]
    fn inverse_mass(&self, arm: DVec3, normal: DVec3) -> f64 {
        if self.kinetic.tag.is_ball { self.kinetic.inverse_mass } else { self.inverse_mass_off_centre(arm, normal) }
    }

    fn inverse_mass_off_centre(&self, arm: DVec3, normal: DVec3) -> f64 {
        if !self.kinetic.tag.is_dynamic() {
            return 0.0;
        }
        let lever = self.orientation.conjugate() * arm.cross(normal);
        self.kinetic.inverse_mass + (lever * lever).dot(*self.inverse_moments)
    }

    /// Largest radius that this body may roll on, m: a ball has its own.
    fn rolling_reach(&self) -> f64 {
        if self.kinetic.tag.is_ball || !self.kinetic.tag.is_dynamic() { f64::INFINITY } else { self.place.radius }
    }

    /// Inverse of the mass that a force along a geared gap feels.
    fn geared_inverse_mass(&self, arm: DVec3, normal: DVec3, gear: Gear) -> f64 {
        if !self.kinetic.tag.is_dynamic() {
            return 0.0;
        }
        let lever = self.orientation.conjugate() * (gear.rate * arm.cross(normal) + gear.couple * normal);
        gear.rate * gear.rate * self.kinetic.inverse_mass + (lever * lever).dot(*self.inverse_moments)
    }

    /// Inverse of the moment of inertia about the contact point, `1/(I + m r²)`, with the mean of the principal moments
    /// about which the body can turn.
    fn inverse_rolling(&self, arm: DVec3) -> f64 {
        let (inverse_mass, inverse_moments) = (self.kinetic.inverse_mass, *self.inverse_moments);
        let planar = inverse_moments.x == 0.0;
        let inverse_moment = inverse_moments.element_sum() / if planar { 1.0 } else { 3.0 };
        // 1/(I + m r²) = (1/I)(1/m) / (1/m + r²/I); zero for a body that cannot be moved.
        let denominator = inverse_mass + arm.length_squared() * inverse_moment;
        if denominator > 0.0 { inverse_moment * inverse_mass / denominator } else { 0.0 }
    }
}
