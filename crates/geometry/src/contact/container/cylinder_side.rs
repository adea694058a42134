//! Contact of a grain with the side wall of a hollow cylinder. Its normal has one unknown angle.

use glam::DVec3;

use super::{LEAST_CURVATURE, NEAR, Touch, Touches, push};
use crate::contact::smooth::Smooth;
use crate::{Manifold, Pair, Status};

/// Length of a Newton step, rad, below which it is the last one and is applied to first order. Its
/// square is below rounding.
const LAST_STEP: f64 = 3e-8;

/// Longest step, rad. A longer one may pass a minimum.
const LONGEST_STEP: f64 = 0.5;

/// Residual, relative to the radius of the cylinder, that is a rounding error.
const ROUNDING: f64 = 4e-16;

/// Second derivative, relative to the radius of the cylinder, that is a rounding error. All
/// directions are then equivalent, as for a ball on the axis.
const FLAT: f64 = 1e-12;

/// Largest number of steps.
const MAX_STEPS: u32 = 60;

/// Least cosine of the angle between a warm start and the direction of the grain. A warm start
/// beyond it is not used.
const WARM: f64 = 0.9;

/// The side wall of a hollow cylinder with the given axis (unit vector, world axes) and radius, m.
pub(crate) struct SideWall {
    pub axis: DVec3,
    pub radius: f64,
}

impl SideWall {
    /// Finds the contacts with the side wall. The search starts along `across` if the grain is on
    /// the axis.
    pub fn collide<B: Smooth>(&self, grain: &B, across: DVec3, pair: &Pair, manifold: &mut Manifold) {
        let radial = |v: DVec3| (v - self.axis.dot(v) * self.axis).try_normalize();
        let outward = radial(pair.offset).unwrap_or(across);
        // A grain that is more curved than the wall everywhere touches it at one point, and the
        // distance has one minimum.
        if grain.largest_radius() < self.radius {
            let warm = pair.warm.and_then(|normal| radial(-normal)).filter(|n| n.dot(outward) > WARM);
            let iterations = &mut manifold.iterations;
            let near = warm.and_then(|start| self.minimise(grain, pair.offset, start, iterations).ok());
            let near = near.filter(|touch| touch.gap < NEAR * self.radius);
            match near.map_or_else(|| self.minimise(grain, pair.offset, outward, iterations), Ok) {
                Ok(touch) if touch.gap <= pair.margin => push(&touch, 0, pair, manifold),
                Ok(_) => {}
                Err(residual) => manifold.status = Status::NotConverged { residual },
            }
            return;
        }
        // A flatter grain may touch at several points. The starts cover the angle in which it can be
        // nearest to the wall, the likeliest first.
        let mut touches = Touches::default();
        let spread = (grain.bounding_radius() / self.radius).min(1.0) * self.axis.cross(outward);
        for part in [0.0, -0.4, 0.4, -1.0, 1.0] {
            let start = (outward + part * spread).normalize();
            match self.minimise(grain, pair.offset, start, &mut manifold.iterations) {
                Ok(touch) => touches.add(touch, pair),
                Err(residual) => manifold.status = Status::NotConverged { residual },
            }
        }
        touches.report(pair, manifold);
    }

    /// Minimises the distance to the wall over the angle, from `start`. The error is the residual,
    /// m.
    fn minimise<B: Smooth>(&self, grain: &B, centre: DVec3, start: DVec3, iterations: &mut u32) -> Result<Touch, f64> {
        let mut n = start;
        let mut longest = LONGEST_STEP;
        let mut before = f64::INFINITY;
        let mut last = (n, 0.0);
        for _ in 0..MAX_STEPS {
            let support = grain.evaluate(n);
            let gap = self.radius - n.dot(centre) - support.h;
            if gap > before && longest > LAST_STEP {
                // The step was too long: go back and take half of it.
                let (from, step) = last;
                longest = 0.5 * f64::abs(step);
                n = self.rotated(from, longest.copysign(step));
                last = (from, longest.copysign(step));
                *iterations += 1;
                continue;
            }
            let t = self.axis.cross(n);
            let radii = grain.radii(&support, t, self.axis);
            let slope = -t.dot(centre + support.point);
            let second_derivative = self.radius - gap - radii.xx;
            // Newton's step leads to a maximum where the second derivative is negative: go downhill.
            let step = if second_derivative > 0.0 { -slope / second_derivative } else { -LONGEST_STEP.copysign(slope) };
            let is_exact = f64::abs(slope) <= ROUNDING * self.radius;
            let is_minimum = second_derivative > 0.0 && f64::abs(step) <= LAST_STEP
                || second_derivative >= -FLAT * self.radius && is_exact;
            if is_minimum {
                let step = if is_exact { 0.0 } else { step };
                let own = grain.curvature(radii);
                // The wall is concave, which reduces the sum of the mean curvatures.
                return Ok(Touch {
                    n: self.rotated(n, step),
                    gap,
                    point: support.point + step * (radii.xx * t + radii.xy * self.axis),
                    curvature: (own - 0.5 / self.radius).max(LEAST_CURVATURE * own),
                });
            }
            *iterations += 1;
            let step = step.clamp(-longest, longest);
            last = (n, step);
            before = gap;
            // The trust region grows again after every accepted step.
            longest = LONGEST_STEP.min(2.0 * longest);
            n = self.rotated(n, step);
        }
        let support = grain.evaluate(n);
        Err(f64::abs(self.axis.cross(n).dot(centre + support.point)))
    }

    /// Returns `n` rotated about the axis by `angle`, to first order.
    fn rotated(&self, n: DVec3, angle: f64) -> DVec3 {
        (n + angle * self.axis.cross(n)).normalize()
    }
}
