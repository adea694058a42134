//! The grain in the axes of the surface, and the direction of a fan along which it is farthest.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};

use super::fan::Fan;
use crate::contact::smooth::flat_face::can_be_flat;
use crate::{Aabb, Convex, Pair, Shape};

/// Relative width of the bracket of an angle at which the search ends: rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Largest number of evaluations of a search. Each third one halves the bracket, so that the last
/// bracket is narrower than rounding.
const MOST_EVALUATIONS: usize = 180;

/// Number of intervals of a fan at whose ends the gap of a line inside a grain is evaluated.
const SAMPLES: u32 = 8;

/// Difference of gaps that counts as zero, relative to the bounding radius of the grain.
const SAME_GAP: f64 = 1e-10;

/// A grain in the axes of the surface.
#[derive(Clone, Copy)]
pub(super) struct Grain<'a> {
    pub shape: &'a Shape,
    pub centre: DVec3,
    /// Rotation from its body axes to the axes of the surface.
    pub orientation: DQuat,
    /// Bounding radius, m.
    pub radius: f64,
    /// True if it may have flat faces, straight lines or edges.
    pub has_flat_parts: bool,
    /// Extents along the axes of the surface, downward and upward, m.
    below: DVec3,
    above: DVec3,
}

/// The direction of a fan with the largest gap between a line and the grain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Farthest {
    pub normal: DVec3,
    /// Gap along the normal, m.
    pub gap: f64,
    /// Point of the grain that is nearest to the line along the normal.
    pub support: DVec3,
    /// True if the gap has its maximum inside the fan and not at an end of it.
    pub is_inside: bool,
}

/// Where a search along a fan has ended: a maximum, and the points of the grain on either side of it.
struct Bracket {
    /// Angle of the maximum.
    angle: f64,
    /// Points of the grain that are nearest to the line before the maximum and after it.
    supports: [DVec3; 2],
    /// Derivatives of the gaps of these points at the maximum, m.
    slopes: [f64; 2],
}

impl Bracket {
    /// Returns whether no other direction of the fan has a larger gap. `gap` is that of the maximum, m,
    /// and negative.
    ///
    /// At an angle t from the maximum, the gap is at most `gap cos(t) + slope sin(t)`, that of a known
    /// point. This is less than `gap` if `|slope| > |gap| tan(t/2)`, for which `|gap| t` suffices up to
    /// a right angle.
    fn exclude_others(&self, fan: &Fan, gap: f64) -> bool {
        let is_below = |angle: f64, slope: f64| angle <= 0.0 || (angle <= FRAC_PI_2 && slope >= -gap * angle);
        is_below(self.angle - fan.low, self.slopes[0]) && is_below(fan.high - self.angle, -self.slopes[1])
    }

    /// Returns an upper bound of the gap between the grain and the line through a point along a normal.
    fn bound(&self, point: DVec3, normal: DVec3) -> f64 {
        let [before, after] = self.supports.map(|support| normal.dot(support - point));
        before.min(after)
    }
}

