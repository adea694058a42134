//! Contact of two bodies: a table of routines indexed by the two kinds of shape.
//!
//! The table is filled with [`general`](mod@general), which serves any two convex bodies; special pairs override their
//! cells, and the mirrored cells follow by themselves.

mod drum;
pub mod general;
mod hollow;
pub mod pairs;
mod plane;
pub(crate) mod solid;
pub(crate) mod support;

use std::sync::LazyLock;

use glam::{DQuat, DVec3};

use crate::{Kind, Manifold, Pose, Shape};
use general::general;

/// Two placed bodies, described from the centre of a, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// First body.
    pub a: &'a Shape,
    /// Second body.
    pub b: &'a Shape,
    /// Centre of b minus centre of a, m.
    pub offset: DVec3,
    /// Body axes of a to world axes.
    pub orientation_a: DQuat,
    /// Body axes of b to world axes.
    pub orientation_b: DQuat,
    /// Contacts with a larger gap need not be reported, m. Infinite to learn the distance whatever it is.
    pub margin: f64,
    /// Normal of this pair's contact one step ago, where an iteration may start.
    pub warm: Option<DVec3>,
}

impl<'a> Pair<'a> {
    /// The pair of two posed shapes, cold, with no limit on the gap.
    pub fn new(a: &'a Shape, pose_a: &Pose, b: &'a Shape, pose_b: &Pose) -> Self {
        Self {
            a,
            b,
            offset: pose_b.position - pose_a.position,
            orientation_a: pose_a.orientation,
            orientation_b: pose_b.orientation,
            margin: f64::INFINITY,
            warm: None,
        }
    }

    /// The same pair with a and b exchanged.
    pub fn swapped(&self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            offset: -self.offset,
            orientation_a: self.orientation_b,
            orientation_b: self.orientation_a,
            margin: self.margin,
            warm: self.warm.map(|normal| -normal),
        }
    }
}

/// A pair routine: writes the contacts with a gap of at most `margin` into a cleared manifold.
pub type CollideFn = fn(&Pair, &mut Manifold);

/// Number of kinds of shape.
const KINDS: usize = Kind::ALL.len();

/// A pair routine and its name, as `granum contact` reports it.
#[derive(Clone, Copy)]
pub struct Routine {
    /// The routine.
    pub collide: CollideFn,
    /// Its name.
    pub name: &'static str,
}

/// The dispatch table.
static TABLE: LazyLock<[[Routine; KINDS]; KINDS]> = LazyLock::new(|| {
    let mut table = [[Routine { collide: general, name: "general" }; KINDS]; KINDS];
    for special in pairs::overrides() {
        let (a, b) = (special.a as usize, special.b as usize);
        table[b][a] = Routine { collide: special.mirrored, name: special.name };
        table[a][b] = Routine { collide: special.collide, name: special.name };
    }
    table
});

/// The routine for two kinds of shape.
pub fn routine(a: Kind, b: Kind) -> Routine {
    TABLE[a as usize][b as usize]
}

/// Finds the contacts of one pair through the table.
pub fn collide(pair: &Pair, manifold: &mut Manifold) {
    manifold.clear();
    (routine(pair.a.kind(), pair.b.kind()).collide)(pair, manifold);
}
