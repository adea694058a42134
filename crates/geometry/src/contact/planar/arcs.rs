//! The least depth of two overlapping bodies over all directions, by arcs that are ruled out one by one.
//!
//! On an arc of directions the depth D obeys `D'' + D = rho` with `lo <= rho <= hi`. What follows from that about the
//! arc decides whether it is dropped, climbed or halved; see `docs/theory/plane.md`.

use glam::DVec2;

use super::Profile;
use super::climb::{Bracket, Top, climb};
use super::problem::{Problem, Sample};

/// Depths that differ by less are equal, over the size: a hundred roundings.
const SAME_DEPTH: f64 = 1e-14;

/// Directions after which the search gives up and says what it has not proven. Pairs of ellipses need some twenty.
const MOST_SAMPLES: u32 = 2000;

/// What the search found.
pub(super) struct Search {
    /// The best maximum of the gap.
    pub top: Top,
    /// Directions tried.
    pub samples: u32,
    /// Least depth that has not been ruled out, m; infinite if all has.
    unproven: f64,
}

/// Finds the least depth, given one local minimum of it.
#[inline(never)]
pub(super) fn least_depth<A: Profile, B: Profile>(problem: &Problem<A, B>, found: Top) -> Search {
    let mut search = Search { top: found, samples: 0, unproven: f64::INFINITY };
    // Directions that point away from b are never better than their opposites.
    let middle = problem.offset.normalize_or(DVec2::X);
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
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
    /// By how much another direction may be less deep than the best, m; 0 if that has been ruled out.
    pub fn slack(&self) -> f64 {
        (-self.top.best.gap - self.unproven).max(0.0)
    }

    /// Climbs from a direction if that is better than the best: so no direction ever seen is.
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
        let sum = from.normal + to.normal;
        let twice_cos = sum.length();
        let middle = sum / twice_cos;
        let (sin, cos) = (from.normal.perp_dot(middle), 0.5 * twice_cos);
        let (low, high) = problem.radius_range(from.normal, to.normal);
        let ends = [(-from.gap, -from.slope), (-to.gap, to.slope)];
        let least =
            ends.map(|(depth, rise)| least_on(low, depth, rise, sin, cos)).into_iter().fold(f64::INFINITY, f64::min);
        let wanted = -self.top.best.gap - SAME_DEPTH * problem.size;
        if least >= wanted {
            return;
        }
        if least > high {
            return; // the gap is convex: its greatest value is at an end, where another arc has it
        }
        let by_curve = ends.map(|(depth, rise)| -least_on(-high, -depth, -rise, sin, cos));
        let by_tangents = from.gap.min(to.gap) / -cos;
        let greatest = by_curve[0].max(by_curve[1]).min(by_tangents);
        if greatest < low {
            // Concave: one maximum. At an end it is that of a neighbour.
            if from.slope >= 0.0 && to.slope <= 0.0 {
                let bracket = Bracket { before: Some(*from), behind: Some(*to) };
                self.climb(problem, problem.sample(middle), bracket);
            }
            return;
        }
        if self.samples >= MOST_SAMPLES || middle == from.normal || middle == to.normal {
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

/// Least value of `radius + (depth - radius) cos s + rise sin s` for s from 0 to the angle of `sin` and `cos`.
fn least_on(radius: f64, depth: f64, rise: f64, sin: f64, cos: f64) -> f64 {
    if radius.is_infinite() {
        return f64::NEG_INFINITY;
    }
    let swing = depth - radius;
    // Written so that a radius far larger than the depth does not take its digits.
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
