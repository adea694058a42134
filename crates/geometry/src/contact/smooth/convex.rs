//! Any convex body as a smooth body, with radii of curvature by finite differences. It serves pairs
//! that have no closed form.

use glam::{DMat3, DQuat, DVec3};

use super::{Smooth, Support, Symmetric2};
use crate::Convex;

/// Step of the finite difference, rad. Its error only slows the convergence.
const STEP: f64 = 1e-6;

/// A convex body with its orientation.
pub(crate) struct OrientedConvex<'a> {
    shape: &'a dyn Convex,
    /// Body axes to world axes.
    to_world: DQuat,
    /// World axes to body axes.
    to_body: DQuat,
}

impl<'a> OrientedConvex<'a> {
    pub fn new(shape: &'a dyn Convex, orientation: DQuat) -> Self {
        Self { shape, to_world: orientation, to_body: orientation.inverse() }
    }

    fn support(&self, n: DVec3) -> DVec3 {
        self.to_world * self.shape.support(self.to_body * n)
    }
}

impl Smooth for OrientedConvex<'_> {
    const HAS_EDGES: bool = true;

    /// The direction of the evaluation.
    type Trace = DVec3;

    fn evaluate(&self, n: DVec3) -> Support<DVec3> {
        let point = self.support(n);
        Support { h: n.dot(point), point, trace: n }
    }

    fn radii(&self, support: &Support<DVec3>, t: DVec3, u: DVec3) -> Symmetric2 {
        let beside = |axis: DVec3| (self.support(support.trace + STEP * axis) - support.point) / STEP;
        let (along_t, along_u) = (beside(t), beside(u));
        Symmetric2 { xx: t.dot(along_t), xy: 0.5 * (u.dot(along_t) + t.dot(along_u)), yy: u.dot(along_u) }
    }

    fn axes(&self) -> DMat3 {
        let extent = |axis: DVec3| self.shape.support(axis).dot(axis);
        let sizes = DVec3::new(extent(DVec3::X), extent(DVec3::Y), extent(DVec3::Z));
        DMat3::from_quat(self.to_world) * DMat3::from_diagonal(sizes)
    }

    fn bounding_radius(&self) -> f64 {
        self.shape.bounding_radius()
    }

    fn curvature(&self, _radii: Symmetric2) -> f64 {
        1.0 / self.shape.bounding_radius()
    }
}
