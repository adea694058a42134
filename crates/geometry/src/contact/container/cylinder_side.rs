//! A grain inside a cylinder: the side, where the direction has one unknown, and the two end caps, which are planes.

use glam::DVec3;

use super::{LEAST_CURVATURE, NEAR, Touch, Touches, push};
use crate::contact::smooth::Smooth;
use crate::{Manifold, Pair, Status};

/// A step that small is made to first order, and is the last, rad.
const LAST_STEP: f64 = 3e-8;

/// Longest step, rad.
const LONGEST_STEP: f64 = 0.5;

/// Residual that is rounding, in radii of the cylinder.
const ROUNDING: f64 = 4e-16;

/// Second derivative that is rounding, in radii of the cylinder: all directions are as good, as for a ball on the axis.
const FLAT: f64 = 1e-12;

/// Most steps.
const MAX_STEPS: u32 = 60;

/// Cosine between a warm start and the direction of the grain up to which it is trusted.
const WARM: f64 = 0.9;

/// The side of the cylinder with this axis (unit vector, world axes) and radius, m.
pub(crate) struct Side {
    pub axis: DVec3,
    pub radius: f64,
}

impl Side {
    /// Finds the contacts with the side; `across` is used as the direction of a grain on the axis.
    pub fn collide<B: Smooth>(&self, grain: &B, across: DVec3, pair: &Pair, manifold: &mut Manifold) {
        let flat = |v: DVec3| (v - self.axis.dot(v) * self.axis).try_normalize();
        let outward = flat(pair.offset).unwrap_or(across);
        if grain.largest_radius() < self.radius {
            let warm = pair.warm.and_then(|normal| flat(-normal)).filter(|n| n.dot(outward) > WARM);
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
        let mut touches = Touches::default();
        let beside = (grain.bounding_radius() / self.radius).min(1.0) * self.axis.cross(outward);
        for part in [0.0, -0.4, 0.4, -1.0, 1.0] {
            let start = (outward + part * beside).normalize();
            match self.minimise(grain, pair.offset, start, &mut manifold.iterations) {
                Ok(touch) => touches.see(touch, pair),
                Err(residual) => manifold.status = Status::NotConverged { residual },
            }
        }
        touches.report(pair, manifold);
    }

    /// Descends from `start` to the angle where the side is nearest.
    fn minimise<B: Smooth>(&self, grain: &B, centre: DVec3, start: DVec3, iterations: &mut u32) -> Result<Touch, f64> {
        let mut n = start;
        let mut longest = LONGEST_STEP;
        let mut before = f64::INFINITY;
        let mut last = (n, 0.0);
        for _ in 0..MAX_STEPS {
            let reach = grain.reach(n);
            let gap = self.radius - n.dot(centre) - reach.h;
            if gap > before && longest > LAST_STEP {
                // Too far: half the step from where it came.
                let (from, step) = last;
                longest = 0.5 * f64::abs(step);
                n = self.turned(from, longest.copysign(step));
                last = (from, longest.copysign(step));
                *iterations += 1;
                continue;
            }
            let t = self.axis.cross(n);
            let radii = grain.radii(&reach, t, self.axis);
            let slope = -t.dot(centre + reach.point);
            let bend = self.radius - gap - radii.xx;
            let step = if bend > 0.0 { -slope / bend } else { -LONGEST_STEP.copysign(slope) };
            let is_exact = f64::abs(slope) <= ROUNDING * self.radius;
            let is_minimum = bend > 0.0 && f64::abs(step) <= LAST_STEP || bend >= -FLAT * self.radius && is_exact;
            if is_minimum {
                let step = if is_exact { 0.0 } else { step };
                let own = grain.curvature(radii);
                return Ok(Touch {
                    n: self.turned(n, step),
                    gap,
                    point: reach.point + step * (radii.xx * t + radii.xy * self.axis),
                    curvature: (own - 0.5 / self.radius).max(LEAST_CURVATURE * own),
                });
            }
            *iterations += 1;
            let step = step.clamp(-longest, longest);
            last = (n, step);
            before = gap;
            longest = LONGEST_STEP.min(2.0 * longest);
            n = self.turned(n, step);
        }
        let reach = grain.reach(n);
        Err(f64::abs(self.axis.cross(n).dot(centre + reach.point)))
    }

    /// `n` turned by about `angle` about the axis.
    fn turned(&self, n: DVec3, angle: f64) -> DVec3 {
        (n + angle * self.axis.cross(n)).normalize()
    }
}
