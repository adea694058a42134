//! Begin of a contact: the first evaluation at which the bodies overlap.

use super::{ContactEvaluation, ContactLaw, EndRule, Kinematics, NormalState, partial_step};

impl ContactLaw {
    /// Starts a contact that began inside the step now ending, or that exists from the start.
    pub(super) fn begin(&self, motion: &Kinematics, contact: &mut ContactEvaluation, normal: &NormalState) {
        let overlap = contact.record.overlap;
        // Contact share: part of the last step during which the bodies overlapped. No step precedes
        // a contact that exists from the start.
        let share =
            if motion.moving { (overlap / (motion.approach * motion.dt).max(overlap)).clamp(0.0, 1.0) } else { 0.0 };
        // The spring force grew like t^p during that share, the dashpot's like t^q. The half kick
        // that ends this step must give the impulse of that growth. The next half kick starts from
        // the full force.
        let (p, q) = self.normal.exponents();
        let spring_weight = partial_step::share_weight(p, share);
        let dashpot_weight = partial_step::corrected_share_weight(q, share);
        let half = 0.5 * motion.dt * motion.inverse_mass;
        let kink = if motion.moving { self.kink_force(&contact.rolling.patch, normal, share, 1.0) } else { 0.0 };
        let spring = spring_weight * normal.elastic + kink;
        // The impulse of a dashpot follows from the overlap that it has seen, not from the present
        // approach. Therefore it is computed with the approach before this force acted.
        let dashpot = dashpot_weight * normal.damping * motion.approach;
        let approach = motion.approach - half * (spring + dashpot);
        let damping = normal.damping * approach;
        let load = normal.elastic + damping;
        if self.end == EndRule::NoTension && load <= 0.0 {
            return contact.release();
        }
        // `hold` adds half a step before it uses a displacement, so it finds `share dt` times the
        // slip velocity.
        contact.record.slide = motion.slip * ((share - 0.5) * motion.dt);
        contact.rolling.angle = motion.turn * ((share - 0.5) * motion.dt);
        self.hold(motion, contact, normal, damping, load);
        let kick = if load > 0.0 { (spring + dashpot) / load } else { 1.0 };
        // In a step the integrator changes the kinetic energy by the mean force times the
        // displacement, and by dt²/8m (F'² - F²). The second term sums to zero over a contact,
        // except for the jump with which the dashpot begins.
        let jump = if motion.moving { 0.25 * half * motion.dt * damping * damping } else { 0.0 };
        let work = contact.friction_work_of_kick(motion, load, kick);
        let springs = contact.friction_springs(overlap);
        let losses = &mut *contact.losses;
        losses.kick = kick;
        losses.lost_to_damping =
            0.5 * motion.dt * (dashpot * 0.5 * (motion.approach + approach) + kink * motion.approach) + jump;
        losses.lost_to_friction = work - self.stored_in_friction(motion, &springs, normal);
        // Each evaluation books the power of the dashpots for the whole step before it. Half a step
        // more at the begin and half a step less at the end give the trapezoidal rule. In between,
        // half a step is booked in advance.
        losses.lost_to_friction += 0.5 * motion.dt * self.friction_dashpot_power(motion, &springs, normal);
    }
}
