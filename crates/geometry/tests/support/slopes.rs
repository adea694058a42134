//! Comparison of gap Jacobians with finite differences of the generalised overlap.

use glam::{DQuat, DVec3};
use granum_geometry::{ContactPoint, Pose};

/// Step of the finite differences, relative to the overlap.
const DIFFERENCE: f64 = 1e-4;

/// Largest difference between a derivative and its finite difference, relative to the normal
/// derivative, in 99 % of the cases and in all cases.
const SLOPE: f64 = 1e-6;
const SLOPE_AT_WORST: f64 = 1e-4;

/// Errors of the derivatives of contacts with walls.
#[derive(Default)]
pub struct Slopes {
    errors: Vec<f64>,
    rates: Vec<f64>,
}

impl Slopes {
    /// Compares the Jacobian of a contact of a grain with a wall with finite differences.
    /// `wall_pose` is the pose of the wall, and `overlap` returns the overlap for another pose of
    /// the grain, m.
    pub fn compare(&mut self, point: ContactPoint, wall_pose: &Pose, pose: &Pose, overlap: impl Fn(&Pose) -> f64) {
        let (step, jacobian) = (DIFFERENCE * point.law_overlap(), point.jacobian());
        let arm = wall_pose.position + point.arm - pose.position;
        let mut worst = 0f64;
        for axis in DVec3::AXES {
            let moved = [1.0, -1.0].map(|sign| Pose { position: pose.position + sign * step * axis, ..*pose });
            let turn = |angle: f64| DQuat::from_scaled_axis(angle * axis) * pose.orientation;
            let turned = [1.0, -1.0].map(|sign| Pose { orientation: turn(sign * step), ..*pose });
            let by_turn = jacobian.normal * axis.cross(arm).dot(point.normal) + jacobian.spin * axis.dot(point.normal);
            for (poses, slope) in [(moved, jacobian.normal * axis.dot(point.normal)), (turned, by_turn)] {
                let [p, q] = poses.map(|pose| overlap(&pose));
                worst = worst.max(((q - p) / (2.0 * step) - slope).abs() / jacobian.normal);
            }
        }
        self.errors.push(worst);
        self.rates.push(jacobian.normal);
    }

    /// Asserts that the errors are within their limits and that the normal derivatives are between
    /// two bounds.
    pub fn assert_within(mut self, between: [f64; 2]) {
        self.errors.sort_by(f64::total_cmp);
        self.rates.sort_by(f64::total_cmp);
        let last = self.errors.len() - 1;
        let [nearly_all, worst] = [self.errors.len() * 99 / 100, last].map(|k| self.errors[k]);
        let rates = [0, last].map(|k| self.rates[k]);
        eprintln!("slopes to {nearly_all:.1e} (99 %), {worst:.1e} (worst), rates {rates:.2?}");
        assert!(nearly_all < SLOPE && worst < SLOPE_AT_WORST, "{nearly_all:e} {worst:e}");
        assert!(rates[0] > between[0] && rates[1] < between[1], "{rates:?}");
    }
}
