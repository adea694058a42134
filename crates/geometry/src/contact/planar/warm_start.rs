//! The common normal from a close starting direction, as in most steps of a simulation.
//!
//! One step of Chebyshev's method, which converges cubically, usually suffices. If the start is not
//! clearly close to a maximum, `local_maximum` starts again. It finds the same result at three
//! times the cost.

use glam::DVec2;

use super::Profile;
use super::local_maximum::Top;
use super::problem::{Problem, Sample};

/// Largest number of directions before `local_maximum` takes over.
const MAX_STEPS: u32 = 4;

/// Longest step, rad. A longer step means that the start was not close. Its eighth power is a
/// rounding error.
const LONGEST_STEP: f64 = 1e-2;

/// Largest relative change of the radius of curvature over half a step. Beyond it convergence is
/// not cubic.
const LARGEST_CHANGE: f64 = 0.1;

/// Admissible error of the last step, rad: half a rounding error. The error is the cube of the
/// step, or the step times the squared relative change of the radius.
const LEFT: f64 = 1e-16;

/// Radius of curvature, relative to the size, from which a boundary is flat and its points are
/// better known than the normal.
const FLAT: f64 = 1e3;

/// Deviation of a vector from unit length that one correction reduces to rounding.
const NEARLY_UNIT: f64 = 1e-8;

/// The result of a search from a close start.
pub(super) enum Near {
    /// A local maximum of the gap.
    Found(Top),
    /// The gap exceeds the margin.
    Apart,
    /// The start was not close enough, or the boundary is too flat.
    Lost,
}

/// Finds the maximum near `start`, which is a unit vector except for rounding.
#[inline]
pub(super) fn near<A: Profile, B: Profile>(problem: &Problem<A, B>, start: DVec2, margin: f64) -> Near {
    let excess = start.length_squared() - 1.0;
    if excess.abs() > NEARLY_UNIT {
        return Near::Lost;
    }
    let mut normal = (1.0 - 0.5 * excess) * start;
    for steps in 1..=MAX_STEPS {
        let (here, changes) = problem.sample_with_changes(normal);
        if here.gap > margin {
            return Near::Apart;
        }
        let minus_second = here.gap + here.radius();
        let inverse = 1.0 / minus_second;
        // F'/F'' and F' F'''/(2 F''²), as functions of the angle.
        let newton = here.slope * inverse;
        let change = 0.5 * newton * inverse * (here.slope + changes[0] + changes[1]);
        let step = newton * (1.0 - change);
        // Chebyshev's step is trusted only if it is short and its correction small.
        let is_near = minus_second > 0.0
            && minus_second < FLAT * problem.size
            && step.abs() <= LONGEST_STEP
            && change.abs() <= LARGEST_CHANGE;
        if !is_near {
            return Near::Lost;
        }
        // Error of the step: its cube, or the step times the square of the correction.
        if step.abs() * (step * step + 4.0 * change * change) <= LEFT {
            return Near::Found(finish(&here, minus_second, changes[0], step, steps));
        }
        normal = turned(normal, step);
    }
    Near::Lost
}

/// Returns a unit vector rotated by a small angle, which is given by its tangent.
#[inline]
fn turned(normal: DVec2, tan: f64) -> DVec2 {
    let square = tan * tan;
    // Series of 1/sqrt(1 + tan²).
    let scale = 1.0 - square * (0.5 - square * (0.375 - square * 0.3125));
    scale * (normal + tan * normal.perp())
}

/// Returns the maximum after a final step. `change` is the derivative of the radius of a with
/// respect to the angle.
#[inline]
fn finish(sample: &Sample, minus_second: f64, change: f64, step: f64, steps: u32) -> Top {
    let (tangent, radius) = (sample.normal.perp(), sample.radii[0]);
    let gap = sample.gap + step * (sample.slope - 0.5 * step * minus_second);
    let normal = turned(sample.normal, step);
    let along = step * (radius + 0.5 * step * change);
    let point = sample.point + along * tangent - 0.5 * step * step * radius * sample.normal;
    let best = Sample { normal, gap, point, slope: 0.0, ..*sample };
    Top { best, middle: point + 0.5 * gap * normal, residual: 0.0, steps }
}
