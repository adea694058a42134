//! The contact record: geometry, history and force of one contact point.

use glam::DVec3;
use granum_geometry::{ContactPatch, ContactPoint, GapJacobian, GeneralisedOverlap};
use serde::{Deserialize, Serialize};

/// Phase of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// The contact did not exist at the previous evaluation.
    Begins,
    /// The contact carried a force at the previous evaluation.
    Holds,
    /// The bodies overlap, but the end rule has ended the contact.
    Slack,
    /// The record is not in use.
    Gone,
}

/// One contact point of one pair. Vectors are in world axes; the force is the one on body b.
///
/// The normal of the previous step is also the start of an iterative pair routine (warm start). It
/// is part of the state, so that a restarted run iterates from the same direction. A record fills
/// two cache lines. The first holds the data that bodies read when they sum their contacts, the
/// second the other data of the law. Rarely used data are in [`ContactLosses`] and
/// [`RollingState`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Contact {
    /// Storage index of the first body: the one with the lower (kind, id).
    pub a: u32,
    /// Storage index of the second body.
    pub b: u32,
    /// Number of the features in contact. It identifies this point from step to step.
    pub feature: u32,
    /// Phase of the contact.
    pub phase: Phase,
    /// In the first record of a pair: number of its records, which are consecutive.
    pub points: u8,
    /// True if the contact holds, held at the previous evaluation, and has no driven body. Bodies
    /// then only add its force.
    pub steady: bool,
    /// True if body a is dynamic. The losses of the contact are then added to the account of a,
    /// otherwise to that of b.
    pub moves_a: bool,
    /// Force on b, N. In a step that ends the contact, the correction of the half kick of the
    /// previous evaluation.
    pub force: DVec3,
    /// Vector from the centre of a to the contact point, m.
    pub arm: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Overlap on which the law acts, m: the generalised overlap, or minus the gap. Negative while
    /// the surfaces are separated.
    pub overlap: f64,
    /// Displacement of b relative to a in the tangential spring, half a step ahead, m.
    pub slide: DVec3,
    /// Force of the normal dashpot, N.
    pub damping: f64,
}

/// Energy that a contact has lost so far, and two other values that are rarely read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ContactLosses {
    /// Sum of the mean curvatures of the two surfaces, 1/m.
    pub curvature: f64,
    /// Factor on the force in the half kick that ends this step. 1 except in the step in which the
    /// contact begins.
    pub kick: f64,
    /// Energy lost to the normal dashpot since the contact began, J.
    pub lost_to_damping: f64,
    /// Energy lost to friction since the contact began, J. When the contact ends, both losses are
    /// added to the accounts of its bodies.
    pub lost_to_friction: f64,
}

/// Springs of a contact against rolling and spinning, and the torque that it exerts beside the
/// moment of its force. Only worlds that resist rolling or use a generalised overlap have it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RollingState {
    /// Rotation of b relative to a that the springs store, half a step ahead, rad.
    pub angle: DVec3,
    /// Torque on b in addition to the moment of the force, N m.
    pub torque: DVec3,
    /// Derivatives of the overlap with respect to the relative motion.
    pub jacobian: GapJacobian,
    /// Second moments of the contact patch.
    pub patch: ContactPatch,
    /// True if the overlap is a generalised one, so that the gap is not minus the overlap.
    pub is_generalised: bool,
    /// Jacobian and patch at the previous evaluation. Valid within a step only.
    #[serde(skip)]
    pub last: (GapJacobian, ContactPatch),
}

impl RollingState {
    /// Returns the state of a contact that begins at this point.
    pub fn beginning(point: &ContactPoint) -> Self {
        let mut state = Self::default();
        state.set_overlap(point);
        state
    }

    /// Copies Jacobian and patch of the overlap of this point.
    #[inline]
    fn set_overlap(&mut self, point: &ContactPoint) {
        (self.jacobian, self.patch) = (point.jacobian(), point.patch());
        self.is_generalised = point.overlap.is_some();
    }

    /// Returns a generalised overlap of zero with this Jacobian and patch; `None` if the overlap is
    /// minus the gap.
    pub fn vanished_overlap(&self) -> Option<GeneralisedOverlap> {
        let Self { jacobian, patch, .. } = *self;
        self.is_generalised.then_some(GeneralisedOverlap { value: 0.0, jacobian, patch })
    }
}

/// Percussion of a contact in the last step, from which the next step's solver starts. Only worlds
/// with the percussion response have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredPercussion {
    /// Normal component on b, N s.
    pub normal: f64,
    /// Tangential part on b, N s. It rotates with the contact plane.
    pub tangential: DVec3,
}

impl StoredPercussion {
    /// Splits a percussion on b into its normal and tangential parts.
    pub fn new(percussion: DVec3, normal: DVec3) -> Self {
        let along = percussion.dot(normal);
        Self { normal: along, tangential: percussion - along * normal }
    }

    /// Returns the percussion on b for a contact normal, N s.
    pub fn along(&self, normal: DVec3) -> DVec3 {
        self.tangential + self.normal * normal
    }
}

