//! Whether gaps follow the bodies as their gears say: differences.

use glam::{DQuat, DVec3};
use granum_geometry::{ContactPoint, GapJacobian, Pose};

/// Step of the differences, in overlaps.
const DIFFERENCE: f64 = 1e-4;

/// Error of a slope against differences, in its rate: of 99 % and at worst.
const SLOPE: f64 = 1e-6;
const SLOPE_AT_WORST: f64 = 1e-4;

/// Slopes of contacts with walls, held against differences.
#[derive(Default)]
pub struct Slopes {
    errors: Vec<f64>,
    rates: Vec<f64>,
}

impl Slopes {
    /// Looks at the contact of a grain with a wall at a place; `gap` is asked for other poses of the grain.
    pub fn see(
        &mut self,
        (point, jacobian): (ContactPoint, GapJacobian),
        place: &Pose,
        pose: &Pose,
        gap: impl Fn(&Pose) -> f64,
    ) {
        let step = DIFFERENCE * -point.gap;
        let arm = place.position + point.arm - pose.position;
        let mut worst = 0f64;
        for axis in DVec3::AXES {
            let moved = [1.0, -1.0].map(|sign| Pose { position: pose.position + sign * step * axis, ..*pose });
            let turn = |angle: f64| DQuat::from_scaled_axis(angle * axis) * pose.orientation;
            let turned = [1.0, -1.0].map(|sign| Pose { orientation: turn(sign * step), ..*pose });
            let by_turn = jacobian.normal * axis.cross(arm).dot(point.normal) + jacobian.spin * axis.dot(point.normal);
            for (poses, slope) in [(moved, jacobian.normal * axis.dot(point.normal)), (turned, by_turn)] {
                let [p, q] = poses.map(|pose| gap(&pose));
                worst = worst.max(((p - q) / (2.0 * step) - slope).abs() / jacobian.normal);
            }
        }
        self.errors.push(worst);
        self.rates.push(jacobian.normal);
    }

    /// Holds the errors to their limits, and the rates between two.
    pub fn judge(mut self, between: [f64; 2]) {
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
