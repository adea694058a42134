//! Contact of a body with corners with walls that are flat or curved away from it. Only corners can
//! be nearest.

use std::cell::RefCell;

use glam::DVec3;

use super::{Corners, report_limit};
use crate::contact::manifold::MAX_POINTS;
use crate::{ContactPoint, Manifold, Pair};

/// First bit of the wall number in a feature number. The lower bits hold the corner.
const WALL_BIT: u32 = 16;

/// A corner near a wall.
#[derive(Clone, Copy)]
struct Near {
    corner: u16,
    wall: u16,
    normal: DVec3,
    gap: f64,
    /// Position relative to the centre of the walls, world axes, m.
    at: DVec3,
}

thread_local! {
    static NEAR: RefCell<Vec<Near>> = RefCell::default();
}

/// Finds the contacts of the corners of b with the walls of a. `wall` takes the number of a wall
/// and a point relative to the centre of a, in world axes. It returns the normal from the wall to
/// the point and the distance.
pub(crate) fn against_walls<S: Corners>(
    polytope: &S,
    walls: u16,
    wall: impl Fn(u16, DVec3) -> (DVec3, f64),
    pair: &Pair,
    manifold: &mut Manifold,
) {
    NEAR.with_borrow_mut(|near| {
        near.clear();
        let mut least = f64::INFINITY;
        for corner in 0..polytope.corner_count() {
            let at = pair.offset + pair.orientation_b * polytope.corner(corner);
            for k in 0..walls {
                let (normal, gap) = wall(k, at);
                least = least.min(gap);
                // The limit of the least gap so far may still decrease. It excludes most corners,
                // and the final limit below excludes the rest.
                if gap <= report_limit(pair.margin, least, polytope.radius()) {
                    near.push(Near { corner: corner as u16, wall: k, normal, gap, at });
                }
            }
        }
        let limit = report_limit(pair.margin, least, polytope.radius());
        near.retain(|near| near.gap <= limit);
        if near.len() > MAX_POINTS {
            spread(polytope, near);
        }
        // The curvature of a polytope does not depend on the direction.
        let curvature = pair.b.as_convex().curvature(DVec3::Z);
        for &Near { corner, wall, normal, gap, at } in near.iter() {
            let feature = u32::from(wall) << WALL_BIT | u32::from(corner);
            manifold.push(ContactPoint {
                arm: at - 0.5 * gap * normal,
                normal,
                gap,
                curvature,
                feature,
                overlap: None,
            });
        }
    });
}

/// Reduces the corners to the capacity of a manifold. It keeps the corner nearest to the wall, then
/// repeatedly the one farthest from all kept corners. Distances on the body do not change with its
/// motion, so that the choice is stable.
fn spread(polytope: &impl Corners, near: &mut Vec<Near>) {
    let nearest = (0..near.len()).min_by(|&i, &j| near[i].gap.total_cmp(&near[j].gap)).unwrap_or(0);
    near.swap(0, nearest);
    for kept in 1..MAX_POINTS {
        let apart = |k: usize| {
            let distance = |other: &Near| {
                let between = polytope.corner(near[k].corner as usize) - polytope.corner(other.corner as usize);
                between.length_squared()
            };
            near[..kept].iter().map(distance).fold(f64::INFINITY, f64::min)
        };
        let next = (kept..near.len()).max_by(|&i, &j| apart(i).total_cmp(&apart(j))).unwrap_or(kept);
        near.swap(kept, next);
    }
    // The order of selection depends on the gaps. Sorting restores an order that does not change
    // with small motions.
    near.truncate(MAX_POINTS);
    near.sort_by_key(|near| (near.wall, near.corner));
}
