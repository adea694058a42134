//! Two rims: the gap as a smooth function of the direction, by Newton's method on the sphere.
//!
//! Between the circles across the axes, one rim of each cylinder supports the direction; `signs`
//! selects these two. A search that crosses such a circle several times has its maximum on the
//! circle.

use glam::{DVec2, DVec3};

use super::CylinderPair;
use super::separation::{Class, Direction};
use crate::numeric::math::to_unit_length;

/// Largest number of Newton steps; 3 to 6 are usual.
const MAX_STEPS: u32 = 60;

/// Largest number of crossings of a circle at which another rim takes over. After more of them the
/// maximum is on the circle.
const MOST_CROSSINGS: u32 = 4;

/// Length of a step, relative to the scale over which the second derivative changes, at which the
/// iteration ends: the remaining error is the square of the step.
const LAST_STEP: f64 = 3e-7;

/// Longest step, rad.
const LONGEST_STEP: f64 = 0.5;

/// Tangential distance of the two points, relative to the size of the pair, that is a rounding
/// error.
const ROUNDING: f64 = 2e-16;

/// Increase of the gap, relative to the size of the pair, that is a rounding error.
const NOISE: f64 = 4e-16;

/// Shortest step, rad: below it rounding dominates.
const LEAST_STEP: f64 = 1e-14;

/// Regularisation, relative to the residual, below which it is set to zero.
const LEAST_SHIFT: f64 = 0.1;

/// Factors by which the regularisation changes after a rejected and after an accepted step.
const SHIFT_UP: f64 = 4.0;
const SHIFT_DOWN: f64 = 0.1;

/// Tangential distance, relative to the size of the pair, up to which a search has converged.
const CONVERGED: f64 = 1e-11;

/// Sine of the angle to every axis, and to every circle across one, from which only two rims can be
/// in contact.
const BETWEEN: f64 = 0.02;

/// Directions in each quarter of the sphere from which deep overlaps are searched: the fractions
/// towards the common perpendicular and between the two axes.
const TRIES: [[f64; 2]; 9] =
    [[0.1, 0.1], [0.1, 0.5], [0.1, 0.9], [0.5, 0.1], [0.5, 0.5], [0.5, 0.9], [0.9, 0.1], [0.9, 0.5], [0.9, 0.9]];

/// A direction with the two rim points along it, and the derivatives of the gap there.
struct AscentPoint {
    n: DVec3,
    /// `g` of these two rims, m.
    gap: f64,
    /// Tangent frame, its first vector along the first rim.
    frame: [DVec3; 2],
    /// Gradient: the tangential part of the vector between the points, in the frame, m.
    slope: DVec2,
    /// Minus the second derivative, xx, xy, yy, m.
    minus_hessian: [f64; 3],
    /// Sine of the angle to the nearer axis: the scale over which the second derivative changes,
    /// rad.
    scale: f64,
    /// Square of the sine of the angle between the two rims.
    crossing: f64,
}

