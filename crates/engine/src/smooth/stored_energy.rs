//! Energy stored in the springs of a contact, and power of its friction dashpots.

use glam::DVec3;
use granum_geometry::{ContactPatch, GapJacobian};

use super::{ContactEvaluation, ContactLaw, Kinematics, NormalState, Rolling, patch};
use crate::state::{Contact, ContactLosses, RollingState};

/// The tangential, rolling and spinning springs of a contact at one instant.
pub(super) struct FrictionSprings {
    /// Displacement of the tangential spring, half a step ahead, m.
    pub slide: DVec3,
    /// Angle of the rolling and spinning springs, half a step ahead, rad.
    pub angle: DVec3,
    /// Contact normal.
    pub axis: DVec3,
    /// Sum of the mean curvatures of the two surfaces, 1/m.
    pub curvature: f64,
    /// Overlap, m.
    pub overlap: f64,
    /// Derivatives of the gap with respect to the relative motion.
    pub jacobian: GapJacobian,
    /// Contact patch.
    pub patch: ContactPatch,
}

impl ContactLaw {
    /// Returns the energy of the tangential and rolling springs, J. Their displacements are moved
    /// back by half a step, to the evaluation.
    pub(super) fn stored_in_friction(&self, motion: &Kinematics, at: &FrictionSprings, normal: &NormalState) -> f64 {
        let slide = at.slide - 0.5 * motion.dt * motion.slip;
        let mut stored = 0.5 * self.tangential.stiffness(at.overlap, at.curvature, normal) * slide.length_squared();
        if self.rolling != Rolling::None || !at.patch.is_point() {
            let [roller, spinner] = self.torsional_springs(motion, 0.0, (at.overlap, at.curvature, &at.patch), normal);
            let angle = at.angle - 0.5 * motion.dt * motion.turn;
            // The two springs share one vector of angles: its part along the normal belongs to
            // spinning, the rest to rolling.
            let spin = angle.dot(at.axis);
            let roll_squared = angle.length_squared() - spin * spin;
            stored += 0.5 * (roller.stiffness * roll_squared + spinner.stiffness * spin * spin);
        }
        stored
    }

    /// Returns the power of the dashpots against sliding, rolling, spinning and rocking, W.
    pub(super) fn friction_dashpot_power(
        &self,
        motion: &Kinematics,
        at: &FrictionSprings,
        normal: &NormalState,
    ) -> f64 {
        let stiffness = self.tangential.stiffness(at.overlap, at.curvature, normal);
        let mut power = self.tangential_dashpot(motion, stiffness) * motion.slip.length_squared();
        if self.rolling != Rolling::None || !at.patch.is_point() {
            let [roller, spinner] = self.torsional_springs(motion, 0.0, (at.overlap, at.curvature, &at.patch), normal);
            let spin = motion.turn.dot(at.axis);
            power += roller.damping * (motion.turn.length_squared() - spin * spin) + spinner.damping * spin * spin;
            power += patch::rocking_dashpot(motion, normal, at.jacobian, &at.patch, at.axis).1;
        }
        power
    }

    /// Returns the energy that a holding contact stores, and the friction loss that it has booked
    /// in advance, J.
    pub fn stored_and_booked_ahead(
        &self,
        motion: &Kinematics,
        record: &Contact,
        losses: &ContactLosses,
        rolling: &RollingState,
    ) -> (f64, f64) {
        let (overlap, curvature) = (record.overlap.max(0.0), losses.curvature);
        let normal = self.normal_at(motion, overlap, curvature);
        let at = FrictionSprings {
            slide: record.slide,
            angle: rolling.angle,
            axis: record.normal,
            curvature,
            overlap,
            jacobian: rolling.jacobian,
            patch: rolling.patch,
        };
        let stored = normal.energy + self.stored_in_friction(motion, &at, &normal);
        // Springs and their losses are stored half a step ahead.
        (stored, 0.5 * motion.dt * self.friction_dashpot_power(motion, &at, &normal))
    }
}

impl ContactEvaluation<'_> {
    /// Returns the springs of friction at the present evaluation.
    pub(super) fn friction_springs(&self, overlap: f64) -> FrictionSprings {
        let Self { record, losses, rolling, .. } = self;
        FrictionSprings {
            slide: record.slide,
            angle: rolling.angle,
            axis: record.normal,
            curvature: losses.curvature,
            overlap,
            jacobian: rolling.jacobian,
            patch: rolling.patch,
        }
    }

    /// Returns the energy that friction takes while it acts for a share of half a step, J.
    pub(super) fn friction_work_of_kick(&self, motion: &Kinematics, load: f64, share: f64) -> f64 {
        let Self { record, rolling, .. } = self;
        // The record holds the whole force; without the normal part friction remains.
        let friction = record.force - rolling.jacobian.normal * load * record.normal;
        let torque = rolling.torque - rolling.jacobian.spin * load * record.normal;
        -0.5 * motion.dt * share * (friction.dot(motion.slip) + torque.dot(motion.turn))
    }
}
