//! Comparison of the gap Jacobian of a contact with finite differences of its generalised overlap.

use glam::{DQuat, DVec3};
use granum_geometry::{Manifold, Pose};

/// Step of the finite differences, relative to the overlap.
const DIFFERENCE: f64 = 1e-5;

/// Returns the largest difference between a derivative of the first point of a manifold and its
/// finite difference, relative to the normal derivative, over all motions of body b. `at` returns
/// the manifold for another pose of b.
pub fn derivative_error(found: &Manifold, pose_a: &Pose, pose_b: &Pose, at: impl Fn(&Pose) -> Manifold) -> f64 {
    let (point, jacobian) = (found.points()[0], found.points()[0].jacobian());
    let gap = |pose: Pose| -at(&pose).points()[0].law_overlap();
    let step = DIFFERENCE * point.law_overlap();
    let arm = pose_a.position + point.arm - pose_b.position;
    let mut worst = 0f64;
    for axis in DVec3::AXES {
        let moved = |by: f64| gap(Pose { position: pose_b.position + by * axis, ..*pose_b });
        let turned =
            |by: f64| gap(Pose { orientation: DQuat::from_scaled_axis(by * axis) * pose_b.orientation, ..*pose_b });
        let along = axis.dot(point.normal);
        let about = jacobian.normal * axis.cross(arm).dot(point.normal) + jacobian.spin * along;
        let slopes = [(moved(step) - moved(-step), jacobian.normal * along), (turned(step) - turned(-step), about)];
        for (difference, slope) in slopes {
            worst = worst.max((difference / (2.0 * step) - slope).abs() / jacobian.normal);
        }
    }
    worst
}
