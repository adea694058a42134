//! Deep overlap: several directions are normal to both surfaces, and the one with the least depth
//! is needed.

use glam::DVec3;

use super::SmoothPair;
use super::newton::{Found, Outcome, Phase, minimise};
use crate::numeric::math::around;

/// Number of best starting directions for a shallow pair. A deep pair is started from all
/// directions.
const STARTS: usize = 6;

/// Returns the contact of least depth that is found from directions fixed to the two bodies and,
/// for bodies with edges, from directions around `found`.
#[cold]
pub(super) fn least<T: SmoothPair>(
    two: &T,
    offset: DVec3,
    found: Option<Found>,
    is_shallow: bool,
    iterations: &mut u32,
) -> Outcome {
    let mut starts: Vec<(f64, DVec3)> = Vec::new();
    // Starts in all directions. They are fixed to the bodies, so that the result does not depend on
    // the frame.
    for axes in two.axes() {
        let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(DVec3::normalize);
        for direction in cube_directions() {
            let n = (direction[0] * axes[0] + direction[1] * axes[1] + direction[2] * axes[2]).normalize();
            starts.push((two.evaluate(n).h - n.dot(offset), n));
        }
    }
    if is_shallow {
        starts.sort_by(|p, q| p.0.total_cmp(&q.0));
        starts.truncate(STARTS);
    }
    if T::HAVE_EDGES {
        starts.extend(found.into_iter().flat_map(|found| around(found.normal)).map(|n| (0.0, n)));
    }
    let mut best = found;
    for (_, start) in starts {
        // No margin: a search that is cut short would not be a minimum.
        let outcome = minimise(two, offset, start, Phase::Gap, f64::INFINITY, iterations);
        if let Outcome::Found(found) = outcome
            && best.is_none_or(|best| found.depth < best.depth)
        {
            best = Some(found);
        }
    }
    best.map_or(Outcome::Lost, Outcome::Found)
}

/// Returns the directions of the faces, edges and corners of a cube.
fn cube_directions() -> impl Iterator<Item = [f64; 3]> {
    let three = [-1.0, 0.0, 1.0];
    let all = three.into_iter().flat_map(move |x| three.into_iter().flat_map(move |y| three.map(|z| [x, y, z])));
    all.filter(|corner| *corner != [0.0; 3])
}
