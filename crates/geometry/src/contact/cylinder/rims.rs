//! Two rims: the gap as a smooth function of the direction, by Newton's method on the sphere.
//!
//! Between the circles across the axes each cylinder's upper or lower rim is the one that reaches out; `signs` names the
//! two. Where the climb leads across a circle again and again, the maximum is on it.

use glam::{DVec2, DVec3};

use super::{Class, CylinderPair, Direction};
use crate::numeric::math::to_unit_length;

/// Most steps: 3 to 6 from a fair start.
const MAX_STEPS: u32 = 60;

/// Times that a climb may meet the circle where another rim takes over: more often the maximum is on it.
const MOST_CROSSINGS: u32 = 4;

/// A step that short, in units of the scale, leaves an error of its square, and is the last.
const LAST_STEP: f64 = 3e-7;

/// Longest step, rad.
const LONGEST_STEP: f64 = 0.5;

/// Tangential part of the distance of the two points that is rounding, in units of the pair's size.
const ROUNDING: f64 = 2e-16;

/// Gain that a comparison cannot tell from rounding, in units of the pair's size.
const NOISE: f64 = 4e-16;

/// A step that short has met rounding, rad.
const LEAST_STEP: f64 = 1e-14;

/// Damping below this, in residuals, is dropped.
const LEAST_LIFT: f64 = 0.1;

/// Tangential distance up to which a climb has come to a maximum, in units of the pair's size.
const CONVERGED: f64 = 1e-11;

/// Sine of the angle to every axis, and to every circle across one, from which two rims meet and nothing else nearly does.
const BETWEEN: f64 = 0.02;

/// Directions tried in each quarter of the sphere when bodies overlap deeply.
const TRIES: [[f64; 2]; 9] =
    [[0.1, 0.1], [0.1, 0.5], [0.1, 0.9], [0.5, 0.1], [0.5, 0.5], [0.5, 0.9], [0.9, 0.1], [0.9, 0.5], [0.9, 0.9]];

/// The two rim points along a direction, and what Newton's method needs there.
struct At {
    n: DVec3,
    /// `g` of these two rims.
    gap: f64,
    /// Tangent frame, its first vector along the first rim.
    frame: [DVec3; 2],
    /// Tangential part of the distance of the points, in the frame.
    slope: DVec2,
    /// Minus the second derivative: xx, xy, yy.
    bend: [f64; 3],
    /// Sine of the angle to the nearer axis: the second derivative changes over such an angle.
    scale: f64,
    /// Square of the sine of the angle between the two rims.
    crossing: f64,
}

impl CylinderPair {
    /// Climbs from `start` with the two rims that reach out along it, until the gap exceeds the margin. Says too whether it
    /// came to a maximum: it does not where other features take over.
    #[inline(never)]
    pub(super) fn climb(&self, start: DVec3, margin: f64, iterations: &mut u32) -> Option<(Direction, bool)> {
        let start = start.try_normalize()?;
        let size = self.offset.length() + self.r[0] + self.r[1] + self.h[0] + self.h[1];
        let mut signs = self.signs(start);
        let mut at = self.at(start, signs)?;
        let mut lift = 0.0;
        let mut crossings = 0;
        let mut converged = false;
        for _ in 0..MAX_STEPS {
            if at.gap > margin {
                break;
            }
            let residual = at.slope.length();
            if residual <= ROUNDING * size {
                converged = true;
                break;
            }
            *iterations += 1;
            let step = at.step(lift);
            let n = at.moved(step);
            let others = self.signs(n);
            if lift == 0.0
                && others == signs
                && at.is_top()
                && step.length_squared() < (LAST_STEP * at.scale) * (LAST_STEP * at.scale)
            {
                return Some((Direction { n, gap: self.g(n), class: Class::Rims }, true));
            }
            let next = self.at(n, others);
            let is_better = |next: &At| {
                let gain = next.gap - at.gap;
                gain > NOISE * size || gain >= -NOISE * size && next.slope.length() < 0.5 * residual
            };
            match next {
                Some(next) if is_better(&next) => {
                    if others != signs {
                        crossings += 1;
                        signs = others;
                        if crossings > MOST_CROSSINGS {
                            break;
                        }
                    }
                    at = next;
                    lift = if lift < LEAST_LIFT * residual { 0.0 } else { 0.1 * lift };
                }
                _ if step.length() < LEAST_STEP => {
                    converged = residual <= CONVERGED * size;
                    break;
                }
                // Too far, or off a ridge: a shorter step, nearer to the steepest ascent.
                _ => {
                    lift = (4.0 * lift).max(residual / step.length());
                    if others != signs {
                        crossings += 1;
                        if crossings > MOST_CROSSINGS {
                            break;
                        }
                    }
                }
            }
        }
        Some((Direction { n: at.n, gap: self.g(at.n), class: Class::Rims }, converged))
    }

