//! The contact record: where two bodies touch, what has happened there so far, and the force it gives.

use glam::DVec3;
use granum_geometry::ManifoldPoint;
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
/// is state, so a restart starts its iterations from the same place. The order of the fields is that of their use: what
/// bodies read when they add up their contacts comes first, in two cache lines.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C)]
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
    /// Force on b, N. In a step that ends the contact: what corrects the kick of the last evaluation.
    pub force: DVec3,
    /// From the centre of a to the contact point, m.
    pub arm: DVec3,
    /// Couple on b beyond the moment of the force (rolling and spinning resistance), N m.
    pub couple: DVec3,
    /// Share of the force in the kick that ends this step: 1 but for a contact that begins in it.
    pub kick: f64,
    /// Energy lost to normal damping in this step, J.
    pub lost_to_damping: f64,
    /// Energy lost to friction in this step, J.
    pub lost_to_friction: f64,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance, m; negative is overlap.
    pub gap: f64,
    /// The gap one step ago, m.
    pub gap_before: f64,
    /// Sum of the surfaces' mean curvatures, 1/m.
    pub curvature: f64,
    /// Normal force at the last evaluation, N ...
    pub load: f64,
    /// ... and the dashpot's part of it.
    pub damping: f64,
    /// Tangential spring: displacement of b against a since it last slid, half a step ahead, m.
    pub slide: DVec3,
    /// Rolling spring: rotation of b against a since it last rolled, half a step ahead, rad.
    pub roll: DVec3,
}

impl Contact {
    /// A contact that was not there one step ago.
    pub fn beginning(a: u32, b: u32, point: &ManifoldPoint) -> Self {
        Self {
            a,
            b,
            feature: point.feature,
            phase: Phase::Begins,
            points: 1,
            arm: point.arm,
            force: DVec3::ZERO,
            kick: 1.0,
            couple: DVec3::ZERO,
            normal: point.normal,
            gap: point.gap,
            gap_before: point.gap,
            curvature: point.curvature,
            load: 0.0,
            damping: 0.0,
            slide: DVec3::ZERO,
            roll: DVec3::ZERO,
            lost_to_damping: 0.0,
            lost_to_friction: 0.0,
        }
    }

    /// Moves the contact one step on: its springs turn with the contact plane.
    #[inline]
    pub fn advance(&mut self, point: &ManifoldPoint) {
        let turn = PlaneTurn::new(self.normal, point.normal);
        self.slide = turn.apply(self.slide);
        self.roll = turn.apply(self.roll);
        self.arm = point.arm;
        self.kick = 1.0;
        self.normal = point.normal;
        self.gap_before = self.gap;
        self.gap = point.gap;
        self.curvature = point.curvature;
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
        if v == DVec3::ZERO || self.scale == 0.0 {
            return DVec3::ZERO;
        }
        let along_from = self.from.dot(v);
        let sum = self.from + self.to;
        v - self.scale * sum.dot(v) * sum + 2.0 * along_from * self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
