//! Evaluation of the contacts of a step. Each force depends on its own contact only.

use glam::{DQuat, DVec3};
use granum_geometry::GapJacobian;

use super::{ContactEvaluation, ContactLaw, Kinematics, Rolling};
use crate::state::bodies::{Bodies, BoundingSphere, Kinetic, MotionKind};
use crate::state::contact::PreviousEvaluation;
use crate::state::contacts::ContactGroup;
use crate::state::{Contact, ContactLosses, DrivenBody, LawTable, Phase, RollingState, Twist, World};
use crate::tunnelling::Detector;

/// The data that all contacts of a step share.
#[derive(Clone, Copy)]
pub struct Response<'a> {
    /// Bodies at their new poses, with predicted velocities.
    pub bodies: &'a Bodies,
    /// Walls that move.
    pub driven: &'a [DrivenBody],
    /// Contact law of each pair of materials.
    pub laws: &'a LawTable,
    /// Time step, s.
    pub dt: f64,
    /// False at the start of a simulation, where no step precedes the evaluation and a contact
    /// cannot have begun within it.
    pub moving: bool,
    /// True if the forces of present contacts are kept, and only those of new ones are computed.
    pub keep_forces: bool,
    /// Detector of contacts that have passed the middle of a body.
    pub detector: Option<&'a Detector>,
}

/// Entries of a contact in the energy ledger at one instant, J.
#[derive(Clone, Copy, Debug, Default)]
pub struct LedgerEntries {
    /// Energy stored in its springs.
    pub stored: f64,
    /// Energy lost to the normal dashpot since the contact began.
    pub lost_to_damping: f64,
    /// Energy lost to friction since the contact began, without the part that is booked in advance
    /// for the next half step.
    pub lost_to_friction: f64,
    /// Work of driven bodies that is booked in advance for the next half step.
    pub work_ahead: f64,
}

impl<'a> Response<'a> {
    /// Returns the response of a world, which evaluates present contacts without changing them.
    pub fn of(world: &'a World) -> Self {
        let (World { bodies, driven, laws, .. }, dt) = (world, world.time_step());
        Self { bodies, driven, laws, dt, moving: true, keep_forces: false, detector: None }
    }

    /// Computes the force of each contact of a group; `previous` has an entry for each.
    pub fn respond(&self, group: &mut ContactGroup, previous: &[PreviousEvaluation]) {
        let ContactGroup { records, losses, rolling: rolling_states, .. } = group;
        // Worlds without rolling resistance store no rolling states. Their laws leave this one
        // zero, so that all contacts can share it.
        let mut no_rolling = RollingState::default();
        let least_suspect = self.detector.map_or(f64::INFINITY, Detector::least_suspect);
        for (k, ((record, losses), &previous)) in records.iter_mut().zip(losses).zip(previous).enumerate() {
            if record.phase == Phase::Gone {
                continue;
            }
            let (a, b) = (self.body(record.a), self.body(record.b));
            if self.keep_forces && record.phase == Phase::Holds {
                record.steady = !a.is_driven() && !b.is_driven();
                continue;
            }
            // Laws are stored for ordered pairs of materials, so that no sorting is needed here.
            let law = self.law(&a, &b);
            let rolling = rolling_states.get_mut(k).unwrap_or(&mut no_rolling);
            let motion = self.kinematics(record, rolling.jacobian, &a, &b, law);
            if record.overlap > least_suspect
                && let Some(detector) = self.detector
            {
                detector.suspect(self.bodies, record, rolling.is_generalised);
            }
            let held = record.phase == Phase::Holds;
            law.evaluate(&motion, &mut ContactEvaluation { record: &mut *record, losses, rolling, previous });
            // A contact that begins or ends within the step, or touches a driven body, also
            // corrects velocities and the work of the wall. All others only add their force.
            record.steady = held && record.phase == Phase::Holds && !a.is_driven() && !b.is_driven();
        }
    }

    /// Returns the entries of a contact in the energy ledger.
    pub fn ledger_entries(&self, record: &Contact, losses: &ContactLosses, rolling: &RollingState) -> LedgerEntries {
        // Only a contact that carries a force stores energy.
        if record.phase != Phase::Holds {
            return LedgerEntries::default();
        }
        let (a, b) = (self.body(record.a), self.body(record.b));
        let law = self.law(&a, &b);
        let (stored, friction_ahead) = law.stored_and_booked_ahead(
            &self.kinematics(record, rolling.jacobian, &a, &b, law),
            record,
            losses,
            rolling,
        );
        let power = |index: u32, arm: DVec3| match self.prescribed_twist(index) {
            Some(Twist { velocity, spin }) => record.force.dot(velocity + spin.cross(arm)) + rolling.torque.dot(spin),
            None => 0.0,
        };
        let arm_b = record.arm - (b.sphere.centre - a.sphere.centre);
        // Driven bodies do the work of the next half step with the present force.
        let work_ahead = 0.5 * self.dt * (power(record.a, record.arm) - power(record.b, arm_b));
        LedgerEntries {
            stored,
            lost_to_damping: losses.lost_to_damping,
            lost_to_friction: losses.lost_to_friction - friction_ahead,
            work_ahead,
        }
    }

