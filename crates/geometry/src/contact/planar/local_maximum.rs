//! The common normal of two planar bodies: climb to a local maximum of the gap, then prove that it
//! is global.

use glam::DVec2;

use super::global_minimum;
use super::problem::{Problem, Sample};
use super::warm_start::{Near, near};
use super::{Frame, Profile};
use crate::Status;
use crate::numeric::math::to_unit_length;

/// Tangent of a Newton step below which it is the last one. Its error is its square times the
/// relative change of the radius of curvature per radian, which is at most 1e4.
const LAST_STEP: f64 = 1e-10;

/// Tangential distance of the two surface points, relative to the size, below which the step is the
/// last one.
const LAST_MISFIT: f64 = 1e-10;

/// Tangent of the longest step. The quadratic model is invalid beyond 45 degrees.
const LONGEST_STEP: f64 = 1.0;

/// Tangent of the shortest step. On a flat part of the boundary the Newton step is zero, but the
/// radius of curvature is finite slightly aside.
const SHORTEST_STEP: f64 = 1e-15;

/// Difference, relative to the size, below which gaps count as equal: a hundred rounding errors.
const ROUNDING: f64 = 1e-14;

/// Factor by which a step is shortened if the gap has decreased.
const STEP_BACK: f64 = 0.25;

/// Sine of the angle below which two directions are equal except for rounding.
const SAME_DIRECTION: f64 = 4e-16;

/// Largest number of steps: enough for bisection from half a circle to rounding, and as many Newton
/// steps.
const MAX_STEPS: u32 = 120;

/// The contact of two planar bodies, relative to the centre of a and in its axes.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Unit normal from a to b.
    pub normal: DVec2,
    /// Signed distance, m.
    pub gap: f64,
    /// The middle of the two surface points, m.
    pub middle: DVec2,
    /// Radii of curvature of the two bodies, m.
    pub radii: [f64; 2],
    /// Number of directions evaluated.
    pub iterations: u32,
    /// Status: whether the points share the normal, and whether the maximum is proven to be global.
    pub status: Status,
}

/// Returns the contact of two bodies, or `None` if their gap exceeds `margin`, m. `warm` is a
/// starting direction.
#[inline]
pub fn common_normal<A: Profile, B: Profile>(
    a: &A,
    b: &B,
    offset: DVec2,
    frame: Frame,
    margin: f64,
    warm: Option<DVec2>,
) -> Option<Contact> {
    let problem = Problem::new(a, b, offset, frame);
    let mut top = match warm.map_or(Near::Lost, |start| near(&problem, start, margin)) {
        Near::Found(top) => top,
        Near::Apart => return None,
        Near::Lost => {
            let start = warm.and_then(DVec2::try_normalize).unwrap_or_else(|| problem.guess());
            climb(&problem, problem.sample(start), Bracket::default(), margin)?
        }
    };
    let mut iterations = top.steps;
    let mut slack = 0.0;
    // Separated bodies, and overlaps below the least radius of curvature, have one maximum only.
    // Deeper overlaps need the global search.
    let depth = -top.best.gap;
    if depth > 0.0 && depth > problem.least_radius() {
        let search = global_minimum::least_depth(&problem, top);
        top = search.top;
        iterations += search.samples;
        slack = search.slack();
    }
    let Top { best, middle, residual, .. } = top;
    if best.gap > margin {
        return None;
    }
    let status = if residual > LAST_MISFIT * problem.size {
        Status::NotConverged { residual }
    } else if slack > 0.0 {
        Status::NotProven { slack }
    } else {
        Status::Converged
    };
    Some(Contact { normal: best.normal, gap: best.gap, middle, radii: best.radii, iterations, status })
}

/// Directions on either side of a maximum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bracket {
    /// The gap increases anticlockwise from here.
    pub before: Option<Sample>,
    /// The gap decreases anticlockwise from here.
    pub behind: Option<Sample>,
}

impl Bracket {
    /// Returns whether one side is still missing.
    fn is_open(&self) -> bool {
        self.before.is_none() || self.behind.is_none()
    }
}

/// A local maximum of the gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Top {
    /// The direction. The derivative of the gap is zero except for rounding.
    pub best: Sample,
    /// The middle of the two surface points, m.
    pub middle: DVec2,
    /// Tangential distance of the surface points, m. It is zero if they share the normal.
    pub residual: f64,
    /// Number of directions evaluated.
    pub steps: u32,
}