impl<'a> Grain<'a> {
    /// Returns body b of a pair in the axes of body a.
    pub fn new(pair: &Pair<'a>) -> Self {
        let to_surface = pair.orientation_a.inverse();
        let has_flat_parts = match pair.b {
            Shape::Sphere(_) | Shape::Ellipsoid(_) => false,
            Shape::Superellipsoid(body) => can_be_flat(body),
            _ => true,
        };
        let mut grain = Self {
            shape: pair.b,
            centre: to_surface * pair.offset,
            orientation: to_surface * pair.orientation_b,
            radius: pair.b.as_convex().bounding_radius(),
            has_flat_parts,
            below: DVec3::ZERO,
            above: DVec3::ZERO,
        };
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| [-axis, axis].map(|side| grain.extent(side)));
        grain.below = DVec3::new(x[0], y[0], z[0]);
        grain.above = DVec3::new(x[1], y[1], z[1]);
        grain
    }

    fn convex(&self) -> &'a dyn Convex {
        self.shape.as_convex()
    }

    /// Returns the point of the grain that is farthest along a unit vector.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        self.centre + self.orientation * self.convex().support(self.orientation.inverse() * direction)
    }

    /// Returns the largest `direction.x` over the grain, relative to its centre, m.
    #[inline]
    pub fn extent(&self, direction: DVec3) -> f64 {
        self.convex().support_value(self.orientation.inverse() * direction)
    }

    /// Returns the gap between the grain and the half-space below a point, with the unit normal
    /// `normal`, m.
    #[inline]
    pub fn gap_above(&self, point: DVec3, normal: DVec3) -> f64 {
        normal.dot(self.centre - point) - self.extent(-normal)
    }

    /// Returns whether a point lies in the grain.
    pub fn contains(&self, point: DVec3) -> bool {
        self.convex().inside_outside(self.orientation.inverse() * (point - self.centre)) <= 0.0
    }

    /// Returns the mean curvature where the outward normal is `normal`, 1/m.
    pub fn curvature(&self, normal: DVec3) -> f64 {
        self.convex().curvature(self.orientation.inverse() * normal)
    }

    /// Returns a box around the grain, enlarged by a margin.
    pub fn bounds(&self, margin: f64) -> Aabb {
        let reach = DVec3::splat(self.radius + margin);
        // A box of the extents is smaller for slender grains.
        let [low, high] = [self.below, self.above].map(|extents| (extents + margin).min(reach));
        Aabb { min: self.centre - low, max: self.centre + high }
    }

    /// Returns an upper bound of the extent along a direction, m: that of the box around the grain.
    #[inline]
    pub fn greatest_extent(&self, direction: DVec3) -> f64 {
        (direction * self.above).max(-direction * self.below).element_sum()
    }

    /// Finds the direction of a fan with the largest gap between the line through `point`
    /// perpendicular to the fan and the grain. Returns `None` if a gap exceeds `limit`.
    pub fn farthest(&self, point: DVec3, fan: &Fan, limit: f64) -> Option<Farthest> {
        let guess = fan.angle_towards(self.centre - point);
        let (mut best, ends) = self.farthest_near(guess, point, fan, limit)?;
        if best.gap >= 0.0 || !self.has_flat_parts || ends.exclude_others(fan, best.gap) {
            return Some(best);
        }
        // The gap of a line that passes through a grain with edges has several maxima. The largest one
        // changes continuously with the pose.
        for k in 0..=SAMPLES {
            let angle = fan.low + (fan.high - fan.low) * f64::from(k) / f64::from(SAMPLES);
            let normal = fan.normal(angle);
            let least = best.gap + SAME_GAP * self.radius;
            // Beyond a right angle from the centre the line is passed on its far side.
            if normal.dot(self.centre - point) <= 0.0 || ends.bound(point, normal) <= least {
                continue;
            }
            let gap = self.gap_above(point, normal);
            if gap > least {
                (best, _) = self.farthest_near(angle, point, fan, limit)?;
            }
        }
        Some(best)
    }

    /// Finds the maximum of the gap next to an angle of the fan.
    ///
    /// The derivative of the gap along the fan is `n'.(s - x)`, with s the support point of the
    /// grain and x the point. It decreases through zero at a maximum.
    fn farthest_near(&self, guess: f64, point: DVec3, fan: &Fan, limit: f64) -> Option<(Farthest, Bracket)> {
        let evaluate = |angle: f64| {
            let (normal, slope) = fan.normal_and_slope(angle);
            let support = self.support(-normal);
            (normal, support, normal.dot(support - point), slope.dot(support - point))
        };
        let at_end = |angle: f64, (normal, support, gap, slope): (DVec3, DVec3, f64, f64)| {
            let ends = Bracket { angle, supports: [support; 2], slopes: [slope; 2] };
            (gap <= limit).then_some((Farthest { normal, gap, support, is_inside: false }, ends))
        };
        let first = evaluate(guess);
        if first.2 > limit {
            return None;
        }
        // The derivative is positive at `a` and negative at `b`. One of them is the direction to the
        // centre. Beyond a right angle from it the centre lies behind the line, where the gap has
        // other maxima.
        let (mut a, mut b) = ((guess, first), (guess, first));
        if first.3 > 0.0 {
            let high = fan.high.min(guess + FRAC_PI_2);
            b = (high, evaluate(high));
            if b.1.3 >= 0.0 {
                return at_end(high, b.1);
            }
        } else {
            let low = fan.low.max(guess - FRAC_PI_2);
            a = (low, evaluate(low));
            if a.1.3 <= 0.0 {
                return at_end(low, a.1);
            }
        }
        let (mut slope_a, mut slope_b) = (a.1.3, b.1.3);
        let mut last_side = 0;
        for evaluation in 0..MOST_EVALUATIONS {
            let width = b.0 - a.0;
            if width <= ROUNDING * b.0.abs().max(1.0) {
                break;
            }
            // The gap is at most that of either support point, so that it is largest where both bounds
            // meet if the evaluation there confirms them. This finds the edge of a polytope at once. On
            // curved surfaces the Illinois method converges faster: a secant in which the slope of an
            // end that stays is halved. Some steps halve the bracket, which bounds their number.
            let chord = a.1.1 - b.1.1;
            let (normal, slope) = fan.normal_and_slope(a.0);
            let meeting = a.0 + libm::atan2(-chord.dot(normal), chord.dot(slope));
            let secant = a.0 + width * slope_a / (slope_a - slope_b);
            let tried = match evaluation % 3 {
                0 => meeting,
                1 => secant,
                _ => f64::NAN,
            };
            let angle = if tried > a.0 && tried < b.0 { tried } else { a.0 + 0.5 * width };
            let found = evaluate(angle);
            let (_, slope) = fan.normal_and_slope(angle);
            let of = |end: DVec3| (found.0, end, found.0.dot(end - point), slope.dot(end - point));
            let (of_a, of_b) = (of(a.1.1), of(b.1.1));
            let is_top = angle == meeting && of_a.3 >= 0.0 && of_b.3 <= 0.0;
            if is_top && found.2 >= of_a.2.min(of_b.2) - ROUNDING * self.radius {
                (a, b) = ((angle, of_a), (angle, of_b));
                break;
            }
            if found.2 > limit {
                return None;
            }
            if found.3 == 0.0 {
                (a, b) = ((angle, found), (angle, found));
                break;
            }
            if found.3 > 0.0 {
                a = (angle, found);
                slope_a = found.3;
                slope_b *= if last_side == 1 { 0.5 } else { 1.0 };
                last_side = 1;
            } else {
                b = (angle, found);
                slope_b = found.3;
                slope_a *= if last_side == -1 { 0.5 } else { 1.0 };
                last_side = -1;
            }
        }
        // At a corner of the derivative the nearest point lies between the two support points.
        let (of_a, of_b) = (a.1.3, b.1.3);
        let part = if of_a > of_b { of_a / (of_a - of_b) } else { 0.0 };
        let support = a.1.1 + part * (b.1.1 - a.1.1);
        let (angle, best) = if a.1.2 >= b.1.2 { a } else { b };
        let ends = Bracket { angle, supports: [a.1.1, b.1.1], slopes: [of_a, of_b] };
        Some((Farthest { normal: best.0, gap: best.2, support, is_inside: true }, ends))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::shape::{Box, Cylinder, Polyhedron, rock};

    #[test]
    fn no_direction_that_is_excluded_without_a_search_has_a_larger_gap() {
        let mut random = Random::new(9);
        let corners = rock([1.0, 0.8, 0.6], 16.0, 3.0).expect("valid");
        let shapes: [Shape; 3] = [
            Box { half_sizes: DVec3::new(0.5, 0.4, 0.3) }.into(),
            Cylinder { radius: 0.3, half_height: 0.4 }.into(),
            Polyhedron::new(corners).expect("a rock").into(),
        ];
        let surface = Shape::from(crate::shape::Sphere { radius: 1.0 });
        let mut excluded = 0;
        for k in 0..6000 {
            let pair = Pair {
                a: &surface,
                b: &shapes[k % shapes.len()],
                offset: DVec3::ZERO,
                orientation_a: DQuat::IDENTITY,
                orientation_b: random.rotation(),
                margin: 0.0,
                warm: None,
            };
            let grain = Grain::new(&pair);
            let axes = random.rotation();
            let fan = Fan { u: axes * DVec3::X, w: axes * DVec3::Y, low: 0.0, high: random.range(0.05, 3.1) };
            let point = 0.5 * random.in_cube();
            let guess = fan.angle_towards(grain.centre - point);
            let Some((best, ends)) = grain.farthest_near(guess, point, &fan, 0.0) else { continue };
            if best.gap >= 0.0 || !ends.exclude_others(&fan, best.gap) {
                continue;
            }
            excluded += 1;
            for sample in 0..=200 {
                let normal = fan.normal(fan.high * f64::from(sample) / 200.0);
                let gap = grain.gap_above(point, normal);
                assert!(gap <= best.gap + SAME_GAP * grain.radius, "{gap} is larger than {}", best.gap);
                assert!(gap <= ends.bound(point, normal) + SAME_GAP * grain.radius);
            }
        }
        assert!(excluded > 600, "{excluded}");
    }
}
