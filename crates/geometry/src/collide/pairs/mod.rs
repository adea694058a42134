//! Special pairs: each file holds one routine that is faster or more exact than `general`.

mod disc_disc;
mod half_space_convex;
mod half_space_sphere;
mod inside_circle_planar;
pub(crate) mod planar_planar;
mod segment_planar;
mod sphere_sphere;
mod wall_wall;

use super::CollideFn;
use crate::{Kind, Manifold, Pair};

/// One override of the dispatch table.
pub struct Special {
    /// Kind of the first body.
    pub a: Kind,
    /// Kind of the second body.
    pub b: Kind,
    /// Name for reports.
    pub name: &'static str,
    /// The routine for (a, b).
    pub collide: CollideFn,
    /// The routine for (b, a).
    pub mirrored: CollideFn,
}

/// An override and, for (b, a), the same routine with the bodies exchanged.
macro_rules! special {
    ($a:expr, $b:expr, $module:ident) => {
        special!($a, $b, $module, stringify!($module))
    };
    ($a:expr, $b:expr, $module:ident, $name:expr) => {{
        fn mirrored(pair: &Pair, manifold: &mut Manifold) {
            $module::collide(&pair.swapped(), manifold);
            manifold.swap(-pair.offset);
        }
        Special { a: $a, b: $b, name: $name, collide: $module::collide, mirrored }
    }};
}

/// Every override, in the order in which they are laid into the table: a later one wins.
pub fn overrides() -> Vec<Special> {
    let mut all: Vec<Special> =
        Kind::ALL.iter().map(|&kind| special!(Kind::HalfSpace, kind, half_space_convex)).collect();
    all.push(special!(Kind::HalfSpace, Kind::HalfSpace, wall_wall));
    all.push(special!(Kind::HalfSpace, Kind::InsideCircle, wall_wall));
    all.push(special!(Kind::HalfSpace, Kind::Sphere, half_space_sphere));
    all.push(special!(Kind::Sphere, Kind::Sphere, sphere_sphere));
    all.extend(planar());
    all
}

/// The pairs of the plane.
fn planar() -> Vec<Special> {
    let mut all: Vec<Special> = Kind::ALL.iter().map(|&kind| special!(Kind::InsideCircle, kind, wall_wall)).collect();
    for grain in [Kind::Disc, Kind::Ellipse, Kind::Superellipse] {
        all.push(special!(Kind::InsideCircle, grain, inside_circle_planar));
        all.push(special!(Kind::Segment, grain, segment_planar));
        all.push(special!(Kind::Disc, grain, planar_planar, "common-normal"));
        all.push(special!(Kind::Ellipse, grain, planar_planar, "common-normal"));
        all.push(special!(Kind::Superellipse, grain, planar_planar, "common-normal"));
    }
    all.push(special!(Kind::Segment, Kind::Segment, segment_planar));
    all.push(special!(Kind::Disc, Kind::Disc, disc_disc));
    all
}
