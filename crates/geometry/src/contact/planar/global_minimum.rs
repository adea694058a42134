//! Global minimum of the depth of two overlapping planar bodies by branch and bound over arcs of
//! directions.
//!
//! On an arc of directions the depth D satisfies `D'' + D = rho` with `lo <= rho <= hi`. The bounds
//! that follow decide whether the arc is discarded, searched or bisected (`docs/theory/plane.md`).

use glam::DVec2;

use super::Profile;
use super::local_maximum::{Bracket, Top, climb};
use super::problem::{Problem, Sample};

/// Difference, relative to the size, below which depths count as equal: a hundred rounding errors.
const SAME_DEPTH: f64 = 1e-14;

/// Largest number of directions. Beyond it the search stops and returns
/// the least depth that it could not exclude.
/// Pairs of ellipses need about twenty.
const MAX_SAMPLES: u32 = 2000;

/// State and result of the search.
pub(super) struct Search {
    /// The best maximum of the gap.
    pub top: Top,
    /// Number of directions evaluated.
    pub samples: u32,
    /// Least depth that has not been excluded, m; infinite if all are excluded.
    unproven: f64,
}

/// Finds the least depth from one known local minimum.
#[inline(never)]
pub(super) fn least_depth<A: Profile, B: Profile>(problem: &Problem<A, B>, found: Top) -> Search {
    let mut search = Search { top: found, samples: 0, unproven: f64::INFINITY };
    // A direction that points away from b is never better than its opposite.
    let middle = problem.offset.normalize_or(DVec2::X);
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    // Five directions divide the half circle into arcs of 45 degrees.
    let fan = [(0.0, -1.0), (diagonal, -diagonal), (1.0, 0.0), (diagonal, diagonal), (0.0, 1.0)];
    let samples = fan.map(|(along, across)| problem.sample(along * middle + across * middle.perp()));
    search.samples += fan.len() as u32;
    for sample in &samples {
        search.rise_from(problem, sample);
    }
    for pair in samples.windows(2) {
        search.look_between(problem, &pair[0], &pair[1]);
    }
    search
}

impl Search {
    /// Returns the amount by which another direction may be less deep than the best one, m; 0 if
    /// none is.
    pub fn slack(&self) -> f64 {
        (-self.top.best.gap - self.unproven).max(0.0)
    }

    /// Climbs from a direction that is better than the best one so far.
    fn rise_from<A: Profile, B: Profile>(&mut self, problem: &Problem<A, B>, start: &Sample) {
        if start.gap <= self.top.best.gap + SAME_DEPTH * problem.size {
            return;
        }
        self.climb(problem, *start, Bracket::default());
    }

    fn climb<A: Profile, B: Profile>(&mut self, problem: &Problem<A, B>, start: Sample, bracket: Bracket) {
        if let Some(top) = climb(problem, start, bracket, f64::INFINITY) {
            self.samples += top.steps;
            if top.best.gap > self.top.best.gap + SAME_DEPTH * problem.size {
                self.top = top;
            }
        }
    }

    fn look_between<A: Profile, B: Profile>(&mut self, problem: &Problem<A, B>, from: &Sample, to: &Sample) {
        // The middle of the arc, and sine and cosine of half its angle.
        let sum = from.normal + to.normal;
        let twice_cos = sum.length();
        let middle = sum / twice_cos;
        let (sin, cos) = (from.normal.perp_dot(middle), 0.5 * twice_cos);
        let (low, high) = problem.radius_range(from.normal, to.normal);
        // From either end the curvature bounds limit the depth over half of the arc.
        let ends = [(-from.gap, -from.slope), (-to.gap, to.slope)];
        let least =
            ends.map(|(depth, rise)| least_on(low, depth, rise, sin, cos)).into_iter().fold(f64::INFINITY, f64::min);
        let wanted = -self.top.best.gap - SAME_DEPTH * problem.size;
        // No direction of this arc can be less deep than the best one.
        if least >= wanted {
            return;
        }
        if least > high {
            // The gap is convex, so that its maximum is at an end and belongs to a neighbouring arc.
            return;
        }
        let by_curve = ends.map(|(depth, rise)| -least_on(-high, -depth, -rise, sin, cos));
        let by_tangents = from.gap.min(to.gap) / -cos;
        let greatest = by_curve[0].max(by_curve[1]).min(by_tangents);
        if greatest < low {
            // The gap is concave and has one maximum. A maximum at an end belongs to a neighbouring
            // arc.
            if from.slope >= 0.0 && to.slope <= 0.0 {
                let bracket = Bracket { before: Some(*from), behind: Some(*to) };
                self.climb(problem, problem.sample(middle), bracket);
            }
            return;
        }
        // The arc is as short as rounding allows, or the bound of the search is reached.
        if self.samples >= MAX_SAMPLES || middle == from.normal || middle == to.normal {
            self.unproven = self.unproven.min(least);
            return;
        }
        self.samples += 1;
        let middle = problem.sample(middle);
        self.rise_from(problem, &middle);
        self.look_between(problem, from, &middle);
        self.look_between(problem, &middle, to);
    }
}

/// Returns the minimum of `radius + (depth - radius) cos s + rise sin s` for s from 0 to the angle
/// given by `sin` and `cos`.
fn least_on(radius: f64, depth: f64, rise: f64, sin: f64, cos: f64) -> f64 {
    // An infinite radius gives no bound.
    if radius.is_infinite() {
        return f64::NEG_INFINITY;
    }
    let swing = depth - radius;
    // This form avoids cancellation if the radius is much larger than the depth.
    let end = depth * cos + rise * sin + radius * (sin * sin / (1.0 + cos));
    let falls_first = rise < 0.0;
    let rises_last = rise * cos - swing * sin > 0.0;
    if !(falls_first && rises_last) {
        return depth.min(end);
    }
    let amplitude = swing.hypot(rise);
    if radius > 0.0 {
        (depth * (2.0 * radius - depth) - rise * rise) / (radius + amplitude)
    } else {
        radius - amplitude
    }
}