    /// Returns the friction loss that a holding contact has booked in advance, J.
    pub fn friction_ahead(&self, record: &Contact, losses: &ContactLosses, rolling: &RollingState) -> f64 {
        let (a, b) = (self.body(record.a), self.body(record.b));
        let law = self.law(&a, &b);
        let motion = self.kinematics(record, rolling.jacobian, &a, &b, law);
        law.stored_and_booked_ahead(&motion, record, losses, rolling).1
    }

    /// Returns the part of a contact in the inverse of the automatic gain of a servo, N s/m: its
    /// impedance, and twice the constants of its dashpot and of a step of its spring.
    pub fn resistance(&self, record: &Contact, losses: &ContactLosses, rolling: &RollingState) -> f64 {
        if record.phase != Phase::Holds {
            return 0.0;
        }
        let (a, b) = (self.body(record.a), self.body(record.b));
        let law = self.law(&a, &b);
        let motion = self.kinematics(record, rolling.jacobian, &a, &b, law);
        let normal = law.normal_at(&motion, record.overlap, losses.curvature);
        let impedance = (normal.stiffness / motion.inverse_mass).sqrt();
        let factor = rolling.jacobian.normal * rolling.jacobian.normal;
        factor * (impedance + 2.0 * normal.damping + 2.0 * normal.stiffness * self.dt)
    }

    /// Returns the velocities of a driven body whose work is booked contact by contact: those of its
    /// prescribed motion. `None` if the body is not driven.
    fn prescribed_twist(&self, index: u32) -> Option<Twist> {
        let Kinetic { tag, twist, .. } = &self.bodies.kinetic[index as usize];
        match tag.motion {
            MotionKind::Driven => Some(*twist),
            MotionKind::Guided => self.driven_body(index).map(|wall| wall.twist),
            _ => None,
        }
    }

    fn driven_body(&self, index: u32) -> Option<&DrivenBody> {
        let id = self.bodies.id[index as usize];
        self.driven.iter().find(|wall| wall.id.0 == id)
    }

    /// Returns the inverse effective mass of free walls for an impulse along the normal of a
    /// contact, 1/kg.
    #[inline(never)]
    fn inverse_mass_of_free_walls(&self, record: &Contact) -> f64 {
        let of = |index: u32| {
            let guide = self.driven_body(index)?.motion.guide?;
            let along = guide.direction().dot(record.normal);
            Some(along * along / guide.mass()?)
        };
        of(record.a).unwrap_or(0.0) + of(record.b).unwrap_or(0.0)
    }

    #[inline(always)]
    fn body(&self, index: u32) -> ContactBody<'_> {
        let (bodies, k) = (self.bodies, index as usize);
        ContactBody {
            sphere: &bodies.sphere[k],
            kinetic: &bodies.kinetic[k],
            inverse_moments: &bodies.inverse_moments[k],
            orientation: &bodies.orientation[k],
        }
    }

    #[inline(always)]
    fn law(&self, a: &ContactBody, b: &ContactBody) -> &ContactLaw {
        self.laws
            .get(a.kinetic.tag.material, b.kinetic.tag.material)
            .expect("the laws were checked when the simulation was made")
    }

    /// Returns the relative motion and the effective masses at a contact.
    #[inline(always)]
    fn kinematics(
        &self,
        record: &Contact,
        jacobian: GapJacobian,
        a: &ContactBody,
        b: &ContactBody,
        law: &ContactLaw,
    ) -> Kinematics {
        let arm_b = record.arm - (b.sphere.centre - a.sphere.centre);
        let relative = b.velocity_at(arm_b) - a.velocity_at(record.arm);
        let along = relative.dot(record.normal);
        // The moments of inertia are needed for rolling only.
        let (inverse_inertia, max_rolling_radius) = match law.rolling {
            Rolling::None => (0.0, 0.0),
            Rolling::Spring { .. } => (
                a.inverse_rolling(record.arm) + b.inverse_rolling(arm_b),
                a.max_rolling_radius().min(b.max_rolling_radius()),
            ),
        };
        let of_walls = if a.is_guided() || b.is_guided() { self.inverse_mass_of_free_walls(record) } else { 0.0 };
        let point_inverse_mass =
            a.inverse_mass(record.arm, record.normal) + b.inverse_mass(arm_b, record.normal) + of_walls;
        let turn = b.kinetic.twist.spin - a.kinetic.twist.spin;
        // For a distance the overlap changes with the normal velocity alone.
        let (inverse_mass, approach) = if jacobian == GapJacobian::PLAIN {
            (point_inverse_mass, -along)
        } else {
            let approach = -jacobian.normal * along - jacobian.spin * turn.dot(record.normal);
            let inverse_mass = a.generalised_inverse_mass(record.arm, record.normal, jacobian)
                + b.generalised_inverse_mass(arm_b, record.normal, jacobian)
                + jacobian.normal * jacobian.normal * of_walls;
            // An overlap without a derivative, as of a body inside another one, moves no mass and
            // has no force. Its dashpot needs a finite mass nevertheless.
            (if inverse_mass > 0.0 { inverse_mass } else { point_inverse_mass }, approach)
        };
        Kinematics {
            dt: self.dt,
            moving: self.moving,
            inverse_mass,
            point_inverse_mass,
            inverse_reduced_mass: a.kinetic.inverse_mass + b.kinetic.inverse_mass,
            inverse_inertia,
            max_rolling_radius,
            approach,
            slip: relative - along * record.normal,
            turn,
        }
    }
}

