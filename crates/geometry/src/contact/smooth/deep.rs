//! Deep overlap: several common normals, of which the one with the least depth is wanted.

use glam::DVec3;

use super::Two;
use super::newton::{Found, Outcome, Phase, minimise};
use crate::numeric::math::around;

/// Directions fixed to the bodies from which a shallow pair is tried again; a deep one is tried from all.
const STARTS: usize = 6;

/// The least depth found from directions fixed to the two bodies, and from beside `found` if there is one already.
#[cold]
pub(super) fn least<T: Two>(
    two: &T,
    offset: DVec3,
    found: Option<Found>,
    is_shallow: bool,
    iterations: &mut u32,
) -> Outcome {
    let mut starts: Vec<(f64, DVec3)> = Vec::new();
    for axes in two.axes() {
        let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(DVec3::normalize);
        for corner in corners() {
            let n = (corner[0] * axes[0] + corner[1] * axes[1] + corner[2] * axes[2]).normalize();
            starts.push((two.reach(n).h - n.dot(offset), n));
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
        let outcome = minimise(two, offset, start, Phase::Gap, f64::INFINITY, iterations);
        if let Outcome::Found(found) = outcome
            && best.is_none_or(|best| found.depth < best.depth)
        {
            best = Some(found);
        }
    }
    best.map_or(Outcome::Lost, Outcome::Found)
}

/// Faces, edges and corners of a cube, as directions.
fn corners() -> impl Iterator<Item = [f64; 3]> {
    let three = [-1.0, 0.0, 1.0];
    let all = three.into_iter().flat_map(move |x| three.into_iter().flat_map(move |y| three.map(|z| [x, y, z])));
    all.filter(|corner| *corner != [0.0; 3])
}
