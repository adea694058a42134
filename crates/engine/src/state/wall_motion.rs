//! Motion of a wall: prescribed motions, superposed, and at most one motion along an axis that
//! follows from the contact forces. The equations are in docs/theory/moving_walls.md.

use glam::DVec3;
use granum_geometry::Pose;
use serde::{Deserialize, Serialize};

use super::bodies::Twist;
use super::body_spec::is_in_plane;
use super::{Drive, WorldError};

/// Component of a unit vector below which it counts as zero: rounding of its normalisation.
const ROUNDING: f64 = 1e-12;

/// Motion of a wall.
///
/// ```
/// use glam::DVec3;
/// use granum_engine::{Drive, Guide, Motion, WallMotion};
///
/// // The upper half of a shear box: it moves along x and presses down with 100 N.
/// let shear = Drive::steady(DVec3::new(1e-3, 0.0, 0.0), DVec3::ZERO);
/// let press = Guide::servo(DVec3::NEG_Z, 100.0, 0.01); // N, m/s
/// let motion = Motion::Driven(WallMotion { prescribed: vec![shear], guide: Some(press) });
/// # assert!(matches!(motion, Motion::Driven(_)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WallMotion {
    /// Prescribed motions. Each acts on the wall as the motions before it have placed it.
    pub prescribed: Vec<Drive>,
    /// Motion along an axis that follows from the contact forces, after the prescribed ones.
    pub guide: Option<Guide>,
}

/// Motion of a wall along an axis under the contact forces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guide {
    /// Direction of the axis, of any length but zero.
    pub axis: DVec3,
    /// The cause of the motion.
    pub kind: GuideKind,
}

/// Relation of force and motion along the axis of a [`Guide`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum GuideKind {
    /// The wall moves such that it pushes along the axis with a given force.
    Servo {
        /// Force, N; positive.
        force: f64,
        /// Greatest speed in both directions, m/s.
        max_speed: f64,
        /// Speed per missing force, m/(s N). `None` derives it from the contacts of each step.
        gain: Option<f64>,
    },
    /// The wall has a mass and moves by contact forces and gravity.
    Free {
        /// Mass, kg.
        mass: f64,
        /// Additional force along the axis, N.
        force: f64,
        /// Speed along the axis at the start of the motion, m/s.
        speed: f64,
    },
}

/// State of the motion along the axis of a guide. All zero without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GuideState {
    /// Displacement along the axis since the start of the motion, m.
    pub displacement: f64,
    /// Speed along the axis, m/s.
    pub speed: f64,
    /// Sum over the contacts of the wall at the last evaluation, N s/m: the inverse of the
    /// automatic gain of a servo.
    pub resistance: f64,
}

impl From<Drive> for WallMotion {
    fn from(drive: Drive) -> Self {
        Self { prescribed: vec![drive], guide: None }
    }
}

impl From<Guide> for WallMotion {
    fn from(guide: Guide) -> Self {
        Self { prescribed: Vec::new(), guide: Some(guide) }
    }
}

impl Guide {
    /// Returns a servo that pushes along `axis` with `force`, N, at most at `max_speed`, m/s, with
    /// the automatic gain.
    pub fn servo(axis: DVec3, force: f64, max_speed: f64) -> Self {
        Self { axis, kind: GuideKind::Servo { force, max_speed, gain: None } }
    }

    /// Returns a wall with a mass, kg, that moves freely along `axis`, from rest.
    pub fn free(axis: DVec3, mass: f64) -> Self {
        Self { axis, kind: GuideKind::Free { mass, force: 0.0, speed: 0.0 } }
    }

    /// Returns the unit vector of the axis.
    pub(crate) fn direction(&self) -> DVec3 {
        self.axis.normalize()
    }

    /// Returns the mass of a free wall, kg.
    pub(crate) fn mass(&self) -> Option<f64> {
        match self.kind {
            GuideKind::Servo { .. } => None,
            GuideKind::Free { mass, .. } => Some(mass),
        }
    }