impl CylinderPair {
    /// Searches for the maximum of the gap of two rims from `start`, until the gap exceeds the
    /// margin. Returns the direction, and whether it is a maximum: it is not if other features take
    /// over.
    #[inline(never)]
    pub(super) fn climb(&self, start: DVec3, margin: f64, iterations: &mut u32) -> Option<(Direction, bool)> {
        let start = start.try_normalize()?;
        let size = self.offset.length() + self.r[0] + self.r[1] + self.h[0] + self.h[1];
        let mut signs = self.signs(start);
        let mut at = self.ascent_point(start, signs)?;
        // Multiple of the identity that is added to minus the second derivative.
        let mut shift = 0.0;
        let mut crossings = 0;
        let mut converged = false;
        for _ in 0..MAX_STEPS {
            // A lower bound of the gap beyond the margin ends the search.
            if at.gap > margin {
                break;
            }
            let residual = at.slope.length();
            if residual <= ROUNDING * size {
                converged = true;
                break;
            }
            *iterations += 1;
            let step = at.step(shift);
            let n = at.moved(step);
            let others = self.signs(n);
            // A short pure Newton step at a maximum is the last one: apply it without another
            // evaluation.
            if shift == 0.0
                && others == signs
                && at.is_concave()
                && step.length_squared() < (LAST_STEP * at.scale) * (LAST_STEP * at.scale)
            {
                return Some((Direction { n, gap: self.g(n), class: Class::Rims }, true));
            }
            let next = self.ascent_point(n, others);
            // Near the maximum the change of the gap is a rounding error. Then the residual must
            // decrease.
            let is_better = |next: &AscentPoint| {
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
                    shift = if shift < LEAST_SHIFT * residual { 0.0 } else { SHIFT_DOWN * shift };
                }
                _ if step.length() < LEAST_STEP => {
                    converged = residual <= CONVERGED * size;
                    break;
                }
                // The step was too long, or the ridge ended. Take a shorter one, closer to the
                // gradient.
                _ => {
                    shift = (SHIFT_UP * shift).max(residual / step.length());
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

    /// Searches from directions that cover the half of the sphere towards the second body, and
    /// returns the best direction.
    pub(super) fn search_rims(&self, mut best: Direction, iterations: &mut u32) -> Direction {
        let across = self.line().n;
        // The four pairs of rims.
        for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
            let [p, q] = [signs[0] * self.axes[0], signs[1] * self.axes[1]];
            for [along, between] in TRIES {
                // Between the two axes with these signs, and from there towards the common
                // perpendicular.
                let Some(middle) = ((1.0 - between) * p + between * q).try_normalize() else { continue };
                let start = ((1.0 - along) * middle + along * across).normalize();
                if let Some((found, _)) = self.climb(start, f64::INFINITY, iterations) {
                    best = best.or(found);
                }
            }
        }
        best
    }

    /// Returns the depth up to which a maximum of two rims is proven to be the largest, m:
    /// `min(lambda/2, c)` of the README.
    pub(super) fn proven_rims(&self, n: DVec3) -> f64 {
        let Some(at) = self.ascent_point(n, self.signs(n)) else { return 0.0 };
        let size = self.offset.length() + self.r[0] + self.r[1] + self.h[0] + self.h[1];
        // The bound holds at a maximum only.
        if at.slope.length() > CONVERGED * size {
            return 0.0;
        }
        let ([r, s], thickness) = (self.r, self.r[0].min(self.h[0]) + self.r[1].min(self.h[1]));
        // Half the smaller eigenvalue of r_1 e_1 e_1' + r_2 e_2 e_2', whose trace is r + s.
        let det = r * s * at.crossing;
        let root = ((r + s) * (r + s) - 4.0 * det).max(0.0).sqrt();
        thickness.min(det / (r + s + root))
    }

    /// Returns whether a direction is well off the axes and off the circles across them, so that
    /// only two rims can be in contact along it.
    pub(super) fn is_between_features(&self, n: DVec3) -> bool {
        let along = [n.z.abs(), self.in_second(n).y.abs()];
        along.into_iter().all(|cos| cos > BETWEEN && cos * cos < 1.0 - BETWEEN * BETWEEN)
    }

    /// Returns the signs of the rims that support `n`.
    #[inline(always)]
    fn signs(&self, n: DVec3) -> [f64; 2] {
        [1f64.copysign(n.z), 1f64.copysign(self.in_second(n).y)]
    }

    /// Evaluates the gap of the rims with these signs along `n`; `None` on an axis, where a rim has
    /// no support point of its own.
    #[inline(always)]
    fn ascent_point(&self, n: DVec3, signs: [f64; 2]) -> Option<AscentPoint> {
        let ((sin, cos), second) = (self.angle(), self.in_second(n));
        let (square1, square2) = (n.x * n.x + n.y * n.y, n.x * n.x + second.x * second.x);
        // On an axis all points of the rim are support points.
        if square1 == 0.0 || square2 == 0.0 {
            return None;
        }
        let (sin1, sin2) = (square1.sqrt(), square2.sqrt());
        let (inverse1, inverse2) = (sin1 * (1.0 / square1), sin2 * (1.0 / square2));
        // Unit vectors to the rim points across either axis, and along the rims.
        let (out1, out2) = (DVec2::new(n.x, n.y) * inverse1, DVec2::new(n.x, second.x) * inverse2);
        let (e1, e2) = (DVec3::new(-out1.y, out1.x, 0.0), DVec3::new(-out2.y, cos * out2.x, -sin * out2.x));
        let x1 = DVec3::new(self.r[0] * out1.x, self.r[0] * out1.y, signs[0] * self.h[0]);
        let (y2, z2) = (self.r[1] * out2.y, signs[1] * self.h[1]);
        let x2 = DVec3::new(self.r[1] * out2.x, cos * y2 + sin * z2, cos * z2 - sin * y2);
        // A_i = k_i e_i e_i'
        let (k1, k2) = (self.r[0] * inverse1, self.r[1] * inverse2);
        let delta = self.offset - x1 - x2;
        let gap = n.dot(delta);
        let frame = [e1, DVec3::new(-n.z * out1.x, -n.z * out1.y, sin1)];
        let (c, s) = (e2.dot(frame[0]), e2.dot(frame[1]));
        Some(AscentPoint {
            n,
            gap,
            frame,
            slope: DVec2::new(delta.dot(frame[0]), delta.dot(frame[1])),
            minus_hessian: [k1 + k2 * c * c + gap, k2 * c * s, k2 * s * s + gap],
            scale: sin1.min(sin2),
            crossing: s * s,
        })
    }
}

impl AscentPoint {
    /// Returns whether the second derivative is negative definite.
    fn is_concave(&self) -> bool {
        let [xx, xy, yy] = self.minus_hessian;
        xx > 0.0 && xx * yy > xy * xy
    }

    /// Returns Newton's step in the tangent frame, rad. Minus the second derivative is shifted by a
    /// multiple of the identity, at least `more`, until the step is an ascent and not too long.
    #[inline(always)]
    fn step(&self, more: f64) -> DVec2 {
        let [xx, xy, yy] = self.minus_hessian;
        let DVec2 { x, y } = self.slope;
        let solved = |xx: f64, yy: f64| DVec2::new(yy * x - xy * y, xx * y - xy * x) / (xx * yy - xy * xy);
        if more == 0.0 && self.is_concave() {
            let step = solved(xx, yy);
            if step.length_squared() <= LONGEST_STEP * LONGEST_STEP {
                return step;
            }
        }
        // Eigenvalues of a symmetric 2 x 2 matrix.
        let half = 0.5 * (xx + yy);
        let root = (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt();
        let least_eigenvalue = half - root;
        // With this shift the smallest eigenvalue is at least residual/LONGEST_STEP.
        let shift = (self.slope.length() / LONGEST_STEP - least_eigenvalue).max(0.0) + more;
        solved(xx + shift, yy + shift).clamp_length_max(LONGEST_STEP)
    }

    /// Returns the direction after a step.
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

    /// If two rims are proven to have the least depth, no sampled direction has a smaller one.
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
            let contact = touching.point(0, n) - touching.point(1, -n);
            let depth = random.log_range(1e-3, 2.0) * touching.least_size();
            let offset = touching.world(contact - depth * n);
            let cylinders = CylinderPair::new([&bodies[0], &bodies[1]], offset, turns);
            let Some((found, true)) = cylinders.climb(n, f64::INFINITY, &mut 0) else { continue };
            if found.gap > 0.0 || -found.gap > cylinders.proven_rims(found.n) {
                continue;
            }
            proven += 1;
            let size = bodies.iter().map(|body| body.radius + body.half_height).sum::<f64>();
            let others = (0..200).map(|_| cylinders.g(random.direction())).fold(f64::NEG_INFINITY, f64::max);
            let searched = cylinders.search_rims(cylinders.search_sides(found, &mut 0), &mut 0).gap.max(others);
            let axes = cylinders.along_axis(0).gap.max(cylinders.along_axis(1).gap).max(cylinders.line().gap);
            let better = searched.max(axes) - found.gap;
            assert!(better <= 1e-12 * size, "{better:e} for {bodies:?} at {offset}, {turns:?}");
        }
        println!("{proven} of 20,000 proven");
        assert!(proven > 5_000, "{proven}");
    }
}
