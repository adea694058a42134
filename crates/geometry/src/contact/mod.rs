//! Contact of two bodies: a table of routines indexed by the two kinds of shape.
//!
//! The table is filled with [`general`](mod@general), which serves any two convex bodies; special pairs override their
//! cells, and the mirrored cells follow by themselves.

pub(crate) mod container;
pub mod cylinder;
pub mod general;
mod half_space;
pub mod manifold;
pub mod pairs;
mod patch;
pub mod planar;
pub(crate) mod polytope;
pub mod region;
mod revolution;
pub(crate) mod smooth;
mod sphere_sphere;

pub use polytope::PolytopeFeatures;
pub use smooth::{SuperellipsoidSurface, Symmetric2};

use std::sync::LazyLock;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

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

impl Pair<'_> {
    /// How far b lies beyond a along the unit vector `n`, m, for bounded bodies: their gap is no less.
    pub fn distance_along(&self, n: DVec3) -> f64 {
        let reach = |shape: &Shape, orientation: DQuat, direction: DVec3| {
            shape.as_convex().support_value(orientation.inverse() * direction)
        };
        n.dot(self.offset) - reach(self.a, self.orientation_a, n) - reach(self.b, self.orientation_b, -n)
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

/// What the overlap of two bodies is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measure {
    /// The depth at each point of contact.
    Depth,
    /// The volume that they share, where the pair knows it; else the depth.
    Volume,
    /// Overlap (21) and normal (23) of Feng, Han and Owen (2016), as published, between cylinders; else the depth. The energy of
    /// elastic contacts is not conserved: this is for comparison.
    Paper,
    /// The second moments of the region that they share, where the pair knows them; else the depth.
    #[default]
    Moments,
}

impl Measure {
    /// Whether the contacts of two kinds have a generalised overlap, which is not a distance.
    pub fn has_overlap(self, a: Kind, b: Kind) -> bool {
        self != Measure::Paper && self.by_region(a, b).is_some()
    }

    /// The routine that measures the overlap of two kinds by the region that they share, if this asks for it and there is one.
    fn by_region(self, a: Kind, b: Kind) -> Option<Routine> {
        match self {
            Measure::Depth => None,
            Measure::Volume => region::contact::by_volume(a, b),
            Measure::Paper => region::contact::published(a, b),
            Measure::Moments => region::contact::by_moments(a, b),
        }
    }
}

/// The routine for two kinds of shape that measures their overlap so.
pub fn routine_by(measure: Measure, a: Kind, b: Kind) -> Routine {
    measure.by_region(a, b).unwrap_or_else(|| routine(a, b))
}

/// The routine for two kinds of shape.
pub fn routine(a: Kind, b: Kind) -> Routine {
    TABLE[a as usize][b as usize]
}

/// Finds the contacts of one pair through the table.
pub fn collide(pair: &Pair, manifold: &mut Manifold) {
    manifold.clear();
    (routine(pair.a.kind(), pair.b.kind()).collide)(pair, manifold);
}