    /// Climbs from directions all over the half of the sphere that points to the second body.
    pub(super) fn search(&self, mut best: Direction, iterations: &mut u32) -> Direction {
        let across = self.line().n;
        for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
            let [p, q] = [signs[0] * self.axes[0], signs[1] * self.axes[1]];
            for [along, between] in TRIES {
                // Between the two axes turned this way, and from there towards the common perpendicular.
                let Some(middle) = ((1.0 - between) * p + between * q).try_normalize() else { continue };
                let start = ((1.0 - along) * middle + along * across).normalize();
                if let Some((found, _)) = self.climb(start, f64::INFINITY, iterations) {
                    best = best.or(found);
                }
            }
        }
        best
    }

    /// Depth up to which a maximum of two rims is the largest of all, m: see `docs/theory/cylinders.md`.
    pub(super) fn proven_rims(&self, n: DVec3) -> f64 {
        let Some(at) = self.at(n, self.signs(n)) else { return 0.0 };
        let size = self.offset.length() + self.r[0] + self.r[1] + self.h[0] + self.h[1];
        if at.slope.length() > CONVERGED * size {
            return 0.0;
        }
        let ([r, s], thin) = (self.r, self.r[0].min(self.h[0]) + self.r[1].min(self.h[1]));
        // Half the lesser eigenvalue of r_1 e_1 e_1' + r_2 e_2 e_2'.
        let det = r * s * at.crossing;
        let root = ((r + s) * (r + s) - 4.0 * det).max(0.0).sqrt();
        thin.min(det / (r + s + root))
    }

    /// Whether a direction is well off the axes, and off the circles across them: two rims meet along it, and nothing else nearly does.
    pub(super) fn is_between(&self, n: DVec3) -> bool {
        let along = [n.z.abs(), self.second(n).y.abs()];
        along.into_iter().all(|cos| cos > BETWEEN && cos * cos < 1.0 - BETWEEN * BETWEEN)
    }

    /// Which rim of either body reaches out along `n`.
    #[inline(always)]
    fn signs(&self, n: DVec3) -> [f64; 2] {
        [1f64.copysign(n.z), 1f64.copysign(self.second(n).y)]
    }

    /// The two rims of these signs along `n`; none on an axis, where a rim has no point of its own.
    #[inline(always)]
    fn at(&self, n: DVec3, signs: [f64; 2]) -> Option<At> {
        let ((sin, cos), second) = (self.angle(), self.second(n));
        let (square1, square2) = (n.x * n.x + n.y * n.y, n.x * n.x + second.x * second.x);
        if square1 == 0.0 || square2 == 0.0 {
            return None;
        }
        let (sin1, sin2) = (square1.sqrt(), square2.sqrt());
        let (over1, over2) = (sin1 * (1.0 / square1), sin2 * (1.0 / square2));
        // Out to the rim point and along the rim, across either axis.
        let (out1, out2) = (DVec2::new(n.x, n.y) * over1, DVec2::new(n.x, second.x) * over2);
        let (e1, e2) = (DVec3::new(-out1.y, out1.x, 0.0), DVec3::new(-out2.y, cos * out2.x, -sin * out2.x));
        let x1 = DVec3::new(self.r[0] * out1.x, self.r[0] * out1.y, signs[0] * self.h[0]);
        let (y2, z2) = (self.r[1] * out2.y, signs[1] * self.h[1]);
        let x2 = DVec3::new(self.r[1] * out2.x, cos * y2 + sin * z2, cos * z2 - sin * y2);
        let (k1, k2) = (self.r[0] * over1, self.r[1] * over2);
        let apart = self.offset - x1 - x2;
        let gap = n.dot(apart);
        let frame = [e1, DVec3::new(-n.z * out1.x, -n.z * out1.y, sin1)];
        let (c, s) = (e2.dot(frame[0]), e2.dot(frame[1]));
        Some(At {
            n,
            gap,
            frame,
            slope: DVec2::new(apart.dot(frame[0]), apart.dot(frame[1])),
            bend: [k1 + k2 * c * c + gap, k2 * c * s, k2 * s * s + gap],
            scale: sin1.min(sin2),
            crossing: s * s,
        })
    }
}