    /// Returns the state at the start of the motion.
    pub(super) fn start(&self) -> GuideState {
        match self.kind {
            GuideKind::Servo { .. } => GuideState::default(),
            GuideKind::Free { speed, .. } => GuideState { speed, ..GuideState::default() },
        }
    }

    /// Returns why its numbers are impossible, if they are.
    fn fault(&self) -> Option<&'static str> {
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        if !(self.axis.is_finite() && self.axis.length_squared() > f64::MIN_POSITIVE) {
            return Some("the axis of a wall that forces move must be finite and not zero");
        }
        match self.kind {
            GuideKind::Servo { force, max_speed, gain } => {
                let is_valid = is_positive(force) && is_positive(max_speed) && gain.is_none_or(is_positive);
                (!is_valid).then_some("force, greatest speed and gain of a servo must be positive")
            }
            GuideKind::Free { mass, .. } if !is_positive(mass) => Some("the mass of a free wall must be positive"),
            GuideKind::Free { force, speed, .. } if !(force.is_finite() && speed.is_finite()) => {
                Some("force and speed of a free wall must be finite")
            }
            GuideKind::Free { .. } => None,
        }
    }
}

impl WallMotion {
    /// Returns pose and velocities of the prescribed motions at the time `t` after the start, s.
    pub fn prescribed_at(&self, t: f64, start: &Pose) -> (Pose, Twist) {
        let Some((first, others)) = self.prescribed.split_first() else { return (*start, Twist::default()) };
        others.iter().fold(first.at(t, start), |(pose, twist), drive| {
            let (moved, own) = drive.at(t, &pose);
            let (turn, carries) = drive.turn(t);
            let carried = if carries { turn * twist.velocity } else { twist.velocity };
            (moved, Twist { velocity: own.velocity + carried, spin: own.spin + turn * twist.spin })
        })
    }

    /// Returns the pose at the start of a motion that is at `pose` at the time zero.
    pub(super) fn start_of(&self, pose: &Pose) -> Pose {
        self.prescribed.iter().rev().fold(*pose, |pose, drive| drive.start_of(&pose))
    }

    /// Returns the directions about which the wall rotates at some time.
    pub(crate) fn axes(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.prescribed.iter().filter_map(Drive::axis)
    }

    /// Returns whether contact forces move the wall along an axis.
    pub fn is_guided(&self) -> bool {
        self.guide.is_some()
    }

    /// Multiplies the positions of the pivots by a factor.
    pub(super) fn scale_positions(&mut self, factor: f64) {
        self.prescribed.iter_mut().for_each(|drive| drive.scale_positions(factor));
    }

    /// Checks that all numbers are possible, and that only one motion moves a free wall along its
    /// axis.
    pub fn check(&self) -> Result<(), WorldError> {
        let fault = |reason: &str| Err(WorldError::Value(reason.into()));
        if !self.prescribed.iter().all(Drive::is_valid) {
            return fault("the numbers of a prescribed motion must be finite, and its times must rise");
        }
        let Some(guide) = &self.guide else { return Ok(()) };
        if let Some(reason) = guide.fault() {
            return fault(reason);
        }
        let axis = guide.direction();
        if guide.mass().is_some() && !self.prescribed.iter().all(|drive| drive.keeps_centre_across(axis, ROUNDING)) {
            return fault("the prescribed motions of a free wall must not move its centre along its axis");
        }
        Ok(())
    }

    /// Returns whether the motion stays in the plane z = 0.
    pub(super) fn lies_in_plane(&self) -> bool {
        self.prescribed.iter().all(Drive::lies_in_plane) && self.guide.is_none_or(|guide| is_in_plane(guide.axis))
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::state::{Course, Turning};

    /// Motions with rotations about different axes and pivots, between translations.
    fn superposed() -> WallMotion {
        let arm = Drive::rotation(DVec3::new(0.3, -0.1, 0.2), DVec3::new(0.4, 1.0, -2.0));
        let table = Course::table(&[(-9.0, DVec3::ZERO), (9.0, DVec3::new(0.3, 0.2, 5.0))]).unwrap();
        let swing = Course::Oscillation { amplitude: 0.5, frequency: 0.9, phase: 1.0 };
        let swing = Turning { axis: DVec3::new(0.6, 0.0, 0.8), pivot: None, angle: swing };
        let prescribed = vec![
            Drive::steady(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, 2.0, 1.0)),
            arm,
            Drive::oscillation(DVec3::new(0.1, 0.0, 0.3), 1.3, 0.7),
            Drive { displacement: table, rotation: Some(swing) },
        ];
        WallMotion { prescribed, guide: None }
    }

