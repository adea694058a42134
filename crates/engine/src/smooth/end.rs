//! End of a contact: the first evaluation at which the end rule no longer holds it.

use glam::DVec3;

use super::stored_energy::FrictionSprings;
use super::{ContactEvaluation, ContactLaw, EndRule, Kinematics, NormalState, partial_step};
use crate::state::Phase;

impl ContactLaw {
    /// Ends a contact inside the step now ending.
    ///
    /// The half kick of the previous evaluation assumed that the force acts over the whole step.
    /// The record's force becomes the correction of that half kick to the contact share. `normal`
    /// is the normal law and `damping` the force of its dashpot at the end of the step.
    pub(super) fn end(&self, motion: &Kinematics, contact: &mut ContactEvaluation, normal: &NormalState, damping: f64) {
        let ContactEvaluation { record, losses, rolling, previous } = contact;
        let previous_load = previous.load;
        let previous_overlap = previous.overlap;
        let curvature = previous.curvature;
        let previous_normal = self.normal_at(motion, previous_overlap, curvature);
        let (jacobian, patch) = rolling.last;
        // Decrease of the overlap in this step. Separated bodies have a distance, which a
        // generalised overlap would have followed at its last rate.
        let decrease =
            previous_overlap - if record.overlap < 0.0 { jacobian.normal * record.overlap } else { record.overlap };
        // Part of the step until the surfaces separated.
        let to_separation = if record.overlap < 0.0 { previous_overlap / decrease } else { 1.0 };
        // Impulse of the step in units of dt/2, and part of the step during which the contact
        // lasted.
        let (impulse, share) = match self.end {
            EndRule::ZeroOverlap => {
                let (p, q) = self.normal.exponents();
                // Unless the dashpot is singular at the end, the mean of both ends of the step is
                // the better estimate of its force.
                let mean = if q == 0.0 { 0.5 * (record.damping + damping) } else { record.damping };
                let dashpot = partial_step::corrected_share_weight(q, to_separation) * mean;
                losses.lost_to_damping -= 0.5 * dashpot * decrease;
                (partial_step::share_weight(p, to_separation) * previous_normal.elastic + dashpot, to_separation)
            }
            EndRule::NoTension => {
                // The load decreases linearly to zero: its impulse is that of a triangle.
                let last = (normal.elastic + damping).min(0.0);
                let until = if previous_load > 0.0 { previous_load / (previous_load - last) } else { 0.0 };
                let share = to_separation * until;
                // At zero force the dashpot's force is minus the spring's. From there on the
                // dashpot takes all energy that the spring still holds.
                let overlap = previous_overlap - share * decrease;
                let at_end = self.normal_at(motion, overlap, curvature);
                losses.lost_to_damping +=
                    0.5 * (record.damping - at_end.elastic) * (overlap - previous_overlap) + at_end.energy;
                (share * previous_load, share)
            }
        };
        let kink = self.kink_force(&patch, &previous_normal, previous_overlap, decrease);
        losses.lost_to_damping -= 0.5 * kink * decrease;
        // The correction acts along the present normal. Along the previous one it would have a
        // moment about the centre of a round container.
        let previous_force = previous.turned(record.force, record.normal);
        let previous_friction = previous_force - jacobian.normal * previous_load * record.normal;
        let slipped = motion.slip * (share * motion.dt);
        let springs = FrictionSprings {
            slide: record.slide,
            angle: rolling.angle,
            axis: record.normal,
            curvature,
            overlap: previous_overlap,
            jacobian,
            patch,
        };
        // The springs of friction release what they store, except for their work in the last step.
        losses.lost_to_friction +=
            self.stored_in_friction(motion, &springs, &previous_normal) - 0.5 * previous_friction.dot(slipped);
        // Half a step of the dashpots' losses was booked in advance.
        losses.lost_to_friction -= 0.5 * motion.dt * self.friction_dashpot_power(motion, &springs, &previous_normal);
        let scale = if previous_load == 0.0 { -1.0 } else { impulse / previous_load - 1.0 };
        let force = scale * previous_force + kink * jacobian.normal * record.normal;
        let torque = scale * rolling.torque + kink * jacobian.spin * record.normal;
        contact.release();
        contact.record.force = force;
        contact.rolling.torque = torque;
    }
}

impl ContactEvaluation<'_> {
    /// Removes the force, the torque and the springs of a contact.
    pub(super) fn release(&mut self) {
        self.record.phase = Phase::Slack;
        self.record.force = DVec3::ZERO;
        self.record.damping = 0.0;
        self.record.slide = DVec3::ZERO;
        (self.rolling.angle, self.rolling.torque) = (DVec3::ZERO, DVec3::ZERO);
    }
}