/// Data of one of the two bodies of a contact.
struct ContactBody<'a> {
    sphere: &'a BoundingSphere,
    kinetic: &'a Kinetic,
    inverse_moments: &'a DVec3,
    orientation: &'a DQuat,
}

impl ContactBody<'_> {
    #[inline(always)]
    fn is_driven(&self) -> bool {
        self.kinetic.tag.is_driven()
    }

    #[inline(always)]
    fn is_guided(&self) -> bool {
        self.kinetic.tag.motion == MotionKind::Guided
    }

    #[inline(always)]
    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.kinetic.twist.velocity + self.kinetic.twist.spin.cross(arm)
    }

    /// Returns the inverse effective mass of an impulse along `normal` at the lever arm `arm`,
    /// `1/m + (r x n) I⁻¹ (r x n)`, 1/kg.
    #[inline(always)]
    fn inverse_mass(&self, arm: DVec3, normal: DVec3) -> f64 {
        if self.kinetic.tag.is_ball { self.kinetic.inverse_mass } else { self.eccentric_inverse_mass(arm, normal) }
    }

    fn eccentric_inverse_mass(&self, arm: DVec3, normal: DVec3) -> f64 {
        if !self.kinetic.tag.is_dynamic() {
            return 0.0;
        }
        let lever = self.orientation.conjugate() * arm.cross(normal);
        self.kinetic.inverse_mass + (lever * lever).dot(*self.inverse_moments)
    }

    /// Returns the largest rolling radius of this body, m. The curvature of a ball is exact, so it
    /// has no bound; neither has a wall.
    fn max_rolling_radius(&self) -> f64 {
        if self.kinetic.tag.is_ball || !self.kinetic.tag.is_dynamic() { f64::INFINITY } else { self.sphere.radius }
    }

    /// Returns the inverse effective mass of an impulse conjugate to a generalised overlap, 1/kg.
    fn generalised_inverse_mass(&self, arm: DVec3, normal: DVec3, jacobian: GapJacobian) -> f64 {
        if !self.kinetic.tag.is_dynamic() {
            return 0.0;
        }
        let lever = self.orientation.conjugate() * (jacobian.normal * arm.cross(normal) + jacobian.spin * normal);
        jacobian.normal * jacobian.normal * self.kinetic.inverse_mass + (lever * lever).dot(*self.inverse_moments)
    }

    /// Returns the inverse moment of inertia about the contact point, `1/(I + m r²)`, 1/(kg m²),
    /// with the mean of the inverse principal moments about which the body can rotate.
    fn inverse_rolling(&self, arm: DVec3) -> f64 {
        let (inverse_mass, inverse_moments) = (self.kinetic.inverse_mass, *self.inverse_moments);
        let planar = inverse_moments.x == 0.0;
        let inverse_moment = inverse_moments.element_sum() / if planar { 1.0 } else { 3.0 };
        // 1/(I + m r²) = (1/I)(1/m) / (1/m + r²/I); zero for a body that forces do not move.
        let denominator = inverse_mass + arm.length_squared() * inverse_moment;
        if denominator > 0.0 { inverse_moment * inverse_mass / denominator } else { 0.0 }
    }
}
