//! Contact of two bodies: pair routines, and the [table] that finds them by measure and kinds of shape.
//!
//! Each folder holds the routines of one family of shapes; `built_in` lists them all. [`general`](mod@general) serves
//! any two convex bodies.

mod built_in;
pub(crate) mod container;
pub mod cylinder;
pub mod general;
mod half_space;
pub mod manifold;
mod measure;
mod patch;
pub mod planar;
pub(crate) mod polytope;
pub mod region;
mod revolution;
pub(crate) mod smooth;
mod sphere_sphere;
pub mod table;

pub use measure::{InvalidMeasureName, Measure, MeasureName};
pub use polytope::PolytopeFeatures;
pub use smooth::{SuperellipsoidSurface, Symmetric2};
pub use table::{CollideFn, PairTable, RegionFn, RegionMethod, Routine, collide, overlap_region};

use glam::{DQuat, DVec3};

use crate::{Pose, Shape};

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
