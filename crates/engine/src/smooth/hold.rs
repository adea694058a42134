//! A contact that carries its full force: normal force, friction and resisting torques.

use glam::DVec3;
use granum_geometry::GapJacobian;

use super::tangential::LimitedSpring;
use super::{ContactEvaluation, ContactLaw, Kinematics, Normal, NormalState, Rolling, Tangential};
use crate::state::Phase;

impl ContactLaw {
    /// Sets the force and torque of a contact, and advances its springs by one step. `damping` is
    /// the force of the normal dashpot and `load` the whole force conjugate to the overlap, N.
    #[inline]
    pub(super) fn hold(
        &self,
        motion: &Kinematics,
        contact: &mut ContactEvaluation,
        normal: &NormalState,
        damping: f64,
        load: f64,
    ) {
        let GapJacobian { normal: rate, spin } = contact.rolling.jacobian;
        // Only a compressive force bounds friction.
        let compression = rate * load.max(0.0);
        let friction = self.friction_force(motion, contact, normal, compression);
        match self.rolling {
            Rolling::None if contact.rolling.patch.is_point() => contact.rolling.torque = DVec3::ZERO,
            _ => self.set_resisting_torque(motion, contact, normal, compression),
        }
        let record = &mut *contact.record;
        // The force conjugate to the overlap acts through the gap Jacobian.
        contact.rolling.torque += spin * load * record.normal;
        record.force = rate * load * record.normal + friction;
        record.damping = damping;
        record.phase = Phase::Holds;
    }

    /// Advances the tangential spring by one step and returns the friction force on b, N.
    #[inline]
    fn friction_force(
        &self,
        motion: &Kinematics,
        contact: &mut ContactEvaluation,
        normal: &NormalState,
        load: f64,
    ) -> DVec3 {
        let ContactEvaluation { record, losses, previous, .. } = contact;
        let stiffness = match self.tangential {
            Tangential::None => return DVec3::ZERO,
            _ => self.tangential.stiffness(record.overlap, losses.curvature, normal),
        };
        let previous_stiffness = match self.tangential {
            // A new contact has no previous stiffness.
            _ if record.phase == Phase::Begins => stiffness,
            // Mindlin's spring stiffens with the overlap.
            Tangential::Mindlin { .. } => self.tangential.stiffness(previous.overlap, previous.curvature, normal),
            _ => match self.normal {
                // The stiffness of a user's law may depend on the overlap.
                Normal::UserDefined(_) => {
                    let normal = self.normal_at(motion, previous.overlap, previous.curvature);
                    self.tangential.stiffness(previous.overlap, previous.curvature, &normal)
                }
                _ => stiffness,
            },
        };
        let spring = LimitedSpring {
            stiffness,
            damping: self.tangential_dashpot(motion, stiffness),
            limit: self.tangential.friction() * load,
        };
        losses.lost_to_friction += spring.change_stiffness(previous_stiffness, &mut record.slide);
        let step = spring.advance(record.slide, motion.slip, motion.dt);
        record.slide = step.displacement;
        losses.lost_to_friction += step.lost;
        step.force
    }

    /// Advances the springs against rolling and spinning by one step and sets the torque on b.
    fn set_resisting_torque(
        &self,
        motion: &Kinematics,
        contact: &mut ContactEvaluation,
        normal: &NormalState,
        load: f64,
    ) {
        let ContactEvaluation { record, losses, rolling, previous } = contact;
        let [roller, spinner] =
            self.torsional_springs(motion, load, (record.overlap, losses.curvature, &rolling.patch), normal);
        let split = |v: DVec3| {
            let along = v.dot(record.normal) * record.normal;
            (v - along, along)
        };
        let ((rolled, spun), (roll_rate, spin_rate)) = (split(rolling.angle), split(motion.turn));
        // A new contact has no previous stiffness.
        let [previous_roll, previous_spin] = if record.phase == Phase::Begins {
            [roller.stiffness, spinner.stiffness]
        } else {
            let normal = self.normal_at(motion, previous.overlap, previous.curvature);
            let springs =
                self.torsional_springs(motion, 0.0, (previous.overlap, previous.curvature, &rolling.last.1), &normal);
            springs.map(|spring| spring.stiffness)
        };
        // The parts along and across the normal are advanced separately and added again.
        (rolling.angle, rolling.torque) = (DVec3::ZERO, DVec3::ZERO);
        for (spring, previous_stiffness, mut angle, rate) in
            [(roller, previous_roll, rolled, roll_rate), (spinner, previous_spin, spun, spin_rate)]
        {
            losses.lost_to_friction += spring.change_stiffness(previous_stiffness, &mut angle);
            // A spring without stiffness would divide by zero when it slides.
            if spring.stiffness > 0.0 {
                let step = spring.advance(angle, rate, motion.dt);
                rolling.torque += step.force;
                rolling.angle += step.displacement;
                losses.lost_to_friction += step.lost;
            }
        }
        if !rolling.patch.is_point() {
            let (torque, power) =
                super::patch::rocking_dashpot(motion, normal, rolling.jacobian, &rolling.patch, record.normal);
            rolling.torque += torque;
            losses.lost_to_friction += power * motion.dt;
        }
    }
}
