//! Any convex body as a smooth one, with curvature radii by differences: for pairs that have nothing better.

use glam::{DMat3, DQuat, DVec3};

use super::{Reach, Smooth, Symmetric2};
use crate::Convex;

/// Step of the difference, rad: its error only slows the convergence.
const STEP: f64 = 1e-6;

/// A placed convex body.
pub(crate) struct PlacedConvex<'a> {
    shape: &'a dyn Convex,
    turn: DQuat,
    back: DQuat,
}

impl<'a> PlacedConvex<'a> {
    pub fn new(shape: &'a dyn Convex, turn: DQuat) -> Self {
        Self { shape, turn, back: turn.inverse() }
    }

    fn support(&self, n: DVec3) -> DVec3 {
        self.turn * self.shape.support(self.back * n)
    }
}

impl Smooth for PlacedConvex<'_> {
    const HAS_EDGES: bool = true;

    /// The direction.
    type Trace = DVec3;

    fn reach(&self, n: DVec3) -> Reach<DVec3> {
        let point = self.support(n);
        Reach { h: n.dot(point), point, trace: n }
    }

    fn radii(&self, reach: &Reach<DVec3>, t: DVec3, u: DVec3) -> Symmetric2 {
        let beside = |axis: DVec3| (self.support(reach.trace + STEP * axis) - reach.point) / STEP;
        let (along_t, along_u) = (beside(t), beside(u));
        Symmetric2 { xx: t.dot(along_t), xy: 0.5 * (u.dot(along_t) + t.dot(along_u)), yy: u.dot(along_u) }
    }

    fn axes(&self) -> DMat3 {
        let reach = |axis: DVec3| self.shape.support(axis).dot(axis);
        let sizes = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
        DMat3::from_quat(self.turn) * DMat3::from_diagonal(sizes)
    }

    fn bounding_radius(&self) -> f64 {
        self.shape.bounding_radius()
    }

    fn curvature(&self, _radii: Symmetric2) -> f64 {
        1.0 / self.shape.bounding_radius()
    }
}
