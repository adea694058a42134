//! Flat pieces of surfaces as convex bodies, and the test whether they meet a grain.

use glam::{DQuat, DVec3};

use crate::contact::general::{Placed, overlap};
use crate::shape::InvalidShape;
use crate::{Convex, Pose};

/// Part by which a body is scaled down, so that it may touch a surface up to rounding errors of
/// its position.
const ROUNDING: f64 = 1e-9;

/// The convex hull of a few points: a triangle, or a quadrilateral.
struct Corners<const N: usize>([DVec3; N]);

impl<const N: usize> Convex for Corners<N> {
    fn support(&self, direction: DVec3) -> DVec3 {
        let along = |corner: &DVec3| corner.dot(direction);
        let farther = |best: DVec3, next: &DVec3| if along(next) > along(&best) { *next } else { best };
        self.0.iter().fold(self.0[0], farther)
    }

    fn inside_outside(&self, _point: DVec3) -> f64 {
        // A flat body has no inside.
        f64::INFINITY
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        Ok(())
    }

    fn bounding_radius(&self) -> f64 {
        self.0.iter().map(|corner| corner.length()).fold(0.0, f64::max)
    }
}

/// A convex body that is scaled down by [`ROUNDING`] about its centre.
struct Shrunk<'a>(&'a dyn Convex);

impl Convex for Shrunk<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        (1.0 - ROUNDING) * self.0.support(direction)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        self.0.inside_outside(point / (1.0 - ROUNDING))
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        self.0.validate()
    }

    fn bounding_radius(&self) -> f64 {
        self.0.bounding_radius()
    }
}

/// Returns whether the hull of a few points of a plane enters a bounded body. Touching does not
/// count, up to rounding errors.
pub(super) fn enters<const N: usize>(corners: [DVec3; N], body: &dyn Convex, pose: &Pose) -> bool {
    let middle = corners.iter().sum::<DVec3>() / N as f64;
    let offset = middle - pose.position;
    // The search for a separating direction is inexact for faces that touch, where it is the normal.
    if let Some(normal) = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize() {
        let slack = ROUNDING * body.bounding_radius();
        let reach = |direction: DVec3| body.support_value(pose.orientation.inverse() * direction);
        let distance = normal.dot(offset);
        if distance >= reach(normal) - slack || -distance >= reach(-normal) - slack {
            return false;
        }
    }
    let placed = Placed {
        a: &Shrunk(body),
        b: &Corners(corners.map(|corner| corner - middle)),
        offset,
        orientation_a: pose.orientation,
        orientation_b: DQuat::IDENTITY,
    };
    overlap(&placed)
}
