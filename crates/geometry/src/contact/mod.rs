//! Contact of two bodies: pair routines, and the [table] that finds them by measure and kinds of
//! shape.
//!
//! Each folder holds the routines of one family of shapes; `built_in` lists them all.
//! [`general`](mod@general) serves any two convex bodies.

mod built_in;
mod conservation;
pub(crate) mod container;
pub mod cylinder;
pub mod general;
mod half_space;
pub mod manifold;
mod measure;
mod patch;
pub mod planar;
pub mod point;
pub(crate) mod polytope;
pub mod region;
mod revolution;
pub(crate) mod smooth;
mod sphere_sphere;
pub mod surface;
pub mod table;

pub use measure::{InvalidMeasureName, Measure, MeasureName};
pub use polytope::PolytopeFeatures;
pub use smooth::{SuperellipsoidSurface, Symmetric2};
pub use table::{CollideFn, PairTable, RegionFn, RegionMethod, Routine, collide, overlap_region};

use glam::{DQuat, DVec3};

use crate::{Pose, Shape};

/// Two bodies with their poses, relative to the centre of a, in world axes.
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
    /// Largest gap that must be reported, m. An infinite margin reports every gap.
    pub margin: f64,
    /// Contact normal of this pair in the previous step: the start of an iteration.
    pub warm: Option<DVec3>,
}

impl<'a> Pair<'a> {
    /// Creates the pair of two shapes with their poses, without a warm start and with an infinite
    /// margin.
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

    /// Returns the pair with a and b exchanged.
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
    /// Returns the separation of b from a along the unit vector `n`, m: a lower bound of the gap of
    /// bounded bodies.
    pub fn distance_along(&self, n: DVec3) -> f64 {
        let reach = |shape: &Shape, orientation: DQuat, direction: DVec3| {
            shape.as_convex().support_value(orientation.inverse() * direction)
        };
        n.dot(self.offset) - reach(self.a, self.orientation_a, n) - reach(self.b, self.orientation_b, -n)
    }
}