/// Values of a contact at the previous evaluation that the laws need. Valid within a step only.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreviousEvaluation {
    /// Overlap, m.
    pub overlap: f64,
    /// Force conjugate to the overlap, N: the normal force over `GapJacobian::normal`.
    pub load: f64,
    /// Sum of the mean curvatures of the two surfaces, 1/m. It changes while a grain that is not
    /// round rolls.
    pub curvature: f64,
    /// Unit normal.
    pub normal: DVec3,
}

impl PreviousEvaluation {
    /// Rotates the force of the previous evaluation with the contact plane to the present `normal`.
    pub fn turned(&self, force: DVec3, normal: DVec3) -> DVec3 {
        PlaneTurn::new(self.normal, normal).apply(force)
    }
}

impl Contact {
    /// Returns the record of a new contact.
    pub fn beginning([a, b]: [u32; 2], moves_a: bool, point: &ContactPoint) -> (Self, ContactLosses) {
        let contact = Self {
            a,
            b,
            feature: point.feature,
            phase: Phase::Begins,
            points: 1,
            steady: false,
            moves_a,
            force: DVec3::ZERO,
            arm: point.arm,
            normal: point.normal,
            overlap: point.law_overlap(),
            slide: DVec3::ZERO,
            damping: 0.0,
        };
        (contact, ContactLosses { curvature: point.curvature, kick: 1.0, lost_to_damping: 0.0, lost_to_friction: 0.0 })
    }

    /// Returns the values of this evaluation that the law needs at the next one.
    #[inline]
    pub fn as_previous(&self, losses: &ContactLosses, roll: Option<&RollingState>) -> PreviousEvaluation {
        let pressed = if self.phase == Phase::Holds { self.force.dot(self.normal) } else { 0.0 };
        let load = match roll.map(|roll| roll.jacobian.normal) {
            None => pressed,
            Some(rate) if rate > 0.0 => pressed / rate,
            Some(_) => 0.0,
        };
        PreviousEvaluation { overlap: self.overlap, load, curvature: losses.curvature, normal: self.normal }
    }

    /// Moves the contact to a point of the next step. Its springs and its last percussion rotate
    /// with the contact plane.
    #[inline]
    pub fn advance(
        &mut self,
        losses: &mut ContactLosses,
        roll: Option<&mut RollingState>,
        percussion: Option<&mut StoredPercussion>,
        point: &ContactPoint,
    ) {
        let turn = PlaneTurn::new(self.normal, point.normal);
        self.slide = turn.apply_in_plane(self.slide);
        if let Some(roll) = roll {
            roll.angle = turn.apply(roll.angle);
            roll.last = (roll.jacobian, roll.patch);
            roll.set_overlap(point);
        }
        if let Some(percussion) = percussion {
            percussion.tangential = turn.apply_in_plane(percussion.tangential);
        }
        self.arm = point.arm;
        self.normal = point.normal;
        self.overlap = point.law_overlap();
        losses.curvature = point.curvature;
        losses.kick = 1.0;
    }
}

/// The smallest rotation from one unit normal to another.
struct PlaneTurn {
    from: DVec3,
    to: DVec3,
    scale: f64,
}

impl PlaneTurn {
    fn new(from: DVec3, to: DVec3) -> Self {
        // Least 1 + cos of the angle of a rotation that is applied. If a normal reverses in one
        // step, the history of the contact has no meaning.
        const OPPOSITE: f64 = 1e-6;
        let one_plus_cos = 1.0 + from.dot(to);
        Self { from, to, scale: if one_plus_cos > OPPOSITE { 1.0 / one_plus_cos } else { 0.0 } }
    }

    /// Rotates a vector by Rodrigues' formula with the axis `from x to`. Lengths do not change.
    fn apply(&self, v: DVec3) -> DVec3 {
        self.apply_in_plane(v) + if self.scale == 0.0 { DVec3::ZERO } else { 2.0 * self.from.dot(v) * self.to }
    }

    /// Rotates a vector of the plane perpendicular to `from`.
    #[inline]
    fn apply_in_plane(&self, v: DVec3) -> DVec3 {
        if self.scale == 0.0 {
            return DVec3::ZERO;
        }
        let sum = self.from + self.to;
        v - self.scale * sum.dot(v) * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record fills exactly two cache lines, because the response reads all of it for every
    /// contact.
    #[test]
    fn a_contact_record_has_two_cache_lines() {
        assert_eq!((size_of::<Contact>(), align_of::<Contact>()), (128, 64));
    }

    #[test]
    fn plane_turn_takes_the_normal_along_and_keeps_lengths() {
        let from = DVec3::new(0.3, -0.5, 0.8).normalize();
        let to = DVec3::new(0.1, -0.9, 0.4).normalize();
        let turn = PlaneTurn::new(from, to);
        assert!((turn.apply(from) - to).length() < 1e-15);
        let tangent = from.cross(DVec3::X);
        assert!(turn.apply(tangent).dot(to).abs() < 1e-15);
        assert!((turn.apply(tangent).length() - tangent.length()).abs() < 1e-15);
        let axis = from.cross(to).normalize();
        assert!((turn.apply(axis) - axis).length() < 1e-15, "the axis of the rotation stays");
    }
}
