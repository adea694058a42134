//! A body with corners against walls that bend away from it or not at all: only its corners can be nearest.

use std::cell::RefCell;

use glam::DVec3;

use super::{Corners, told};
use crate::contact::manifold::MAX_POINTS;
use crate::{ContactPoint, Manifold, Pair};

/// First bit of the wall's number in a feature; below it stands the corner's.
const WALL_BIT: u32 = 16;

/// A corner near a wall.
#[derive(Clone, Copy)]
struct Near {
    corner: u16,
    wall: u16,
    normal: DVec3,
    gap: f64,
    /// From the centre of the walls, world axes.
    at: DVec3,
}

thread_local! {
    static NEAR: RefCell<Vec<Near>> = RefCell::default();
}

/// Contacts of the corners of b, a solid, with the walls of a. `wall` tells for the number of a wall and a point, from the
/// centre of a in world axes, the normal from the wall to the point and its distance.
pub(crate) fn against_walls<S: Corners>(
    solid: &S,
    walls: u16,
    wall: impl Fn(u16, DVec3) -> (DVec3, f64),
    pair: &Pair,
    manifold: &mut Manifold,
) {
    NEAR.with_borrow_mut(|near| {
        near.clear();
        let mut least = f64::INFINITY;
        for corner in 0..solid.corner_count() {
            let at = pair.offset + pair.orientation_b * solid.corner(corner);
            for k in 0..walls {
                let (normal, gap) = wall(k, at);
                least = least.min(gap);
                if gap <= told(pair.margin, least, solid.radius()) {
                    near.push(Near { corner: corner as u16, wall: k, normal, gap, at });
                }
            }
        }
        let limit = told(pair.margin, least, solid.radius());
        near.retain(|near| near.gap <= limit);
        if near.len() > MAX_POINTS {
            spread(solid, near);
        }
        let curvature = pair.b.as_convex().curvature(DVec3::Z);
        for &Near { corner, wall, normal, gap, at } in near.iter() {
            let feature = u32::from(wall) << WALL_BIT | u32::from(corner);
            manifold.push(ContactPoint { arm: at - 0.5 * gap * normal, normal, gap, curvature, feature });
        }
    });
}

/// Keeps as many as a manifold holds, far from each other: the nearest to the wall, then always the one farthest from all
/// that are kept. Distances on the body do not change as it moves, so that the choice stays.
fn spread(solid: &impl Corners, near: &mut Vec<Near>) {
    let nearest = (0..near.len()).min_by(|&i, &j| near[i].gap.total_cmp(&near[j].gap)).unwrap_or(0);
    near.swap(0, nearest);
    for kept in 1..MAX_POINTS {
        let apart = |k: usize| {
            let distance = |other: &Near| {
                let between = solid.corner(near[k].corner as usize) - solid.corner(other.corner as usize);
                between.length_squared()
            };
            near[..kept].iter().map(distance).fold(f64::INFINITY, f64::min)
        };
        let next = (kept..near.len()).max_by(|&i, &j| apart(i).total_cmp(&apart(j))).unwrap_or(kept);
        near.swap(kept, next);
    }
    near.truncate(MAX_POINTS);
    near.sort_by_key(|near| (near.wall, near.corner));
}
