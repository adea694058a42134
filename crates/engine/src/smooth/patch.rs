//! Contact patch: resistance of an extended contact against spinning and rocking.
//!
//! A contact whose overlap is measured by the overlap region has one point and a patch with second
//! moments. Friction is spread over the patch, so it resists spinning; the normal dashpot is spread
//! over it too, so it damps rocking. A patch without extent (a point) has neither.

use glam::DVec3;
use granum_geometry::{ContactPatch, GapJacobian};

use super::rolling::RollingSprings;
use super::tangential::LimitedSpring;
use super::{ContactLaw, Kinematics, NormalState, Rolling, partial_step};

/// Stiffness of a generalised overlap against rocking, relative to that of springs spread evenly
/// over its patch.
const ROCKING_STIFFNESS: f64 = 3.0;

impl ContactLaw {
    /// Returns the springs against rolling and against spinning at an overlap, m, a curvature, 1/m,
    /// and a patch. `load` is the normal force that bounds them, N; zero if the limits are not
    /// used.
    ///
    /// The springs and dashpots of friction on a patch are those along the contact plane, times the
    /// squared radius of gyration of the patch.
    // inline(always): callers that need the stiffness only then drop the square roots of the rest.
    #[inline(always)]
    pub(super) fn torsional_springs(
        &self,
        motion: &Kinematics,
        load: f64,
        (overlap, curvature, patch): (f64, f64, &ContactPatch),
        normal: &NormalState,
    ) -> [LimitedSpring; 2] {
        let [roller, mut spinner] = match self.rolling {
            Rolling::Spring { friction, spinning, zeta } => {
                RollingSprings::new(load, curvature, normal, motion).springs(friction, spinning, zeta)
            }
            Rolling::None => [LimitedSpring::NONE; 2],
        };
        if !patch.is_point() {
            let square = patch.square();
            let stiffness = self.tangential.stiffness(overlap, curvature, normal);
            spinner.stiffness += stiffness * square;
            spinner.damping += self.tangential_dashpot(motion, stiffness) * square;
            spinner.limit += self.tangential.friction() * square.sqrt() * load;
        }
        [roller, spinner]
    }

    /// Returns the correction of the spring force, N, in the half kick beside the begin or end of a
    /// contact, as the step changed the overlap by `change`. Units of overlap and change are equal.
    ///
    /// The trapezoidal sum over the other steps does not resolve the kink of the force there. For a
    /// point contact the errors of begin and end cancel. The overlap of a patch conserves energy
    /// while the features in contact change, and with them the rates at both ends, so they do not.
    pub(super) fn kink_force(&self, patch: &ContactPatch, normal: &NormalState, overlap: f64, change: f64) -> f64 {
        if patch.is_point() || change <= 0.0 {
            return 0.0;
        }
        normal.elastic * partial_step::kink_correction(self.normal.exponents().0, overlap / change)
    }
}

/// Returns the torque on b of the dashpots against rocking on a patch, N m, and their power, W.
///
/// Damping and stiffness against rocking have the same ratio as along the normal.
pub(super) fn rocking_dashpot(
    motion: &Kinematics,
    normal: &NormalState,
    jacobian: GapJacobian,
    patch: &ContactPatch,
    axis: DVec3,
) -> (DVec3, f64) {
    let damping = ROCKING_STIFFNESS * jacobian.normal * jacobian.normal * normal.damping;
    let torque = |arm: &DVec3| {
        let lever = arm.cross(axis);
        damping * lever.dot(motion.turn) * lever
    };
    let torque = -patch.0.iter().map(torque).sum::<DVec3>();
    (torque, -torque.dot(motion.turn))
}