    fn start() -> Pose {
        Pose { position: DVec3::new(0.2, -0.3, 0.9), orientation: DQuat::from_xyzw(0.1, 0.2, -0.3, 0.9).normalize() }
    }

    #[test]
    fn velocities_of_superposed_motions_are_the_derivatives_of_the_pose() {
        let (motion, h) = (superposed(), 1e-5);
        for t in [0.0171, 0.4711, 1.5011] {
            let [before, after] = [t - h, t + h].map(|t| motion.prescribed_at(t, &start()).0);
            let (pose, twist) = motion.prescribed_at(t, &start());
            let velocity = (after.position - before.position) / (2.0 * h);
            let turn = after.orientation * before.orientation.inverse();
            let spin = 2.0 * turn.xyz() * turn.w.signum() / (2.0 * h);
            assert!((velocity - twist.velocity).length() < 1e-7, "{t}: {velocity} {}", twist.velocity);
            assert!((spin - twist.spin).length() < 1e-7, "{t}: {spin} {}", twist.spin);
            assert!((pose.orientation.length() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn superposed_motions_that_begin_at_a_pose_are_there_at_the_start() {
        let motion = superposed();
        let (pose, _) = motion.prescribed_at(0.0, &motion.start_of(&start()));
        assert!((pose.position - start().position).length() < 1e-15, "{}", pose.position);
        assert!(pose.orientation.dot(start().orientation).abs() > 1.0 - 1e-15);
    }

    #[test]
    fn the_velocities_of_translations_add() {
        let drives = [
            Drive::steady(DVec3::X, DVec3::ZERO),
            Drive::oscillation(DVec3::new(0.0, 0.0, 0.01), 5.0, 0.0),
            Drive::steady(DVec3::new(0.5, 2.0, 0.0), DVec3::Z),
        ];
        let motion = WallMotion { prescribed: drives.to_vec(), guide: None };
        let (pose, twist) = motion.prescribed_at(0.3, &start());
        let each = drives.each_ref().map(|drive| drive.at(0.3, &start()));
        let displacement: DVec3 = each.iter().map(|(pose, _)| pose.position - start().position).sum();
        let velocity: DVec3 = each.iter().map(|(_, twist)| twist.velocity).sum();
        assert!((pose.position - start().position - displacement).length() < 1e-15);
        assert!((twist.velocity - velocity).length() < 1e-15 && twist.spin == DVec3::Z);
    }

    #[test]
    fn impossible_guides_are_refused() {
        let refused = |motion: WallMotion| motion.check().unwrap_err().to_string();
        assert!(refused(Guide::servo(DVec3::ZERO, 1.0, 1.0).into()).contains("not zero"));
        assert!(refused(Guide::servo(DVec3::Z, 0.0, 1.0).into()).contains("must be positive"));
        assert!(refused(Guide::servo(DVec3::Z, 1.0, f64::NAN).into()).contains("must be positive"));
        assert!(refused(Guide::free(DVec3::Z, -1.0).into()).contains("mass of a free wall"));
        let with = |drive: Drive| WallMotion { prescribed: vec![drive], guide: Some(Guide::free(DVec3::Z, 1.0)) };
        assert!(refused(with(Drive::steady(DVec3::Z, DVec3::ZERO))).contains("along its axis"));
        assert!(refused(with(Drive::rotation(DVec3::ONE, DVec3::X))).contains("along its axis"));
        assert_eq!(with(Drive::steady(DVec3::X, DVec3::Y)).check(), Ok(()));
        assert_eq!(with(Drive::rotation(DVec3::ONE, DVec3::Z)).check(), Ok(()));
    }
}
