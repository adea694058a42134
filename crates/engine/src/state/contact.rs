//! The contact record: where two bodies touch, what has happened there so far, and the force it gives.

use glam::DVec3;
use granum_geometry::{ContactPatch, ContactPoint, GapJacobian};
use serde::{Deserialize, Serialize};

/// Where a contact stands in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// There was no contact one step ago.
    Begins,
    /// It carried a force one step ago.
    Holds,
    /// The bodies overlap, but the rule that ends a contact has ended it.
    Slack,
    /// The record is free.
    Gone,
}

/// One contact point of one pair. Vectors in world axes; the force is the one on body b.
///
/// The normal of the last step is also where an iterative pair routine starts (the warm start): the record
/// is state, so a restart starts its iterations from the same place. A record is two cache lines: in the first is what
/// bodies read when they add up their contacts, in the second what the law reads besides. What few contacts need, or what
/// is read seldom, is in [`ContactLosses`] and [`RollingState`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Contact {
    /// Storage index of the first body: of the two, the one with the lower (kind, id).
    pub a: u32,
    /// Storage index of the second body.
    pub b: u32,
    /// Which features meet; matches this point with that of the last step.
    pub feature: u32,
    /// Where the contact stands in its life.
    pub phase: Phase,
    /// In the first record of a pair: how many records it has, one after the other.
    pub points: u8,
    /// Whether it holds, held one step ago, and touches no driven body: then bodies just add its force.
    pub steady: bool,
    /// Whether forces move a: its account then takes what the contact has lost, else that of b does.
    pub moves_a: bool,
    /// Force on b, N. In a step that ends the contact: what corrects the kick of the last evaluation.
    pub force: DVec3,
    /// From the centre of a to the contact point, m.
    pub arm: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance, m; negative is overlap.
    pub gap: f64,
    /// Displacement of b relative to a that the tangential spring stores, half a step ahead, m.
    pub slide: DVec3,
    /// Force of the normal dashpot, N.
    pub damping: f64,
}

/// Energy that a contact has lost so far, and two values of it that are read as seldom.
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
    /// Derivatives of the gap with respect to the relative motion.
    pub jacobian: GapJacobian,
    /// Second moments of the contact patch.
    pub patch: ContactPatch,
    /// GapJacobian and patch at the previous evaluation. Valid within a step only.
    #[serde(skip)]
    pub last: (GapJacobian, ContactPatch),
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
    /// Gap, m.
    pub gap: f64,
    /// Force conjugate to the gap, N: the normal force over `GapJacobian::normal`.
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
    /// A contact that was not there one step ago.
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
            gap: point.gap,
            slide: DVec3::ZERO,
            damping: 0.0,
        };
        (contact, ContactLosses { curvature: point.curvature, kick: 1.0, lost_to_damping: 0.0, lost_to_friction: 0.0 })
    }

    /// What the law will ask about the present evaluation when it is the one before.
    #[inline]
    pub fn before(&self, losses: &ContactLosses, roll: Option<&RollingState>) -> PreviousEvaluation {
        let pressed = if self.phase == Phase::Holds { self.force.dot(self.normal) } else { 0.0 };
        let load = match roll.map(|roll| roll.jacobian.normal) {
            None => pressed,
            Some(rate) if rate > 0.0 => pressed / rate,
            Some(_) => 0.0,
        };
        PreviousEvaluation { gap: self.gap, load, curvature: losses.curvature, normal: self.normal }
    }

    /// Moves the contact one step on: its springs and its last percussion turn with the contact plane.
    #[inline]
    pub fn advance(
        &mut self,
        losses: &mut ContactLosses,
        roll: Option<&mut RollingState>,
        percussion: Option<&mut StoredPercussion>,
        point: &ContactPoint,
        now: (GapJacobian, &ContactPatch),
    ) {
        let turn = PlaneTurn::new(self.normal, point.normal);
        self.slide = turn.apply_in_plane(self.slide);
        if let Some(roll) = roll {
            roll.angle = turn.apply(roll.angle);
            roll.last = (roll.jacobian, roll.patch);
            (roll.jacobian, roll.patch) = (now.0, *now.1);
        }
        if let Some(percussion) = percussion {
            percussion.tangential = turn.apply_in_plane(percussion.tangential);
        }
        self.arm = point.arm;
        self.normal = point.normal;
        self.gap = point.gap;
        losses.curvature = point.curvature;
        losses.kick = 1.0;
    }
}

/// The smallest rotation that takes one unit normal into another.
struct PlaneTurn {
    from: DVec3,
    to: DVec3,
    scale: f64,
}

impl PlaneTurn {
    fn new(from: DVec3, to: DVec3) -> Self {
        // 1 + cos; a normal that turns right round in one step leaves no history worth keeping.
        const OPPOSITE: f64 = 1e-6;
        let one_plus_cos = 1.0 + from.dot(to);
        Self { from, to, scale: if one_plus_cos > OPPOSITE { 1.0 / one_plus_cos } else { 0.0 } }
    }

    /// Rodrigues' formula with the axis `from x to` written out; lengths are kept.
    fn apply(&self, v: DVec3) -> DVec3 {
        self.apply_in_plane(v) + if self.scale == 0.0 { DVec3::ZERO } else { 2.0 * self.from.dot(v) * self.to }
    }

    /// The same for a vector in the plane of `from`.
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

    /// A record fills two cache lines and no more: the response reads all of it for every contact.
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