impl Top {
    /// Moves a sample to the maximum by the final Newton step `tan`. To first order the points move
    /// by their radii of curvature.
    #[inline]
    fn finish(sample: &Sample, tan: f64, steps: u32) -> Self {
        let tangent = sample.normal.perp();
        let normal = unit(sample.normal + tan * tangent);
        // The gap gains half of slope times step, because the slope decreases linearly to zero.
        let gap = sample.gap + 0.5 * tan * sample.slope;
        // The step moves the two points in proportion to their radii of curvature.
        let share = if sample.radius() > 0.0 { sample.radii[0] / sample.radius() } else { 0.5 };
        // An infinite radius takes the whole displacement.
        let share = if sample.radii[0].is_infinite() { 1.0 } else { share };
        let point = sample.point + share * (sample.slope - tan * sample.gap) * tangent;
        let best = Sample { normal, gap, point, slope: 0.0, ..*sample };
        Self { best, middle: point + 0.5 * gap * normal, residual: 0.0, steps }
    }

    /// Returns the maximum between two directions that are equal except for rounding, on a flat
    /// part of the boundary. The contact lies where points between the two support points face each
    /// other.
    fn on_flat(before: &Sample, behind: &Sample, steps: u32) -> Self {
        let part = before.slope / (before.slope - behind.slope);
        let point = before.point.lerp(behind.point, part);
        let best = if before.gap >= behind.gap { before } else { behind };
        // The radius is the displacement of the point divided by the angle. Take the larger of the
        // radii at the ends and this quotient.
        let of_a = before.normal.perp().dot(behind.point - before.point).max(0.0);
        let of_both = (before.slope - behind.slope).max(of_a);
        let moved = [of_a, of_both - of_a];
        let radii = [0, 1].map(|k| best.radii[k].max(moved[k] / SAME_DIRECTION));
        let middle = point + 0.5 * best.gap * best.normal;
        Self { best: Sample { point, slope: 0.0, radii, ..*best }, middle, residual: 0.0, steps }
    }
}

/// Climbs from a sample to a local maximum inside the bracket. It returns `None` if a gap exceeds
/// `margin`.
#[inline]
pub(super) fn climb<A: Profile, B: Profile>(
    problem: &Problem<A, B>,
    start: Sample,
    mut bracket: Bracket,
    margin: f64,
) -> Option<Top> {
    let mut here = start;
    let mut misfit_before = f64::INFINITY;
    let mut steps = 0;
    while steps < MAX_STEPS {
        steps += 1;
        if here.gap > margin {
            return None;
        }
        // F'' = -(gap + radius): the gap is concave if this sum is positive.
        let minus_second = here.gap + here.radius();
        let newton = here.slope / minus_second;
        let concave = minus_second > 0.0;
        if concave && newton.abs() <= LAST_STEP && here.slope.abs() <= LAST_MISFIT * problem.size {
            return Some(Top::finish(&here, newton, steps));
        }
        if here.slope == 0.0 && !concave {
            // At a minimum every step increases the gap.
            here = problem.sample((here.normal + LONGEST_STEP * here.normal.perp()).normalize());
            continue;
        }
        // The slope shows on which side of the maximum this direction is.
        if here.slope > 0.0 {
            bracket.before = Some(here);
        } else {
            bracket.behind = Some(here);
        }
        let length = if concave { newton.abs().clamp(SHORTEST_STEP, LONGEST_STEP) } else { LONGEST_STEP };
        let mut tan = length.copysign(here.slope);
        let mut next = unit(here.normal + tan * here.normal.perp());
        if let (Some(before), Some(behind)) = (&bracket.before, &bracket.behind) {
            // The two directions are at most the longest step apart, so that their sum lies between
            // them.
            let width = before.normal.perp_dot(behind.normal);
            let inside = before.normal.perp_dot(next) > 0.0 && next.perp_dot(behind.normal) > 0.0;
            // Newton's steps that do not halve the slope are replaced by bisection.
            let slow = here.slope.abs() > 0.5 * misfit_before;
            if !inside || slow {
                next = (before.normal + behind.normal).normalize();
            }
            if width <= SAME_DIRECTION || next == before.normal || next == behind.normal {
                return Some(Top::on_flat(before, behind, steps));
            }
        }
        let mut there = problem.sample(next);
        // The gap is lower and still increases, so that the step has passed a maximum.
        let lower = here.gap - ROUNDING * problem.size;
        while there.gap < lower && there.slope * here.slope > 0.0 && bracket.is_open() {
            tan *= STEP_BACK;
            steps += 1;
            there = problem.sample((here.normal + tan * here.normal.perp()).normalize());
        }
        misfit_before = here.slope.abs();
        here = there;
    }
    // The bound of the steps is reached: report the misfit of the points.
    let mut top = Top::finish(&here, 0.0, MAX_STEPS);
    top.residual = here.slope.abs();
    Some(top)
}

#[inline]
fn unit(v: DVec2) -> DVec2 {
    v * to_unit_length(v.length_squared())
}