impl At {
    /// Whether the gap bends down every way.
    fn is_top(&self) -> bool {
        let [xx, xy, yy] = self.bend;
        xx > 0.0 && xx * yy > xy * xy
    }

    /// Newton's step, made an ascent where the second derivative has the wrong sign, and no longer than allowed.
    #[inline(always)]
    fn step(&self, more: f64) -> DVec2 {
        let [xx, xy, yy] = self.bend;
        let DVec2 { x, y } = self.slope;
        let solved = |xx: f64, yy: f64| DVec2::new(yy * x - xy * y, xx * y - xy * x) / (xx * yy - xy * xy);
        if more == 0.0 && self.is_top() {
            let step = solved(xx, yy);
            if step.length_squared() <= LONGEST_STEP * LONGEST_STEP {
                return step;
            }
        }
        let half = 0.5 * (xx + yy);
        let root = (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt();
        let least = half - root;
        // Enough to keep the step within bounds; a weak direction may be as weak as the gap.
        let lift = (self.slope.length() / LONGEST_STEP - least).max(0.0) + more;
        solved(xx + lift, yy + lift).clamp_length_max(LONGEST_STEP)
    }

    /// The direction after a step.
    #[inline(always)]
    fn moved(&self, step: DVec2) -> DVec3 {
        let n = self.n + step.x * self.frame[0] + step.y * self.frame[1];
        n * to_unit_length(n.length_squared())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::shape::Cylinder;

    /// Where two rims are proven to part two bodies soonest, no direction does it sooner.
    #[test]
    fn proven_rims_are_the_least_depth() {
        let mut random = Random::new(31);
        let mut proven = 0;
        for _ in 0..20_000 {
            let bodies = [0; 2].map(|_| {
                let aspect = random.log_range(0.02, 50.0);
                Cylinder { radius: random.range(0.3, 1.0) / aspect.max(1.0), half_height: aspect.min(1.0) }
            });
            let turns = [random.rotation(), random.rotation()];
            let touching = CylinderPair::new([&bodies[0], &bodies[1]], DVec3::ZERO, turns);
            let n = random.direction();
            let reach = touching.point(0, n) - touching.point(1, -n);
            let depth = random.log_range(1e-3, 2.0) * touching.least_size();
            let offset = touching.world(reach - depth * n);
            let cylinders = CylinderPair::new([&bodies[0], &bodies[1]], offset, turns);
            let Some((found, true)) = cylinders.climb(n, f64::INFINITY, &mut 0) else { continue };
            if found.gap > 0.0 || -found.gap > cylinders.proven_rims(found.n) {
                continue;
            }
            proven += 1;
            let size = bodies.iter().map(|body| body.radius + body.half_height).sum::<f64>();
            let others = (0..200).map(|_| cylinders.g(random.direction())).fold(f64::NEG_INFINITY, f64::max);
            let searched = cylinders.search(cylinders.deep_sides(found, &mut 0), &mut 0).gap.max(others);
            let axes = cylinders.along_axis(0).gap.max(cylinders.along_axis(1).gap).max(cylinders.line().gap);
            let better = searched.max(axes) - found.gap;
            assert!(better <= 1e-12 * size, "{better:e} for {bodies:?} at {offset}, {turns:?}");
        }
        println!("{proven} of 20,000 proven");
        assert!(proven > 5_000, "{proven}");
    }
}
