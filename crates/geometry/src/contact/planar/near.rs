//! The common normal from a direction that is nearly it: what a step of a simulation asks for.
//!
//! One step of the method of Chebyshev, third-order like Halley's, mostly does. Whatever is not plainly near a maximum
//! is left to `climb`, which starts again; so what is found here is found there, at a third of the cost.

use glam::DVec2;

use super::Profile;
use super::climb::Top;
use super::problem::{Problem, Sample};

/// Directions tried before `climb` takes over.
const MOST_STEPS: u32 = 4;

/// Longest step, rad: beyond it the start was not near. Terms of its eighth power are rounding.
const LONGEST_STEP: f64 = 1e-2;

/// Greatest relative change of the radius of curvature over half a step: beyond it the step is not third-order.
const LARGEST_CHANGE: f64 = 0.1;

/// What the last step may leave, rad: its cube, or itself times the squared relative change of the radius. Half a rounding.
const LEFT: f64 = 1e-16;

/// Radius of curvature, over the size, from which a place is flat, and the points say more than the normal.
const FLAT: f64 = 1e3;

/// How far a unit vector may be from unit length for one correction to leave rounding only.
const NEARLY_UNIT: f64 = 1e-8;

/// What a near start leads to.
pub(super) enum Near {
    /// A local maximum of the gap.
    Found(Top),
    /// A gap beyond the margin: the bodies are apart.
    Apart,
    /// The start was not near, or the place is a difficult one.
    Lost,
}

/// Looks for the maximum next to `start`, a unit vector but for rounding.
#[inline]
pub(super) fn near<A: Profile, B: Profile>(problem: &Problem<A, B>, start: DVec2, margin: f64) -> Near {
    let excess = start.length_squared() - 1.0;
    if excess.abs() > NEARLY_UNIT {
        return Near::Lost;
    }
    let mut normal = (1.0 - 0.5 * excess) * start;
    for steps in 1..=MOST_STEPS {
        let (here, changes) = problem.sample_with_changes(normal);
        if here.gap > margin {
            return Near::Apart;
        }
        let bend = here.gap + here.radius();
        let inverse = 1.0 / bend;
        // F'/F'' and F' F'''/(2 F''²), of the angle.
        let newton = here.slope * inverse;
        let change = 0.5 * newton * inverse * (here.slope + changes[0] + changes[1]);
        let step = newton * (1.0 - change);
        let is_near =
            bend > 0.0 && bend < FLAT * problem.size && step.abs() <= LONGEST_STEP && change.abs() <= LARGEST_CHANGE;
        if !is_near {
            return Near::Lost;
        }
        if step.abs() * (step * step + 4.0 * change * change) <= LEFT {
            return Near::Found(finish(&here, bend, changes[0], step, steps));
        }
        normal = turned(normal, step);
    }
    Near::Lost
}

/// A unit vector turned by a small angle, given by its tangent.
#[inline]
fn turned(normal: DVec2, tan: f64) -> DVec2 {
    let square = tan * tan;
    let scale = 1.0 - square * (0.5 - square * (0.375 - square * 0.3125));
    scale * (normal + tan * normal.perp())
}

/// The maximum a last step away; `change` is how the radius of a changes with the angle.
#[inline]
fn finish(sample: &Sample, bend: f64, change: f64, step: f64, steps: u32) -> Top {
    let (tangent, radius) = (sample.normal.perp(), sample.radii[0]);
    let gap = sample.gap + step * (sample.slope - 0.5 * step * bend);
    let normal = turned(sample.normal, step);
    let along = step * (radius + 0.5 * step * change);
    let point = sample.point + along * tangent - 0.5 * step * step * radius * sample.normal;
    let best = Sample { normal, gap, point, slope: 0.0, ..*sample };
    Top { best, middle: point + 0.5 * gap * normal, residual: 0.0, steps }
}
