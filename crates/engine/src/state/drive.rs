//! Prescribed motions, as closed forms of time, so that no error builds up.

use glam::{DQuat, DVec3};
use granum_geometry::Pose;
use serde::{Deserialize, Serialize};

use super::bodies::Twist;

/// How a driven body moves from its pose at the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Drive {
    /// At constant velocity, turning about its own centre at constant spin.
    Steady {
        /// m/s.
        velocity: DVec3,
        /// rad/s, world axes.
        spin: DVec3,
    },
    /// To and fro along a line: `amplitude sin(2 pi frequency t + phase)` away from its pose at the start.
    Oscillating {
        /// Direction and half the travel, m.
        amplitude: DVec3,
        /// Hz.
        frequency: f64,
        /// rad.
        phase: f64,
    },
}

impl Drive {
    /// Pose and twist at time `t` of a body that started in `start`.
    pub fn at(&self, t: f64, start: &Pose) -> (Pose, Twist) {
        match *self {
            Drive::Steady { velocity, spin } => {
                let turned = rotation(spin * t) * start.orientation;
                let pose = Pose { position: start.position + velocity * t, orientation: turned.normalize() };
                (pose, Twist { velocity, spin })
            }
            Drive::Oscillating { amplitude, frequency, phase } => {
                let rate = std::f64::consts::TAU * frequency;
                let (sin, cos) = libm::sincos(rate * t + phase);
                let pose = Pose { position: start.position + amplitude * sin, ..*start };
                (pose, Twist { velocity: amplitude * (rate * cos), spin: DVec3::ZERO })
            }
        }
    }
}

/// The rotation by an angle about an axis, given as their product, with the same bits on every machine.
fn rotation(axis_times_angle: DVec3) -> DQuat {
    let angle = axis_times_angle.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = libm::sincos(0.5 * angle);
    let axis = axis_times_angle * (sin / angle);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}
